// What a sampler asks of a posterior.
#pragma once

#include <concepts>

#include "giga/base/types.hpp"

namespace giga {

/// A log density, up to a constant, and its gradient. log_density(theta, gradient) writes dim() components;
/// it may be called from several threads at once. Where it throws, or gives a value or gradient that is not
/// finite, the density counts as zero there: the proposal is rejected, and counted.
template <typename Density>
concept LogDensity = requires(const Density& density, const double* theta, double* gradient) {
  { density.dim() } -> std::convertible_to<Index>;
  { density.log_density(theta, gradient) } -> std::convertible_to<double>;
};

/// A density with its type forgotten; the density must outlive it.
class DensityView {
 public:
  template <LogDensity Density>
  DensityView(const Density& density)  // NOLINT(google-explicit-constructor): that is its purpose
      : object_(&density),
        dim_(density.dim()),
        function_([](const void* object, const double* theta, double* out) {
          return static_cast<double>(static_cast<const Density*>(object)->log_density(theta, out));
        }) {}

  [[nodiscard]] Index dim() const { return dim_; }
  double log_density(const double* theta, double* gradient) const {
    return function_(object_, theta, gradient);
  }

 private:
  const void* object_;
  Index dim_;
  double (*function_)(const void*, const double*, double*);
};

}  // namespace giga
