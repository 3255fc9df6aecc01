// Draws of the posterior of a table, or of a coreset, to a folder.
#pragma once

#include <filesystem>
#include <optional>

#include "giga/base/executor.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/sample.hpp"
#include "giga/job/job.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/record/coreset_file.hpp"
#include "giga/record/run_folder.hpp"
#include "giga/record/run_record.hpp"
#include "giga/report/posterior_summary.hpp"

namespace giga {

struct SampleJob {
  std::filesystem::path input = {};         ///< "-" is CSV on standard input.
  std::optional<CoresetFile> coreset = {};  ///< Of a coreset; then `read` and `model` are ignored.
  bool bare_coreset = false;  ///< The columns are those of a coreset, but there is no companion.
  ReadOptions read = {};
  ModelOptions model = {};
  Protocol protocol = Protocol::Stan;  ///< For the record.
  SampleOptions sample = {};
  Index chains = 4;
  std::optional<std::filesystem::path> out = {};  ///< The folder.
  bool force = false;                             ///< Replace the files of an earlier run.
};

struct SampleRun {
  RunRecord record;
  PosteriorSummary summary;
};

/// Writes draws, summary and record to the folder. Throws what run_build throws.
[[nodiscard]] SampleRun run_sample(const SampleJob& job, const Executor& executor,
                                   const JobObserver& observer = {});

/// draws_1.csv, ... and summary.csv.
[[nodiscard]] RunFiles draws_files(const PosteriorSummary& summary, const SampleOptions& options,
                                   const Ratios& ratios = {});

}  // namespace giga
