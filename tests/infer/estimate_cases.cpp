#include "infer/estimate_cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "infer/point_sums.hpp"

namespace giga::test {
namespace {

const char* name_of(RowKind kind) {
  switch (kind) {
    case RowKind::Plain: return "plain";
    case RowKind::HeavyTailed: return "heavy-tailed";
    case RowKind::Outliers: return "outliers";
    case RowKind::Alone: return "alone";
    case RowKind::Separated: return "separated";
    case RowKind::Repeated: return "repeated";
  }
  return "";
}

std::vector<double> features(const EstimateCase& which, Index n, Stream& random) {
  constexpr Index kOutliers = 5;
  std::vector<double> z;
  double scale = 1;
  if (which.kind == RowKind::HeavyTailed) {
    double chi = 0;
    for (int k = 0; k < 3; ++k) chi += std::pow(random.normal(), 2);
    scale = 1 / std::sqrt(chi / 3);
  }
  if (which.kind == RowKind::Outliers && n < kOutliers) scale = 20;
  for (Index d = 0; d + 1 < which.dim; ++d) z.push_back(scale * random.normal());
  if (which.kind == RowKind::Alone) z[0] = n == which.rows / 2 ? 1 : 0;
  if (which.kind == RowKind::Separated && which.family != Family::BernoulliLogit) z[1] = z[0] + 0.01 * z[1];
  z.push_back(1);
  return z;
}

// Points S x D, as they are pooled from chains.
std::vector<double> draws_of(const Normal& normal, Index count, std::uint64_t seed) {
  std::vector<double> points(static_cast<std::size_t>(count * normal.dim()));
  for (Index s = 0; s < count; ++s) {
    Stream random = stream(seed, "points of a check", s);
    normal.draw(random, points.data() + s * normal.dim());
  }
  return points;
}

// The error at each point less its average over the points, which cancels from weights.
std::vector<double> centred_error(const ExtendedVector& estimated, const ExtendedVector& exact) {
  std::vector<double> error;
  for (std::size_t s = 0; s < exact.size(); ++s)
    error.push_back(static_cast<double>(estimated[s] - exact[s]));
  const double mean = std::accumulate(error.begin(), error.end(), 0.0) / static_cast<double>(error.size());
  for (double& value : error) value -= mean;
  return error;
}

}  // namespace

std::string EstimateCase::name() const {
  return std::string(family_name(family)) + "/" + std::string(link_name(family)) + ", " + name_of(kind) +
         ", " + std::to_string(rows) + " x " + std::to_string(dim);
}

EstimateProblem make(const EstimateCase& which, const Executor& executor) {
  const FamilyParameters family{which.family, 0.7};
  const double each =
      (which.family == Family::BernoulliLogit ? 1.0 : 0.3) / std::sqrt(static_cast<double>(which.dim));
  std::vector<double> z, y, multiplicity;
  for (Index n = 0; n < which.rows; ++n) {
    Stream random = stream(which.seed, "estimate case", n);
    const std::vector<double> row = features(which, n, random);
    double s = which.family == Family::PoissonSoftplus ? 2 : 0.5;
    for (std::size_t d = 0; d + 1 < row.size(); ++d) s += each * std::clamp(row[d], -3.0, 3.0);
    const bool separated = which.kind == RowKind::Separated && which.family == Family::BernoulliLogit;
    y.push_back(separated ? (row[0] > 0 ? 1 : -1)
                          : describe(which.family).simulation.respond(family, s, random));
    z.insert(z.end(), row.begin(), row.end());
    if (which.kind == RowKind::Repeated) multiplicity.push_back(1 + static_cast<double>(random.below(20)));
  }
  auto model = std::make_unique<Regression>(std::move(z), std::move(y), std::move(multiplicity), family);
  const Normal prior = Normal::isotropic(model->num_parameters());
  EstimateProblem out{std::move(model), prior, {prior}};
  out.laplace = laplace(*out.model, out.prior, executor);
  return out;
}

Findings check_estimates(const EstimateCase& which, Index size, Index repeats) {
  constexpr Index kPoints = 40;
  const Threads executor;
  const EstimateProblem problem = make(which, executor);
  const Normal& pihat = problem.laplace.posterior;
  const std::vector<double> points = draws_of(pihat, kPoints, which.seed);
  const ExtendedVector exact = log_likelihood_sums(*problem.model, points, executor);
  const RowArray<float> scores = remainder_scores(*problem.model, pihat, executor);
  const Derivatives at_mode = problem.model->evaluate(pihat.mean(), Order::Hessian, executor);

  std::vector<double> sum(kPoints), squares(kPoints);
  double stated = 0;
  for (Index k = 0; k < repeats; ++k) {
    const auto seed = static_cast<std::uint64_t>(100 + k);
    const RowEstimate estimate(*problem.model, pihat.mean(), at_mode, priority_sample(scores, size, seed),
                               seed, executor);
    const std::vector<double> error = centred_error(estimate.log_likelihoods(points, executor), exact);
    const EstimateError about = estimate.error(points, executor);
    for (std::size_t s = 0; s < error.size(); ++s) {
      sum[s] += error[s];
      squares[s] += error[s] * error[s];
    }
    stated += about.rms * about.rms;
  }
  // The mean error of each point over the samples has a t-statistic, of which the largest may be as large as
  // the number of points allows; rounding of the sums is below `rounding`.
  Findings out;
  out.bound = bonferroni_bound(kPoints, 1e-4);
  const auto many = static_cast<double>(repeats);
  constexpr double kRounding = 1e-9;
  double actual = 0;
  for (std::size_t s = 0; s < sum.size(); ++s) {
    const double mean = sum[s] / many;
    const double variance = std::max(0.0, squares[s] / many - mean * mean);
    out.compare(mean / (std::sqrt(variance / (many - 1)) + kRounding), which.name() + ", point");
    actual += squares[s];
  }
  actual = std::sqrt(actual / (many * static_cast<double>(kPoints)));
  stated = std::sqrt(stated / many);
  // Stated errors leave out 1 - p_n and so may be too large, but not too small by more than chance.
  out.require(actual <= 1.3 * stated + kRounding,
              which.name() + ": off by " + std::to_string(actual) + ", stated " + std::to_string(stated));
  return out;
}

double share_beyond(const RowEstimate& estimate, const Likelihood& full, std::span<const double> points,
                    const Executor& executor) {
  const ExtendedVector made = estimate.log_likelihoods(points, executor),
                       exact = log_likelihood_sums(full, points, executor);
  const EstimateError stated = estimate.error(points, executor);
  double mean = 0, beyond = 0;
  for (std::size_t s = 0; s < made.size(); ++s)
    mean += static_cast<double>(made[s] - exact[s]) / static_cast<double>(made.size());
  for (std::size_t s = 0; s < made.size(); ++s) {
    const double off = std::abs(static_cast<double>(made[s] - exact[s]) - mean);
    // Where rows have no remainder, as with a normal likelihood, only rounding is left.
    const double rounding =
        64 * std::numeric_limits<double>::epsilon() * std::abs(static_cast<double>(exact[s]));
    if (off > 3 * stated.each[s] + rounding) beyond += 1 / static_cast<double>(made.size());
  }
  return beyond;
}

}  // namespace giga::test
