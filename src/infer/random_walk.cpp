// Random-walk Metropolis-Hastings. Proposals are normal about the current point with covariance scale^2 S. In
// warm-up S follows the covariance of the draws and the scale the acceptance rate (Robbins-Monro, to 0.234);
// both are then fixed. The scale begins at 2.38 / sqrt(D), the best for normal targets whose covariance is S,
// where 0.234 is the best rate as D grows (Roberts, Gelman and Gilks 1997). The class Hamiltonian serves here
// only for its evaluation of the density, which treats failures as zero density.
#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "infer/adaptation.hpp"
#include "infer/faults.hpp"
#include "infer/transition.hpp"

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kTarget = 0.234;
// The paper's protocol (section A.2): a chain whose acceptance rate leaves this interval is run again.
constexpr double kLeastAccepted = 0.15, kMostAccepted = 0.7;
constexpr Index kMostAttempts = 5;
constexpr Index kLearnEvery = 100;  // transitions between two looks at the covariance

// A chain: the point, the covariance S = C C' of its proposals and their scale, and what S is learnt from.
class Walk {
 public:
  Walk(const DensityView& density, const std::vector<double>& start)
      : hamiltonian_(density),
        dim_(density.dim()),
        factor_(Matrix::Identity(dim_, dim_)),
        moments_(dim_, true),
        log_scale_(std::log(2.38 / std::sqrt(static_cast<double>(dim_)))) {
    point_.q = start;
    hamiltonian_.evaluate(point_);
  }

  DrawStats move(Stream& random) {
    Eigen::VectorXd standard(dim_);
    for (double& value : standard) value = random.normal();
    if (fault(Fault::RwmhDrifts)) standard[0] += 0.2;
    // scale C N(0, I) with C C' = S. Proposals are symmetric, so the acceptance is min(1, density ratio).
    const Eigen::VectorXd away = std::exp(log_scale_) * (factor_ * standard);
    PhasePoint proposal;
    proposal.q.resize(point_.q.size());
    for (std::size_t d = 0; d < point_.q.size(); ++d)
      proposal.q[d] = point_.q[d] + away[static_cast<Index>(d)];
    hamiltonian_.evaluate(proposal);
    DrawStats stats;
    stats.accept_stat = std::min(1.0, std::exp(proposal.log_density - point_.log_density));
    if (fault(Fault::RwmhKeepsOldValue)) proposal.log_density = point_.log_density;
    if (random.uniform() < stats.accept_stat) point_ = std::move(proposal);
    stats.log_density = point_.log_density;
    stats.energy = -point_.log_density;
    stats.step_size = std::exp(log_scale_);
    stats.num_leapfrog = 1;
    return stats;
  }

  void learn(Index iteration, Index warmup, double accept_stat) {
    // log scale += (i + 1)^-0.6 (accepted - 0.234): steps whose sum diverges and whose squares
    // have a finite sum.
    constexpr double kDecay = 0.6;
    log_scale_ += std::pow(static_cast<double>(iteration + 1), -kDecay) * (accept_stat - kTarget);
    if (iteration < warmup / 10) return;  // still on the way from the start
    // The covariance is learnt from a tenth of the warm-up on, and anew from a quarter on: by then the chain
    // has forgotten its start.
    if (iteration == warmup / 4) moments_.clear();
    moments_.add(point_.q.data());
    // Five points per dimension at least, or the factor would be that of the shrinkage.
    if (moments_.count() >= std::max<Index>(kLearnEvery, 5 * dim_) && iteration % kLearnEvery == 0)
      take_covariance();
  }

  void take_covariance() {
    const std::vector<double> covariance = moments_.shrunk();
    const Eigen::LLT<Matrix> llt(Eigen::Map<const Matrix>(covariance.data(), dim_, dim_));
    if (llt.info() == Eigen::Success) factor_ = llt.matrixL();
  }

  [[nodiscard]] const PhasePoint& point() const { return point_; }
  [[nodiscard]] const Hamiltonian& hamiltonian() const { return hamiltonian_; }
  [[nodiscard]] double scale() const { return std::exp(log_scale_); }
  [[nodiscard]] std::vector<double> covariance() const {
    const Matrix product = factor_ * factor_.transpose();
    return {product.data(), product.data() + product.size()};
  }

 private:
  Hamiltonian hamiltonian_;
  Index dim_;
  PhasePoint point_;
  Matrix factor_;
  RunningMoments moments_;
  double log_scale_;
};

}  // namespace

Chain random_walk(const DensityView& density, const SampleOptions& options, const std::vector<double>& start,
                  Index chain, const Executor& executor, const Observer& observer) {
  Stream random = stream(options.seed, "chain", chain);
  Walk walk(density, start);
  Chain out;
  out.dim = density.dim();
  const Index kept = options.draws * options.thin, total = options.warmup + kept;
  for (out.attempts = 1;; ++out.attempts) {
    // Invariant: scale, S and the point are those the last attempt ended with; only its
    // draws are thrown away.
    out.draws.clear();
    out.stats.clear();
    double accepted = 0;
    for (Index i = 0; i < total && !out.stopped; ++i) {
      const double before = walk.point().log_density;
      DrawStats stats = walk.move(random);
      while (fault(Fault::RwmhRejectionsNotCounted) && i >= options.warmup && stats.log_density == before)
        stats = walk.move(random);
      if (i >= options.warmup && fault(Fault::RwmhAdaptationGoesOn)) walk.learn(0, 1000, stats.accept_stat);
      if (i < options.warmup) {
        walk.learn(i, options.warmup, stats.accept_stat);
      } else {
        // The mean acceptance after warm-up, by which an attempt is judged.
        accepted += stats.accept_stat / static_cast<double>(kept);
        if ((i - options.warmup + 1) % options.thin == 0) {
          out.draws.insert(out.draws.end(), walk.point().q.begin(), walk.point().q.end());
          out.stats.push_back(stats);
        }
      }
      out.stopped = told_to_stop(executor, observer,
                                 {.stage = Stage::Sample,
                                  .done = i + 1,
                                  .total = total,
                                  .chain = chain,
                                  .warmup = i < options.warmup});
    }
    if (out.stopped || options.warmup == 0 || out.attempts == kMostAttempts) break;
    if (accepted >= kLeastAccepted && accepted <= kMostAccepted) break;
  }
  out.step_size = walk.scale();
  out.metric = MetricKind::Dense;
  out.inverse_metric = walk.covariance();
  out.num_gradients = walk.hamiltonian().num_gradients;
  out.num_not_finite = walk.hamiltonian().num_not_finite;
  return out;
}

}  // namespace giga
