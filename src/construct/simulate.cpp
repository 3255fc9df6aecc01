// The four kinds of simulated vectors. Each row has a stream of its own, stream(seed, "vectors", n); what all
// rows share (directions, draws of theta) is made once in the constructor.
#include "giga/construct/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "giga/base/random.hpp"

namespace giga {

SimulatedRows::SimulatedRows(const SimulateOptions& options) : options_(options) {
  // 1 <= rows, dim, rank.
  for (const auto& [text, value] :
       {std::pair{"rows", options.rows}, {"dim", options.dim}, {"rank", options.rank}}) {
    if (value < 1) {
      throw std::invalid_argument(std::string(text) + " is " + std::to_string(value) +
                                  ", must be at least 1");
    }
  }
  if (options.kind == VectorKind::LowRank) {
    for (Index k = 0; k < options.rank; ++k) add_unit_direction(k);
  }
  if (options.kind == VectorKind::Likelihood) {
    for (Index k = 0; k < options.rank; ++k) add_draws_of_parameter(k);
  }
}

void SimulatedRows::add_unit_direction(Index k) {
  Stream random = stream(options_.seed, "lowrank directions", k);
  double square = 0;
  for (Index j = 0; j < options_.dim; ++j) {
    directions_.push_back(random.normal());
    square += directions_.back() * directions_.back();
  }
  const double norm = std::sqrt(square);
  for (Index j = 0; j < options_.dim; ++j) directions_[at(k * options_.dim + j)] /= norm;
}

// theta_j ~ N((1, 0, ..., 0), 0.2^2 I)
void SimulatedRows::add_draws_of_parameter(Index k) {
  Stream random = stream(options_.seed, "likelihood draws", k);
  for (Index j = 0; j < options_.dim; ++j)
    directions_.push_back((k == 0 ? 1.0 : 0.0) + 0.2 * random.normal());
}

// z ~ N(0, I), y in {-1, 1} by the logistic model at (1, 0, ..., 0); out_j = log p(y | z, theta_j) less its
// mean.
void SimulatedRows::read_likelihood(Index row, double* out) const {
  const Index dim = options_.dim;
  Stream random = stream(options_.seed, "vectors", row);
  std::fill_n(out, dim, 0.0);
  double y = 1;
  for (Index k = 0; k < options_.rank; ++k) {
    // out_j accumulates <z, theta_j>. The first parameter alone decides y:
    //     P(y = 1 | z) = 1 / (1 + exp(-z_1)).
    const double z = random.normal();
    if (k == 0 && random.uniform() * (1 + std::exp(-z)) > 1) y = -1;
    for (Index j = 0; j < dim; ++j) out[j] += z * directions_[at(k * dim + j)];
  }
  double mean = 0;
  for (Index j = 0; j < dim; ++j) {
    // log p(y | z, theta_j) = -log(1 + exp(-y <z, theta_j>)).
    out[j] = -std::log1p(std::exp(-y * out[j]));
    mean += out[j] / static_cast<double>(dim);
  }
  for (Index j = 0; j < dim; ++j) out[j] -= mean;
}

void SimulatedRows::read(Index first, Index count, double* out) const {
  const Index dim = options_.dim;
  for (Index i = 0; i < count; ++i) {
    double* row = out + i * dim;
    if (options_.kind == VectorKind::Axis) {
      std::fill_n(row, dim, 0.0);
      row[(first + i) % dim] = 1;
      continue;
    }
    if (options_.kind == VectorKind::Likelihood) {
      read_likelihood(first + i, row);
      continue;
    }
    Stream random = stream(options_.seed, "vectors", first + i);
    if (options_.kind == VectorKind::Gaussian) {
      for (Index j = 0; j < dim; ++j) row[j] = random.normal();
      continue;
    }
    std::fill_n(row, dim, 0.0);
    for (Index k = 0; k < options_.rank; ++k) {
      // row = sum_k xi_k b_k with xi_k ~ N(0, 1).
      const double along = random.normal();
      const double* direction = directions_.data() + k * dim;
      for (Index j = 0; j < dim; ++j) row[j] += along * direction[j];
    }
  }
}

}  // namespace giga
