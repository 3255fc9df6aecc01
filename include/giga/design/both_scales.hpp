// Parameters on the scale of the user's columns. Chains run on standardised columns z = (r - mean) / scale,
// where
//
//   s = sum theta_d z_d + theta_0 = sum b_d r_d + b_0,
//   b_d = theta_d / scale_d,   b_0 = theta_0 - sum theta_d mean_d / scale_d.
//
// A model without an intercept has theta_0 = 0, and columns about 0 make b_0 = 0 too. Files of version 0.1
// have centred columns all the same: there b_0 is a constant that follows from the coefficients, called
// "(offset)" so that nobody takes it for a parameter. Parameters that are not coefficients are the same on
// both scales, except that one which must be positive is sampled as its logarithm: then its own value is
// shown first, and "log_" with its name stands for what was sampled. So are the standard deviations of group
// effects, which have columns among the others (Standardisation::group_sds).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/design/standardise.hpp"

namespace giga {

/// A parameter that is not a coefficient, by its name on its natural scale.
struct ExtraName {
  ExtraName(std::string text, bool logarithm = false) : name(std::move(text)), is_log(logarithm) {}
  ExtraName(const char* text, bool logarithm = false) : ExtraName(std::string(text), logarithm) {}
  std::string name;
  bool is_log;  ///< theta has its logarithm.
};

class BothScales {
 public:
  /// Parameters are a coefficient for each of `columns`, the intercept if there is one, then `extra`. Where
  /// `standardised` is false the columns were taken as they are and there is one scale only, unless theta has
  /// logarithms.
  BothScales(const std::vector<std::string>& columns, Standardisation scale, bool intercept,
             bool standardised, const std::vector<ExtraName>& extra = {});

  /// Parameters that have one scale only, such as those of a model that is not a regression.
  [[nodiscard]] static BothScales plain(const std::vector<std::string>& names);

  /// First the original scale: the columns, then "(intercept)" or "(offset)" if any, then the extra
  /// parameters. If there are two scales, the parameters as they were sampled follow, each with "std_" (or
  /// "log_") before its name.
  /// Columns keep their names; a made-up name that would repeat one gets a "_" appended.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// How many of them are on the original scale.
  [[nodiscard]] Index num_original() const { return num_original_; }
  /// Parameters that were sampled.
  [[nodiscard]] Index num_parameters() const { return num_parameters_; }
  /// Whether there are two scales.
  [[nodiscard]] bool standardised() const { return standardised_; }
  /// Where value k on the original scale is exp(theta_d): d; else -1.
  [[nodiscard]] Index log_of(Index k) const;
  [[nodiscard]] bool has_logs() const;
  /// Whether value k on the original scale is the coefficient of a group.
  [[nodiscard]] bool is_of_group(Index k) const;
  /// Which of names() is the intercept or the offset; -1 if there is neither.
  [[nodiscard]] Index constant() const { return constant_; }

  /// All of names() for the sampled theta.
  [[nodiscard]] std::vector<double> values(const double* theta) const;

 private:
  [[nodiscard]] bool is_group_sd(Index column) const;

  Standardisation scale_;
  bool intercept_, standardised_;
  std::vector<bool> logs_;  // of the extra parameters
  std::vector<std::string> names_;
  Index num_original_ = 0, num_parameters_ = 0, constant_ = -1;
};

}  // namespace giga
