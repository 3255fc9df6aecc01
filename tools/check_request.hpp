// What was asked of `giga check`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "giga/data/read_dataset.hpp"
#include "giga/record/coreset_file.hpp"
#include "sample_request.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct CheckRequest {
  std::filesystem::path data;     ///< "-" is standard input
  std::filesystem::path coreset;  ///< coreset.csv
  CoresetCompanion companion;
  std::optional<std::filesystem::path> draws;  ///< DIR; without it the coreset is sampled
  ReadOptions read;                            ///< of the data

  SampleRequest sample;  ///< where there is no DIR; its seed is that of the Laplace draws too
  int threads = 0;
  bool strict = false;
  std::optional<std::filesystem::path> out;  ///< the record; DIR/certificate.json unless --out says otherwise
  bool force = false;
  bool json = false;
  bool quiet = false;
};

void add_check_options(Arguments& arguments);

/// `words` are DATA, coreset.csv and, possibly, DIR. Throws UsageError for whatever cannot be, InputMissing
/// if there is no coreset or no companion, and what find_companion throws.
[[nodiscard]] CheckRequest check_request(const Arguments& arguments, const std::vector<std::string>& words);

}  // namespace giga::tool
