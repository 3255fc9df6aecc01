// The finished trials of one dataset and sampler, and what they say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/method_traces.hpp"
#include "experiments/regression_sets.hpp"

namespace giga::experiments {

/// A coreset of a trial, and its inference.
struct Entry {
  Index points = 0;
  double fisher = 0;     ///< distance from the posterior of all rows
  double gradients = 0;  ///< of its chain
  double chain_s = 0;    ///< of its chain
  double total_s = 0;    ///< all that it takes: Laplace, projection, construction, chain (RND: the last two)
};

struct SetResults {
  const SetInfo* info = nullptr;
  std::string sampler;
  std::vector<Index> sizes;
  /// By contender, by place in `sizes`, by trial.
  std::map<std::string, std::vector<std::vector<Entry>>> entries;
  std::vector<std::vector<double>> corrective_over_giga;  ///< distances at equal size; by place, by trial
  std::vector<double> full_s, laplace_s, project_s;       ///< by trial

  [[nodiscard]] std::vector<double> fishers(const std::string& method, std::size_t place) const;
  [[nodiscard]] double median_fisher(const std::string& method, std::size_t place) const;
  [[nodiscard]] double median_points(const std::string& method, std::size_t place) const;
  [[nodiscard]] double median_seconds(const std::string& method, std::size_t place) const;
  [[nodiscard]] double median_gradients(const std::string& method, std::size_t place) const;
  [[nodiscard]] double median_chain_s(const std::string& method, std::size_t place) const;
  /// log10 of how much larger the median distance of `worse` is.
  [[nodiscard]] double orders(const std::string& worse, const std::string& better, std::size_t place) const;
};

/// "HMC"; they are all of one sampler.
[[nodiscard]] std::string sampler_title(const std::vector<SetResults>& sets);

/// Name of a trial's files.
[[nodiscard]] std::string regression_trial_name(const SetInfo& info, const std::string& sampler, Index trial);

/// Throws DataError, with the file, for a trial that is not what RegressionTrial leaves.
[[nodiscard]] SetResults read_results(const TrialStore& store, const SetInfo& info,
                                      const std::string& sampler, const Settings& settings);

/// The claims about one sampler: all sets together, so that each is a line. There must be a set.
[[nodiscard]] std::vector<Finding> findings_of(const std::vector<SetResults>& sets);
/// The same of measured times.
[[nodiscard]] std::vector<Finding> timing_of(const std::vector<SetResults>& sets);
[[nodiscard]] std::vector<std::string> timing_headings();
[[nodiscard]] std::vector<std::vector<std::string>> timing_rows(const std::vector<SetResults>& sets);

/// Distance against size, and against time.
[[nodiscard]] Figure size_figure(const std::vector<SetResults>& sets);
[[nodiscard]] Figure time_figure(const std::vector<SetResults>& sets);

}  // namespace giga::experiments
