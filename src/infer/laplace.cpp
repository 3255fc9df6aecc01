// The Laplace approximation N(mode, H^-1) by damped Newton. With g the gradient of the log joint
//     log p(theta) + sum_n L_n(theta)
// and H minus its Hessian, steps are H^-1 g, halved until the log joint rises; the decrement sqrt(g'H^-1 g)
// says how many posterior standard deviations the mode is away.
//
// Newton squares the decrement, d_next = c d^2, and over a step the curvature changes by a share of about 2 c
// d. Both are seen on the way, so that the last step need not cost a pass over the rows: where it changes
// nothing that a double would show, the derivatives there are those of the second-order expansion.
//
// A prior with a kink has no Hessian there. Rounded off over a width e (Prior::smoothed) it has one, and with
// e about the posterior's own width the curvature is about what that posterior sees of the kink. The widths
// come from the curvature of the rows at the start, and once more at the mode that was found with these.
#include "giga/infer/laplace.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "infer/group_laplace.hpp"
#include "infer/proper_posterior.hpp"

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Place {
  Eigen::VectorXd theta;
  double log_likelihood, log_prior;
  Eigen::VectorXd gradient;  // of the log joint
  Matrix curvature;          // minus its Hessian
  Derivatives data;          // of the log-likelihood alone

  [[nodiscard]] double log_joint() const { return log_likelihood + log_prior; }
};

// The log joint with gradient and Hessian at a point.
class LogJoint {
 public:
  LogJoint(const Likelihood& likelihood, const Prior& prior, const Executor& executor)
      : likelihood_(likelihood), prior_(&prior), executor_(executor) {}

  // `prior` must outlive this object.
  void set_prior(const Prior& prior) { prior_ = &prior; }

  // Nothing where the log joint or a derivative is not finite.
  [[nodiscard]] std::optional<Place> at(Eigen::VectorXd theta) const {
    const std::span<const double> values(theta.data(), static_cast<std::size_t>(theta.size()));
    Derivatives data = likelihood_.evaluate(values, Order::Hessian, executor_);
    ++passes_;
    return joined(std::move(theta), std::move(data));
  }

  // The same from derivatives of the likelihood that are known.
  [[nodiscard]] std::optional<Place> joined(Eigen::VectorXd theta, Derivatives data) const {
    const std::span<const double> values(theta.data(), static_cast<std::size_t>(theta.size()));
    const Derivatives prior = prior_->log_density(values, Order::Hessian);
    const Eigen::Index dim = theta.size();
    Place place{std::move(theta), data.value, prior.value, {}, {}, {}};
    place.gradient = Eigen::Map<const Eigen::VectorXd>(data.gradient.data(), dim) +
                     Eigen::Map<const Eigen::VectorXd>(prior.gradient.data(), dim);
    place.curvature = -(Eigen::Map<const Matrix>(data.hessian.data(), dim, dim) +
                        Eigen::Map<const Matrix>(prior.hessian.data(), dim, dim));
    place.data = std::move(data);
    if (!std::isfinite(place.log_joint()) || !place.gradient.allFinite() || !place.curvature.allFinite())
      return std::nullopt;
    return place;
  }

  [[nodiscard]] Index passes() const { return passes_; }

 private:
  const Likelihood& likelihood_;
  const Prior* prior_;
  const Executor& executor_;
  mutable Index passes_ = 0;
};

// The factor of curvature + shift I for the least shift tried that makes it positive definite.
Eigen::LLT<Matrix> factorise(const Matrix& curvature) {
  // Shifts are relative to the largest diagonal entry. A large one turns the step towards the gradient, which
  // is always uphill; the identity is the last resort.
  constexpr double kFirstShift = 1e-10, kLastShift = 1e10;
  const double size = curvature.diagonal().cwiseAbs().maxCoeff();
  Eigen::LLT<Matrix> llt(curvature);
  for (double shift = kFirstShift; llt.info() != Eigen::Success && shift <= kLastShift; shift *= 10) {
    Matrix shifted = curvature;
    shifted.diagonal().array() += shift * (size > 0 ? size : 1);
    llt.compute(shifted);
  }
  if (llt.info() != Eigen::Success) llt.compute(Matrix::Identity(curvature.rows(), curvature.rows()));
  return llt;
}

