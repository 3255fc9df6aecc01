// The prior of all parameters: p(theta), theta in R^D.
//
// A multivariate normal, or independent components each with a distribution of its own (scalar_prior.hpp):
//
//   const Prior one = Normal::isotropic(5, 2);
//   const Prior other({ScalarPrior::normal(0, 2.5), parse_prior("student_t(4, 0, 1)"), ScalarPrior::flat()});
//
// Components that are all normal are the Normal that they make: the same bits.
//
// Group effects make it hierarchical. With x = theta_sd the logarithm of their standard deviation, whose own
// prior is the component sd, the coefficients of a group effect are b_j | x ~ N(0, e^2x), so that
//
//   log p(x, b) = log p(x) - sum_j (b_j^2 e^-2x / 2 + x + log(2 pi) / 2).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/types.hpp"
#include "giga/design/standardise.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/scalar_prior.hpp"

namespace giga {

class Prior {
 public:
  Prior(Normal normal) : normal_(std::move(normal)) {}  // NOLINT(google-explicit-constructor): it is one
  /// Throws std::invalid_argument if there are none, or one has a number out of range.
  explicit Prior(std::vector<ScalarPrior> components);
  /// The components of coefficients of groups are those of b_j e^-x: normal(0, 1). Throws
  /// std::invalid_argument as well where they are not, where groups overlap or a component sd is not of a
  /// positive parameter.
  Prior(std::vector<ScalarPrior> components, std::vector<GroupColumns> groups);

  [[nodiscard]] Index dim() const { return normal_ ? normal_->dim() : std::ssize(components_); }
  /// Where it is a normal distribution; else null.
  [[nodiscard]] const Normal* normal() const { return normal_ ? &*normal_ : nullptr; }
  /// That of theta_d alone; of the coefficient of a group, that of b_j e^-x.
  [[nodiscard]] ScalarPrior marginal(Index d) const;
  [[nodiscard]] const std::vector<GroupColumns>& groups() const { return groups_; }
  /// Whether theta_d is the coefficient of a group.
  [[nodiscard]] bool is_of_group(Index d) const;
  /// The prior given the standard deviations of all group effects: b_j ~ N(0, e^2x), and a stand-in
  /// N(log_sds[k], 1) for the x of group effect k. It has independent components.
  [[nodiscard]] Prior given(std::span<const double> log_sds) const;
  /// Whether it is a distribution: no component is flat.
  [[nodiscard]] bool is_proper() const;
  [[nodiscard]] bool has_kinks() const;

  /// The log density, normalised except for flat components, which count 0; and its derivatives.
  [[nodiscard]] Derivatives log_density(std::span<const double> theta, Order order) const;
  /// Adds the gradient at theta, D numbers, and returns the log density. Allocates nothing unless normal.
  double add_gradient(const double* theta, double* gradient) const;

  /// Throws OptionError where a component is flat.
  void draw(Stream& random, double* theta) const;
  /// The mean; of components without one the location, of flat ones 0.
  [[nodiscard]] std::vector<double> middle() const;
  /// The normal distribution that stands in for it where one is needed: itself, or independent components
  /// with ScalarPrior::middle() and width(). Throws OptionError where a component is flat.
  [[nodiscard]] Normal normal_stand_in() const;
  /// ScalarPrior::surprise of theta_d under its marginal; 0 of the coefficient of a group, whose prior is
  /// learnt.
  [[nodiscard]] double surprise(Index d, double theta_d) const {
    return is_of_group(d) ? 0 : marginal(d).surprise(theta_d);
  }

  /// The same with |x - m| replaced by sqrt((x - m)^2 + widths[d]^2) in components that have a kink: for
  /// methods that need second derivatives. It is no longer normalised.
  [[nodiscard]] Prior smoothed(std::vector<double> widths) const;

 private:
  [[nodiscard]] ScalarDensity density(std::size_t d, double x) const {
    return components_[d].density(x, widths_.empty() ? 0 : widths_[d]);
  }
  template <typename Add>
  double add_groups(const double* theta, const Add& add) const;

  std::optional<Normal> normal_;
  std::vector<ScalarPrior> components_;  // empty: normal_
  std::vector<double> widths_;           // of smoothed(); empty: none
  std::vector<GroupColumns> groups_;     // where there are any, normal_ is empty
};

}  // namespace giga
