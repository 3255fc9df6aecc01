// Posteriors whose moments and quantiles are known without sampling, and the check of a sampler against them.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "giga/infer/sample.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/regression.hpp"
#include "infer/findings.hpp"
#include "infer/quadrature.hpp"

namespace giga::test {

struct KnownPosterior {
  std::string name;
  std::shared_ptr<const Regression> model;
  Normal prior;
  std::vector<double> mean, sd;
  std::vector<double> correlation;               // D x D
  std::vector<std::array<double, 3>> quantiles;  // at kProbabilities
};

/// Gaussian regression with known noise: the posterior is normal. Features are correlated, rows count once,
/// twice and half.
[[nodiscard]] KnownPosterior conjugate(Index dim);

/// A feature and an intercept, few rows, so that the posterior is skew.
[[nodiscard]] KnownPosterior integrated(Family family, const Mesh& mesh = {});

/// A run long enough for the effective sizes below.
[[nodiscard]] SampleOptions long_run(SamplerKind sampler, Index dim);

// Four standard errors of a mean are then 0.02 sd, and of the standard deviation of normal draws 2%.
inline constexpr double kLeastEssMean = 40000, kLeastEssSd = 20000;
inline constexpr double kMeanBound = 0.02, kSdBound = 0.02;
// That a sampler without a fault fails one posterior, for most seeds.
inline constexpr double kFalseAlarm = 1e-4;

/// Four chains from dispersed starts. Effective sizes as above; means within 0.02 sd and standard deviations
/// within 2%; these, quantiles and correlations within the Bonferroni bound in Monte Carlo standard errors.
[[nodiscard]] Findings check_known(const KnownPosterior& known, const SampleOptions& options);

}  // namespace giga::test
