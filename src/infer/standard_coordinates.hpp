// A density seen from the standard coordinates of a normal distribution near it.
#pragma once

#include <vector>

#include "giga/infer/chain.hpp"
#include "giga/infer/density.hpp"
#include "giga/model/normal.hpp"

namespace giga {

/// The density of z where theta = mean + C z, C C' the covariance of `about`: a LogDensity. C is constant, so
/// the two densities differ by a factor that no sampler sees. `density` must outlive it.
class StandardCoordinates {
 public:
  StandardCoordinates(const DensityView& density, const Normal& about);

  [[nodiscard]] Index dim() const { return density_.dim(); }
  double log_density(const double* z, double* gradient) const;

  void to_parameters(const double* z, double* theta) const;
  /// The draws of a chain, and its metric, as those of the parameters.
  void take_back(Chain& chain) const;

 private:
  // The rows of a matrix, each without the zeros at its ends: C is triangular.
  struct Rows {
    struct Row {
      Index begin, end;
      std::size_t at;
    };
    std::vector<Row> rows;
    std::vector<double> values;

    Rows(const std::vector<double>& matrix, Index dim, bool transposed);
    void add_weighted(const double* weights, double* sum) const;  // sum += matrix' weights
  };

  DensityView density_;
  std::vector<double> mean_, factor_;
  Rows by_row_, by_column_;  // of C
};

}  // namespace giga
