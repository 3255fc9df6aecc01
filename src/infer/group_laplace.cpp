// Rounds of two steps: the mode given x by Newton over all rows (laplace), and the x of largest m by the
// quadratic expansion of the log-likelihood there, which takes no pass over rows. With g and -A the gradient
// and the Hessian of the log-likelihood and of the other priors at theta_0, and P(x) the precisions e^-2x of
// the b,
//
//     H = A + P(x),   thetahat(x) = H^-1 r,   r = A theta_0 + g,   V = H^-1,
//     m(x) = log p(x) + r'thetahat / 2 - sum_k L_k x_k - log det H / 2,
//     dm/dx_k = (log p)'_k - L_k + t_k sum_{j in k} (b_j^2 + V_jj),                       t_k = e^-2x_k,
//     d^2m/dx_k dx_l = delta_kl ((log p)''_k - 2 t_k sum (b_j^2 + V_jj))
//                      + 2 t_k t_l sum_{j in k, i in l} V_ji (2 b_j b_i + V_ji).
//
// Where the first of these is 0 and p is flat, e^2x is the mean of b_j^2 + V_jj: the step of an EM algorithm.
#include "infer/group_laplace.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// The x are known to this share of their own standard deviations; what is left of it moves no b by more than
// a few thousandths of its own.
constexpr double kNear = 1e-3;
// Until they are, the mode given x need not be known better than this.
constexpr double kLoose = 0.1;
constexpr int kMostRounds = 50;

// sum_{j in k} of each group effect.
template <typename Each>
double over(const GroupColumns& group, const Each& each) {
  double sum = 0;
  for (Index d = group.first; d < group.first + group.count; ++d) sum += each(d);
  return sum;
}

// m with its derivatives at some x.
struct Evidence {
  bool exists = false;  // H is positive definite
  double value = 0;
  Vector gradient;
  Matrix curvature;  // -m''
  Vector theta;
};

// The quadratic expansion at theta_0. Parameters x have rows and columns of their own, which are not used.
class Expansion {
 public:
  Expansion(const Prior& prior, const std::vector<double>& theta, const Derivatives& rows,
            const Vector& log_sds)
      : prior_(prior) {
    const Index dim = prior.dim();
    const Eigen::Map<const Vector> centre(theta.data(), dim);
    // Of the prior given some x, without what the groups themselves add.
    const Prior given = prior.given({log_sds.data(), static_cast<std::size_t>(log_sds.size())});
    const Derivatives others = given.log_density(theta, Order::Hessian);
    curvature_ = -(Eigen::Map<const Matrix>(rows.hessian.data(), dim, dim) +
                   Eigen::Map<const Matrix>(others.hessian.data(), dim, dim));
    Vector slope = Eigen::Map<const Vector>(rows.gradient.data(), dim) +
                   Eigen::Map<const Vector>(others.gradient.data(), dim);
    for (std::size_t k = 0; k < prior.groups().size(); ++k) {
      const GroupColumns& group = prior.groups()[k];
      const double t = std::exp(-2 * log_sds[static_cast<Eigen::Index>(k)]);
      for (Index d = group.first; d < group.first + group.count; ++d) {
        curvature_(d, d) -= t;
        slope[d] += t * centre[d];
      }
      slope[group.sd] = 0;
    }
    right_ = curvature_ * centre + slope;
  }

  [[nodiscard]] Evidence at(const Vector& x) const {
    const auto& groups = prior_.groups();
    Evidence out;
    Matrix h = curvature_;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const double t = std::exp(-2 * x[static_cast<Eigen::Index>(k)]);
      for (Index d = groups[k].first; d < groups[k].first + groups[k].count; ++d) h(d, d) += t;
    }
    const Eigen::LLT<Matrix> factor(h);
    if (factor.info() != Eigen::Success || !h.allFinite()) return out;
    out.exists = true;
    out.theta = factor.solve(right_);
    const Matrix v = factor.solve(Matrix::Identity(h.rows(), h.cols()));
    const Matrix lower = factor.matrixL();
    out.value = right_.dot(out.theta) / 2 - lower.diagonal().array().log().sum();
    add_groups(x, v, out);
    return out;
  }

 private:
  void add_groups(const Vector& x, const Matrix& v, Evidence& out) const {
    const auto& groups = prior_.groups();
    const auto num = static_cast<Eigen::Index>(groups.size());
    out.gradient = Vector::Zero(num);
    out.curvature = Matrix::Zero(num, num);
    const Vector& b = out.theta;
    for (Eigen::Index k = 0; k < num; ++k) {
      const GroupColumns& one = groups[static_cast<std::size_t>(k)];
      const ScalarDensity own = prior_.marginal(one.sd).density(x[k]);
      const double t = std::exp(-2 * x[k]), count = static_cast<double>(one.count);
      const double squares = over(one, [&](Index d) { return b[d] * b[d] + v(d, d); });
      out.value += own.value - count * x[k];
      out.gradient[k] = own.slope - count + t * squares;
      out.curvature(k, k) += 2 * t * squares - own.curvature;
      for (Eigen::Index l = 0; l < num; ++l) {
        const GroupColumns& other = groups[static_cast<std::size_t>(l)];
        const double together = over(one, [&](Index d) {
          return over(other, [&](Index e) { return v(d, e) * (2 * b[d] * b[e] + v(d, e)); });
        });
        out.curvature(k, l) -= 2 * t * std::exp(-2 * x[l]) * together;
      }
    }
  }

  const Prior& prior_;
  Matrix curvature_;
  Vector right_;
};

