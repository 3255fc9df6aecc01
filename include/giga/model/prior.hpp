// The prior of all parameters: p(theta), theta in R^D.
//
// A multivariate normal, or independent components each with a distribution of its own (scalar_prior.hpp):
//
//   const Prior one = Normal::isotropic(5, 2);
//   const Prior other({ScalarPrior::normal(0, 2.5), parse_prior("student_t(4, 0, 1)"), ScalarPrior::flat()});
//
// Components that are all normal are the Normal that they make: the same bits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/types.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/scalar_prior.hpp"

namespace giga {

class Prior {
 public:
  Prior(Normal normal) : normal_(std::move(normal)) {}  // NOLINT(google-explicit-constructor): it is one
  /// Throws std::invalid_argument if there are none, or one has a number out of range.
  explicit Prior(std::vector<ScalarPrior> components);

  [[nodiscard]] Index dim() const { return normal_ ? normal_->dim() : std::ssize(components_); }
  /// Where it is a normal distribution; else null.
  [[nodiscard]] const Normal* normal() const { return normal_ ? &*normal_ : nullptr; }
  /// That of theta_d alone.
  [[nodiscard]] ScalarPrior marginal(Index d) const;
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
  /// ScalarPrior::surprise of theta_d under its marginal.
  [[nodiscard]] double surprise(Index d, double theta_d) const { return marginal(d).surprise(theta_d); }

  /// The same with |x - m| replaced by sqrt((x - m)^2 + widths[d]^2) in components that have a kink: for
  /// methods that need second derivatives. It is no longer normalised.
  [[nodiscard]] Prior smoothed(std::vector<double> widths) const;

 private:
  [[nodiscard]] ScalarDensity density(std::size_t d, double x) const {
    return components_[d].density(x, widths_.empty() ? 0 : widths_[d]);
  }

  std::optional<Normal> normal_;
  std::vector<ScalarPrior> components_;  // empty: normal_
  std::vector<double> widths_;           // of smoothed(); empty: none
};

}  // namespace giga
