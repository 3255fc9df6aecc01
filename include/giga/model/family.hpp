// The likelihood families: how the response y of a row depends on its linear predictor s = <z, theta>.
//
// Each is described in one file of src/model/families/: names, responses, settings, where an optimiser
// begins, how a response is simulated, and the kernels. Everything else asks the description:
//
//   describe(Family::PoissonLog).name             "poisson"
//   describe(Family::BernoulliLogit).is_binary    true
//   family_named("poisson", "log")                Family::PoissonLog
//
// Notation: l(s) is the log-likelihood of a row; its slope is l'(s), its curvature l''(s). A family may have
// parameters phi besides the coefficients (its extras): then l depends on (s, phi).
//
// A number that can be given or learnt makes two families of one name and link: in one it is a setting, in
// the other an extra. The words of options and files stand for the one that learns; with_setting() finds the
// other where the number is given.
#pragma once

#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/types.hpp"
#include "giga/design/both_scales.hpp"

namespace giga {

class Dataset;
class Stream;

/// The registry: one line per family, described by a file in src/model/families/.
enum class Family {
  BernoulliLogit,    ///< y is -1 or +1;    P(y) = 1 / (1 + exp(-y s))
  PoissonSoftplus,   ///< y = 0, 1, 2, ...; mean log(1 + exp(s))
  PoissonLog,        ///< y = 0, 1, 2, ...; mean exp(s)
  GaussianIdentity,  ///< y is real;        mean s, standard deviation noise_scale
  Gaussian,          ///< y is real;        mean s, standard deviation sigma, learnt
  BernoulliProbit,   ///< y is -1 or +1;    P(y = 1) = Phi(s)
  BernoulliCloglog,  ///< y is -1 or +1;    P(y = 1) = 1 - exp(-exp(s))
  BinomialLogit,     ///< y of m trials;    P(success) = 1 / (1 + exp(-s))
  BinomialProbit,    ///< y of m trials;    P(success) = Phi(s)
  BinomialCloglog,   ///< y of m trials;    P(success) = 1 - exp(-exp(s))
  NegativeBinomial,  ///< y = 0, 1, 2, ...; mean exp(s), variance mean + mean^2 / phi, phi learnt
  GammaLog,          ///< y > 0;            mean exp(s), variance mean^2 / shape, shape learnt
  StudentT,          ///< y is real;        centre s, scale sigma and degrees of freedom nu, both learnt
  StudentTGiven,     ///< y is real;        centre s, scale sigma learnt, degrees of freedom nu
};

/// A family with its settings: what it needs besides y and s, all of it known. Of a family that learns such a
/// number it is what responses are simulated with, and is not read otherwise.
struct FamilyParameters {
  Family family = Family::BernoulliLogit;
  /// Standard deviation of the noise, > 0. Gaussian; and student_t, where responses are simulated.
  double noise_scale = 1;
  double nu = 4;     ///< Degrees of freedom of student_t, > 0.
  double phi = 1;    ///< Reciprocal dispersion of simulated negative binomial counts, > 0.
  double shape = 1;  ///< Shape of simulated gamma responses, > 0.
};

/// A setting of a family: a positive number.
struct FamilySetting {
  std::string_view name;  ///< As in FamilyParameters.
  /// For help; {} stands for the name of the family, or for "the" where it is clear.
  std::string_view words;
  double FamilyParameters::*value;
};

/// The prior that an extra parameter has by default, on its natural scale. With `autoscale` the parameter is
/// one of the size of the response, and the prior is that of the parameter over the response's sd.
struct ExtraPrior {
  enum class Kind { None, Exponential, Gamma };
  Kind kind = Kind::None;
  double shape = 1;  ///< Gamma only: density ~ x^(shape - 1) exp(-rate x).
  double rate = 1;
  bool autoscale = false;
};

/// A parameter that is not a coefficient: learnt as they are, and placed after them in theta. theta has it on
/// a scale without bounds: its logarithm where it must be positive.
struct ExtraParameter {
  std::string_view name;  ///< On its natural scale, as Stan calls it: "sigma".
  double start = 0;       ///< Where an optimiser should begin, on the scale of theta; see start_extras.
  bool is_log = false;    ///< theta has the logarithm.
  ExtraPrior prior = {};
};

/// Successes y of m trials as one number, m 2^26 + y, so that a row has one response whatever its family.
/// Both are whole numbers, 0 <= y <= m < 2^26; std::invalid_argument otherwise.
[[nodiscard]] double with_trials(double successes, double trials);
inline constexpr double kTrialsApart = 0x1p26;
[[nodiscard]] inline double trials_of(double response) {
  return std::floor(response / kTrialsApart);
}
[[nodiscard]] inline double successes_of(double response) {
  return response - kTrialsApart * trials_of(response);
}

/// What the response says about where to begin: its mean (per trial) and standard deviation, equal rows
/// counted as often as they occur; or median and scaled median deviation, see is_robust.
struct ResponseMoments {
  double mean = 0, sd = 0;
};

/// The response as a family wants it: bernoulli -1 or +1, poisson a whole number.
struct Response {
  std::vector<double> values;          ///< Of all rows; empty where ranks share them.
  std::vector<std::string> notes;      ///< How labels were mapped, and what is odd about them.
  std::optional<double> success = {};  ///< Of labels: which number of the table is +1; all others are -1.

