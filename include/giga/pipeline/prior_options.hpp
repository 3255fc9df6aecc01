// The priors that a user chooses for the model of a table: for all coefficients, for some by name, for the
// intercept, for the extra parameters of the family.
//
//   ModelOptions model;
//   add_prior(model.priors, "normal(0, 2.5)");                 // every coefficient
//   add_prior(model.priors, "carrier = student_t(4, 0, 1)");   // those of a column or term
//   add_prior(model.priors, "sigma = exponential(1)");         // an extra parameter of the family
//   add_prior(model.priors, "sd(groups) = exponential(1)");    // the standard deviations of group effects
//   add_prior(model.priors, "sd[x g] = exponential(1)");       // that of one of them
//
// A prior is of the parameter as it is sampled: of the coefficient of a standardised column, unless columns
// are taken as they are. With `autoscale` scales are in units of the data, as in rstanarm:
//
//   coefficient   scale sd(y) / sd(x) on the data's own scale of x, that is, scale sd(y) of a standardised
//                 column; sd(y) only where the link is the identity, and sd(x) = 1 for a constant column
//   intercept     scale sd(y); its location is mean(y) unless a prior of its own was given (identity link)
//   sigma         scale sd(y) (identity link)
//   group sd      scale sd(y) / sd(x), x what the coefficients of the groups are multiplied by; sd(y) only
//   where
//                 the link is the identity. Where no prior was chosen, that is so without `autoscale` too,
//                 sd(y) then only where the family learns its noise.
//
// Standard deviations are those of the population, over all rows with their weights. Locations of other
// priors stay.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/design/design.hpp"
#include "giga/model/family.hpp"
#include "giga/model/prior.hpp"

namespace giga {

struct PriorOptions {
  std::optional<ScalarPrior> coefficients = {};  ///< Default: normal(0, prior_scale).
  std::optional<ScalarPrior> intercept = {};     ///< Default: as the coefficients.
  std::vector<NamedPrior> named = {};            ///< Of columns, terms and extra parameters.
  bool autoscale = false;
  /// Those of every parameter, as all the data gave them: a coreset has them from there. Empty: to be found,
  /// or nothing was chosen.
  std::vector<ScalarPrior> found = {};

  /// Nothing was chosen: all are normal(0, prior_scale).
  [[nodiscard]] bool is_default() const { return !coefficients && !intercept && named.empty() && !autoscale; }
};

/// Adds a prior given as text: with a name, or for every coefficient. Throws OptionError for a text that is
/// not a prior, and for a second one of the same name.
void add_prior(PriorOptions& options, std::string_view text);
void add_prior(PriorOptions& options, NamedPrior given);
/// Those that were chosen, as add_prior takes them; without the intercept's.
[[nodiscard]] std::vector<std::string> prior_texts(const PriorOptions& options);

/// What scales are in units of; 1 and 0 without `autoscale`.
struct PriorUnits {
  double response_mean = 0, response_sd = 1;
  std::vector<double> column_sds = {};  ///< Of raw columns that are not standardised; empty: 1.
  std::vector<double> group_sds = {};   ///< sd(x) of every group effect; empty: 1.
};

/// Of every parameter: columns of the design, then extras. The prior of a column is that of its own name,
/// else of its term (Design::term_label), else of the intercept or of all coefficients; of an extra, that of
/// its name, else lognormal(0, prior_scale). The standard deviation of a group effect has that of its name,
/// else that of kGroupSds, else exponential(1); coefficients of groups have normal(0, 1), see Prior. Throws
/// OptionError for a name that is none of these, and for a prior of positive parameters given to a
/// coefficient or the reverse.
[[nodiscard]] std::vector<ScalarPrior> find_priors(const PriorOptions& options, double prior_scale,
                                                   const Design& design,
                                                   std::span<const ExtraParameter> extras,
                                                   const PriorUnits& units = {});

/// "prior N(0, 1^2)" where nothing was chosen, else "prior normal(0, 2.5), of the intercept cauchy(0, 5)".
[[nodiscard]] std::string prior_words(const PriorOptions& options, double prior_scale);

}  // namespace giga
