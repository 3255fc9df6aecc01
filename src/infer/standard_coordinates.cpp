// theta = mean + C z, with C C' the covariance of an approximation. By the chain rule the gradient in z is C'
// times the gradient in theta. C is kept by rows and by columns, for one product each: theta needs C z, a sum
// of columns weighted by z; the gradient needs C' g, a sum of rows weighted by g.
#include "infer/standard_coordinates.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "model/scratch.hpp"

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<const Matrix>;

}  // namespace

StandardCoordinates::Rows::Rows(const std::vector<double>& matrix, Index dim, bool transposed) {
  std::vector<double> row(at(dim));
  const auto is_zero = [](double value) { return value == 0; };
  for (Index r = 0; r < dim; ++r) {
    for (Index c = 0; c < dim; ++c) row[at(c)] = matrix[at(transposed ? c * dim + r : r * dim + c)];
    // C is triangular: each row keeps only what lies between its first and last entry that is not zero.
    const auto first = std::find_if_not(row.begin(), row.end(), is_zero);
    const auto last = std::find_if_not(row.rbegin(), std::make_reverse_iterator(first), is_zero).base();
    rows.push_back({first - row.begin(), last - row.begin(), values.size()});
    values.insert(values.end(), first, last);
  }
}

// sum_c += weight_r matrix_rc, one row after another, so that every sum has one order.
void StandardCoordinates::Rows::add_weighted(const double* weights, double* sum) const {
  for (const Row& row : rows) {
    const double weight = *weights++;
    const double* value = values.data() + row.at;
    for (Index c = row.begin; c < row.end; ++c) sum[c] += weight * *value++;
  }
}

StandardCoordinates::StandardCoordinates(const DensityView& density, const Normal& about)
    : density_(density),
      mean_(about.mean()),
      factor_(about.factor()),
      by_row_(factor_, about.dim(), false),
      by_column_(factor_, about.dim(), true) {}

void StandardCoordinates::to_parameters(const double* z, double* theta) const {
  std::copy(mean_.begin(), mean_.end(), theta);
  by_column_.add_weighted(z, theta);
}

// log density(mean + C z), and C' times its gradient.
double StandardCoordinates::log_density(const double* z, double* gradient) const {
  SmallScratch<2 * kFewParameters> both(2 * dim());
  double* theta = both.data();
  double* slope = theta + dim();
  to_parameters(z, theta);
  const double value = density_.log_density(theta, slope);
  std::fill(gradient, gradient + dim(), 0.0);
  by_row_.add_weighted(slope, gradient);
  return value;
}

void StandardCoordinates::take_back(Chain& chain) const {
  std::vector<double> theta(at(dim()));
  for (Index s = 0; s < chain.num_draws(); ++s) {
    double* draw = chain.draws.data() + s * dim();
    to_parameters(draw, theta.data());
    std::copy(theta.begin(), theta.end(), draw);
  }
  // A metric V in z is the metric C V C' in theta.
  const MatrixMap factor(factor_.data(), dim(), dim());
  const double* metric = chain.inverse_metric.data();
  Matrix covariance = factor;
  if (chain.metric == MetricKind::Dense) {
    covariance *= MatrixMap(metric, dim(), dim());
  } else {
    covariance *= Eigen::Map<const Eigen::VectorXd>(metric, dim()).asDiagonal();
  }
  covariance *= factor.transpose();
  // Exactly symmetric, whatever the rounding of the products.
  covariance.triangularView<Eigen::StrictlyLower>() = covariance.transpose();
  chain.metric = MetricKind::Dense;
  chain.inverse_metric.assign(covariance.data(), covariance.data() + covariance.size());
}

}  // namespace giga
