// A density with group effects, seen from coordinates in which their scale and their coefficients hardly
// depend on each other.
//
// With x = log sd and b_j ~ N(0, e^2x) the coefficients of a group effect, sampled are x and
//
//   v_j = b_j / s_j(x),   s_j(x)^2 = e^2(x - c) (1 + r_j) / (1 + r_j e^2(x - c)),
//
// c the x of an approximation. For a normal likelihood s_j(x) is the standard deviation of b_j given x, over
// that at c, if r_j is how much more the rows tell of b_j at c than its prior does: with V_j the variance of
// b_j given x = c, V_j e^-2c = 1 / (1 + r_j) =: a_j. Where the rows tell nothing, a_j = 1, it is the
// non-centred form b_j / sd; where they tell b_j, a_j = 0, the centred one, b_j itself; and as the sd goes to
// 0 every group ends in the non-centred form, so that there is no funnel at either end. The slope of log s_j
// is
//
//   a_j(x) = 1 / (1 + r_j e^2(x - c)),   a_j(c) = a_j.
#pragma once

#include <vector>

#include "giga/infer/chain.hpp"
#include "giga/infer/density.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/prior.hpp"

namespace giga {

/// The density of these coordinates: a LogDensity, with the Jacobian sum_j a_j (x - c). `density` must
/// outlive it.
class GroupCoordinates {
 public:
  /// c and V_j are those of `about`, an approximation of the density.
  GroupCoordinates(const DensityView& density, const std::vector<GroupColumns>& groups, const Normal& about);
  /// The same with a_j given for all parameters; those of no group are not used.
  GroupCoordinates(const DensityView& density, std::vector<GroupColumns> groups, std::vector<double> centre,
                   std::vector<double> shares);

  [[nodiscard]] Index dim() const { return density_.dim(); }
  double log_density(const double* coordinates, double* gradient) const;

  [[nodiscard]] const std::vector<double>& shares() const { return shares_; }
  void to_parameters(const double* coordinates, double* theta) const;
  /// `about` in these coordinates, to first order: v_j = b_j - a_j bhat_j (x - c).
  [[nodiscard]] Normal moved(const Normal& about) const;
  /// The draws of a chain as those of the parameters. Its metric stays that of the coordinates.
  void take_back(Chain& chain) const;

 private:
  struct Scale {
    double log_s, a;
  };
  /// log s_j(c + away) and a_j(c + away).
  [[nodiscard]] Scale scale_of(Index d, double away) const;

  DensityView density_;
  std::vector<GroupColumns> groups_;
  std::vector<double> centre_;  // c of each effect
  std::vector<double> shares_;  // a_j
  std::vector<double> told_;    // r_j
};

}  // namespace giga
