// Settings from an INI or TOML file, by CLI11's parser. Underscores become hyphens, so `max_steps` and
// `max-steps` are the same key.
#include "support/config_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"
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
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// The key as options are named.
std::string key_of(const CLI::ConfigItem& item) {
  std::string key = item.name;
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

void check(const CLI::ConfigItem& item, const std::string& verb, bool several, const std::string& file) {
  if (item.parents.size() > 1 || (item.parents.size() == 1 && item.parents[0] != verb)) {
    throw UsageError(file + ": unknown section [" + CLI::detail::join(item.parents, ".") +
                     "]; put the options under [" + verb + "] or under no heading");
  }
  if (item.inputs.size() != 1 && !several) {
    throw UsageError(file + ": '" + printable(item.name) + "' has " + std::to_string(item.inputs.size()) +
                     " values; give it once, with one value, quoted if there are spaces in it");
  }
}

}  // namespace

std::vector<Setting> read_settings(const std::filesystem::path& path, const std::string& verb,
                                   const std::vector<std::string>& repeated) {
  const std::string file = printable_path(path);
  std::istringstream text(content_of(path));
  std::vector<Setting> settings;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(text)) {
    if (item.name == "++" || item.name == "--") continue;  // the parser's marks of sections
    const std::string key = key_of(item);
    check(item, verb, std::find(repeated.begin(), repeated.end(), key) != repeated.end(), file);
    const bool twice = std::any_of(settings.begin(), settings.end(),
                                   [&key](const Setting& other) { return other.name == key; });
    if (twice) throw UsageError(file + ": '" + printable(key) + "' is given twice");
    for (const std::string& value : item.inputs) settings.push_back({key, value});
  }
  return settings;
}

}  // namespace giga::tool
