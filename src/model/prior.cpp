// A prior of all parameters: a Normal, or the sum over components of their log densities. The Hessian of
// independent components is diagonal.
#include "giga/model/prior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "giga/base/error.hpp"

namespace giga {

Prior::Prior(std::vector<ScalarPrior> components) : components_(std::move(components)) {
  if (components_.empty()) throw std::invalid_argument("a prior must have at least one component");
  for (const ScalarPrior& each : components_) require_valid(each);
  if (!std::ranges::all_of(components_, &ScalarPrior::is_normal)) return;
  std::vector<double> means, scales;
  for (const ScalarPrior& each : components_) {
    means.push_back(each.location);
    scales.push_back(each.scale);
  }
  normal_ = Normal::independent(scales, std::move(means));
}

ScalarPrior Prior::marginal(Index d) const {
  const auto k = static_cast<std::size_t>(d);
  if (!components_.empty()) return components_[k];
  const auto components = static_cast<std::size_t>(dim());
  // V_dd = |row d of C|^2.
  const auto row = std::span(normal_->factor()).subspan(k * components, components);
  return ScalarPrior::normal(normal_->mean()[k],
                             std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0)));
}

bool Prior::is_proper() const {
  return std::ranges::all_of(components_, &ScalarPrior::is_proper);
}

bool Prior::has_kinks() const {
  return std::ranges::any_of(components_, &ScalarPrior::has_kink);
}

Derivatives Prior::log_density(std::span<const double> theta, Order order) const {
  if (normal_) return normal_->log_density(theta, order);
  const std::size_t dim = components_.size();
  if (theta.size() != dim) {
    throw std::invalid_argument("theta has " + std::to_string(theta.size()) + " entries, must have " +
                                std::to_string(dim));
  }
  Derivatives out;
  if (order >= Order::Gradient) out.gradient.assign(dim, 0.0);
  if (order >= Order::Hessian) out.hessian.assign(dim * dim, 0.0);
  for (std::size_t d = 0; d < dim; ++d) {
    const ScalarDensity each = density(d, theta[d]);
    out.value += each.value;
    if (order >= Order::Gradient) out.gradient[d] = each.slope;
    if (order >= Order::Hessian) out.hessian[d * dim + d] = each.curvature;
  }
  return out;
}

double Prior::add_gradient(const double* theta, double* gradient) const {
  const auto dim = static_cast<std::size_t>(this->dim());
  if (normal_) {
    const Derivatives all = normal_->log_density({theta, dim}, Order::Gradient);
    for (std::size_t d = 0; d < dim; ++d) gradient[d] += all.gradient[d];
    return all.value;
  }
  double value = 0;
  for (std::size_t d = 0; d < dim; ++d) {
    const ScalarDensity each = density(d, theta[d]);
    value += each.value;
    gradient[d] += each.slope;
  }
  return value;
}

void Prior::draw(Stream& random, double* theta) const {
  if (normal_) {
    normal_->draw(random, theta);
    return;
  }
  for (const ScalarPrior& each : components_) *theta++ = each.draw(random);
}

std::vector<double> Prior::middle() const {
  if (normal_) return normal_->mean();
  std::vector<double> out;
  for (const ScalarPrior& each : components_) out.push_back(each.middle());
  return out;
}

Normal Prior::normal_stand_in() const {
  if (normal_) return *normal_;
  if (!is_proper())
    throw OptionError("a flat `prior` is not a distribution: nothing can be drawn from it (`pihat = prior`)");
  std::vector<double> widths;
  for (const ScalarPrior& each : components_) widths.push_back(each.width());
  return Normal::independent(widths, middle());
}

Prior Prior::smoothed(std::vector<double> widths) const {
  if (std::ssize(widths) != dim())
    throw std::invalid_argument("there must be a width for each component of the prior");
  Prior out = *this;
  out.widths_ = std::move(widths);
  return out;
}

}  // namespace giga
