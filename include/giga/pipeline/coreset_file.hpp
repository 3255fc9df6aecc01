// A coreset on disk: coreset.csv, and beside it coreset.json, its companion, with what a posterior needs
// besides rows and weights. The scale of the features is that of all the data; it is never taken from the
// coreset's rows.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "giga/construct/build.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// The names that the columns of the input have in coreset.csv, after `row` and `weight`: each once, inert in
/// a spreadsheet; columns called row or weight get `input_` before their name.
[[nodiscard]] std::vector<std::string> coreset_headings(const std::vector<std::string>& columns);

/// coreset.json of coreset.csv; x.json.json of x.json.
[[nodiscard]] std::filesystem::path companion_path(const std::filesystem::path& coreset);

/// Whether it is a CSV file whose columns begin with row and weight. Throws nothing about files that are not
/// there: reading them will.
[[nodiscard]] bool has_coreset_columns(const std::filesystem::path& path);

struct CoresetCompanion {
  std::filesystem::path path;
  Index num_rows = 0;  ///< N, of all the data
  ModelOptions model;
  std::string response;               ///< as the input called it,
  std::vector<std::string> features;  ///< like these
  Standardisation scale;              ///< of all the data
  std::vector<std::string> columns;   ///< of the input, in the order of coreset.csv; empty: not known
  Coreset coreset;                    ///< rows of the input, and weights
  ReadOptions read;                   ///< how the input was read; response and features as above
  std::string data_digest;            ///< of the input (same_data.hpp); empty: not known
};

/// The companion of a coreset. Nothing if there is no such file, or if it is a JSON file about something
/// else; DataError if it is damaged.
[[nodiscard]] std::optional<CoresetCompanion> find_companion(const std::filesystem::path& coreset);

/// A coreset as a weighted regression.
struct WeightedProblem {
  std::unique_ptr<Dataset> data;
  std::unique_ptr<Problem> problem;   ///< its multiplicities are the weights, its scale that of all the data
  std::vector<std::string> features;  ///< as the input called them; `data` has the headings of coreset.csv
  std::vector<Index> input_rows;      ///< of each row of `data`
  Index num_rows = 0;                 ///< N
};

/// Throws what read_dataset throws, but DataError for missing columns; and DataError if the rows or weights
/// of the two files differ, for then the scale may be that of other data.
[[nodiscard]] WeightedProblem read_coreset(const std::filesystem::path& path,
                                           const CoresetCompanion& companion, const Executor& executor,
                                           const Observer& observer = {});

}  // namespace giga
