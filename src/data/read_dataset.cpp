// The reader is chosen by the extension alone, letters in either case: content is not guessed at.
#include "giga/data/read_dataset.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "data/csv_reader.hpp"
#include "data/duckdb_library.hpp"
#include "data/duckdb_table.hpp"
#include "data/libsvm.hpp"
#include "data/matrix_reader.hpp"
#include "data/shared_stream.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

// Tables of other programs: no name would make them CSV.
constexpr std::array<std::string_view, 14> kForeign{".feather", ".arrow", ".xlsx", ".xls",   ".ods",
                                                    ".json",    ".rds",   ".rda",  ".rdata", ".dta",
                                                    ".sav",     ".pkl",   ".h5",   ".mat"};

constexpr std::array<std::string_view, 4> kNumbersOnly{".npy", ".npz", ".svm", ".libsvm"};

[[noreturn]] void refuse_extension(const std::filesystem::path& path, std::string_view file) {
  (void)MappedFile::open(path);  // a file that is not there is the first thing to say
  for (const std::string_view foreign : kForeign) {
    if (!file.ends_with(foreign)) continue;
    throw DataError(printable_path(path) + ": " + std::string(foreign) +
                    " files are not read; export it as CSV or Parquet from the program that made it");
  }
  throw DataError(
      printable_path(path) +
      ": the format is told by the extension: .csv, .tsv or .txt, with or without .gz; .parquet; .npy, .npz, "
      ".svm or .libsvm; if it is CSV, name it .csv or give it on standard input as -");
}

// Files of numbers have no text that could be a level.
void refuse_categories(const std::filesystem::path& path, const ReadOptions& options) {
  if (!options.categories.empty())
    throw OptionError(printable_path(path) +
                      ": `categories` are columns of text, and this file has numbers only");
  for (const KnownColumn& known : options.known) {
    if (known.kind == ColumnKind::Number) continue;
    throw DataError(printable_path(path) + ": has numbers only, but column '" + printable(known.name) +
                    "' is known to be " + (known.kind == ColumnKind::Category ? "a category" : "a date") +
                    "; give the table as CSV");
  }
}

// In small letters: extensions are told by these.
std::string file_of(const std::filesystem::path& path) {
  std::string file = path.filename().string();
  std::transform(file.begin(), file.end(), file.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return file;
}

// A folder is one of Parquet files, or nothing to read.
bool is_parquet(const std::filesystem::path& path) {
  std::error_code ignored;
  return file_of(path).ends_with(".parquet") || std::filesystem::is_directory(path, ignored);
}

}  // namespace

std::string input_words(const std::filesystem::path& path) {
  if (path.empty()) return "query";
  return path == "-" ? "standard input" : printable_path(path);
}

void require_input(const std::filesystem::path& path, const ReadOptions& options) {
  if (path == "-") {
    if (options.sql) throw OptionError("`sql` cannot read standard input; save it to a file first");
    return;
  }
  const bool parquet = !path.empty() && is_parquet(path);
  if (parquet) {
    for (const std::filesystem::path& file : parquet_files(path)) (void)MappedFile::open(file);
  } else if (!path.empty()) {
    (void)MappedFile::open(path);
  }
  if (parquet || options.sql) (void)duck::load_library();
}

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                     const Observer& observer) {
  if (options.sql) {
    require_input(path, options);
    return read_query(path, options, executor, observer);
  }
  if (path == "-") {
    const SharedStream stream(STDIN_FILENO, input_words(path), executor);
    return read_csv_stream(stream.descriptor(), input_words(path), options, executor, observer);
  }
  const std::string file = file_of(path);
  if (is_parquet(path)) return read_parquet(path, options, executor, observer);
  const bool numbers = std::any_of(kNumbersOnly.begin(), kNumbersOnly.end(),
                                   [&](std::string_view extension) { return file.ends_with(extension); });
  if (numbers) refuse_categories(path, options);
  if (file.ends_with(".npy")) return read_npy_dataset(path, options, executor, observer);
  if (file.ends_with(".npz")) return read_npz_dataset(path, options, executor, observer);
  if (file.ends_with(".svm") || file.ends_with(".libsvm"))
    return read_libsvm(path, options, executor, observer);
  // "flights.csv.gz": the extension under .gz decides.
  const bool packed = file.ends_with(".gz");
  const std::string_view text = std::string_view(file).substr(0, file.size() - (packed ? 3 : 0));
  const bool tabs = text.ends_with(".tsv");
  if (!tabs && !text.ends_with(".csv") && !text.ends_with(".txt")) refuse_extension(path, file);
  ReadOptions chosen = options;
  // The default delimiter of a .tsv file is a tab; one that was chosen stays.
  if (tabs && chosen.delimiter == ReadOptions().delimiter) chosen.delimiter = '\t';
  return packed ? read_gzip_csv(path, chosen, executor, observer)
                : read_csv(path, chosen, executor, observer);
}

}  // namespace giga
