// Options kept in a file: `size = 50`, one per line, '#' for comments, optionally under a `[build]` heading.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "giga/record/stopped_fit.hpp"

namespace giga::tool {

using giga::Setting;  // named as on the command line, without dashes: "max-steps"

struct FileSetting {
  Setting setting;
  std::string place;  ///< "run.toml, line 3"
};

/// The settings of the verb in the order of the file. Throws InputMissing when there is no such file and
/// UsageError for a section of another name, a key without exactly one value or a key given twice. A key that
/// `repeated` names may have a list of values, each of which becomes a setting.
[[nodiscard]] std::vector<FileSetting> read_settings(const std::filesystem::path& path,
                                                     const std::string& verb,
                                                     const std::vector<std::string>& repeated = {});

}  // namespace giga::tool
