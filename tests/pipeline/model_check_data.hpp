// Regressions simulated from a truth, and checks of models of them by draws of their Laplace approximation.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "giga/infer/laplace.hpp"
#include "giga/model/simulate_data.hpp"
#include "giga/pipeline/model_check.hpp"
#include "support/executors.hpp"

namespace giga::test {

/// Rows (x_1, ..., x_P-1, 1), x standard normal, and a response.
struct Simulated {
  Index rows = 0, columns = 0;
  std::vector<double> z = {}, y = {}, trials = {}, offset = {}, multiplicity = {};

  [[nodiscard]] const double* row(Index n) const { return z.data() + n * columns; }
};

inline FamilyParameters truth_of(Family family) {
  return {.family = family, .noise_scale = 0.7, .nu = 4, .phi = 2, .shape = 3};
}

/// Features alone.
inline Simulated features(Index rows, Index columns, std::uint64_t seed) {
  Simulated out{.rows = rows, .columns = columns};
  Stream random = stream(seed, "features");
  for (Index n = 0; n < rows; ++n) {
    for (Index d = 0; d + 1 < columns; ++d) out.z.push_back(random.normal());
    out.z.push_back(1);
  }
  return out;
}

/// The response to the predictor of a row.
using Respond = std::function<double(double s, const double* z, Stream& random)>;
/// What the predictor of a row is.
using Predict = std::function<double(const double* z)>;

inline double plain_predictor(const double* z, Index columns) {
  double s = 0.3 * z[columns - 1];
  for (Index d = 0; d + 1 < columns; ++d) s += (d % 2 == 0 ? 0.5 : -0.3) * z[d];
  return s;
}

inline Simulated simulated(Index rows, Index columns, std::uint64_t seed, const Respond& respond,
                           const Predict& predict = {}) {
  Simulated out = features(rows, columns, seed);
  for (Index n = 0; n < rows; ++n) {
    Stream random = stream(seed, "response", n);
    const double s = predict ? predict(out.row(n)) : plain_predictor(out.row(n), columns);
    out.y.push_back(respond(s, out.row(n), random));
  }
  return out;
}

/// Data of the family itself.
inline Simulated right_data(Family family, Index rows, Index columns, std::uint64_t seed) {
  const FamilyDescription& description = describe(family);
  const FamilyParameters truth = truth_of(family);
  if (!description.has_trials)
    return simulated(rows, columns, seed, [&](double s, const double*, Stream& random) {
      return description.simulation.respond(truth, s, random);
    });
  // Chances by the family that has labels and the same link.
  const Family labels = *family_named("bernoulli", description.link);
  Simulated out = features(rows, columns, seed);
  for (Index n = 0; n < rows; ++n) {
    Stream random = stream(seed, "response", n);
    const auto trials = static_cast<double>(5 + random.below(16));
    double successes = 0;
    for (double t = 0; t < trials; ++t)
      successes +=
          describe(labels).simulation.respond(truth, plain_predictor(out.row(n), columns), random) > 0 ? 1
                                                                                                       : 0;
    out.trials.push_back(trials);
    out.y.push_back(successes);
  }
  return out;
}

inline Problem problem_of(const Simulated& data, const FamilyParameters& family, double prior_scale = 2.5) {
  auto model = std::make_unique<Regression>(data.z, data.y, data.multiplicity, family,
                                            RowTerms{.offset = data.offset, .trials = data.trials});
  const Index parameters = model->num_parameters();
  return {std::move(model), Normal::isotropic(parameters, prior_scale)};
}

inline Chain draws_of(const Normal& posterior, Index count, std::uint64_t seed) {
  Chain chain;
  chain.dim = posterior.dim();
  chain.stats.resize(at(count));
  chain.draws.resize(at(count * chain.dim));
  Stream random = stream(seed, "chain");
  for (Index s = 0; s < count; ++s) posterior.draw(random, chain.draws.data() + s * chain.dim);
  return chain;
}

inline ModelCheck check_of(const Problem& problem, std::uint64_t seed, const Executor& executor = threads(2),
                           Index max_observations = 20000) {
  const LaplaceResult mode = laplace(problem.likelihood(), problem.prior(), executor);
  const std::vector<Chain> chains = {draws_of(mode.posterior, 500, seed)};
  return *check_model(problem, chains, {}, executor,
                      {.max_observations = max_observations, .seed = seed, .mode = &mode});
}

inline ModelCheck check_of(const Simulated& data, const FamilyParameters& family, std::uint64_t seed = 1,
                           double prior_scale = 2.5) {
  return check_of(problem_of(data, family, prior_scale), seed);
}

inline const Finding* found(const ModelCheck& check, Misfit misfit) {
  for (const Finding& finding : check.findings)
    if (finding.misfit == misfit) return &finding;
  return nullptr;
}

inline bool is_amber(const ModelCheck& check, Misfit misfit) {
  const Finding* finding = found(check, misfit);
  return finding != nullptr && finding->severity == Severity::Amber;
}

inline const CheckedStatistic& statistic(const ModelCheck& check, Statistic of) {
  for (const CheckedStatistic& one : check.statistics)
    if (one.of == of) return one;
  throw std::out_of_range("no such statistic");
}

inline std::string words_of(const ModelCheck& check) {
  std::string all;
  for (const Finding& finding : check.findings)
    all += std::string(name(finding.severity)) + ": " + finding.words + "\n";
  return all;
}

}  // namespace giga::test
