// Draws on the scale of the user's features. Chains run on standardised features z = (x - mean) / scale,
// where
//
//   s = sum theta_d z_d + theta_0 = sum b_d x_d + b_0,
//   b_d = theta_d / scale_d,   b_0 = theta_0 - sum theta_d mean_d / scale_d.
//
// A model without an intercept has theta_0 = 0 but, since the features are centred, b_0 all the same: a
// constant that follows from the coefficients, and is called "(offset)" so that nobody takes it for a
// parameter.
#pragma once

#include <string>
#include <vector>

#include "giga/data/standardise.hpp"
#include "giga/infer/chain.hpp"

namespace giga {

class BothScales {
 public:
  /// Parameters are those of Regression: a coefficient a feature, then the intercept if there is one. Where
  /// `standardised` is false the features were taken as they are and there is one scale only.
  BothScales(std::vector<std::string> features, Standardisation scale, bool intercept, bool standardised);

  /// First the original scale: the features, then "(intercept)" or "(offset)". Then, if there are two scales,
  /// the parameters as they were sampled: "std_" before the feature or "(intercept)". Features keep their
  /// names; what is made up and would repeat one gets a "_" behind it.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// How many of them are on the original scale.
  [[nodiscard]] Index num_original() const { return num_original_; }

  /// All of names() for the sampled theta.
  [[nodiscard]] std::vector<double> values(const double* theta) const;
  /// The chain with values() for every draw; what was adapted is still that of the sampled parameters.
  [[nodiscard]] Chain apply(const Chain& chain) const;

 private:
  Standardisation scale_;
  bool intercept_, standardised_;
  std::vector<std::string> names_;
  Index num_original_;
};

}  // namespace giga
