// What draws on disk say, and what is wrong with them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/job/job.hpp"
#include "giga/report/draws_summary.hpp"

namespace giga {

struct SummaryRun {
  std::vector<std::filesystem::path> files;
  std::vector<Quantity> quantities;
  Ratios ratios = {};  ///< Where a record beside the draws tells the model.
  SamplerHealth health;
  std::vector<std::string> warnings;
};

/// Of files of draws in the form of CmdStan, one per chain; or of one folder, all draws_*.csv in it. A record
/// beside them tells what their columns stand for, and whether coefficients have ratios. Throws InputMissing
/// and DataError; OptionError for a folder among files.
[[nodiscard]] SummaryRun run_summary(const std::vector<std::filesystem::path>& inputs,
                                     const Executor& executor, const JobObserver& observer = {});

/// The record of it, as JSON.
[[nodiscard]] std::string summary_json(const SummaryRun& run);

}  // namespace giga
