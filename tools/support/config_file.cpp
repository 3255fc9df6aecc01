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

Setting checked(const CLI::ConfigItem& item, const std::string& verb, const std::string& file) {
  if (item.parents.size() > 1 || (item.parents.size() == 1 && item.parents[0] != verb)) {
    throw UsageError(file + ": unknown section [" + CLI::detail::join(item.parents, ".") +
                     "]; put the options under [" + verb + "] or under no heading");
  }
  if (item.inputs.size() != 1) {
    throw UsageError(file + ": '" + printable(item.name) + "' has " + std::to_string(item.inputs.size()) +
                     " values; give it once, with one value, quoted if there are spaces in it");
  }
  Setting setting{item.name, item.inputs[0]};
  std::replace(setting.name.begin(), setting.name.end(), '_', '-');
  return setting;
}

}  // namespace

std::vector<Setting> read_settings(const std::filesystem::path& path, const std::string& verb) {
  const std::string file = printable_path(path);
  std::istringstream text(content_of(path));
  std::vector<Setting> settings;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(text)) {
    if (item.name == "++" || item.name == "--") continue;  // the parser's marks of sections
    Setting setting = checked(item, verb, file);
    const bool repeated = std::any_of(settings.begin(), settings.end(),
                                      [&](const Setting& other) { return other.name == setting.name; });
    if (repeated) throw UsageError(file + ": '" + printable(setting.name) + "' is given twice");
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace giga::tool
