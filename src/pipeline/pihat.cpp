// The mode of many rows by way of the mode of some, and what it says.
#include "pipeline/pihat.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "giga/base/random.hpp"
#include "giga/pipeline/mode_notes.hpp"
#include "giga/pipeline/posterior_mode.hpp"
#include "giga/pipeline/prior_effect.hpp"

namespace giga {
namespace {

// n of the rows 0 .. total-1 without replacement, ascending, by selection sampling: a row is taken with
// probability (rows still wanted) / (rows still to come), which makes all subsets of n rows equally likely.
std::vector<Index> some_rows(Index total, Index n, std::uint64_t seed) {
  std::vector<Index> rows;
  Stream random = stream(seed, "subsample");
  for (Index row = 0; row < total && std::ssize(rows) < n; ++row) {
    const Index wanted = n - std::ssize(rows);
    if (random.below(static_cast<std::uint64_t>(total - row)) < static_cast<std::uint64_t>(wanted))
      rows.push_back(row);
  }
  return rows;
}

// One row of each of n stretches of nearly equal length, ascending: it takes n draws, not one per row.
std::vector<Index> spread_rows(Index total, Index n, std::uint64_t seed) {
  std::vector<Index> rows;
  Stream random = stream(seed, "spread rows");
  const Index width = total / n, longer = total % n;  // so many stretches have a row more
  for (Index i = 0, begin = 0; i < n; ++i) {
    const Index length = width + (i < longer ? 1 : 0);
    rows.push_back(begin + static_cast<Index>(random.below(static_cast<std::uint64_t>(length))));
    begin += length;
  }
  return rows;
}

// The given rows, each counted N / n times.
std::unique_ptr<Likelihood> scaled_up(const Likelihood& model, const std::vector<Index>& rows,
                                      const Executor& executor) {
  const double times = static_cast<double>(model.num_rows()) / static_cast<double>(rows.size());
  std::vector<double> weights;
  for (const Index row : rows) weights.push_back(times * model.multiplicity(row));
  return model.shared_subset(rows, weights, executor);
}

// n of the N rows: their log-likelihood, scaled up, is an unbiased estimate of that of all rows.
std::unique_ptr<Likelihood> subsample(const Likelihood& model, Index asked, std::uint64_t seed,
                                      const Executor& executor) {
  const Index usual = std::max<Index>(1000, 20 * model.num_parameters());
  const Index n = std::min(model.num_rows(), asked > 0 ? asked : usual);
  return scaled_up(model, some_rows(model.num_rows(), n, seed), executor);
}

constexpr Index kMany = 100'000;  // rows that the mode is found of by way of some of them

class Search {
 public:
  Search(const Problem& problem, const CoresetOptions& options, const Executor& executor,
         const Observer& observer)
      : problem_(problem), options_(options), executor_(executor), observer_(observer) {}

  // The Laplace approximation, and the passes over all rows that it took.
  [[nodiscard]] std::pair<LaplaceResult, Index> find() const {
    const Likelihood& model = problem_.likelihood();
    tell(observer_, {.stage = Stage::Laplace});
    if (options_.pihat == PihatKind::Subsample) {
      const auto some = subsample(model, options_.subsample_rows, options_.seed, executor_);
      return {mode_of(*some), 0};
    }
    LaplaceResult result = mode_of(model);
    const Index passes = result.passes;
    return {std::move(result), passes};
  }

 private:
  [[nodiscard]] LaplaceResult mode_of(const Likelihood& likelihood) const {
    return posterior_mode(problem_, likelihood, executor_, laplace_options(likelihood), observer_);
  }

  // Of many rows, the mode of a part of them: with one in kShare it is about sqrt(kShare) posterior standard
  // deviations in each direction from that of all, where two Newton steps reach it; that of the part is found
  // likewise, and no better than to a share of that distance. Empty: begin where the likelihood says.
  [[nodiscard]] std::vector<double> start_of(const Likelihood& likelihood) const {
    constexpr Index kFewest = 10'000, kPerParameter = 100, kShare = 16;
    constexpr double kRough = 0.3;  // standard deviations of the part's own posterior
    const Index some =
        std::max({kFewest, kPerParameter * likelihood.num_parameters(), likelihood.num_rows() / kShare});
    if (likelihood.num_rows() < std::max(kMany, 4 * some)) return {};
    try {
      const auto rows =
          scaled_up(likelihood, spread_rows(likelihood.num_rows(), some, options_.seed), executor_);
      const LaplaceOptions rough{.tolerance = kRough, .start = start_of(*rows)};
      return laplace(*rows, problem_.prior(), executor_, rough, observer_).posterior.mean();
    } catch (const std::invalid_argument&) {
      return {};  // no place among them has a finite log joint: all rows are asked in their own way
    }
  }

  // One step after g'H^-1 g <= 1e-8 the mode of many rows is known to about 1e-8 standard deviations, since
  // Newton squares the distance: a stricter tolerance would cost a pass over all of them.
  [[nodiscard]] LaplaceOptions laplace_options(const Likelihood& likelihood) const {
    constexpr double kNear = 1e-4;
    LaplaceOptions options{.start = start_of(likelihood)};
    if (likelihood.num_rows() >= kMany) options.tolerance = kNear;
    return options;
  }

  const Problem& problem_;
  const CoresetOptions& options_;
  const Executor& executor_;
  const Observer& observer_;
};

}  // namespace

Pihat find_pihat(const Problem& problem, const CoresetOptions& options, const LaplaceResult* known,
                 bool rows_are_data, const Executor& executor, const Observer& observer) {
  if (options.pihat == PihatKind::Prior) return {problem.prior().normal_stand_in()};
  const bool is_known = options.pihat == PihatKind::Laplace && known != nullptr;
  auto [found, passes] =
      is_known ? std::pair(*known, Index{0}) : Search(problem, options, executor, observer).find();
  Pihat result{found.posterior, std::move(found)};
  result.passes = passes;
  const std::vector<double>& mode = result.distribution.mean();
  // What the rows say of the model is of interest only where they are the data.
  const LinearModel* linear = rows_are_data ? problem.likelihood().linear_model() : nullptr;
  result.separable = linear != nullptr && linear->separates(mode, executor);
  if (result.separable) {
    ++result.passes;  // else it ended with the first row on the wrong side
    result.notes.emplace_back(
        "the labels are perfectly separable: only the prior keeps the coefficients finite");
  }
  if (result.laplace->end != LaplaceEnd::Converged)
    result.notes.emplace_back(
        "the search for the posterior mode did not converge; pihat is taken where it ended");
  if (!rows_are_data) return result;
  for (std::string& note : mode_notes(problem, mode, executor)) result.notes.push_back(std::move(note));
  if (!result.separable) {
    if (auto note = prior_effect_note(problem, *result.laplace)) result.notes.push_back(*std::move(note));
  }
  return result;
}

}  // namespace giga
