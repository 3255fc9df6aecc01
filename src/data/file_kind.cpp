// Extensions. That under .gz decides: "flights.tsv.gz" is text with tabs.
#include "data/file_kind.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

constexpr std::string_view kPacked = ".gz";

// Without what says that it is compressed.
std::string unpacked_name(const std::filesystem::path& path) {
  std::string name = lower_name(path);
  if (name.ends_with(kPacked)) name.resize(name.size() - kPacked.size());
  return name;
}

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

}  // namespace

std::string lower_name(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name;
}

bool is_packed(const std::filesystem::path& path) {
  return lower_name(path).ends_with(kPacked);
}

bool is_tabbed(const std::filesystem::path& path) {
  return unpacked_name(path).ends_with(".tsv");
}

FileKind file_kind(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string name = lower_name(path);
  if (name.ends_with(".parquet") || std::filesystem::is_directory(path, ignored)) return FileKind::Parquet;
  if (name.ends_with(".npy")) return FileKind::Npy;
  if (name.ends_with(".npz")) return FileKind::Npz;
  if (name.ends_with(".svm") || name.ends_with(".libsvm")) return FileKind::Libsvm;
  const std::string text = unpacked_name(path);
  const bool is_text = text.ends_with(".csv") || text.ends_with(".tsv") || text.ends_with(".txt");
  return is_text ? FileKind::Text : FileKind::Other;
}

FileKind require_one_kind(const std::vector<std::filesystem::path>& files, const ReadOptions& options) {
  const FileKind kind = file_kind(files.front());
  for (const std::filesystem::path& file : files) {
    const FileKind own = file_kind(file);
    if (own == FileKind::Other) refuse_extension(file);
    if (own != kind)
      throw DataError(printable_path(file) + ": is not of the format of " + printable_path(files.front()) +
                      "; the files of one table must be of one format");
  }
  if (kind == FileKind::Npy || kind == FileKind::Npz || kind == FileKind::Libsvm)
    refuse_categories(files.front(), options);
  return kind;
}

}  // namespace giga
