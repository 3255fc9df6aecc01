// The likelihood families: how the response y of a row depends on its linear predictor s = <z, theta>.
#pragma once

#include <optional>
#include <string_view>

namespace giga {

enum class Family {
  BernoulliLogit,    ///< y is -1 or +1;    P(y) = 1 / (1 + exp(-y s))
  PoissonSoftplus,   ///< y = 0, 1, 2, ...; mean log(1 + exp(s))
  PoissonLog,        ///< y = 0, 1, 2, ...; mean exp(s)
  GaussianIdentity,  ///< y is real;        mean s, standard deviation noise_scale
};

/// The words that stand for it in options and files: "poisson" and "softplus".
[[nodiscard]] std::string_view family_name(Family family);
[[nodiscard]] std::string_view link_name(Family family);
[[nodiscard]] std::optional<Family> family_named(std::string_view family, std::string_view link);

/// Whether the response is a count, whose likelihood has the constant log y!.
[[nodiscard]] constexpr bool is_count(Family family) {
  return family == Family::PoissonSoftplus || family == Family::PoissonLog;
}

/// A family with what it needs besides y and s.
struct FamilyParameters {
  Family family = Family::BernoulliLogit;
  /// Standard deviation of the noise, > 0. Gaussian only.
  double noise_scale = 1;
};

}  // namespace giga
