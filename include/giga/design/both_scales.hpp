// Parameters on the scale of the user's columns. Chains run on standardised columns z = (r - mean) / scale,
// where
//
//   s = sum theta_d z_d + theta_0 = sum b_d r_d + b_0,
//   b_d = theta_d / scale_d,   b_0 = theta_0 - sum theta_d mean_d / scale_d.
//
// A model without an intercept has theta_0 = 0, yet b_0 need not be 0, since the columns are centred: a
// constant that follows from the coefficients, called "(offset)" so that nobody takes it for a parameter.
// Parameters that are not coefficients are the same on both scales.
#pragma once

#include <string>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/design/standardise.hpp"

namespace giga {

class BothScales {
 public:
  /// Parameters are a coefficient for each of `columns`, the intercept if there is one, then `extra`. Where
  /// `standardised` is false the columns were taken as they are and there is one scale only.
  BothScales(const std::vector<std::string>& columns, Standardisation scale, bool intercept,
             bool standardised, const std::vector<std::string>& extra = {});

  /// Parameters that have one scale only, such as those of a model that is not a regression.
  [[nodiscard]] static BothScales plain(const std::vector<std::string>& names);

  /// First the original scale: the columns, then "(intercept)" or "(offset)", then the extra parameters. If
  /// there are two scales, the parameters as they were sampled follow, each with "std_" before its name.
  /// Columns keep their names; a made-up name that would repeat one gets a "_" appended.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// How many of them are on the original scale.
  [[nodiscard]] Index num_original() const { return num_original_; }
  /// Parameters that were sampled.
  [[nodiscard]] Index num_parameters() const { return num_parameters_; }
  [[nodiscard]] bool standardised() const { return standardised_; }
  /// Which of names() is the intercept or the offset; -1 if there is neither.
  [[nodiscard]] Index constant() const { return constant_; }

  /// All of names() for the sampled theta.
  [[nodiscard]] std::vector<double> values(const double* theta) const;

 private:
  Standardisation scale_;
  bool intercept_, standardised_;
  std::vector<std::string> names_;
  Index num_original_ = 0, num_parameters_ = 0, constant_ = -1;
};

}  // namespace giga
