// Finished trials on the disk, so that a run that was killed goes on where it was. A trial is two JSON files:
// trials/<name>.json, which depends on the settings alone, and times/<name>.json, which was measured.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace giga::experiments {

using Json = nlohmann::ordered_json;

/// What to do with a folder that has the files of an earlier run.
enum class Earlier { Refuse, Resume, Replace };

/// Throws CannotCreate if the folder has files of an earlier run and `earlier` is Refuse, or Resume and their
/// settings were others. Changes nothing.
void check_earlier(const std::filesystem::path& folder, const Json& settings, Earlier earlier);

class TrialStore {
 public:
  /// Makes the folder if need be. `settings` are kept in settings.json; trials made with others are never
  /// mixed with these: throws as check_earlier does.
  TrialStore(std::filesystem::path folder, const Json& settings, Earlier earlier);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] bool has(const std::string& name) const;
  /// Both files appear whole or not at all, the result last. From any thread.
  void save(const std::string& name, const Json& result, const Json& times) const;
  /// These throw DataError for a file that is not what save() wrote.
  [[nodiscard]] Json result(const std::string& name) const;
  [[nodiscard]] Json times(const std::string& name) const;

 private:
  [[nodiscard]] std::filesystem::path path(const char* kind, const std::string& name) const;

  std::filesystem::path folder_;
};

/// "hmc_03": trials in the order of their numbers.
[[nodiscard]] std::string trial_name(const std::string& what, long trial);

/// Makes the folder, not those above it. Throws CannotCreate.
void make_folder(const std::filesystem::path& folder);

/// Replaces the file, whole or not at all.
void write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace giga::experiments
