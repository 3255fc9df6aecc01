// The result of a user's query as a table.
//
// It runs on one thread: aggregates and joins of several give their rows, and the last bits of their sums, in
// an order that changes from run to run.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "data/column_plan.hpp"
#include "data/duckdb_table.hpp"
#include "data/file_kind.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;
using duck::DuckError;

bool is_word(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// What to blame depends on the kind of the error.
void refuse_query(const fs::path& path, const DuckError& error) {
  const std::string& kind = error.kind();
  const std::string words = error.what();
  if (words.starts_with("No files found")) throw InputMissing("query: " + words + "; check the path");
  if (kind == "Parser Error" || kind == "Binder Error" || kind == "Catalog Error")
    throw OptionError("`sql`: " + words);
  const std::string where = path.empty() ? "query" : "query of " + printable_path(path);
  throw DataError(where + ": " + words + "; correct the query, or the file it reads");
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

// What `data` is, by the extension; .gz may follow it.
std::string scan_of(const fs::path& input) {
  const std::vector<fs::path> files = input_files(input);
  const auto parquet = [](const fs::path& path) { return file_kind(path) == FileKind::Parquet; };
  if (std::ranges::all_of(files, parquet)) return parquet_scan(parquet_files(files));
  if (files.size() > 1)
    throw OptionError("`sql` is for one file, or for Parquet files; name several in the query itself: FROM " +
                      duck::quoted(input.string()));
  const fs::path& path = files.front();
  std::string file = lower(path.filename().string());
  if (file.ends_with(".gz")) file.resize(file.size() - 3);
  for (const char* text : {".csv", ".tsv", ".txt"})
    if (file.ends_with(text)) return "read_csv(" + duck::quoted_path(path) + ")";
  for (const char* json : {".json", ".jsonl", ".ndjson"})
    if (file.ends_with(json)) return "read_json(" + duck::quoted_path(path) + ")";
  throw OptionError(printable_path(path) +
                    ": `sql` is for .csv, .tsv, .txt, .json and .parquet files, and for folders of the last");
}

}  // namespace

bool mentions_data(std::string_view sql) {
  constexpr std::string_view kWord = "data";
  const std::string text = lower(std::string(sql));
  for (std::size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at + 1)) {
    const std::size_t end = at + kWord.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

Dataset read_query(const fs::path& path, const ReadOptions& options, const Executor& executor,
                   const Observer& observer) {
  check_max_levels(options);
  DuckSource source{.name = "query", .query = *options.sql};
  if (!path.empty()) {
    if (!mentions_data(*options.sql))
      throw OptionError("`sql` does not mention data, which is what " + printable_path(path) +
                        " is called there; leave the file out, or write FROM data");
    source.before.push_back("CREATE TEMP VIEW data AS SELECT * FROM " + scan_of(path));
  }
  source.refuse = [path](const DuckError& error) { refuse_query(path, error); };
  const duck::Session session(source.threads);
  return read_duck_table(session, std::move(source), options, executor, observer);
}

}  // namespace giga
