// Coresets of shards, made apart, at other times or places, to one coreset on disk.
//
//   const MergeRun run = run_merge({.inputs = {"monday.csv", "tuesday.csv"}, .out = "week.csv"}, threads);
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/job/job.hpp"
#include "giga/pipeline/merge_coresets.hpp"
#include "giga/record/coreset_file.hpp"

namespace giga {

struct MergeJob {
  /// coreset.csv of each shard, with its companion beside it, or a folder that has them: that of a fit.
  /// Merged coresets may be among them. In any order: the result is the same.
  std::vector<std::filesystem::path> inputs = {};
  MergeOptions merge = {};
  std::optional<std::filesystem::path> out = {};  ///< coreset.csv; its companion goes beside it.
  bool force = false;                             ///< Replace files that exist.
};

/// What one of the inputs was.
struct MergeInput {
  std::filesystem::path path = {};
  Index num_rows = 0, size = 0;  ///< N, and points.
  double distance = 0;           ///< As in MergeResult.
};

struct MergeRun {
  CoresetFile file;
  std::vector<MergeInput> inputs;  ///< As they were given.
  MergedError error;               ///< Of the coreset, against all rows.
  CoresetResult coreset;           ///< Of the reduction, by rows of the union of all points.
  Index union_size = 0;            ///< Points before the reduction.
  bool reduced = true;
  int threads = 0;
  std::vector<std::string> notes;
  StageSeconds seconds;
  double total_s = 0;
  std::optional<std::filesystem::path> out = {};
};

/// Throws OptionError where `out` is one of the inputs; DataError where an input is not a coreset that can be
/// merged, or not with the others; what run_build throws.
[[nodiscard]] MergeRun run_merge(const MergeJob& job, const Executor& executor,
                                 const JobObserver& observer = {});

/// The record of the run, indented, with a newline.
[[nodiscard]] std::string merge_json(const MergeRun& run);

}  // namespace giga