// Where m is largest, by Newton with halved steps from x, where m exists. Where -m'' is not positive definite
// the step is that of EM, which goes uphill.
Evidence climb(const Expansion& expansion, Evidence best, Vector& x,
               const std::vector<GroupColumns>& groups) {
  constexpr int kMostSteps = 100, kMostHalvings = 30;
  constexpr double kLongest = 1;  // in log sd
  constexpr double kHere = 1e-9;
  for (int step = 0; step < kMostSteps; ++step) {
    const Eigen::LLT<Matrix> factor(best.curvature);
    Vector way = best.gradient;
    if (factor.info() == Eigen::Success) {
      way = factor.solve(best.gradient);
    } else {
      for (Eigen::Index k = 0; k < way.size(); ++k)
        way[k] /= 2 * static_cast<double>(groups[static_cast<std::size_t>(k)].count);
    }
    const double longest = way.cwiseAbs().maxCoeff();
    if (!std::isfinite(longest) || longest <= kHere) break;
    double length = std::min(1.0, kLongest / longest);
    bool moved = false;
    for (int halvings = 0; halvings < kMostHalvings && !moved; ++halvings, length /= 2) {
      const Vector there = x + length * way;
      Evidence next = expansion.at(there);
      moved = next.exists && next.value > best.value;
      if (!moved) continue;
      x = there;
      best = std::move(next);
    }
    if (!moved) break;
  }
  return best;
}

// (thetahat, xhat) with the precision of the head of group_laplace.hpp:
//     P_theta,theta = H,  P_b_j,x_k = -H J = -2 t_k b_j for j in k,  P_xx = -m'' + J'H J.
Normal joint_normal(const Prior& prior, const LaplaceResult& mode, const Vector& x, Matrix evidence) {
  const Index dim = prior.dim();
  const auto& groups = prior.groups();
  const auto num = static_cast<Eigen::Index>(groups.size());
  if (Eigen::LLT<Matrix>(evidence).info() != Eigen::Success) evidence = Matrix::Identity(num, num);
  std::vector<double> mean = mode.posterior.mean(), precision = mode.posterior.precision();
  const std::vector<double> covariance = mode.posterior.covariance();
  Eigen::Map<Matrix> p(precision.data(), dim, dim);
  const Eigen::Map<const Matrix> v(covariance.data(), dim, dim);
  Matrix hj = Matrix::Zero(dim, num);
  for (Eigen::Index k = 0; k < num; ++k) {
    const GroupColumns& group = groups[static_cast<std::size_t>(k)];
    for (Index d = group.first; d < group.first + group.count; ++d)
      hj(d, k) = 2 * std::exp(-2 * x[k]) * mean[at(d)];
    mean[at(group.sd)] = x[k];
  }
  const Matrix inner = evidence + hj.transpose() * v * hj;
  for (Eigen::Index k = 0; k < num; ++k) {
    const Index sd = groups[static_cast<std::size_t>(k)].sd;
    for (Index d = 0; d < dim; ++d) p(d, sd) = p(sd, d) = -hj(d, k);
    for (Eigen::Index l = 0; l <= k; ++l) {
      const Index other = groups[static_cast<std::size_t>(l)].sd;
      p(sd, other) = p(other, sd) = inner(k, l);
    }
  }
  return Normal::with_precision(std::move(mean), std::move(precision));
}

}  // namespace

LaplaceResult group_laplace(const Likelihood& likelihood, const Prior& prior, const Executor& executor,
                            const LaplaceOptions& options, const Observer& observer) {
  const auto& groups = prior.groups();
  Vector x(static_cast<Eigen::Index>(groups.size()));
  for (std::size_t k = 0; k < groups.size(); ++k)
    x[static_cast<Eigen::Index>(k)] =
        options.start.empty() ? prior.marginal(groups[k].sd).mode() : options.start[at(groups[k].sd)];
  Index passes = 0, iterations = 0;
  const auto mode_given_x = [&](const LaplaceOptions& now) {
    const Observer watch = [&, done = iterations](const StageProgress& at) {
      StageProgress told = at;
      told.done += done;
      return observer ? observer(told) : Answer::Continue;
    };
    LaplaceResult found = laplace(likelihood, prior.given({x.data(), groups.size()}), executor, now, watch);
    passes += found.passes;
    iterations += found.iterations;
    return found;
  };
  LaplaceOptions loose = options;
  loose.tolerance = std::max(kLoose, options.tolerance);
  LaplaceResult mode = mode_given_x(loose);
  Matrix evidence = Matrix::Identity(x.size(), x.size());
  // Invariant: `mode` is that given x, to kLoose standard deviations.
  for (int round = 0; round < kMostRounds; ++round) {
    const Expansion expansion(prior, mode.posterior.mean(), *mode.at_mode, x);
    Evidence here = expansion.at(x);
    if (!here.exists) break;  // far from a mode: x stays
    const Vector before = x;
    here = climb(expansion, std::move(here), x, groups);
    evidence = here.curvature;
    const Vector moved = (x - before).cwiseAbs();
    const bool near =
        (moved.array().square() * evidence.diagonal().array().max(0)).maxCoeff() <= kNear * kNear;
    loose.start.assign(here.theta.begin(), here.theta.end());
    for (std::size_t k = 0; k < groups.size(); ++k)
      loose.start[at(groups[k].sd)] = x[static_cast<Eigen::Index>(k)];
    if (near) break;
    loose.known = nullptr;
    mode = mode_given_x(loose);
  }
  LaplaceOptions last = options;
  const Derivatives known = *mode.at_mode;
  last.start = mode.posterior.mean();
  last.known = &known;
  mode = mode_given_x(last);
  mode.posterior = joint_normal(prior, mode, x, evidence);
  mode.log_prior = prior.log_density(mode.posterior.mean(), Order::Value).value;
  mode.log_joint = mode.log_likelihood + mode.log_prior;
  mode.passes = passes;
  mode.iterations = iterations;
  return mode;
}

}  // namespace giga