  /// What a number of the table becomes.
  [[nodiscard]] double value_of(double number) const {
    return !success ? number : number == *success ? 1.0 : -1.0;
  }
};

/// The response of a table as the family wants it. A family with labels takes any two of them: words, of
/// which the second in the order of their bytes is 1, or, where `success` says which is, numbers as well.
/// Throws DataError if the response does not fit, OptionError if there is no label `success` or the family
/// has no labels. Of a table that ranks share, each checks its own rows (Dataset::check_together).
[[nodiscard]] Response read_response(const Dataset& data, Family family,
                                     const std::optional<std::string>& success = {});

/// How responses are simulated.
struct FamilySimulation {
  std::string_view name;      ///< "logistic"
  std::string_view model;     ///< "logistic regression"
  Index num_features = 2;     ///< Features of the paper's synthetic set, or of one like it.
  double coefficient = 3;     ///< The coefficient of each; the intercept is 0.
  bool is_usual_link = true;  ///< Of the families of this name, the one simulated by default.
  /// A response to the predictor s.
  double (*respond)(const FamilyParameters& family, double s, Stream& random) = nullptr;
  /// Numbers that responses are simulated with and the model then learns.
  std::span<const FamilySetting> learnt{};
};

struct FamilyKernels;  // src/model/family_kernels.hpp

struct FamilyDescription {
  std::string_view name, link;    ///< "poisson" and "softplus": the words of options and files.
  bool is_default_link = true;    ///< The link where only the name is given.
  std::string_view link_words{};  ///< What help says about the link: "the paper's".
  /// What exp(coefficient) is, where people report it: "odds ratio". For one unit more of its column.
  std::string_view ratio{};

  std::string_view responses;       ///< In a word: "counts".
  std::string_view response_words;  ///< For help: "labels 0 and 1, or -1 and 1".
  /// The response of a table. Throws DataError naming the first row whose response the family cannot have.
  Response (*read_response)(const Dataset& data) = nullptr;

  bool is_binary = false;    ///< y is -1 or +1: some theta may put every row on the side of its label.
  bool has_trials = false;   ///< y counts successes among trials, as with_trials has them.
  bool is_logistic = false;  ///< l(s) = -log(1 + exp(-y s)), for which RegressionPosterior has shorter ways.

  std::span<const FamilySetting> settings{};
  std::span<const ExtraParameter> extras{};
  /// Of a family that learns what another of the same name and link is given: that other.
  std::optional<Family> given{};
  /// Whether this is that other.
  bool is_given = false;

  /// The part of l that depends on y alone: out[n] = c(y_n) with l = ... - c(y). Poisson: log y!. None: 0.
  void (*row_constants)(const FamilyParameters& family, std::span<const double> y,
                        std::span<double> out) = nullptr;
  /// s at which the mean of y is `mean`: where an intercept begins.
  double (*predictor_of_mean)(double mean) = nullptr;
  /// Where the extras begin; without it, at their `start`.
  void (*start_extras)(const ResponseMoments& response, std::span<double> out) = nullptr;
  /// Outliers are to be expected: begin from the median rather than the mean.
  bool is_robust = false;
  /// l' is analytic in s within this distance of the real line, which bounds the steps of averages over s.
  double analytic_within = std::numbers::pi;

  FamilySimulation simulation;
  const FamilyKernels* (*kernels)() = nullptr;

  [[nodiscard]] bool has_setting(double FamilyParameters::*value) const {
    for (const FamilySetting& setting : settings)
      if (setting.value == value) return true;
    return false;
  }
  [[nodiscard]] bool has_noise_scale() const { return has_setting(&FamilyParameters::noise_scale); }
  [[nodiscard]] Index num_extras() const { return std::ssize(extras); }
};

[[nodiscard]] const FamilyDescription& describe(Family family);

/// All families, in the order of the enumeration.
[[nodiscard]] std::span<const Family> all_families();
/// Their names, each once: "bernoulli", "poisson", ...
[[nodiscard]] std::vector<std::string> family_names();
/// Their links, each once; of one name, or of all where it is empty.
[[nodiscard]] std::vector<std::string> link_names(std::string_view family = {});
/// Their settings, each once.
[[nodiscard]] std::vector<FamilySetting> family_settings();

/// The family of the same name and link in which `setting` is given; none where it has no such setting.
[[nodiscard]] std::optional<Family> with_setting(Family family, const FamilySetting& setting);
/// The name of an extra parameter as theta has it: "log_sigma" of sigma.
[[nodiscard]] std::string sampled_name(const ExtraParameter& extra);
/// The names of a family's extras, and which of them theta has the logarithm of.
[[nodiscard]] std::vector<ExtraName> extra_names(Family family);

/// The words that stand for a family in options and files: "poisson" and "softplus".
[[nodiscard]] std::string_view family_name(Family family);
[[nodiscard]] std::string_view link_name(Family family);
/// The family of two such words, that which learns where there are two; of its default link where none is
/// given.
[[nodiscard]] std::optional<Family> family_named(std::string_view family,
                                                 std::optional<std::string_view> link = {});

/// The row constants c(y) of a family; empty where it has none.
[[nodiscard]] std::vector<double> row_constants(const FamilyParameters& family, std::span<const double> y);

}  // namespace giga
