// Sums of a shard: derivatives at the mode, moments of columns and of the response, and the errors.
#include "giga/pipeline/shard_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/extended.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/project/random_projection.hpp"
#include "giga/project/smoothed_derivatives.hpp"
#include "pipeline/heldout.hpp"
#include "pipeline/prior_units.hpp"

namespace giga {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

double sum_of_weights(const Likelihood& likelihood, const Executor& executor) {
  const LinearModel* const linear = likelihood.linear_model();
  if (linear != nullptr && linear->counts_once()) return static_cast<double>(likelihood.num_rows());
  const ExtendedVector sum =
      sum_blocks(executor, likelihood.num_rows(), 1, [&](Index first, Index count, double* part) {
        for (Index n = first; n < first + count; ++n) *part += likelihood.multiplicity(n);
      });
  return static_cast<double>(sum[0]);
}

// The columns of the design as they are standardised, those of groups left out. Where they are taken as they
// are, only priors in units of the columns need them.
ColumnMoments column_moments(const Problem::Table& table, const Executor& executor) {
  const Standardisation& scale = table.design->scale();
  const bool standardised = table.options.standardise;
  if (!standardised && !table.options.priors.autoscale) return {};
  const Design::Terms& terms = table.design->terms();
  return moments_of(standardised
                        ? scale
                        : column_scale(std::span(terms).first(terms.size() - scale.group_sds.size()),
                                       *table.data, table.distinct, table.options.intercept, executor),
                    scale.group_sds.empty() ? std::ssize(scale.mean) : scale.group_sds.front());
}

// Where pihat is not that of all rows, the mode of the coreset stands in for theirs; pihat where that cannot
// be found, since a predictor is beyond a double wherever the search may begin.
Normal posterior_of(const Likelihood& points, const Problem& problem, const CoresetResult& result,
                    const Executor& executor, const Observer& observer) {
  try {
    return laplace(points, problem.prior(), executor, {}, observer).posterior;
  } catch (const std::invalid_argument&) {
    return result.pihat;
  }
}

}  // namespace

double second_order_error(const Derivatives& of, const Normal& posterior) {
  const Index dim = posterior.dim();
  const std::vector<double>& factor = posterior.factor();
  const auto c = [&](Index i, Index j) { return Extended{factor[at(i * dim + j)]}; };
  ExtendedVector turned(at(dim * dim), 0);  // H C
  for (Index i = 0; i < dim; ++i) {
    for (Index k = 0; k < dim; ++k) {
      const Extended entry = of.hessian[at(i * dim + k)];
      for (Index j = 0; j < dim; ++j) turned[at(i * dim + j)] += entry * c(k, j);
    }
  }
  Extended squares = 0;
  for (Index j = 0; j < dim; ++j) {
    Extended along = 0;
    for (Index i = 0; i < dim; ++i) along += c(i, j) * of.gradient[at(i)];
    squares += along * along;
    for (Index k = 0; k < dim; ++k) {
      Extended entry = 0;
      for (Index i = 0; i < dim; ++i) entry += c(i, j) * turned[at(i * dim + k)];
      squares += entry * entry;
    }
  }
  return static_cast<double>(std::sqrt(squares / static_cast<Extended>(dim)));
}

ErrorPart error_part(const CoresetResult& result, const Likelihood& rows, double weight,
                     const std::vector<double>& point, const Derivatives& excess, const Executor& executor) {
  const bool whitened =
      result.options.projection == ProjectionKind::Curvature || result.options.norm == Norm::Whitened;
  if (!whitened) return {weight, kNotKnown, kNotKnown};
  const auto dim = static_cast<double>(result.pihat.dim());
  ErrorPart out{weight, result.heldout_error * result.heldout_norm / std::sqrt(dim), kNotKnown};
  if (result.heldout_residual.empty()) return out;
  // V(w) - V less the features of q.
  const RandomProjection projection(rows, result.pihat, heldout_options(result.options));
  const std::vector<double> points = projection.points();
  const Quadratic q{point, excess};
  ExtendedVector gradients(points.size(), 0);
  executor.for_each(std::ssize(points) / result.pihat.dim(), [&](Index s) {
    const Index first = s * result.pihat.dim();
    q.add_gradient(std::span(points).subspan(at(first), point.size()), gradients.data() + first);
  });
  ExtendedVector rest = projection.sum_from(gradients);
  add_scaled(rest, 1, result.heldout_residual);
  const Extended length = norm(rest), noise = result.heldout_noise * result.heldout_norm;
  out.rest = length > noise ? static_cast<double>(std::sqrt((length * length - noise * noise) / dim)) : 0;
  return out;
}

