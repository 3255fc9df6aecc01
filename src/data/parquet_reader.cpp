// Parquet files: one, or several, or those of a folder, as one table.
//
// All parts of a table must have the same columns of the same types in the same order: DuckDB would take
// those of the first, and round 1.5 of the second to a whole number. Footers are read first, so that a file
// that is damaged there is named; where data is damaged, the parts are tried one by one.
#include <algorithm>
#include <utility>

#include "data/column_plan.hpp"
#include "data/duckdb_columns.hpp"
#include "data/duckdb_table.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;
using duck::DuckError;
using duck::Session;

bool is_part(const fs::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name.ends_with(".parquet") && !name.starts_with('.') && !name.starts_with('_');
}

// DuckDB names files as it was given them.
std::string with_own_name(std::string words, const fs::path& path) {
  const std::string given = fs::absolute(path).string();
  const std::size_t found = words.find(given);
  return found == std::string::npos ? words : words.replace(found, given.size(), printable_path(path));
}

[[noreturn]] void refuse_file(const fs::path& path, const DuckError& error) {
  throw DataError(printable_path(path) + ": cannot be read as Parquet: " + with_own_name(error.what(), path) +
                  "; it is damaged, or no Parquet file: write it again");
}

// The part that is to blame for an error of all. In a session of its own: some errors end one.
void refuse_parts(const std::vector<fs::path>& files, const DuckError& error) {
  if (files.size() == 1) refuse_file(files.front(), error);
  const Session session(1);
  for (const fs::path& file : files) {
    try {
      duck::Stream stream(session, "SELECT * FROM " + parquet_scan({file}));
      while (stream.next()) {
      }
    } catch (const DuckError& own) {
      refuse_file(file, own);
    }
  }
  refuse_file(files.front().parent_path(), error);
}

struct Schema {
  std::vector<std::string> names;
  std::vector<duck::ColumnType> types;
};

Schema schema_of(const Session& session, const fs::path& file) {
  try {
    const duck::Prepared prepared(session, "SELECT * FROM " + parquet_scan({file}));
    return {prepared.names(), prepared.types()};
  } catch (const DuckError& error) {
    refuse_file(file, error);
  }
}

// In what the schema of a file differs from that of the first.
std::string difference(const Schema& found, const Schema& expected, const fs::path& first) {
  const auto quoted = [](const std::string& name) {
    return std::string("'").append(printable(name)).append("'");
  };
  const std::string of_first = printable_path(first.filename());
  for (std::size_t j = 0; j < std::min(expected.names.size(), found.names.size()); ++j) {
    if (expected.names[j] != found.names[j])
      return "column " + std::to_string(j + 1) + " is " + quoted(found.names[j]) + ", but " +
             quoted(expected.names[j]) + " in " + of_first;
    if (expected.types[j] != found.types[j])
      return "column " + quoted(found.names[j]) + " has the type " + type_name(found.types[j]) + ", but " +
             type_name(expected.types[j]) + " in " + of_first;
  }
  return "has " + plural(std::ssize(found.names), "column") + ", but " + of_first + " has " +
         std::to_string(expected.names.size());
}

void require_one_schema(const Session& session, const std::vector<fs::path>& files) {
  const Schema expected = schema_of(session, files.front());
  for (const fs::path& file : files) {
    const Schema found = file == files.front() ? expected : schema_of(session, file);
    if (found.names != expected.names || found.types != expected.types)
      throw DataError(printable_path(file) + ": " + difference(found, expected, files.front()) +
                      "; the files of a folder must have the same columns");
  }
}

// The rows that footers speak of; not believed before the rows are there.
Index stated_rows(const Session& session, const std::vector<fs::path>& files) {
  duck::Stream stream(session, "SELECT count(*) FROM " + parquet_scan(files));
  return stream.next() ? static_cast<Index>(*stream.cells(0).as<std::int64_t>()) : -1;
}

// Parts without rows are nothing wrong, but may not be what was meant.
std::vector<std::string> empty_parts(const Session& session, const std::vector<fs::path>& files) {
  std::vector<std::string> notes;
  for (const fs::path& file : files)
    if (files.size() > 1 && stated_rows(session, {file}) == 0)
      notes.push_back(printable_path(file) + " has no rows");
  return notes;
}

// Of one folder, or the file that it is.
std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  for (fs::directory_iterator entries(path, error), end; !error && entries != end; entries.increment(error)) {
    std::error_code ignored;
    if (is_part(entries->path()) && !entries->is_directory(ignored)) files.push_back(entries->path());
  }
  if (error)
    throw InputMissing(printable_path(path) + ": the folder cannot be read: " + printable(error.message()));
  if (files.empty())
    throw InputMissing(printable_path(path) +
                       ": is a directory without .parquet files or other tables; give a file");
  // By bytes, as the names are; directory entries come in any order.
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return files;
}

}  // namespace

std::vector<fs::path> parquet_files(std::span<const fs::path> paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths)
    for (fs::path& file : files_of(path)) files.push_back(std::move(file));
  return files;
}

std::string parquet_scan(const std::vector<fs::path>& files) {
  std::string list;
  for (const fs::path& file : files) list.append(list.empty() ? "" : ", ").append(duck::quoted_path(file));
  return "read_parquet([" + list + "], hive_partitioning = false)";
}

Dataset read_parquet(std::span<const fs::path> paths, const std::string& name, const ReadOptions& options,
                     const Executor& executor, const Observer& observer) {
  check_max_levels(options);
  const std::vector<fs::path> files = parquet_files(paths);
  DuckSource source{.name = name, .threads = executor.num_threads()};
  for (const fs::path& file : files) source.bytes += MappedFile::open(file).bytes().size();
  source.query = "SELECT * FROM " + parquet_scan(files);
  source.refuse = [files](const DuckError& error) { refuse_parts(files, error); };
  const Session session(source.threads);
  try {
    require_one_schema(session, files);
    source.num_rows = stated_rows(session, files);
    source.notes = empty_parts(session, files);
  } catch (const DuckError& error) {
    refuse_parts(files, error);
  }
  return read_duck_table(session, std::move(source), options, executor, observer);
}

}  // namespace giga
