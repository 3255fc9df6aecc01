// The paper's experiments, from nothing to their figures and verdicts in a folder.
//
//   DIR/verdicts.md                    of all experiments that were asked for
//   DIR/<experiment>/settings.json     what its trials depend on
//   DIR/regression/data.json           the data files they were made with
//   DIR/<experiment>/trials/*.json     raw results, one file per trial
//   DIR/<experiment>/times/*.json      what was measured, apart from them
//   DIR/<experiment>/<figure>.svg      and .csv, its points
//   DIR/<experiment>/verdicts.md       claims, and whether they hold; and as verdicts.json
//   DIR/<experiment>/timing.md         the same of measured times
//   DIR/<experiment>/figures.html      all figures, interactive
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "giga/base/names.hpp"

namespace giga::experiments {

enum class Kind { Fig1, Vectors, Axis, Regression };
constexpr auto name_table(Kind) {
  using enum Kind;
  return names_are<Kind>({{Fig1, "fig1"}, {Vectors, "vectors"}, {Axis, "axis"}, {Regression, "regression"}});
}

struct RunOptions {
  std::filesystem::path out;
  Earlier earlier = Earlier::Refuse;
  int threads = 0;  ///< Trials side by side; 0: one per core. Each runs on one thread.
  std::string version = {};
};

struct Section {
  std::string name, title;
  Report report;
};

struct RunResult {
  double processor_s = 0;  ///< That all trials took, those of earlier runs too, by their own clocks.
  std::vector<Section> sections;
  Index jobs_done = 0;
};

/// Throws Interrupted when asked to stop: finished trials are kept, and Earlier::Resume goes on from them to
/// the same files, except for measured times. Throws CannotCreate, IoError, InputMissing, DataError.
[[nodiscard]] RunResult reproduce(const std::vector<Kind>& kinds, const Settings& settings,
                                  const RunOptions& options, const Watch& watch = {});

/// Whether a file of the folder shows measured times, so that no two runs have it alike.
[[nodiscard]] bool is_measured(const std::filesystem::path& file);

/// As a table: claim, ours, holds.
[[nodiscard]] std::string findings_markdown(const std::vector<Finding>& findings);
[[nodiscard]] Json findings_json(const std::vector<Finding>& findings);

}  // namespace giga::experiments
