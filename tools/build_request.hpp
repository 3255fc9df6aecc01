// What was asked of `giga build`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "giga/construct/build.hpp"
#include "giga/construct/vector_table.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

enum class InputKind { Data, Vectors, Loglik };
[[nodiscard]] std::string_view name(InputKind kind);

struct BuildRequest {
  InputKind kind = InputKind::Vectors;
  std::filesystem::path input;  ///< "-" is standard input, for data

  ReadOptions read;        ///< For data only,
  ModelOptions model;      ///< as is this,
  CoresetOptions coreset;  ///< but for method, selector, max_steps, tolerance and seed, which are for all.

  std::optional<Index> asked_size;  ///< as given
  Index size = 100;                 ///< as resolved, once N is known
  int threads = 0;
  std::optional<std::filesystem::path> out;
  std::optional<std::filesystem::path> config;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

void add_build_options(Arguments& arguments);

/// Throws UsageError for whatever cannot be.
[[nodiscard]] BuildRequest build_request(const Arguments& arguments, const std::optional<std::string>& data);

}  // namespace giga::tool
