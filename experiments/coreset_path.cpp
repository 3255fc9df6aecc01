// Coresets of growing size by one method, as the experiments of section 4.3 compare them. Greedy builds are
// resumed from size to size, which gives the same coresets as separate builds and costs one.
#include "experiments/coreset_path.hpp"

#include <map>

#include "experiments/cpu_clock.hpp"
#include "giga/base/random.hpp"

namespace giga::experiments {

std::vector<Stop> greedy_path(const RegressionSet& set, const VectorTable& table, Method method,
                              const std::vector<Index>& sizes) {
  std::vector<Stop> path;
  BuildResult result;
  const CpuClock clock;
  for (const Index size : sizes) {
    // Others make `size` iterations; corrective, which drops points, may make as many as the others at most.
    const GreedyOptions options{.size = size,
                                .max_steps = method == Method::Corrective ? sizes.back() : size};
    result = path.empty() ? build(table, method, options, {}) : resume(table, std::move(result), options);
    Stop stop{.asked = size,
              .steps = std::ssize(result.trace),
              .relative_error = result.relative_error,
              .rows = result.coreset.rows,
              .counts = result.coreset.weights,
              .seconds = clock.seconds()};
    // Weights of vectors, which count a distinct row `multiplicity` times, become counts of observations.
    for (std::size_t k = 0; k < stop.rows.size(); ++k)
      stop.counts[k] *= set.model().multiplicity(stop.rows[k]);
    path.push_back(std::move(stop));
  }
  return path;
}

std::vector<Stop> random_path(const RegressionSet& set, const VectorTable& table,
                              const std::vector<Index>& sizes, std::uint64_t seed) {
  std::vector<Stop> path;
  std::map<Index, Index> drawn;  // times, by distinct row
  Index draws = 0;
  const CpuClock clock;
  double measuring_s = 0;  // the error is not part of the method
  for (const Index size : sizes) {
    // Invariant: `drawn` has the first `draws` draws; draw t depends on the seed and t alone.
    for (; draws < size; ++draws) {
      Stream random = stream(seed, "rnd", draws);
      const auto row = random.below(static_cast<std::uint64_t>(set.num_data_rows()));
      ++drawn[set.distinct_row(static_cast<Index>(row))];
    }
    Stop stop{.asked = size, .steps = size, .rows = {}, .counts = {}};
    Coreset coreset;
    for (const auto& [row, times] : drawn) {
      stop.rows.push_back(row);
      // A row drawn c times out of M stands for c N / M observations: the sum is unbiased.
      stop.counts.push_back(static_cast<double>(times) * static_cast<double>(set.num_data_rows()) /
                            static_cast<double>(size));
      coreset.rows.push_back(row);
      coreset.weights.push_back(stop.counts.back() / set.model().multiplicity(row));
    }
    stop.seconds = clock.seconds() - measuring_s;
    stop.relative_error = relative_error(table, coreset);
    measuring_s = clock.seconds() - stop.seconds;
    path.push_back(std::move(stop));
  }
  return path;
}

}  // namespace giga::experiments
