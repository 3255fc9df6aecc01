// A prior of all parameters: a Normal, or the sum over components of their log densities. The Hessian of
// independent components is diagonal.
//
// Group effects: with x = log sd, t = e^-2x and L coefficients b_j, the sum over j of log N(b_j; 0, e^2x) is
//
//     -t sum b_j^2 / 2 - L x - L log(2 pi) / 2,
//
// its gradient -t b_j in b_j and t sum b_j^2 - L in x, its Hessian -t, 2 t b_j (mixed) and -2 t sum b_j^2.
#include "giga/model/prior.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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

Prior::Prior(std::vector<ScalarPrior> components, std::vector<GroupColumns> groups)
    : Prior(std::move(components)) {
  if (groups.empty()) return;
  std::vector<bool> taken(components_.size(), false);
  const auto take = [&](Index d) {
    if (d < 0 || d >= std::ssize(components_) || taken[at(d)])
      throw std::invalid_argument("group effects must have parameters of their own");
    taken[at(d)] = true;
  };
  for (const GroupColumns& group : groups) {
    take(group.sd);
    if (!components_[at(group.sd)].is_positive())
      throw std::invalid_argument("the standard deviation of a group effect must have a positive prior");
    for (Index d = group.first; d < group.first + group.count; ++d) {
      take(d);
      if (!(components_[at(d)] == ScalarPrior::normal(0, 1)))
        throw std::invalid_argument("coefficients of groups have normal(0, 1) in units of their sd");
    }
  }
  groups_ = std::move(groups);
  normal_.reset();
}

bool Prior::is_of_group(Index d) const {
  return std::ranges::any_of(
      groups_, [d](const GroupColumns& group) { return d >= group.first && d < group.first + group.count; });
}

Prior Prior::given(std::span<const double> log_sds) const {
  if (log_sds.size() != groups_.size())
    throw std::invalid_argument("there must be a standard deviation for every group effect");
  std::vector<ScalarPrior> components = components_;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const GroupColumns& group = groups_[k];
    components[at(group.sd)] = ScalarPrior::normal(log_sds[k], 1);
    for (Index d = group.first; d < group.first + group.count; ++d)
      components[at(d)] = ScalarPrior::normal(0, std::exp(log_sds[k]));
  }
  Prior out(std::move(components));
  out.widths_ = widths_;
  return out;
}

// The sum of the log densities of all coefficients of groups; add(d, slope) gets its derivatives.
template <typename Add>
double Prior::add_groups(const double* theta, const Add& add) const {
  double value = 0;
  for (const GroupColumns& group : groups_) {
    const double x = theta[group.sd], t = std::exp(-2 * x);
    double squares = 0;
    for (Index d = group.first; d < group.first + group.count; ++d) {
      squares += theta[d] * theta[d];
      add(d, -t * theta[d]);
    }
    const auto count = static_cast<double>(group.count);
    value -= t * squares / 2 + count * (x + std::log(2 * std::numbers::pi) / 2);
    add(group.sd, t * squares - count);
  }
  return value;
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
    if (!groups_.empty() && is_of_group(static_cast<Index>(d))) continue;
    const ScalarDensity each = density(d, theta[d]);
    out.value += each.value;
    if (order >= Order::Gradient) out.gradient[d] = each.slope;
    if (order >= Order::Hessian) out.hessian[d * dim + d] = each.curvature;
  }
  out.value += add_groups(theta.data(), [&](Index d, double slope) {
    if (order >= Order::Gradient) out.gradient[at(d)] += slope;
  });
  for (const GroupColumns& group : groups_) {
    if (order < Order::Hessian) break;
    const auto sd = at(group.sd);
    const double t = std::exp(-2 * theta[sd]);
    for (std::size_t d = at(group.first); d < at(group.first + group.count); ++d) {
      out.hessian[d * dim + d] = -t;
      out.hessian[d * dim + sd] = out.hessian[sd * dim + d] = 2 * t * theta[d];
      out.hessian[sd * dim + sd] -= 2 * t * theta[d] * theta[d];
    }
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
    if (!groups_.empty() && is_of_group(static_cast<Index>(d))) continue;
    const ScalarDensity each = density(d, theta[d]);
    value += each.value;
    gradient[d] += each.slope;
  }
  return value + add_groups(theta, [gradient](Index d, double slope) { gradient[d] += slope; });
}

void Prior::draw(Stream& random, double* theta) const {
  if (normal_) {
    normal_->draw(random, theta);
    return;
  }
  for (std::size_t d = 0; d < components_.size(); ++d) theta[d] = components_[d].draw(random);
  for (const GroupColumns& group : groups_)
    for (Index d = group.first; d < group.first + group.count; ++d) theta[d] *= std::exp(theta[group.sd]);
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
  for (const GroupColumns& group : groups_)
    for (Index d = group.first; d < group.first + group.count; ++d)
      widths[at(d)] = std::exp(components_[at(group.sd)].middle());
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
