// The page of a run: of one that was just made, or of a folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "giga/base/executor.hpp"
#include "giga/job/job.hpp"
#include "giga/record/run_record.hpp"
#include "giga/report/page.hpp"
#include "giga/report/posterior_summary.hpp"

namespace giga {

/// What a page shows of a run. A certificate of the record with weights has one for each draw of the summary.
[[nodiscard]] ReportData report_data(const RunRecord& record, const PosteriorSummary& summary,
                                     const Spelling& spelling = {});

/// A run read back from its folder: that of a fit, or of chains.
struct FolderRun {
  RunRecord record;  ///< With the certificate of a check of the folder, and weights, where there are any.
  PosteriorSummary summary;
};

/// Throws InputMissing and DataError: of a folder without such a run, or of one that is damaged.
[[nodiscard]] FolderRun read_run_folder(const std::filesystem::path& folder, const Executor& executor);

struct ReportJob {
  std::filesystem::path folder = {};              ///< Of a fit, or of chains.
  std::optional<std::string> title = {};          ///< Default: the command and the data.
  std::optional<std::filesystem::path> out = {};  ///< Default: report.html in the folder.
  bool force = false;                             ///< Replace a page that exists.
  Spelling spelling = {};
};

/// Writes the page of a folder and returns its path. Throws InputMissing, DataError, CannotCreate, IoError.
std::filesystem::path run_report(const ReportJob& job, const Executor& executor);

}  // namespace giga