void take_smoothed(const Derivatives& smoothed, Derivatives& excess) {
  const auto finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  };
  if (!finite(smoothed.gradient) || !finite(smoothed.hessian)) return;
  excess.gradient = smoothed.gradient;
  excess.hessian = smoothed.hessian;
}

namespace {

// Of all rows. Many of them are not read again: at the mode, the derivatives of all are known, and what the
// average over the posterior adds is small, and estimated from rows drawn by their remainder scores.
Derivatives smoothed_rows(const Likelihood& all, const Normal& posterior, const Derivatives& at_mode,
                          const CoresetResult& result, const Executor& executor) {
  constexpr Index kDrawn = 20'000, kMany = 5;
  if (all.num_rows() < kMany * kDrawn) return smoothed_derivatives(*all.linear_model(), posterior, executor);
  // A run that was resumed does not have them.
  RowArray<float> found;
  if (result.remainder_scores == nullptr) found = remainder_scores(all, result.pihat, executor);
  const RowSample sample =
      priority_sample(result.remainder_scores == nullptr ? found : *result.remainder_scores, kDrawn,
                      result.options.seed, executor);
  std::vector<double> counts;
  for (std::size_t i = 0; i < sample.rows.size(); ++i)
    counts.push_back(sample.counts[i] * all.multiplicity(sample.rows[i]));
  all.fetch(sample.rows, executor);
  const auto drawn = all.subset(sample.rows, counts);
  const Derivatives added = difference(drawn->evaluate(posterior.mean(), Order::Hessian, executor),
                                       smoothed_derivatives(*drawn->linear_model(), posterior, executor));
  return difference(at_mode, added);
}

}  // namespace

ShardSums shard_sums(const Problem& problem, const CoresetResult& result, const Executor& executor,
                     const Observer& observer) {
  const Likelihood& all = problem.likelihood();
  ShardSums out;
  all.fetch(result.build.coreset.rows, executor);
  // An empty coreset is right where the vectors sum to zero; it says nothing of the mode.
  const auto some =
      result.coreset.size() == 0 ? nullptr : all.subset(result.build.coreset.rows, result.coreset.weights);
  const bool of_all = result.options.pihat == PihatKind::Laplace && result.laplace && result.laplace->at_mode;
  const Normal posterior =
      of_all || some == nullptr ? result.pihat : posterior_of(*some, problem, result, executor, observer);
  out.point = posterior.mean();
  out.at_point = of_all ? *result.laplace->at_mode : all.evaluate(out.point, Order::Hessian, executor);
  out.weight = sum_of_weights(all, executor);
  out.num_zero_rows = result.num_zero_rows;

  const Problem::Table& table = *problem.table();
  out.columns = column_moments(table, executor);
  const UnitMoments units = unit_moments(problem, executor);
  out.slopes = units.slopes;
  out.response_mean = units.response_mean;
  out.response_sd = units.response_sd;

  const Derivatives of_points = some ? some->evaluate(out.point, Order::Hessian, executor)
                                     : Derivatives{0, std::vector<double>(out.point.size()),
                                                   std::vector<double>(out.at_point.hessian.size())};
  out.excess = difference(of_points, out.at_point);
  if (some) {
    const Derivatives smooth = difference(smoothed_derivatives(*some->linear_model(), posterior, executor),
                                          smoothed_rows(all, posterior, out.at_point, result, executor));
    take_smoothed(smooth, out.excess);
  }
  out.excess_error = second_order_error(out.excess, posterior);
  ShardPart part{error_part(result, all, out.weight, out.point, out.excess, executor)};
  part.num_rows = problem.num_data_rows();
  out.shards.push_back(std::move(part));
  return out;
}

MergedError merged_error(const ShardSums& sums) {
  MergedError out;
  double weight = 0, squares = sums.excess_error * sums.excess_error;
  for (const ShardPart& shard : sums.shards) weight += shard.weight;
  const auto add = [&](const ErrorPart& part) {
    out.bound += part.share();
    squares += part.rest * part.rest * (part.weight / weight);
  };
  for (const ShardPart& shard : sums.shards) add(shard);
  for (const ErrorPart& reduction : sums.reductions) add(reduction);
  out.usual = std::sqrt(squares);
  // Both are estimates, by the same features but in other ways: never less than what is usual.
  out.bound = std::max(out.bound, out.usual);
  return out;
}

}  // namespace giga
