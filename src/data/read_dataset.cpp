// The reader is chosen by the extension alone, letters in either case: content is not guessed at.
#include "giga/data/read_dataset.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "data/csv_reader.hpp"
#include "data/libsvm.hpp"
#include "data/matrix_reader.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

// Tables of other programs: no name would make them CSV.
constexpr std::array<std::string_view, 15> kForeign{".parquet", ".feather", ".arrow", ".xlsx", ".xls",
                                                    ".ods",     ".json",    ".rds",   ".rda",  ".rdata",
                                                    ".dta",     ".sav",     ".pkl",   ".h5",   ".mat"};

constexpr std::array<std::string_view, 4> kNumbersOnly{".npy", ".npz", ".svm", ".libsvm"};

[[noreturn]] void refuse_extension(const std::filesystem::path& path, std::string_view file) {
  (void)MappedFile::open(path);  // a file that is not there is the first thing to say
  for (const std::string_view foreign : kForeign) {
    if (!file.ends_with(foreign)) continue;
    throw DataError(printable_path(path) + ": " + std::string(foreign) +
                    " files are not read; export it as CSV from the program that made it");
  }
  throw DataError(
      printable_path(path) +
      ": the format is told by the extension: .csv, .tsv or .txt, with or without .gz; .npy, .npz, "
      ".svm or .libsvm; if it is CSV, name it .csv or give it on standard input as -");
}

// Files of numbers have no text that could be a level.
void refuse_categories(const std::filesystem::path& path, const ReadOptions& options) {
  if (!options.categories.empty())
    throw OptionError(printable_path(path) +
                      ": `categories` are columns of CSV, and this file has numbers only");
  for (const KnownColumn& known : options.known) {
    if (known.kind == ColumnKind::Number) continue;
    throw DataError(printable_path(path) + ": has numbers only, but column '" + printable(known.name) +
                    "' is known to be " + (known.kind == ColumnKind::Category ? "a category" : "a date") +
                    "; give the table as CSV");
  }
}

}  // namespace

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                     const Observer& observer) {
  if (path == "-") return read_csv_stream(STDIN_FILENO, "standard input", options, executor, observer);
  std::string file = path.filename().string();
  std::transform(file.begin(), file.end(), file.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
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
