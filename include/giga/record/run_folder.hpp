// The folder that a run writes its files to: draws_1.csv, draws_2.csv, ..., summary.csv, run.json, and the
// other files of a fit.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace giga {

/// Of a check of the draws in the folder.
inline constexpr const char* kCertificateFile = "certificate.json";

inline constexpr const char* kRecordFile = "run.json";
inline constexpr const char* kSummaryFile = "summary.csv";
inline constexpr const char* kReportFile = "report.html";
inline constexpr const char* kWeightsFile = "weights.csv";      ///< of the draws, by the certificate
inline constexpr const char* kPosteriorFile = "posterior.csv";  ///< what they say with these weights

/// Of a fit.
inline constexpr std::array kCoresetFiles = {"coreset.csv", "coreset.json"};

/// draws_<number>.csv in the folder, by number.
[[nodiscard]] std::vector<std::filesystem::path> draws_in(const std::filesystem::path& folder);

/// Throws CannotCreate if the folder cannot be made or written to, or has a file that a run replaces or
/// removes and `force` is false. `more` are those the run writes besides draws, summary and record.
void check_run_folder(const std::filesystem::path& folder, bool force,
                      std::span<const char* const> more = {});

/// Throws OptionError if the input is a file that a run in the folder replaces or removes.
void refuse_input_in_folder(const std::filesystem::path& folder, const std::filesystem::path& input,
                            std::span<const char* const> more = {});

/// Throws OptionError if `out` is a file of the run in the folder, other than the one that is made anew.
void refuse_file_of_run(const std::filesystem::path& out, const std::filesystem::path& folder,
                        const char* made_anew);

/// Names and contents, in the order in which they are to appear: the record last.
using RunFiles = std::vector<std::pair<std::string, std::string>>;

/// Makes the folder if it does not exist. All files are on the disk before any of them appears; the record of
/// an earlier run goes first and the new one comes last, so that a record is always that of the other files.
/// What is left of the earlier run, draws, certificate and report, is removed at the end. On a failure
/// nothing is left behind.
void write_run_folder(const std::filesystem::path& folder, bool force, const RunFiles& files);

}  // namespace giga
