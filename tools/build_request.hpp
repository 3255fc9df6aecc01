// What was asked of `giga build`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "giga/base/names.hpp"
#include "giga/construct/build.hpp"
#include "giga/construct/vector_table.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

enum class InputKind { Data, Vectors, Loglik };
constexpr auto name_table(InputKind) {
  using enum InputKind;
  return names_are<InputKind>({{Data, "data"}, {Vectors, "vectors"}, {Loglik, "loglik"}});
}

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

/// What the help says of options whose defaults differ from verb to verb.
struct BuildHelp {
  ProjectionKind projection;
  Norm norm;
  const char *projection_dim, *size, *tolerance;
};

/// Parts of these that other verbs have too.
void add_projection_options(Arguments& arguments, const std::string& group, const BuildHelp& help);
void add_construction_options(Arguments& arguments, const BuildHelp& help);
/// --seed and --threads.
void add_run_options(Arguments& arguments, const std::string& group);

/// What is given of those replaces what is there. The size is resolved where it was given.
void set_projection(const Arguments& arguments, CoresetOptions& coreset);
void set_construction(const Arguments& arguments, BuildRequest& request);

/// Throws UsageError for whatever cannot be.
[[nodiscard]] BuildRequest build_request(const Arguments& arguments, const std::optional<std::string>& data);

}  // namespace giga::tool
