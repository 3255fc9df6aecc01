// The quadratic expansion of the log-likelihood at the posterior mode, and its own mode.
#include "giga/pipeline/prior_effect.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "giga/base/text.hpp"
#include "pipeline/three_digits.hpp"

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kWider = 1000, kFar = 0.5;

}  // namespace

std::optional<PriorEffect> prior_effect(const LaplaceResult& mode, const Prior& prior) {
  if (!mode.at_mode) return std::nullopt;
  const Index dim = prior.dim();
  const std::vector<double>& theta = mode.posterior.mean();
  Matrix curvature = -Eigen::Map<const Matrix>(mode.at_mode->hessian.data(), dim, dim);
  Eigen::VectorXd gradient = Eigen::Map<const Eigen::VectorXd>(mode.at_mode->gradient.data(), dim);
  // Coefficients of groups keep theirs, with the standard deviations that were found: it is those that make
  // them groups.
  for (const GroupColumns& group : prior.groups()) {
    const double precision = std::exp(-2 * theta[at(group.sd)]);
    for (Index d = group.first; d < group.first + group.count; ++d) {
      curvature(d, d) += precision;
      gradient[d] -= precision * theta[at(d)];
    }
    curvature(group.sd, group.sd) = 1;
  }
  const auto of_groups = [&prior](Index d) {
    return prior.is_of_group(d) ||
           std::ranges::find(prior.groups(), d, &GroupColumns::sd) != prior.groups().end();
  };
  for (Index d = 0; d < dim; ++d) {
    const ScalarPrior one = prior.marginal(d);
    if (!one.is_proper() || of_groups(d)) continue;
    const double width = kWider * one.width(), weak = 1 / (width * width);
    curvature(d, d) += weak;
    gradient[d] -= weak * (theta[static_cast<std::size_t>(d)] - one.middle());
  }
  const Eigen::LLT<Matrix> factor(curvature);
  if (factor.info() != Eigen::Success) return std::nullopt;
  const Eigen::VectorXd step = factor.solve(gradient);
  const std::vector<double> sds = mode.posterior.standard_deviations();
  PriorEffect most;
  for (Index d = 0; d < dim; ++d) {
    const auto k = static_cast<std::size_t>(d);
    if (of_groups(d)) continue;
    const double shift = std::abs(step[d]) / sds[k];
    if (shift > most.shift) most = {d, theta[k], theta[k] + step[d], shift};
  }
  return most;
}

std::optional<std::string> prior_effect_note(const Problem& problem, const LaplaceResult& mode) {
  const auto effect = prior_effect(mode, problem.prior());
  if (!effect || !(effect->shift > kFar) || !std::isfinite(effect->shift)) return std::nullopt;
  return "the prior moves the posterior mode of '" +
         printable(problem.likelihood().parameter_name(effect->parameter), 40) + "' by " +
         three_digits(effect->shift) + " posterior standard deviations, from about " +
         three_digits(effect->without) + " to " + three_digits(effect->with) +
         " on the scale that is sampled: what is learnt depends on the prior; choose it on purpose, or take "
         "a "
         "wider one (`prior_scale`)";
}

}  // namespace giga