// The best place along the step: the first of step, step/2, step/4, ... that raises the log joint by a
// ten-thousandth of what the gradient promises. Near the mode the promise is below the rounding of the log
// joint, so a loss within rounding is taken as well.
std::optional<Place> search(const LogJoint& posterior, const Place& from, const Eigen::VectorXd& step,
                            double promise) {
  constexpr int kMostHalvings = 60;
  constexpr double kShare = 1e-4;
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * std::abs(from.log_joint());
  double length = 1;
  for (int halvings = 0; halvings <= kMostHalvings; ++halvings, length /= 2) {
    auto place = posterior.at(from.theta + length * step);
    if (place && place->log_joint() >= from.log_joint() + kShare * length * promise - rounding) return place;
  }
  return std::nullopt;
}

Place first_place(const LogJoint& posterior, const Likelihood& likelihood, const Prior& prior,
                  const LaplaceOptions& options, const Executor& executor) {
  const std::vector<double>& given = options.start;
  if (options.known != nullptr) {
    if (auto place = posterior.joined(Eigen::Map<const Eigen::VectorXd>(given.data(), std::ssize(given)),
                                      *options.known))
      return *std::move(place);
  }
  // What is given, else the likelihood's own start, else the middle of the prior.
  for (int attempt = given.empty() ? 1 : 0; attempt < 3; ++attempt) {
    const std::vector<double> values = attempt == 0   ? given
                                       : attempt == 1 ? likelihood.start(executor)
                                                      : prior.middle();
    if (auto place = posterior.at(Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values))))
      return *std::move(place);
  }
  throw std::invalid_argument("the log joint is not finite at the start, nor at the mean of the prior");
}

// `place` after a step that its second-order expansion describes: the derivatives of the rows by that
// expansion, those of the prior anew.
std::optional<Place> expanded(const LogJoint& posterior, const Place& place, const Eigen::VectorXd& step) {
  const Eigen::Index dim = step.size();
  Derivatives data = place.data;
  const Eigen::VectorXd bend = Eigen::Map<const Matrix>(data.hessian.data(), dim, dim) * step;
  Eigen::Map<Eigen::VectorXd> gradient(data.gradient.data(), dim);
  data.value += step.dot(gradient) + step.dot(bend) / 2;
  gradient += bend;
  return posterior.joined(place.theta + step, std::move(data));
}

// Where a climb ended, and how.
struct Climb {
  Place place;
  LaplaceEnd end = LaplaceEnd::IterationLimit;
  Index iterations = 0;
  double decrement = 0;
};

// theta <- theta + length H^-1 g.
Climb climb(const LogJoint& posterior, Place from, const LaplaceOptions& options, Index done,
            const Observer& observer) {
  // The share of the curvature that a step by expansion may leave out, in units of the tolerance.
  constexpr double kSameCurvature = 1e-3;
  Climb out{std::move(from)};
  // Invariant: the log joint at `place` is at least that of every earlier place, up to the rounding that
  // `search` allows; decrement belongs to the place before the last step.
  while (out.iterations < options.max_iterations) {
    const Place& place = out.place;
    const Eigen::VectorXd step = factorise(place.curvature).solve(place.gradient);
    const double promise = place.gradient.dot(step), before = out.decrement;
    out.decrement = std::sqrt(std::max(0.0, promise));
    tell(observer, {.stage = Stage::Laplace, .done = done + out.iterations});
    // The step is taken even when the decrement is within the tolerance: Newton doubles the digits.
    const bool near = out.decrement <= options.tolerance;
    const bool is_straight =
        near && out.iterations > 0 &&
        2 * out.decrement * out.decrement <= kSameCurvature * options.tolerance * before * before;
    auto next = is_straight ? expanded(posterior, place, step) : search(posterior, place, step, promise);
    if (!next) {
      // A promise below rounding cannot be kept: that is the mode as far as doubles can tell.
      const double rounding = 1e-12 * (1 + std::abs(place.log_joint()));
      out.end = near || promise <= rounding ? LaplaceEnd::Converged : LaplaceEnd::NoProgress;
      break;
    }
    out.place = *std::move(next);
    ++out.iterations;
    if (near) {
      out.end = LaplaceEnd::Converged;
      break;
    }
  }
  return out;
}

