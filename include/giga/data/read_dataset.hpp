// From files to a Dataset. The format is chosen by the extension: .csv, .tsv or .txt, with or without .gz;
// .parquet, or a folder of such files; .npy, .npz, .svm or .libsvm; "-" is CSV on standard input. Or from a
// query: what DuckDB makes of any files that it reads. Or from memory (memory_table.hpp).
//
// Several files of one format are one table, as if they were one file with all their rows in order: a
// pattern, a list or a folder names them (input_files.hpp). They have the same columns in the same order, and
// CSV files a header each. Rows are counted over all of them; messages name the file, and the row in it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/base/observer.hpp"
#include "giga/data/dataset.hpp"

namespace giga {

struct MemoryTable;

enum class Missing { Refuse, Drop };
constexpr auto name_table(Missing) {
  return names_are<Missing>({{Missing::Refuse, "refuse"}, {Missing::Drop, "drop"}});
}

/// What is known of a column before it is read: its cells are not asked.
struct KnownColumn {
  std::string name;
  ColumnKind kind = ColumnKind::Number;
  /// Of a category, each once: the number of a level is its place here. A cell that is none of them is a
  /// DataError. Empty: those of the cells.
  std::vector<std::string> levels = {};
};

/// Which columns of a table are what.
struct ColumnChoice {
  std::optional<std::string> response = {};  ///< None: the table is read without a response.
  std::vector<std::string> features = {};
};

struct ReadOptions {
  std::optional<std::string> response = {};               ///< Default: the column `y`, else the last one.
  std::optional<std::vector<std::string>> features = {};  ///< Default: all but the response and the weights.
  std::vector<std::string> unused = {};  ///< Columns that are not features by default; they need not exist.
  std::optional<std::string> weights = {};  ///< The column of observation weights; default: none.
  Missing missing = Missing::Refuse;        ///< What to do with rows that have NaN, NA or empty cells.
  /// CSV only; in a .tsv file the comma means a tab. Not a quote, a line end or part of a number
  /// (std::invalid_argument).
  char delimiter = ',';
  bool header = true;  ///< CSV only: whether the first line has names; if not, columns are x1, x2, ..., y.
  /// Columns that are categories whatever their cells look like. Not in files of numbers only.
  std::vector<std::string> categories = {};
  Index max_levels = 1000;              ///< Of a category; beyond it a DataError. 1 to 65,536.
  std::vector<KnownColumn> known = {};  ///< Columns that are not there do not matter.
  /// Whether a column is the response. If not, `response` is not given, and all that is not the weights is a
  /// feature or unused.
  bool has_response = true;
  /// One SELECT of DuckDB, whose result is the table; the file, if the path is not empty, is called `data` in
  /// it. Rows are in the order of the result: of the file where it says nothing else.
  std::optional<std::string> sql = {};
  /// Chooses when the names of all columns are known, in place of `response`, `features` and `has_response`.
  /// What it throws is passed on.
  std::function<ColumnChoice(const std::vector<std::string>& names)> choose = {};
  /// A table in memory, which is read in place of the file; what speaks of files has no effect then. Whoever
  /// keeps the options longer than the memory must forget it.
  std::shared_ptr<const MemoryTable> memory = {};
};

/// The options name a column that is not there (the message lists those that are) or give one column two
/// roles.
class NoSuchColumn : public OptionError {
 public:
  using OptionError::OptionError;
};

/// What a format is read with is not installed; the message says how to get it.
class LibraryMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws InputMissing, DataError or LibraryMissing where read_dataset would at once: there is no such file,
/// it is empty, or cannot be read here.
void require_input(const std::filesystem::path& path, const ReadOptions& options = {});

/// The input as people know it: "standard input" for "-", "query" where there is no path, "a.csv and 2
/// others" for a list, else the path.
[[nodiscard]] std::string input_words(const std::filesystem::path& path);

/// Whether the word `data`, which stands for the file, is in a query.
[[nodiscard]] bool mentions_data(std::string_view sql);

/// Throws InputMissing, DataError, IoError, LibraryMissing; NoSuchColumn for names in the options,
/// std::invalid_argument for other options that cannot be. The observer is told of the bytes read so far
/// (Stage::Load), now and then, from any thread.
[[nodiscard]] Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options,
                                   const Executor& executor, const Observer& observer = {});

}  // namespace giga
