// Regressions on which sums over all rows are estimated, and the check of the estimates against the sums.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "giga/infer/laplace.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/model/regression.hpp"
#include "infer/findings.hpp"

namespace giga::test {

enum class RowKind {
  Plain,        ///< Normal features.
  HeavyTailed,  ///< Student t with 3 degrees of freedom.
  Outliers,     ///< Plain, and five rows 20 times as far out.
  Alone,        ///< Plain, and one column that only one row has: its leverage is near 1.
  Separated,    ///< Labels that a plane separates; for other families two columns that are nearly equal.
  Repeated,     ///< Rows that count 1 to 20 times.
};
inline constexpr RowKind kRowKinds[] = {RowKind::Plain, RowKind::HeavyTailed, RowKind::Outliers,
                                        RowKind::Alone, RowKind::Separated,   RowKind::Repeated};

struct EstimateCase {
  Family family = Family::BernoulliLogit;
  RowKind kind = RowKind::Plain;
  Index rows = 10000;
  Index dim = 6;  ///< Coefficients.
  std::uint64_t seed = 1;

  [[nodiscard]] std::string name() const;
};

/// The model of all rows, its prior and Laplace approximation.
struct EstimateProblem {
  std::unique_ptr<const Regression> model;
  Normal prior;
  LaplaceResult laplace;
};
[[nodiscard]] EstimateProblem make(const EstimateCase& which, const Executor& executor);

/// Draws `repeats` samples of `size` rows and compares the estimates at draws of the Laplace approximation
/// with the sums over all rows: that they are right on average, and as far off as they say.
[[nodiscard]] Findings check_estimates(const EstimateCase& which, Index size, Index repeats);

/// The share of the points at which the estimate, less a constant, is more than 3 standard errors off.
[[nodiscard]] double share_beyond(const RowEstimate& estimate, const Likelihood& full,
                                  std::span<const double> points, const Executor& executor);

}  // namespace giga::test
