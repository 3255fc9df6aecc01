// The folder that a run writes its files to: draws_1.csv, draws_2.csv, ..., summary.csv, run.json; those of
// giga fit too.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace giga::tool {

/// What `giga check` writes to the folder of the draws it certifies.
inline constexpr const char* kCertificateFile = "certificate.json";

inline constexpr const char* kRecordFile = "run.json";
inline constexpr const char* kReportFile = "report.html";
inline constexpr const char* kWeightsFile = "weights.csv";  ///< of the draws, by the certificate

/// draws_<number>.csv in the folder, by number.
[[nodiscard]] std::vector<std::filesystem::path> draws_in(const std::filesystem::path& folder);

/// Throws CannotCreate if the folder cannot be made or written to, or has files of a run and `force` is
/// false.
void check_run_folder(const std::filesystem::path& folder, bool force);

/// Makes the folder if it does not exist. All files are on the disk before any of them appears; the record of
/// an earlier run goes first and the new one comes last, so that a record is always that of the other files.
/// What is left of the earlier run, draws, certificate and report, is removed at the end. On a failure
/// nothing is left behind.
void write_run_folder(const std::filesystem::path& folder, bool force,
                      const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace giga::tool
