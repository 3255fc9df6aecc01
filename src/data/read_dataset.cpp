// From the files of an input to the reader of their kind.
#include "giga/data/read_dataset.hpp"

#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_reader.hpp"
#include "data/duckdb_library.hpp"
#include "data/duckdb_table.hpp"
#include "data/file_kind.hpp"
#include "data/libsvm.hpp"
#include "data/matrix_reader.hpp"
#include "data/shared_stream.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

// Tables of other programs: no name would make them CSV.
constexpr std::array<std::string_view, 14> kForeign{".feather", ".arrow", ".xlsx", ".xls",   ".ods",
                                                    ".json",    ".rds",   ".rda",  ".rdata", ".dta",
                                                    ".sav",     ".pkl",   ".h5",   ".mat"};

[[noreturn]] void refuse_extension(const std::filesystem::path& path) {
  (void)MappedFile::open(path);  // a file that is not there is the first thing to say
  const std::string file = lower_name(path);
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

// Of the files of a table, which must be of one.
FileKind kind_of(const std::vector<std::filesystem::path>& files) {
  const FileKind kind = file_kind(files.front());
  for (const std::filesystem::path& file : files) {
    const FileKind own = file_kind(file);
    if (own == FileKind::Other) refuse_extension(file);
    if (own != kind)
      throw DataError(printable_path(file) + ": is not of the format of " + printable_path(files.front()) +
                      "; the files of one table must be of one format");
  }
  return kind;
}

}  // namespace

void require_input(const std::filesystem::path& path, const ReadOptions& options) {
  if (path == "-") {
    if (options.sql) throw OptionError("`sql` cannot read standard input; save it to a file first");
    return;
  }
  bool parquet = false;
  if (!path.empty()) {
    for (const std::filesystem::path& file : input_files(path)) {
      const bool here = file_kind(file) == FileKind::Parquet;
      parquet = parquet || here;
      const std::vector<std::filesystem::path> parts = here ? parquet_files({&file, 1}) : std::vector{file};
      for (const std::filesystem::path& part : parts) (void)MappedFile::open(part);
    }
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
  const std::vector<std::filesystem::path> files = input_files(path);
  const std::string name = files.size() == 1 ? printable_path(files.front()) : input_words(path);
  const FileKind kind = kind_of(files);
  if (kind == FileKind::Npy || kind == FileKind::Npz || kind == FileKind::Libsvm)
    refuse_categories(files.front(), options);
  switch (kind) {
    case FileKind::Parquet: return read_parquet(files, name, options, executor, observer);
    case FileKind::Npy: return read_npy_dataset(files, name, options, executor, observer);
    case FileKind::Npz: return read_npz_dataset(files, name, options, executor, observer);
    case FileKind::Libsvm: return read_libsvm(files, name, options, executor, observer);
    case FileKind::Text:
    case FileKind::Other: break;
  }
  return read_csv_files(files, name, options, executor, observer);
}

}  // namespace giga
