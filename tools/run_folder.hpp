// The folder that a run writes its files to: draws_1.csv, draws_2.csv, ..., summary.csv, run.json.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace giga::tool {

/// What `giga check` writes to the folder of the draws it certifies.
inline constexpr const char* kCertificateFile = "certificate.json";

/// draws_<number>.csv in the folder, by number.
[[nodiscard]] std::vector<std::filesystem::path> draws_in(const std::filesystem::path& folder);

/// Throws CannotCreate if the folder cannot be made or written to, or has files of a run and `force` is
/// false.
void check_run_folder(const std::filesystem::path& folder, bool force);

/// Makes the folder if it does not exist. All files are on the disk before any of them appears, and the draws
/// of an earlier run that these do not replace, and its certificate, are removed last. On a failure nothing
/// is left behind.
void write_run_folder(const std::filesystem::path& folder, bool force,
                      const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace giga::tool
