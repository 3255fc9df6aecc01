// A coreset on disk: coreset.csv, and beside it coreset.json, its companion, with what a posterior needs
// besides rows and weights. The scale of the features is that of all the data; it is never taken from the
// coreset's rows.
//
//   write_coreset("coreset.csv", coreset_file(problem, result, read, data_digest(data, threads)), false);
//   const auto file = find_coreset("coreset.csv");
//   const WeightedProblem problem = read_coreset("coreset.csv", *file, threads);
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "giga/construct/build.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/pipeline/shard_sums.hpp"

namespace giga {

/// Rows are those of the input.
struct CoresetFile {
  std::filesystem::path path = {};  ///< Of the companion that it was read from.

  Coreset coreset;                   ///< Rows of the input, and weights.
  std::vector<double> multiplicity;  ///< How often each of them counts in the data; empty: not known.
  std::vector<std::string> columns;  ///< Of the input, in the order of coreset.csv; empty: not known.
  std::vector<std::vector<std::string>> cells;  ///< Of each row, the text of each column; not read.
  std::vector<InputFile> files;                 ///< Of the input, where it was several; see coreset_csv.

  // What a table has, and a matrix of vectors or a model of the user's own has not.
  Index num_rows = 0;        ///< N, of all the data.
  Index num_parameters = 0;  ///< D.
  ModelOptions model;
  std::string response;                  ///< As the input called it.
  std::vector<std::string> features;     ///< As the input called them. Empty: there is no table.
  std::vector<KnownColumn> kinds;        ///< Those of them that are not numbers, with all their levels.
  std::vector<std::string> raw_columns;  ///< Of the design: the features, or the levels of categories.
  Standardisation scale;                 ///< Of all the data, for each of them.
  ReadOptions read;                      ///< How the input was read; response and features as above.
  std::string data_digest;               ///< Of the input (same_data.hpp); empty: not known.
  /// What merging needs of all rows, with the shards that they are. Absent in files of older versions, and
  /// beyond kMostSummedParameters.
  std::optional<ShardSums> sums;
  /// Of a merged coreset: which of sums->shards each row is from, and of whose input it is the row. Then the
  /// first of `columns` is not of the input: its cells name the shard.
  std::vector<Index> shard_of;

  // How it was built; written, not read.
  CoresetOptions options;
  Index dim = 0;  ///< J
  double relative_error = 0, heldout_error = 0;
  Termination termination = Termination::SizeReached;

  [[nodiscard]] bool has_table() const { return !response.empty(); }
  [[nodiscard]] bool is_merged() const { return !shard_of.empty(); }
  /// Whether the response is not a column of the input but computed by the left side of the formula.
  [[nodiscard]] bool computes_response() const;
};

/// `read` is how the data were read; `digest` that of same_data.hpp. Neither is used for a model
/// of the user's own.
[[nodiscard]] CoresetFile coreset_file(const Problem& problem, const CoresetResult& result,
                                       const ReadOptions& read = {}, const std::string& digest = {});
/// The sums of a table under the digest that the file has; nothing of a model of the user's own, and
/// beyond kMostSummedParameters.
void add_sums(CoresetFile& file, const Problem& problem, const CoresetResult& result,
              const Executor& executor, const Observer& observer = {});
/// A coreset of vectors: rows and weights alone.
[[nodiscard]] CoresetFile coreset_file(const CoresetResult& result);

/// row,weight and, for a table, the columns of the input; where it was several files, file and file_row come
/// before them: the name of the file, from the folder that all have in common, and the row as that file
/// counts it from 0. Names that a spreadsheet would take for a formula get an apostrophe.
[[nodiscard]] std::string coreset_csv(const CoresetFile& file);
/// The companion. The same bytes for the same coreset. Only of a table.
[[nodiscard]] std::string coreset_json(const CoresetFile& file);

/// Both files, or coreset.csv alone where there is no table or `path` is a pipe. All is on the disk before
/// any of it appears. Throws CannotCreate and IoError.
void write_coreset(const std::filesystem::path& path, const CoresetFile& file, bool overwrite);

/// The names that the columns of the input have in coreset.csv, after `row` and `weight`, and `file` and
/// `file_row` if there are several files: each once, inert in a spreadsheet; columns called like one of these
/// get `input_` before their name.
[[nodiscard]] std::vector<std::string> coreset_headings(const std::vector<std::string>& columns,
                                                        bool several_files = false);

/// coreset.json of coreset.csv; x.json.json of x.json.
[[nodiscard]] std::filesystem::path companion_path(const std::filesystem::path& coreset);

/// Whether it is a CSV file whose columns begin with row and weight. False for a file that does not exist:
/// reading it will report that. Throws as MappedFile::open does for one that cannot be read.
[[nodiscard]] bool has_coreset_columns(const std::filesystem::path& path);
/// Whether they begin with row, weight, file and file_row: the coreset of several files.
[[nodiscard]] bool has_file_columns(const std::filesystem::path& path);

/// What the companion of a coreset says. Nothing if there is no such file, or if it is a JSON file about
/// something else beside a table that is no coreset; DataError if it is damaged, or written by a newer giga.
[[nodiscard]] std::optional<CoresetFile> find_coreset(const std::filesystem::path& coreset);

/// The same of the text of the companion of `coreset`.
[[nodiscard]] std::optional<CoresetFile> parse_coreset(std::string_view text,
                                                       const std::filesystem::path& coreset);

/// A coreset as a weighted regression.
struct WeightedProblem {
  std::unique_ptr<Dataset> data;
  std::unique_ptr<Problem> problem;  ///< Its multiplicities are the weights, its scale that of all the data.
  /// Raw columns of the design, as the input calls them; `data` has the headings of coreset.csv.
  std::vector<std::string> features;
  std::vector<Index> input_rows;  ///< Of each row of `data`.
  Index num_rows = 0;             ///< N
};

/// Throws what read_dataset throws, except that missing columns are a DataError; and DataError if the rows or
/// weights of the two files differ, for then the scale may be that of other data.
[[nodiscard]] WeightedProblem read_coreset(const std::filesystem::path& path, const CoresetFile& file,
                                           const Executor& executor, const Observer& observer = {});

}  // namespace giga
