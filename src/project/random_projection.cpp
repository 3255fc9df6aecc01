#include "giga/project/random_projection.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "giga/base/random.hpp"

namespace giga {

std::string_view name(Norm norm) {
  switch (norm) {
    case Norm::Fisher: return "fisher";
    case Norm::Whitened: return "whitened";
    case Norm::L2: return "l2";
    case Norm::L2Centred: return "l2_centred";
  }
  return "unknown";
}

SlopeFeatures draw_features(const Normal& pihat, Index count, bool whitened, std::uint64_t seed,
                            std::string_view purpose) {
  const Index dim = pihat.dim();
  SlopeFeatures features{Points(dim, count), {}, {}};
  std::vector<double> theta(static_cast<std::size_t>(dim));
  for (Index j = 0; j < count; ++j) {
    Stream random = stream(seed, purpose, j);
    pihat.draw(random, theta.data());
    features.points.set(j, theta);
    features.coordinate.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(dim))));
  }
  if (whitened) {
    features.frame.emplace(dim, dim);
    for (Index k = 0; k < dim; ++k) {
      for (Index d = 0; d < dim; ++d)
        theta[static_cast<std::size_t>(d)] = pihat.factor()[static_cast<std::size_t>(d * dim + k)];
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
  const Index dim = options_.dim;
  const auto features = static_cast<double>(dim);
  double scale = std::sqrt(1 / features);
  switch (options_.norm) {
    case Norm::Fisher:
    case Norm::Whitened:
      likelihood_->slopes(first, count, features_, out);
      scale = std::sqrt(static_cast<double>(likelihood_->num_parameters()) / features);
      break;
    case Norm::L2: likelihood_->log_likelihoods(first, count, features_.points, out); break;
    case Norm::L2Centred:
      likelihood_->log_likelihoods(first, count, features_.points, out);
      scale = std::sqrt(1 / (features - 1));
      break;
  }
  for (Index i = 0; i < count; ++i, out += dim) {
    double mean = 0;
    if (options_.norm == Norm::L2Centred) {
      for (Index j = 0; j < dim; ++j) mean += out[j];
      mean /= features;
    }
    const double times = scale * likelihood_->multiplicity(first + i);
    for (Index j = 0; j < dim; ++j) out[j] = (out[j] - mean) * times;
  }
}

std::string RandomProjection::place(Index n, Index j) const {
  return "row " + std::to_string(n + 1) + ", feature " + std::to_string(j + 1);
}

}  // namespace giga
