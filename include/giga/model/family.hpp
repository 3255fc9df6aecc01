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
#pragma once

#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/types.hpp"

namespace giga {

class Dataset;
class Stream;

/// The registry: one line per family, described by a file in src/model/families/.
enum class Family {
  BernoulliLogit,    ///< y is -1 or +1;    P(y) = 1 / (1 + exp(-y s))
  PoissonSoftplus,   ///< y = 0, 1, 2, ...; mean log(1 + exp(s))
  PoissonLog,        ///< y = 0, 1, 2, ...; mean exp(s)
  GaussianIdentity,  ///< y is real;        mean s, standard deviation noise_scale
};

/// A family with its settings: what it needs besides y and s, all of it known.
struct FamilyParameters {
  Family family = Family::BernoulliLogit;
  /// Standard deviation of the noise, > 0. Gaussian only.
  double noise_scale = 1;
};

/// A setting of a family: a positive number.
struct FamilySetting {
  std::string_view name;  ///< As in FamilyParameters.
  /// For help; {} stands for the name of the family, or for "the" where it is clear.
  std::string_view words;
  double FamilyParameters::*value;
};

/// A parameter that is not a coefficient: learnt as they are, and placed after them in theta.
struct ExtraParameter {
  std::string_view name;
  double start = 0;  ///< Where an optimiser should begin.
};

/// The response as a family wants it: bernoulli -1 or +1, poisson a whole number.
struct Response {
  std::vector<double> values;
  std::vector<std::string> notes;  ///< How labels were mapped, and what is odd about them.
};

/// The response of a table as the family wants it. A family with labels takes any two of them: words, of
/// which the second in the order of their bytes is 1, or, where `success` says which is, numbers as well.
/// Throws DataError if the response does not fit, OptionError if there is no label `success` or the family
/// has no labels.
[[nodiscard]] Response read_response(const Dataset& data, Family family,
                                     const std::optional<std::string>& success = {});

/// How responses are simulated.
struct FamilySimulation {
  std::string_view name;      ///< "logistic"
  std::string_view model;     ///< "logistic regression"
  Index num_features = 2;     ///< Features of the paper's synthetic set, or of one like it,
  double coefficient = 3;     ///< the coefficient of each; the intercept is 0.
  bool is_usual_link = true;  ///< Of the families of this name, the one simulated by default.
  /// A response to the predictor s.
  double (*respond)(const FamilyParameters& family, double s, Stream& random) = nullptr;
};

struct FamilyKernels;  // src/model/family_kernels.hpp

struct FamilyDescription {
  std::string_view name, link;    ///< "poisson" and "softplus": the words of options and files.
  bool is_default_link = true;    ///< The link where only the name is given.
  std::string_view link_words{};  ///< What help says about the link: "the paper's".

  std::string_view responses;       ///< In a word: "counts".
  std::string_view response_words;  ///< For help: "labels 0 and 1, or -1 and 1".
  /// The response of a table. Throws DataError naming the first row whose response the family cannot have.
  Response (*read_response)(const Dataset& data) = nullptr;

  bool is_binary = false;    ///< y is -1 or +1: some theta may put every row on the side of its label.
  bool is_logistic = false;  ///< l(s) = -log(1 + exp(-y s)), for which RegressionPosterior has shorter ways.

  std::span<const FamilySetting> settings{};
  std::span<const ExtraParameter> extras{};

  /// The part of l that depends on y alone: out[n] = c(y_n) with l = ... - c(y). Poisson: log y!. None: 0.
  void (*row_constants)(const FamilyParameters& family, std::span<const double> y,
                        std::span<double> out) = nullptr;
  /// s at which the mean of y is `mean`: where an intercept begins.
  double (*predictor_of_mean)(double mean) = nullptr;
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

/// The words that stand for a family in options and files: "poisson" and "softplus".
[[nodiscard]] std::string_view family_name(Family family);
[[nodiscard]] std::string_view link_name(Family family);
/// The family of two such words; of its default link where none is given.
[[nodiscard]] std::optional<Family> family_named(std::string_view family,
                                                 std::optional<std::string_view> link = {});

/// The row constants c(y) of a family; empty where it has none.
[[nodiscard]] std::vector<double> row_constants(const FamilyParameters& family, std::span<const double> y);

}  // namespace giga
