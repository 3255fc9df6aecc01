// Finished trials on the disk, so that a run that was killed goes on where it was. A trial is two JSON files:
// trials/<name>.json, which depends on the settings alone, and times/<name>.json, which was measured.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace giga::experiments {

using Json = nlohmann::ordered_json;

/// What to do with a folder that has the files of an earlier run.
enum class Earlier { Refuse, Resume, Replace };

/// Throws CannotCreate if the folder has files of an earlier run and `earlier` is Refuse, or Resume and their
/// settings were others or are not known; DataError if they cannot be read. Changes nothing.
void check_earlier(const std::filesystem::path& folder, const Json& settings, Earlier earlier);

class TrialStore {
 public:
  /// Makes the folder if need be. `settings` are kept in settings.json; trials made with others are never
  /// mixed with these: throws as check_earlier does. Replace removes all that an earlier run left, and throws
  /// CannotCreate if it cannot.
  TrialStore(std::filesystem::path folder, const Json& settings, Earlier earlier);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] bool has(const std::string& name) const;
  /// Both files appear whole or not at all, the result last. From any thread.
  void save(const std::string& name, const Json& result, const Json& times) const;

  /// What `reader` makes of a trial's JSON. Throws DataError, with the file, for one that is not JSON, and
  /// where the reader finds that something is missing or of another kind: it takes values by at() and get().
  template <typename Reader>
  auto read_result(const std::string& name, const Reader& reader) const {
    return read(path("trials", name), reader);
  }
  template <typename Reader>
  auto read_times(const std::string& name, const Reader& reader) const {
    return read(path("times", name), reader);
  }

 private:
  [[nodiscard]] std::filesystem::path path(const char* kind, const std::string& name) const;
  [[nodiscard]] static Json json_of(const std::filesystem::path& path);
  [[noreturn]] static void refuse(const std::filesystem::path& path, const char* what);

  template <typename Reader>
  static auto read(const std::filesystem::path& path, const Reader& reader) {
    const Json json = json_of(path);
    try {
      return reader(json);
    } catch (const Json::exception&) {
      refuse(path, "has a field that is missing or of another kind");
    }
  }

  std::filesystem::path folder_;
};

/// "hmc_03". The names of the first 99 sort by their numbers.
[[nodiscard]] std::string trial_name(const std::string& what, long trial);

/// The content of a JSON file. Throws DataError with the advice if it is not JSON.
[[nodiscard]] Json read_json(const std::filesystem::path& path, const char* advice);

/// Removes the figures of an experiment, NAME.svg with NAME.csv, except those in `kept`. Throws CannotCreate.
void remove_figures(const std::filesystem::path& folder, const std::set<std::string>& kept);

/// Replaces the file, whole or not at all.
void write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace giga::experiments
