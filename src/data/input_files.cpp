// Patterns, lists and folders to files. A name is taken as it stands if there is such a file; then as a list;
// then as a pattern.
#include "giga/data/input_files.hpp"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "data/csv_row.hpp"
#include "data/file_kind.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPatternSigns = "*?[";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));  // a link to nothing is a name, too
}

bool is_pattern(const std::string& text) {
  return text.find_first_of(kPatternSigns) != std::string::npos;
}

// By bytes: the order of a folder's entries is any, that of glob() one of the locale.
void sort_by_bytes(std::vector<fs::path>& files) {
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
}

// The elements of a list; one element where it is none.
std::vector<std::string> elements_of(const std::string& text) {
  if (text.find(',') == std::string::npos) return {text};
  CsvRow row = split_row(text, ',');
  if (!row.problem.empty() || std::ranges::find(row.cells, "") != row.cells.end()) return {text};
  return std::move(row.cells);
}

std::string as_element(const std::string& text) {
  constexpr const char* kBlanks = " \t";
  const bool odd = text.find_first_of(",\"\r\n") != std::string::npos ||
                   text.find_first_not_of(kBlanks) != 0 || text.find_last_not_of(kBlanks) + 1 != text.size();
  if (!odd) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::vector<fs::path> matches_of(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<fs::path> files;
  if (status == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (files.empty())
    throw InputMissing(printable_path(pattern) + ": no file matches the pattern; check the path");
  sort_by_bytes(files);
  return files;
}

// The tables in a folder without Parquet files; the folder itself if it has some, or nothing that is read.
std::vector<fs::path> tables_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entries(folder, error), end; !error && entries != end;
       entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || name.starts_with('_') || entries->is_directory(ignored)) continue;
    const FileKind kind = file_kind(entries->path());
    if (kind == FileKind::Parquet) return {folder};
    if (kind != FileKind::Other) files.push_back(entries->path());
  }
  sort_by_bytes(files);
  return error || files.empty() ? std::vector{folder} : files;
}

// `alone` is whether the text is the whole input.
void expand(const std::string& text, bool alone, std::vector<fs::path>& files) {
  if (text == "-" && !alone)
    throw OptionError("standard input, -, cannot be one of several files; save it to a file first");
  std::error_code ignored;
  std::vector<fs::path> found;
  if (fs::is_directory(text, ignored)) {
    found = tables_in(text);
  } else if (is_there(text)) {
    found = {text};
  } else if (const std::vector<std::string> elements = elements_of(text); elements.size() > 1) {
    // Nothing of it is there: most likely the name of one file, with a comma in it.
    const bool none = std::ranges::none_of(
        elements, [](const std::string& each) { return is_pattern(each) || is_there(each); });
    if (none) found = {text};
    for (const std::string& each : elements)
      if (!none) expand(each, false, found);
  } else if (elements[0] != text) {
    expand(elements[0], alone, found);  // one name in quotes
  } else {
    found = is_pattern(text) ? matches_of(text) : std::vector<fs::path>{text};
  }
  files.insert(files.end(), found.begin(), found.end());
}

// Under two names, too: links, hard or soft. Rows that count twice are hardly what is meant.
void refuse_repeated(const std::vector<fs::path>& files) {
  std::map<std::pair<dev_t, ino_t>, const fs::path*> seen;
  for (const fs::path& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;  // opening it will say why
    const auto [at, fresh] = seen.try_emplace({status.st_dev, status.st_ino}, &file);
    if (fresh) continue;
    throw OptionError(printable_path(file) + (*at->second == file
                                                  ? ": is given twice; name it once"
                                                  : ": is the same file as " + printable_path(*at->second) +
                                                        "; name one of the two"));
  }
}

std::string without_extension(const std::string& name) {
  const std::size_t dot = name.find('.', 1);
  return dot == std::string::npos ? name : name.substr(0, dot);
}

// What names of several files have in common, without the number that most end in.
std::string common_stem(const std::vector<std::string>& names) {
  std::string common = names.front();
  for (const std::string& name : names) {
    const auto [end, other] = std::mismatch(common.begin(), common.end(), name.begin(), name.end());
    common.erase(end, common.end());
  }
  common.resize(common.find_last_not_of("0123456789-_. ") + 1);
  return common;
}

}  // namespace

std::string input_words(const fs::path& path) {
  if (path.empty()) return "query";
  if (path == "-") return "standard input";
  if (is_there(path)) return printable_path(path);
  const std::vector<std::string> elements = elements_of(path.native());
  std::string first = printable_path(elements.front());
  if (elements.size() == 1) return first;
  return first + " and " + std::to_string(elements.size() - 1) +
         (elements.size() == 2 ? " other" : " others");
}

std::vector<fs::path> input_files(const fs::path& input) {
  if (input.empty() || input == "-") return {input};
  std::vector<fs::path> files;
  expand(input.native(), true, files);
  if (files.size() > 1) refuse_repeated(files);
  return files;
}

fs::path joined_input(const std::vector<std::string>& inputs) {
  if (inputs.size() == 1) return inputs.front();
  std::string list;
  for (const std::string& input : inputs) list.append(list.empty() ? "" : ",").append(as_element(input));
  return list;
}

fs::path absolute_input(const fs::path& input) {
  if (input.empty() || input == "-") return input;
  const std::string& text = input.native();
  if (is_there(input)) return fs::absolute(input);
  std::vector<std::string> elements = elements_of(text);
  if (elements.size() > 1 || elements[0] != text) {
    for (std::string& each : elements) each = absolute_input(each).native();
    return joined_input(elements);
  }
  if (!is_pattern(text) || input.is_absolute()) return fs::absolute(input);
  // Signs of patterns in the name of the working folder are not meant as such.
  const std::string folder = fs::current_path().native();
  std::string here;
  for (const char c : folder) {
    if (c == '\\' || std::string(kPatternSigns).find(c) != std::string::npos) here += '\\';
    here += c;
  }
  return fs::path(here) / input;
}

bool is_of_input(const fs::path& path, const fs::path& input) {
  std::error_code ignored;
  if (fs::equivalent(path, input, ignored)) return true;
  if (input.empty() || input == "-" || !is_present(path)) return false;
  std::vector<fs::path> files;
  try {
    files = input_files(input);
  } catch (const std::exception&) {  // reading it will say what is wrong
    return false;
  }
  return std::ranges::any_of(files,
                             [&](const fs::path& file) { return fs::equivalent(path, file, ignored); });
}

std::string input_stem(const fs::path& input) {
  if (input.empty()) return "query";
  if (input == "-") return "stdin";
  std::vector<fs::path> files{input};
  if (!is_there(input)) {
    const std::vector<std::string> elements = elements_of(input.native());
    files.assign(elements.begin(), elements.end());
  }
  std::vector<std::string> names;
  bool literal = files.size() == 1;
  for (const fs::path& file : files) {
    const fs::path last = file.has_filename() ? file : file.parent_path();
    std::string name = last.filename().string();
    if (!is_there(file) && is_pattern(name)) {
      name.resize(name.find_first_of(kPatternSigns));
      literal = false;
    }
    names.push_back(without_extension(name));
  }
  if (literal) return names.front();
  if (std::string common = common_stem(names); !common.empty()) return common;
  const std::string folder = files.front().parent_path().filename().string();
  return folder.empty() || is_pattern(folder) ? "data" : folder;
}

}  // namespace giga
