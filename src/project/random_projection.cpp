// Drawing the features (theta_j, d_j), and reading rows through a Likelihood. Notation as in the header.
//
// Feature j comes from stream(seed, purpose, j) alone, so a larger J keeps the features of a smaller one.
// They are kept in order of d_j: a likelihood then works on runs of features with one coordinate.
#include "giga/project/random_projection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "giga/base/random.hpp"

namespace giga {

DirectionalFeatures draw_features(const Normal& pihat, Index count, bool whitened, std::uint64_t seed,
                                  std::string_view purpose) {
  const Index dim = pihat.dim();
  // Fisher and whitened: E over (theta_j, d_j) of D g_{d_j} h_{d_j} is E <g, h>, for whichever coordinates g
  // and h are given in; hence the scale sqrt(D/J).
  std::vector<std::vector<double>> thetas(at(count));
  std::vector<std::pair<Index, Index>> order;  // coordinate, feature
  for (Index j = 0; j < count; ++j) {
    // theta_j first, then d_j: the order is part of what a seed means.
    Stream random = stream(seed, purpose, j);
    std::vector<double>& theta = thetas[at(j)];
    theta.resize(at(dim));
    pihat.draw(random, theta.data());
    order.emplace_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(dim))), j);
  }
  // By coordinate, then by feature: the order does not depend on the sort.
  std::sort(order.begin(), order.end());
  DirectionalFeatures features{
      Points(dim, count), {}, {}, std::sqrt(static_cast<double>(dim) / static_cast<double>(count))};
  for (Index j = 0; j < count; ++j) {
    const auto [coordinate, drawn] = order[at(j)];
    features.points.set(j, thetas[at(drawn)]);
    features.coordinate.push_back(coordinate);
  }
  // Column k of C (row-major, so its elements lie D apart).
  if (whitened) {
    features.frame.emplace(dim, dim);
    std::vector<double> theta(at(dim));
    for (Index k = 0; k < dim; ++k) {
      for (Index d = 0; d < dim; ++d) theta[at(d)] = pihat.factor()[at(d * dim + k)];
      features.frame->set(k, theta);
    }
  }
  return features;
}

RandomProjection::RandomProjection(const Likelihood& likelihood, const Normal& pihat,
                                   const RandomProjectionOptions& options)
    : likelihood_(&likelihood),
      options_(options),
      features_(
          draw_features(pihat, options.dim, options.norm == Norm::Whitened, options.seed, options.purpose)) {
  if (pihat.dim() != likelihood.num_parameters()) {
    throw std::invalid_argument("pihat has " + std::to_string(pihat.dim()) + " dimensions, the model " +
                                std::to_string(likelihood.num_parameters()) + " parameters");
  }
  if (options.norm == Norm::L2Centred && options.dim < 2)
    throw std::invalid_argument("dim is 1, must be at least 2 to centre the features");
}

void RandomProjection::read(Index first, Index count, double* out) const {
  if (uses_gradients()) return likelihood_->directional_derivatives(first, count, features_, out);
  likelihood_->log_likelihoods(first, count, features_.points, out);
  const bool centred = options_.norm == Norm::L2Centred;
  const auto features = static_cast<double>(options_.dim);
  // L2: v_n.v_m is the mean of L_n L_m over the draws. Centred: their sample covariance, whose divisor is J
  // - 1.
  const double scale = std::sqrt(1 / (centred ? features - 1 : features));
  for (Index i = 0; i < count; ++i, out += options_.dim) {
    const double mean = centred ? std::accumulate(out, out + options_.dim, 0.0) / features : 0.0;
    // A row that stands for several equal ones has their sum as its vector.
    const double times = scale * likelihood_->multiplicity(first + i);
    for (Index j = 0; j < options_.dim; ++j) out[j] = (out[j] - mean) * times;
  }
}

bool RandomProjection::uses_gradients() const {
  return options_.norm == Norm::Fisher || options_.norm == Norm::Whitened;
}

std::vector<double> RandomProjection::points() const {
  const Index dim = features_.points.dim();
  std::vector<double> out(at(options_.dim * dim));
  for (Index j = 0; j < options_.dim; ++j) features_.points.get(j, out.data() + j * dim);
  return out;
}

ExtendedVector RandomProjection::sum_from(const ExtendedVector& sums) const {
  const Index dim = features_.points.dim();
  ExtendedVector out;
  for (Index j = 0; j < options_.dim && uses_gradients(); ++j) {
    // scale <c_k, grad L(theta_j)>, k the coordinate of the feature
    const Index k = features_.coordinate[at(j)];
    Extended along = 0;
    for (Index d = 0; d < dim; ++d) {
      const double c = features_.frame ? features_.frame->at(d, k) : (d == k ? 1.0 : 0.0);
      along += Extended{c} * sums[at(j * dim + d)];
    }
    out.push_back(Extended{features_.scale} * along);
  }
  if (uses_gradients()) return out;
  const bool centred = options_.norm == Norm::L2Centred;
  const auto features = static_cast<Extended>(options_.dim);
  const Extended scale = std::sqrt(1 / (centred ? features - 1 : features));
  const Extended mean = centred ? std::accumulate(sums.begin(), sums.end(), Extended{0}) / features : 0;
  for (const Extended sum : sums) out.push_back((sum - mean) * scale);
  return out;
}

std::string RandomProjection::place(Index n, Index j) const {
  return "row " + std::to_string(n + 1) + ", feature " + std::to_string(j + 1);
}

}  // namespace giga
