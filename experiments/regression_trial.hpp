// One trial of section 4.3 on one dataset: projection, construction by every method, inference.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/coreset_path.hpp"
#include "experiments/fisher_distance.hpp"
#include "experiments/regression_sets.hpp"
#include "experiments/settings.hpp"
#include "experiments/trial_store.hpp"
#include "giga/infer/laplace.hpp"

namespace giga::experiments {

/// Everything runs on the thread that calls, so that times can be compared. Results depend on the seed and
/// the trial's number alone; times are kept apart from them.
class RegressionTrial {
 public:
  /// Laplace, projection, construction. `set` must outlive this object.
  RegressionTrial(const RegressionSet& set, const Settings& settings, Index trial, const JobContext& context);

  struct Outcome {
    Json result;
    Json times;
  };
  /// Inference on all rows and on every coreset. `at` gets the share done.
  [[nodiscard]] Outcome run(SamplerKind sampler, const std::function<void(double)>& at) const;

 private:
  struct Run {
    Chain chain;
    double seconds;
  };
  void build_paths(const VectorTable& table);
  [[nodiscard]] Run infer(const Likelihood& model, SamplerKind sampler, std::uint64_t seed) const;
  void infer_path(const std::vector<Stop>& path, SamplerKind sampler, const FisherDistance& distance,
                  const std::function<void()>& done, Json& stops, Json& clocks) const;
  [[nodiscard]] std::uint64_t seed_of(const std::string& purpose) const;

  const RegressionSet& set_;
  const Settings& settings_;
  Index trial_;
  const JobContext& context_;
  double laplace_s_ = 0, project_s_ = 0;
  std::vector<std::pair<std::string, std::vector<Stop>>> paths_;  // by contender
  std::vector<Stop> equals_;  // corrective with no more points than GIGA has at each of its stops
};

}  // namespace giga::experiments
