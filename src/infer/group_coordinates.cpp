// With b = s(x) v the log density of (v, x) is log p(b, x) + sum_j log s_j(x), and with g the gradient of log
// p
//
//     d/dv_j = s_j g_b_j,   d/dx = g_x + sum_j a_j(x) (b_j g_b_j + 1).
#include "infer/group_coordinates.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/scratch.hpp"

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<double> centre_of(const std::vector<GroupColumns>& groups, const Normal& about) {
  std::vector<double> out;
  for (const GroupColumns& group : groups) out.push_back(about.mean()[at(group.sd)]);
  return out;
}

// V_j e^-2c, V_j the variance of b_j given all x: that of the rest of the precision, with the x held.
std::vector<double> shares_of(const std::vector<GroupColumns>& groups, const Normal& about) {
  const Index dim = about.dim();
  Matrix precision = Eigen::Map<const Matrix>(about.precision().data(), dim, dim);
  for (const GroupColumns& group : groups) {
    precision.row(group.sd).setZero();
    precision.col(group.sd).setZero();
    precision(group.sd, group.sd) = 1;
  }
  const Matrix variance = Eigen::LLT<Matrix>(precision).solve(Matrix::Identity(dim, dim));
  std::vector<double> shares(at(dim), 0.0);
  for (const GroupColumns& group : groups) {
    const double t = std::exp(-2 * about.mean()[at(group.sd)]);
    for (Index d = group.first; d < group.first + group.count; ++d)
      shares[at(d)] = std::clamp(variance(d, d) * t, 0.0, 1.0);
  }
  return shares;
}

}  // namespace

GroupCoordinates::GroupCoordinates(const DensityView& density, const std::vector<GroupColumns>& groups,
                                   const Normal& about)
    : GroupCoordinates(density, groups, centre_of(groups, about), shares_of(groups, about)) {}

GroupCoordinates::GroupCoordinates(const DensityView& density, std::vector<GroupColumns> groups,
                                   std::vector<double> centre, std::vector<double> shares)
    : density_(density), groups_(std::move(groups)), centre_(std::move(centre)), shares_(std::move(shares)) {
  constexpr double kLeast = 1e-12;  // of a share: below it a group is as good as centred
  for (const double share : shares_) told_.push_back((1 - share) / std::max(share, kLeast));
}

GroupCoordinates::Scale GroupCoordinates::scale_of(Index d, double away) const {
  const double r = told_[at(d)], more = 1 + r * std::exp(2 * away);
  return {away + std::log((1 + r) / more) / 2, 1 / more};
}

void GroupCoordinates::to_parameters(const double* coordinates, double* theta) const {
  std::copy_n(coordinates, dim(), theta);
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const GroupColumns& group = groups_[k];
    const double away = coordinates[group.sd] - centre_[k];
    for (Index d = group.first; d < group.first + group.count; ++d)
      theta[d] *= std::exp(scale_of(d, away).log_s);
  }
}

double GroupCoordinates::log_density(const double* coordinates, double* gradient) const {
  SmallScratch<kFewParameters> room(dim());
  double* theta = room.data();
  to_parameters(coordinates, theta);
  double value = density_.log_density(theta, gradient);
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const GroupColumns& group = groups_[k];
    const double away = coordinates[group.sd] - centre_[k];
    double slope = 0;
    for (Index d = group.first; d < group.first + group.count; ++d) {
      const Scale scale = scale_of(d, away);
      value += scale.log_s;
      slope += scale.a * (theta[d] * gradient[d] + 1);
      gradient[d] *= std::exp(scale.log_s);
    }
    gradient[group.sd] += slope;
  }
  return value;
}

// theta = c + S (coordinates - c) to first order, so that the precision is S'P S; S is the identity, and
// a_j bhat_j in row b_j, column x.
Normal GroupCoordinates::moved(const Normal& about) const {
  const Index dim = this->dim();
  Matrix s = Matrix::Identity(dim, dim);
  for (const GroupColumns& group : groups_) {
    for (Index d = group.first; d < group.first + group.count; ++d)
      s(d, group.sd) = shares_[at(d)] * about.mean()[at(d)];
  }
  Matrix precision = s.transpose() * Eigen::Map<const Matrix>(about.precision().data(), dim, dim) * s;
  // Exactly symmetric, whatever the rounding of the products.
  precision.triangularView<Eigen::StrictlyLower>() = precision.transpose();
  return Normal::with_precision(about.mean(), {precision.data(), precision.data() + precision.size()});
}

void GroupCoordinates::take_back(Chain& chain) const {
  std::vector<double> theta(at(dim()));
  for (Index s = 0; s < chain.num_draws(); ++s) {
    double* draw = chain.draws.data() + s * dim();
    to_parameters(draw, theta.data());
    std::copy(theta.begin(), theta.end(), draw);
  }
}

}  // namespace giga