// How far a kink is rounded off: 1 / sqrt of the curvature of the rows in the parameter alone, at most the
// scale of its prior.
std::vector<double> kink_widths(const Prior& prior, const Derivatives& data) {
  const auto dim = static_cast<std::size_t>(prior.dim());
  std::vector<double> widths;
  for (std::size_t d = 0; d < dim; ++d) {
    const double curvature = -data.hessian[d * dim + d], most = prior.marginal(static_cast<Index>(d)).scale;
    widths.push_back(curvature * most * most > 1 ? 1 / std::sqrt(curvature) : most);
  }
  return widths;
}

// Twice from where the last climb ended, each time rounded off as the rows are curved there.
Climb climb_past_kinks(LogJoint& posterior, Place from, const Prior& prior, const LaplaceOptions& options,
                       const Observer& observer) {
  constexpr int kRounds = 2;
  Climb out{std::move(from)};
  Index iterations = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Prior smooth = prior.smoothed(kink_widths(prior, out.place.data));
    posterior.set_prior(smooth);
    Place begin = *posterior.joined(std::move(out.place.theta), std::move(out.place.data));
    out = climb(posterior, std::move(begin), options, iterations, observer);
    iterations += out.iterations;
  }
  posterior.set_prior(prior);
  out.iterations = iterations;
  const std::span<const double> mode(out.place.theta.data(), static_cast<std::size_t>(prior.dim()));
  out.place.log_prior = prior.log_density(mode, Order::Value).value;
  return out;
}

void check(const Likelihood& likelihood, const Prior& prior, const LaplaceOptions& options) {
  if (options.max_iterations < 1)
    throw std::invalid_argument("max_iterations is " + std::to_string(options.max_iterations) +
                                ", must be at least 1");
  if (prior.dim() != likelihood.num_parameters()) {
    throw std::invalid_argument("the prior has " + std::to_string(prior.dim()) + " dimensions, the model " +
                                std::to_string(likelihood.num_parameters()) + " parameters");
  }
  if (!options.start.empty() && std::ssize(options.start) != prior.dim())
    throw std::invalid_argument("start has another dimension than the model");
  if (options.known != nullptr && options.start.empty())
    throw std::invalid_argument("derivatives are known, but not where");
}

}  // namespace

LaplaceResult laplace(const Likelihood& likelihood, const Prior& prior, const Executor& executor,
                      const LaplaceOptions& options, const Observer& observer) {
  check(likelihood, prior, options);
  tell(observer, {.stage = Stage::Laplace});  // the first pass over many rows may take minutes
  if (!prior.groups().empty()) return group_laplace(likelihood, prior, executor, options, observer);
  LogJoint posterior(likelihood, prior, executor);
  Place first = first_place(posterior, likelihood, prior, options, executor);
  const Matrix at_start = prior.is_proper() ? Matrix() : first.curvature;
  Climb climbed = prior.has_kinks() ? climb_past_kinks(posterior, std::move(first), prior, options, observer)
                                    : climb(posterior, std::move(first), options, 0, observer);
  Place& place = climbed.place;
  if (!prior.is_proper())
    require_proper_posterior(likelihood, at_start, place.curvature, climbed.end == LaplaceEnd::Converged);
  // The curvature that is returned must be that of a distribution, also where the search ended on a slope.
  Matrix precision = place.curvature;
  if (Eigen::LLT<Matrix>(precision).info() != Eigen::Success)
    precision = factorise(precision).reconstructedMatrix();
  return {Normal::with_precision({place.theta.begin(), place.theta.end()},
                                 {precision.data(), precision.data() + precision.size()}),
          place.log_joint(),
          place.log_likelihood,
          place.log_prior,
          climbed.iterations,
          climbed.decrement,
          climbed.end,
          std::move(place.data),
          posterior.passes()};
}

}  // namespace giga
