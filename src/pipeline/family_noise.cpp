// One case for each family; the compiler names those that are missing.
#include "pipeline/family_noise.hpp"

namespace giga {

ResponseKind response_kind(Family family) {
  switch (family) {
    case Family::BernoulliLogit:
    case Family::BernoulliProbit:
    case Family::BernoulliCloglog: return ResponseKind::Label;
    case Family::BinomialLogit:
    case Family::BinomialProbit:
    case Family::BinomialCloglog: return ResponseKind::Successes;
    case Family::PoissonSoftplus:
    case Family::PoissonLog:
    case Family::NegativeBinomial: return ResponseKind::Count;
    case Family::GammaLog: return ResponseKind::Positive;
    case Family::GaussianIdentity:
    case Family::Gaussian:
    case Family::StudentT:
    case Family::StudentTGiven: return ResponseKind::Real;
  }
  return ResponseKind::Real;
}

NoiseVariance noise_variance(const FamilyParameters& family) {
  switch (response_kind(family.family)) {
    case ResponseKind::Label:
    case ResponseKind::Successes: return {.linear = 1, .square = -1};
    case ResponseKind::Count:
      return {.linear = 1, .square = family.family == Family::NegativeBinomial ? 1 / family.phi : 0.0};
    case ResponseKind::Positive: return {.square = 1 / family.shape};
    case ResponseKind::Real: break;
  }
  return {.constant = family.noise_scale * family.noise_scale};
}

bool has_heavy_tails(Family family) {
  return family == Family::StudentT || family == Family::StudentTGiven;
}

bool has_normal_noise(Family family) {
  return family == Family::Gaussian || family == Family::GaussianIdentity;
}

bool learns_noise_size(Family family) {
  return family == Family::Gaussian || has_heavy_tails(family);
}

}  // namespace giga
