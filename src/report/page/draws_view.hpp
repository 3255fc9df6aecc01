// The draws of the coefficients as charts and tables show them: curves, ranks, thinned traces, and the choice
// of coefficients where there are too many.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "giga/report/page.hpp"

namespace giga::page {

/// The draws of one coefficient, chain after chain.
[[nodiscard]] std::vector<double> column(std::span<const Chain> chains, Index k);

/// Draws in ascending order, sorted once for whatever is to be known of them.
class SortedDraws {
 public:
  struct Draw {
    double value;
    std::size_t place;  ///< among the draws as they were given; equal draws are in this order
  };

  explicit SortedDraws(std::span<const double> draws);

  /// Without those that are NaN.
  [[nodiscard]] const std::vector<Draw>& order() const { return order_; }

 private:
  std::vector<Draw> order_;
};

/// Moments and quantiles of weighted draws.
struct Spread {
  double mean = 0, sd = 0;
  double q5 = 0, q25 = 0, q50 = 0, q75 = 0, q95 = 0;
};
/// `weights` is empty (all draws count alike) or has one per draw, as they were given. Draws that are not
/// finite are left out; all is NaN where none is left.
[[nodiscard]] Spread spread_of(const SortedDraws& draws, std::span<const double> weights);
/// Of a normal distribution.
[[nodiscard]] Spread spread_of(const LaplaceMarginal& laplace);

/// Densities over the same points first + i step. A curve that cannot be drawn is empty.
struct Curves {
  double first = 0, step = 0;
  std::vector<double> coreset, corrected, laplace;
};
/// Gaussian kernels of Silverman's width for the draws, the density itself for Laplace.
[[nodiscard]] Curves curves_of(const SortedDraws& draws, std::span<const double> weights,
                               const std::optional<LaplaceMarginal>& laplace);

/// The density of a prior at the points first + i step, over its own largest value there. They reach over
/// three widths of the prior about its middle (of a positive parameter from near 0 to two widths of its
/// logarithm above the middle) and over the posterior's curves.
struct PriorCurve {
  double first = 0, step = 0;
  std::vector<double> heights;
};
[[nodiscard]] PriorCurve prior_curve(const ReportPrior& prior, const Curves& posterior);

/// The prior of the parameter itself: a location and a scale on the data's scale.
[[nodiscard]] ScalarPrior on_data_scale(const ReportPrior& prior);
/// How much the prior has to say: the sd of the posterior over the width of the prior, both of the logarithm
/// for positive parameters. Near 0 the data decide, near 1 the prior. 0 for a flat prior.
[[nodiscard]] double prior_share(const Quantity& quantity, const ReportPrior& prior);
/// From the prior's middle to the posterior's mean, in widths of the prior; likewise.
[[nodiscard]] double prior_distance(const Quantity& quantity, const ReportPrior& prior);

/// For each chain how many of its draws fall in each of the `bins` equal parts of the ranks over all chains.
/// Equal draws share their ranks in order of chain and draw. `draws` are those of a column of the chains.
[[nodiscard]] std::vector<std::vector<Index>> rank_counts(const SortedDraws& draws,
                                                          std::span<const Chain> chains, Index bins);

/// Draws between those kept, so that at most `points` of a chain are.
[[nodiscard]] Index trace_step(std::span<const Chain> chains, Index points);
[[nodiscard]] std::vector<std::vector<double>> thinned(std::span<const Chain> chains, Index k, Index step);

/// |mean| / sd, 0 where that has no value.
[[nodiscard]] double clarity(const Quantity& quantity);
/// At most `count` of them, the clearest effects, in the order of the data.
[[nodiscard]] std::vector<Index> clearest(const std::vector<Quantity>& quantities, Index count);
/// At most `count`: the clearest and the fifth with the highest R-hat, in the order of the data.
[[nodiscard]] std::vector<Index> explored(const std::vector<Quantity>& quantities, Index count);
/// The coefficient of `among` with the highest R-hat; the first where none has a value.
[[nodiscard]] Index least_mixed(const std::vector<Quantity>& quantities, std::span<const Index> among);

}  // namespace giga::page
