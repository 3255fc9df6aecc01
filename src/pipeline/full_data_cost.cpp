// Gradients counted, and one of them measured:
//     seconds = gradients of the coreset's chains * time of a gradient on all rows / chains side by side.
// Chains on all rows would need about as many gradients, since the posteriors are alike.
#include "giga/pipeline/full_data_cost.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "giga/infer/density.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/pipeline/certify_coreset.hpp"

namespace giga {
namespace {

// Some of many rows, in stretches: on disk a row costs as much as those about it.
class Stretches {
 public:
  /// `count` of the rows of a range that has as many, or more.
  Stretches(const RowRange& rows, Index count)
      : first_(rows.begin), count_(count), length_(std::clamp<Index>(count / kFewest, 1, kBlockRows)) {
    const Index stretches = (count + length_ - 1) / length_;
    apart_ = std::max(length_, rows.size() / std::max<Index>(1, stretches));
  }

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index row(Index n) const { return first_ + n / length_ * apart_ + n % length_; }

 private:
  static constexpr Index kFewest = 8;
  Index first_, count_, length_, apart_ = 0;
};

// The model of these, read where they are: the posterior that packs them is all that is held.
class SomeRows final : public LinearModel {
 public:
  SomeRows(const LinearModel& all, const Stretches& rows) : all_(all), rows_(rows) {}

  [[nodiscard]] Index num_rows() const override { return rows_.count(); }
  [[nodiscard]] Index num_columns() const override { return all_.num_columns(); }
  [[nodiscard]] double multiplicity(Index n) const override { return all_.multiplicity(row(n)); }
  [[nodiscard]] const FamilyParameters& family() const override { return all_.family(); }
  [[nodiscard]] double response(Index n) const override { return all_.response(row(n)); }
  [[nodiscard]] bool has_offset() const override { return all_.has_offset(); }
  [[nodiscard]] double offset(Index n) const override { return all_.offset(row(n)); }
  void design(Index first, Index count, double* z) const override {
    for (Index i = 0; i < count; ++i) all_.design(row(first + i), 1, z + i * num_columns());
  }
  [[nodiscard]] bool separates(std::span<const double>, const Executor&) const override { return false; }

 private:
  [[nodiscard]] Index row(Index n) const { return rows_.row(n); }

  const LinearModel& all_;
  Stretches rows_;
};

double fastest_gradient(const DensityView& posterior, const std::vector<double>& theta) {
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
  // 8 MB of numbers: more than a core has cache of its own, and little beside a table that needs a coreset.
  constexpr Index kMostNumbers = Index{1} << 20;
  const Index affordable = std::max<Index>(1, kMostNumbers / all.num_parameters());
  // Where ranks share the rows, each takes the time of its own.
  const RowRange held = all.held();
  const Index wanted = std::min({rows, max_rows, affordable, held.size()});
  const auto times = static_cast<double>(rows) / static_cast<double>(wanted);
  const auto subset = [&](Index count) {
    const Stretches spread(held, count);
    std::vector<Index> some;
    std::vector<double> counts;
    for (Index n = 0; n < count; ++n) {
      some.push_back(spread.row(n));
      counts.push_back(all.multiplicity(some.back()));
    }
    return all.subset(some, counts);
  };
  // Any place with finite derivatives will do: that where a search among a few of the rows would begin.
  constexpr Index kFew = 1000;
  const std::vector<double> theta = subset(std::min(kFew, wanted))->start(executor.local());
  if (const LinearModel* linear = all.linear_model())
    return times *
           fastest_gradient(RegressionPosterior(SomeRows(*linear, {held, wanted}), problem.prior()), theta);
  const auto model = subset(wanted);
  return times * fastest_gradient(Posterior(*model, problem.prior()), theta);
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
