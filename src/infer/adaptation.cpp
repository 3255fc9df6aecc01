// Dual averaging of the step size, running moments, and the windows of a warm-up.
//
// Notation of dual averaging: t the update, delta the target, alpha_t the acceptance of transition t, and
//     Hbar_t = (1 - 1/(t + t0)) Hbar_(t-1) + (delta - alpha_t) / (t + t0)
//     log eps_t = mu - sqrt(t) / gamma Hbar_t
//     log epsbar_t = t^-kappa log eps_t + (1 - t^-kappa) log epsbar_(t-1)
// with mu = log(10 eps_0). Chains run with eps_t while they adapt and with epsbar afterwards. Hoffman and
// Gelman, "The No-U-Turn Sampler", JMLR 15 (2014), section 3.2.1; gamma, kappa and t0 are theirs.
#include "infer/adaptation.hpp"

#include <algorithm>
#include <cmath>

namespace giga {
namespace {

constexpr double kGamma = 0.05, kKappa = 0.75, kOffset = 10;  // of dual averaging
// Stan's: a start for the step size alone, windows of 25, 50, 100, ... for the variances, an end
// for the step size.
constexpr Index kStart = 75, kEnd = 50, kWindow = 25;  // transitions

}  // namespace

DualAveraging::DualAveraging(double step, double target) : target_(target) {
  restart(step);
}

void DualAveraging::restart(double step) {
  shrink_towards_ = std::log(10 * step);
  error_ = 0;
  log_average_ = std::log(step);
  count_ = 0;
}

double DualAveraging::update(double accept_stat) {
  ++count_;
  const double share = 1 / (count_ + kOffset);
  error_ = (1 - share) * error_ + share * (target_ - std::min(1.0, accept_stat));
  const double log_step = shrink_towards_ - error_ * std::sqrt(count_) / kGamma;
  const double weight = std::pow(count_, -kKappa);
  log_average_ = weight * log_step + (1 - weight) * log_average_;
  return std::exp(log_step);
}

double DualAveraging::final_step() const {
  return std::exp(log_average_);
}

RunningMoments::RunningMoments(Index dim, bool full) : dim_(dim), full_(full) {
  clear();
}

void RunningMoments::clear() {
  count_ = 0;
  mean_.assign(at(dim_), 0.0);
  squares_.assign(at(full_ ? dim_ * dim_ : dim_), 0.0);
}

// Welford: with the mean before and after a point x, the sum of (x - mean)(x - mean)' grows by
//     (x - mean_before)(x - mean_after)'.
// Nothing cancels, as it would in sums of squares.
void RunningMoments::add(const double* point) {
  ++count_;
  const auto dim = at(dim_);
  std::vector<double> before(dim);
  for (std::size_t d = 0; d < dim; ++d) {
    before[d] = point[d] - mean_[d];
    mean_[d] += before[d] / static_cast<double>(count_);
  }
  for (std::size_t d = 0; d < dim; ++d) {
    const double after = point[d] - mean_[d];
    if (!full_) {
      squares_[d] += before[d] * after;
      continue;
    }
    for (std::size_t e = 0; e < dim; ++e) squares_[d * dim + e] += after * before[e];
  }
}

std::vector<double> RunningMoments::shrunk() const {
  // n / (n + 5) times the sample covariance, plus 5 / (n + 5) times 1e-3 I: Stan's regularisation.
  constexpr double kPriorDraws = 5, kPriorVariance = 1e-3;
  const auto n = static_cast<double>(count_);
  std::vector<double> out = squares_;
  for (double& value : out) value *= count_ > 1 ? n / ((n - 1) * (n + kPriorDraws)) : 0.0;
  const std::size_t apart = full_ ? at(dim_) + 1 : 1;
  for (std::size_t d = 0; d < at(dim_); ++d)
    out[d * apart] += kPriorVariance * kPriorDraws / (n + kPriorDraws);
  return out;
}

Windows::Windows(Index warmup) {
  if (warmup < 20) return;  // too short to learn anything but a step size
  Index start = kStart, end = kEnd, window = kWindow;
  if (start + end + window > warmup) {
    start = warmup * 15 / 100;
    end = warmup / 10;
    window = warmup - start - end;
  }
  begin_ = start;
  end_ = warmup - end;
  // Invariant: windows up to `begin` are settled; each is twice as long as the one before, the last
  // takes what is left.
  for (Index begin = start; begin < end_; window *= 2) {
    Index last = begin + window;
    if (last + 2 * window > end_) last = end_;  // no room for the next one: this takes the rest
    ends_.push_back(last - 1);
    begin = last;
  }
}

bool Windows::ends_window(Index iteration) const {
  return std::find(ends_.begin(), ends_.end(), iteration) != ends_.end();
}

}  // namespace giga
