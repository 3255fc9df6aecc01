// Gradients counted, and one of them measured:
//     seconds = gradients of the coreset's chains * time of a gradient on all rows / chains side by side.
// Chains on all rows would need about as many gradients, since the posteriors are alike.
#include "giga/pipeline/full_data_cost.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "giga/infer/posterior.hpp"
#include "giga/pipeline/certify_coreset.hpp"

namespace giga {
namespace {

double fastest_gradient(const Posterior& posterior, const std::vector<double>& theta) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> gradient(theta.size());
  double fastest = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto start = Clock::now();
    posterior.log_density(theta.data(), gradient.data());
    fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return fastest;
}

}  // namespace

double gradient_seconds(const Problem& problem, Index rows, const Executor& executor, Index max_rows) {
  // Rows of the likelihood: chains on all rows would have equal ones merged as well.
  const Likelihood& all = problem.likelihood();
  const Index wanted = std::min({rows, max_rows, all.num_rows()});
  const Index step = std::max<Index>(1, all.num_rows() / std::max<Index>(1, wanted));
  std::vector<Index> some;
  std::vector<double> counts;
  for (Index row = 0; row < all.num_rows() && std::ssize(some) < wanted; row += step) {
    some.push_back(row);
    counts.push_back(all.multiplicity(row));
  }
  const auto model = all.subset(some, counts);
  const Posterior posterior(*model, problem.prior());
  return fastest_gradient(posterior, model->start(executor)) * static_cast<double>(rows) /
         static_cast<double>(some.size());
}

FullDataCost full_data_cost(const Problem& problem, std::span<const Chain> chains, Index thin,
                            const Executor& executor, Index max_rows) {
  FullDataCost cost;
  cost.gradient_seconds = gradient_seconds(problem, problem.likelihood().num_rows(), executor, max_rows);
  for (const Chain& chain : chains) {
    Index gradients = chain.num_gradients;
    // Transitions between kept draws are not recorded one by one: each is taken to have cost
    // what the kept one did.
    for (const DrawStats& stats : chain.stats) gradients -= (thin - 1) * stats.num_leapfrog;
    cost.gradients += static_cast<double>(std::max<Index>(gradients, 0));
  }
  cost.parallel_chains = static_cast<double>(
      std::clamp<Index>(executor.num_threads(), 1, std::max<Index>(1, std::ssize(chains))));
  return cost;
}

}  // namespace giga
