// The prior of one parameter: a distribution with a location, a scale and perhaps a shape, and its text.
//
//   normal(0, 2.5)   student_t(4, 0, 1)   cauchy(0, 2.5)   laplace(0, 1)   logistic(0, 1)   flat
//   lognormal(0, 1)  exponential(1)  half_normal(1)  half_student_t(3, 2.5)  half_cauchy(1)  gamma(2, 0.1)
//
// Those of the first line are of a real parameter x. Those of the second are of a positive one, v = e^x, of
// which x = log v is sampled: with f the density of v the density of x is
//
//   p(x) = f(e^x) e^x.
//
// "Sampled value" is x for both.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "giga/base/names.hpp"
#include "giga/base/random.hpp"

namespace giga {

/// With m the location, s the scale, n the degrees of freedom, a the shape and b the rate:
enum class PriorKind {
  Normal,        ///< exp(-((x - m) / s)^2 / 2)
  StudentT,      ///< (1 + ((x - m) / s)^2 / n)^(-(n + 1) / 2)
  Cauchy,        ///< student_t with n = 1
  Laplace,       ///< exp(-|x - m| / s)
  Logistic,      ///< 1 / (e^(r/2) + e^(-r/2))^2, r = (x - m) / s
  Flat,          ///< 1: not a distribution; the likelihood must make the posterior one
  LogNormal,     ///< x = log v is normal(m, s)
  Exponential,   ///< exp(-b v)
  HalfNormal,    ///< exp(-(v / s)^2 / 2)
  HalfStudentT,  ///< (1 + (v / s)^2 / n)^(-(n + 1) / 2)
  HalfCauchy,    ///< half_student_t with n = 1
  Gamma,         ///< v^(a - 1) exp(-b v)
};
constexpr auto name_table(PriorKind) {
  using enum PriorKind;
  return names_are<PriorKind>({{Normal, "normal", "location, scale"},
                               {StudentT, "student_t", "df, location, scale"},
                               {Cauchy, "cauchy", "location, scale"},
                               {Laplace, "laplace", "location, scale"},
                               {Logistic, "logistic", "location, scale"},
                               {Flat, "flat", ""},
                               {LogNormal, "lognormal", "location, scale"},
                               {Exponential, "exponential", "rate"},
                               {HalfNormal, "half_normal", "scale"},
                               {HalfStudentT, "half_student_t", "df, scale"},
                               {HalfCauchy, "half_cauchy", "scale"},
                               {Gamma, "gamma", "shape, rate"}});
}

/// log p(x), normalised (flat: 0), and its first two derivatives.
struct ScalarDensity {
  double value = 0, slope = 0, curvature = 0;
};

struct ScalarPrior {
  PriorKind kind = PriorKind::Normal;
  double shape = 1;     ///< Degrees of freedom of student_t and half_student_t, shape of gamma; > 0
  double location = 0;  ///< Of those that have one; finite
  double scale = 1;     ///< Of exponential and gamma the rate; > 0

  [[nodiscard]] static ScalarPrior normal(double location, double scale);
  [[nodiscard]] static ScalarPrior flat() { return {.kind = PriorKind::Flat}; }

  bool operator==(const ScalarPrior&) const = default;

  /// Of a positive parameter, whose logarithm is sampled.
  [[nodiscard]] bool is_positive() const { return kind >= PriorKind::LogNormal; }
  [[nodiscard]] bool is_proper() const { return kind != PriorKind::Flat; }
  /// Whether the sampled value is normal.
  [[nodiscard]] bool is_normal() const { return kind == PriorKind::Normal || kind == PriorKind::LogNormal; }
  /// Whether log p has no derivative at the location. There the slope is given as 0.
  [[nodiscard]] bool has_kink() const { return kind == PriorKind::Laplace; }

  /// At the sampled value. With a `width` > 0 the |x - m| of a kink is sqrt((x - m)^2 + width^2).
  [[nodiscard]] ScalarDensity density(double x, double width = 0) const;
  /// A sampled value. Throws OptionError for flat.
  [[nodiscard]] double draw(Stream& random) const;

  /// Of the sampled value, where they exist.
  [[nodiscard]] std::optional<double> mean() const;
  [[nodiscard]] std::optional<double> sd() const;
  /// Where log p(x) is largest; 0 for flat.
  [[nodiscard]] double mode() const;

  /// The middle and the width of a normal distribution that stands in for that of the sampled value: mean and
  /// sd, except that tails too heavy for them get the location and 1.4826 scales, the sd of a normal with the
  /// quartiles of a cauchy. Not of flat, whose middle is 0.
  [[nodiscard]] double middle() const;
  [[nodiscard]] double width() const;

  /// sqrt(2 (log p(mode) - log p(x))): |x - m| / s for a normal, and for the others as many standard
  /// deviations of a normal as would make its density fall by as much. 0 for flat.
  [[nodiscard]] double surprise(double x) const;

  /// The same with the scale times `factor` > 0: of factor v for positive parameters, of m + factor (x - m)
  /// for the others.
  [[nodiscard]] ScalarPrior stretched(double factor) const;

  /// "student_t(4, 0, 1)": parse_prior gives the same bits back, unless numbers are rounded to so many
  /// significant digits, for people.
  [[nodiscard]] std::string text(int digits = 0) const;
};

/// Throws std::invalid_argument unless shape, location and scale are as above.
void require_valid(const ScalarPrior& prior);

/// The prior that a text says. Blanks do not matter. Throws OptionError with the text and a caret below the
/// place where it went wrong; `field` is the option that the text was given to.
[[nodiscard]] ScalarPrior parse_prior(std::string_view text, std::string_view field = "prior");

/// "carrier = student_t(4, 0, 1)" has a name and a prior, "normal(0, 1)" a prior alone. A name ends at the
/// last '='; it may stand in backticks. Throws OptionError as parse_prior does.
struct NamedPrior {
  std::string name;
  ScalarPrior prior;

  bool operator==(const NamedPrior&) const = default;
};
[[nodiscard]] NamedPrior parse_named_prior(std::string_view text);

}  // namespace giga
