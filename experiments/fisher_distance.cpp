// (1/S) sum_s |grad L(theta_s) - grad L(w, theta_s)|^2 at S draws theta_s of the posterior of all rows. The
// gradients of all rows are found once and serve every coreset.
#include "experiments/fisher_distance.hpp"

#include <algorithm>

#include "giga/base/threads.hpp"

namespace giga::experiments {
namespace {

Points spread(const Chain& chain, Index count) {
  const Index kept = std::min(count, chain.num_draws());
  Points points(chain.dim, kept);
  for (Index s = 0; s < kept; ++s) {
    // Evenly spread over the chain.
    const double* draw = chain.draw(s * chain.num_draws() / kept);
    points.set(s, {draw, static_cast<std::size_t>(chain.dim)});
  }
  return points;
}

// The gradients of the log-likelihood of all rows at all points, D x S.
std::vector<double> gradients(const Likelihood& likelihood, const Points& points) {
  const auto size = static_cast<std::size_t>(points.dim() * points.count());
  std::vector<double> sums(size, 0.0), block(size);
  for (Index first = 0; first < likelihood.num_rows(); first += kBlockRows) {
    std::fill(block.begin(), block.end(), 0.0);
    const Index count = std::min(kBlockRows, likelihood.num_rows() - first);
    likelihood.add_gradients(first, count, points, points.count(), block.data());
    for (std::size_t i = 0; i < size; ++i) sums[i] += block[i];
  }
  return sums;
}

}  // namespace

FisherDistance::FisherDistance(const Likelihood& full, const Chain& chain, Index count)
    : points_(spread(chain, count)), full_(gradients(full, points_)) {}

double FisherDistance::of(const Likelihood& coreset) const {
  const std::vector<double> few = gradients(coreset, points_);
  Extended sum = 0;
  for (std::size_t i = 0; i < full_.size(); ++i) {
    const Extended apart = Extended{full_[i]} - few[i];
    sum += apart * apart;
  }
  return static_cast<double>(sum / static_cast<Extended>(points_.count()));
}

}  // namespace giga::experiments
