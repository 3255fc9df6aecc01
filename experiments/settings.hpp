// What the experiments of the paper are run with, and how they are watched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/infer/sample.hpp"

namespace giga::experiments {

/// How large the experiments are. The defaults are the paper's; tests of resuming take less.
struct Scale {
  Index fig1_replications = 1000;
  Index vectors_rows = 1'000'000, vectors_dim = 50, vectors_steps = 1000;
  Index axis_rows = 5000;  ///< and as many dimensions and steps
  Index regression_rows = 10'000;
  Index projection_dim = 500;
  /// Construction iterations at which the paper's methods are recorded, ascending; sizes for `corrective`.
  std::vector<Index> sizes = {1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 1000};
  Index chain_divisor = 1;   ///< Of warm-up and draws of the paper's protocols.
  Index fisher_draws = 500;  ///< Draws of the full-data chain, evenly spread, that distances are taken at.
};

struct Settings {
  std::uint64_t seed = 1;
  Index trials = 20;
  std::vector<SamplerKind> samplers = {SamplerKind::Hmc, SamplerKind::Rwmh, SamplerKind::Nuts};
  std::optional<std::filesystem::path> data = {};  ///< Folder of the real datasets; without: synthetic ones.
  Scale scale = {};
};

/// The seed of a trial: that of the run, of what it is for, and its number.
[[nodiscard]] std::uint64_t trial_seed(const Settings& settings, const std::string& purpose, Index trial);

/// Thrown out of a run that was asked to stop. Trials that were finished are kept.
struct Interrupted {};

/// How far a run is; `work` in seconds that its jobs are expected to take on one core.
struct RunProgress {
  std::string job;
  Index jobs_done = 0, num_jobs = 0;
  double work_done = 0, work = 0;
};

struct Watch {
  std::function<bool()> stop = {};                        ///< Asked often, by any thread.
  std::function<void(const RunProgress&)> progress = {};  ///< By any thread, one at a time.
};

/// What a job tells of itself while it runs.
struct JobContext {
  std::function<void()> check = [] {};             ///< Throws Interrupted when asked to stop. Cheap.
  std::function<void(double)> at = [](double) {};  ///< The share of the job that is done, 0 .. 1.
};

/// One trial, or what can be done of it in one go.
struct Job {
  std::string name;
  double work = 1;  ///< Expected seconds; used for the display of progress, and to start long jobs first.
  std::function<void(const JobContext&)> run;
};

}  // namespace giga::experiments
