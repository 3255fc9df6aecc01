// The words that stand for a family.
#include <array>

#include "giga/model/family.hpp"

namespace giga {

std::string_view family_name(Family family) {
  switch (family) {
    case Family::BernoulliLogit: return "bernoulli";
    case Family::PoissonSoftplus:
    case Family::PoissonLog: return "poisson";
    case Family::GaussianIdentity: return "gaussian";
  }
  return "unknown";
}

std::string_view link_name(Family family) {
  switch (family) {
    case Family::BernoulliLogit: return "logit";
    case Family::PoissonSoftplus: return "softplus";
    case Family::PoissonLog: return "log";
    case Family::GaussianIdentity: return "identity";
  }
  return "unknown";
}

std::optional<Family> family_named(std::string_view family, std::string_view link) {
  constexpr std::array kAll = {Family::BernoulliLogit, Family::PoissonSoftplus, Family::PoissonLog,
                               Family::GaussianIdentity};
  for (const Family each : kAll) {
    if (family_name(each) == family && link_name(each) == link) return each;
  }
  return std::nullopt;
}

}  // namespace giga
