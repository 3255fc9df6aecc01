// Settings from an INI or TOML file, by CLI11's parser. Underscores become hyphens, so `max_steps` and
// `max-steps` are the same key.
#include "support/config_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/unchanged.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

// Data given by mistake should be refused, not parsed.
constexpr std::size_t kLargestBytes = std::size_t{1} << 20;

std::string content_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && std::filesystem::is_empty(path, ignored)) return {};
  const MappedFile file = MappedFile::open(path);
  if (file.bytes().size() > kLargestBytes) {
    throw UsageError(printable_path(path) + ": has more than a megabyte; is it a configuration file?");
  }
  return of_unchanged(file, [&] {
    return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  });
}

// The key as options are named.
std::string as_option(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

// "run.toml, line 3", of the line that the parser does not tell: the first that gives the key, or has the
// heading of a section if the key is empty.
std::string place_of(const std::string& text, const std::string& file, const std::string& key,
                     const std::string& section) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    CLI::detail::trim(line);
    const bool found = key.empty() ? line.starts_with('[' + section)
                                   : as_option(CLI::detail::trim_copy(line.substr(0, line.find('=')))) == key;
    if (found) return file + ", line " + std::to_string(number);
  }
  return file;
}

void check(const CLI::ConfigItem& item, const std::string& verb, bool several, const std::string& text,
           const std::string& file) {
  if (item.parents.size() > 1 || (item.parents.size() == 1 && item.parents[0] != verb)) {
    const std::string section = CLI::detail::join(item.parents, ".");
    throw UsageError(place_of(text, file, {}, section) + ": unknown section [" + section +
                     "]; put the options under [" + verb + "] or under no heading");
  }
  if (item.inputs.size() != 1 && !several) {
    throw UsageError(place_of(text, file, as_option(item.name), {}) + ": '" + printable(item.name) +
                     "' has " + std::to_string(item.inputs.size()) +
                     " values; give it once, with one value, quoted if there are spaces in it");
  }
}

}  // namespace

std::vector<FileSetting> read_settings(const std::filesystem::path& path, const std::string& verb,
                                       const std::vector<std::string>& repeated) {
  const std::string file = printable_path(path);
  const std::string text = content_of(path);
  std::istringstream stream(text);
  std::vector<FileSetting> settings;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(stream)) {
    if (item.name == "++" || item.name == "--") continue;  // the parser's marks of sections
    const std::string key = as_option(item.name);
    check(item, verb, std::find(repeated.begin(), repeated.end(), key) != repeated.end(), text, file);
    const bool twice = std::any_of(settings.begin(), settings.end(),
                                   [&key](const FileSetting& other) { return other.setting.name == key; });
    if (twice) throw UsageError(file + ": '" + printable(key) + "' is given twice");
    const std::string place = place_of(text, file, key, {});
    for (const std::string& value : item.inputs) settings.push_back({{key, value}, place});
  }
  return settings;
}

}  // namespace giga::tool
