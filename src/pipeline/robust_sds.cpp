// All rows at once: at most 20,000 of them, and as many columns as that takes a fraction of a second for.
#include "pipeline/robust_sds.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "model/family_kernels.hpp"

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// What a pass over the rows may take: rows times columns squared.
constexpr double kAffordable = 3e8;

// l' and -l'' of all rows.
struct Slopes {
  Eigen::VectorXd slope, curvature;
};

Slopes slopes_of(const LinearModel& rows, const Matrix& z, std::span<const double> theta) {
  const Index count = rows.num_rows(), columns = rows.num_columns();
  Eigen::VectorXd s = z * Eigen::Map<const Eigen::VectorXd>(theta.data(), columns);
  std::vector<double> y;
  for (Index n = 0; n < count; ++n) {
    s[n] += rows.offset(n);
    y.push_back(rows.response(n));
  }
  Slopes out{Eigen::VectorXd(count), Eigen::VectorXd(count)};
  kernels::derivatives(rows.family(), y.data(), nullptr, s.data(), count, nullptr, out.slope.data(),
                       out.curvature.data(), theta.data() + columns);
  out.curvature = -out.curvature;
  return out;
}

}  // namespace

RobustSd robust_sds(const LinearModel& rows, std::span<const double> theta, const Prior& prior, double share,
                    double limit) {
  const Index count = rows.num_rows(), columns = rows.num_columns();
  const auto size = static_cast<double>(count), width = static_cast<double>(columns);
  if (size * width * width > kAffordable || count <= 2 * columns) return {};
  Matrix z(count, columns);
  rows.design(0, count, z.data());
  const Slopes at_mean = slopes_of(rows, z, theta);
  Eigen::VectorXd times(count);
  for (Index n = 0; n < count; ++n) times[n] = rows.multiplicity(n);
  Matrix information = z.transpose() * (times.cwiseProduct(at_mean.curvature)).asDiagonal() * z;
  // Coefficients of groups have the prior of the standard deviations in theta.
  std::vector<double> log_sds;
  for (const GroupColumns& group : prior.groups()) log_sds.push_back(theta[at(group.sd)]);
  const Prior given = log_sds.empty() ? prior : prior.given(log_sds);
  for (Index d = 0; d < columns; ++d) {
    const ScalarPrior one = given.marginal(d);
    if (one.is_proper()) information(d, d) += share / (one.width() * one.width());
  }
  const Eigen::LLT<Matrix> factor(information);
  if (factor.info() != Eigen::Success) return {};
  const Matrix u = z * factor.solve(Matrix::Identity(columns, columns));
  // The coefficients have taken their share of the squares of the residuals.
  const double taken = 1 / (1 - share * width / times.sum());
  RobustSd most;
  for (Index d = 0; d < columns; ++d) {
    double by_residuals = 0, by_model = 0, squares = 0;
    for (Index n = 0; n < count; ++n) {
      const double weight = u(n, d) * u(n, d), slope = at_mean.slope[n];
      const double seen = taken * slope * slope * weight, expected = at_mean.curvature[n] * weight;
      by_residuals += times[n] * seen;
      by_model += times[n] * expected;
      squares += times[n] * (seen - expected) * (seen - expected);
    }
    const double apart = by_residuals - by_model, ratio = std::sqrt(by_residuals / by_model);
    if (!(apart > limit * std::sqrt(squares)) || !std::isfinite(ratio)) continue;
    if (ratio > most.ratio) most = {d, ratio};
  }
  return most;
}

}  // namespace giga
