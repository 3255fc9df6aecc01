#include "giga/construct/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "giga/base/random.hpp"

namespace giga {

std::string_view name(VectorKind kind) {
  switch (kind) {
    case VectorKind::Gaussian:
      return "gaussian";
    case VectorKind::Axis:
      return "axis";
    case VectorKind::LowRank:
      return "lowrank";
  }
  return "unknown";
}

std::optional<VectorKind> vector_kind_named(std::string_view text) {
  for (const VectorKind kind : {VectorKind::Gaussian, VectorKind::Axis, VectorKind::LowRank}) {
    if (name(kind) == text) return kind;
  }
  return std::nullopt;
}

SimulatedRows::SimulatedRows(const SimulateOptions& options) : options_(options) {
  for (const auto& [text, value] :
       {std::pair{"rows", options.rows}, {"dim", options.dim}, {"rank", options.rank}}) {
    if (value < 1) {
      throw std::invalid_argument(std::string(text) + " is " + std::to_string(value) +
                                  ", must be at least 1");
    }
  }
  if (options.kind != VectorKind::LowRank) return;
  for (Index k = 0; k < options.rank; ++k) {
    Stream random = stream(options.seed, "lowrank directions", k);
    double square = 0;
    for (Index j = 0; j < options.dim; ++j) {
      directions_.push_back(random.normal());
      square += directions_.back() * directions_.back();
    }
    const double norm = std::sqrt(square);
    for (Index j = 0; j < options.dim; ++j)
      directions_[static_cast<std::size_t>(k * options.dim + j)] /= norm;
  }
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
    Stream random = stream(options_.seed, "vectors", first + i);
    if (options_.kind == VectorKind::Gaussian) {
      for (Index j = 0; j < dim; ++j) row[j] = random.normal();
      continue;
    }
    std::fill_n(row, dim, 0.0);
    for (Index k = 0; k < options_.rank; ++k) {
      const double along = random.normal();
      const double* direction = directions_.data() + k * dim;
      for (Index j = 0; j < dim; ++j) row[j] += along * direction[j];
    }
  }
}

}  // namespace giga
