// Whether the data speak against the model: a posterior predictive check of its rows.
//
// A certificate says whether draws are those of the posterior, not whether the model is one of these data.
// Here replicated responses are held against those observed. At draw theta_s a row has the expected response
// mu_ns and the noise variance V_ns of the family; y_ns is a response simulated there, and
//
//     r_ns = (y_n - mu_ns) / sqrt(V_ns)
//
// the residual of the response that was observed. A statistic T of all responses, or of all residuals, is
// computed of what was observed and of every replicate; a finding is a difference that matters (by its size)
// and is not chance (beyond all replicates, and four of their standard deviations from their mean).
// docs/model_check.md has the statistics, the limits and the reasons for them.
//
// From all observations where there are at most 20,000, else from as many, spread evenly over the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/base/observer.hpp"
#include "giga/infer/chain.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// What a statistic is of.
enum class Statistic {
  Mean,        ///< Of the responses; of labels the share of 1.
  Sd,          ///< Of the responses.
  Zeros,       ///< Share of responses that are 0.
  Smallest,    ///< The smallest response.
  Largest,     ///< The largest of those looked at.
  Dispersion,  ///< Mean of r^2: 1 where the noise is as large as the model says.
  Skewness,    ///< Of the residuals.
  Kurtosis,    ///< Of the residuals: 3 of normal noise.
};
constexpr auto name_table(Statistic) {
  using enum Statistic;
  return names_are<Statistic>({{Mean, "mean"},
                               {Sd, "sd"},
                               {Zeros, "zeros"},
                               {Smallest, "smallest"},
                               {Largest, "largest"},
                               {Dispersion, "dispersion"},
                               {Skewness, "skewness"},
                               {Kurtosis, "kurtosis"}});
}

/// A statistic of what was observed, and of the replicates. Of residuals, which depend on the draw, the
/// observed one is the mean over the draws.
struct CheckedStatistic {
  Statistic of = Statistic::Mean;
  double observed = 0;
  double mean = 0, sd = 0;   ///< Of the replicates.
  double low = 0, high = 0;  ///< Their 5% and 95% quantiles.
  double above = 0;          ///< The share of them above the observed, ties counting half.
  bool outside = false;      ///< Whether it lies beyond all of them and 4 sds from their mean.
};

/// Observations that the model expects nearly the same response of.
struct CalibrationBin {
  double count = 0;          ///< Observations; of a binomial family, trials.
  double fitted = 0;         ///< Mean expected response; of labels and successes the chance of one.
  double observed = 0;       ///< Mean response, or share.
  double error = 0;          ///< Standard error of `observed` under the model.
  double low = 0, high = 0;  ///< 5% and 95% quantiles of the replicated means.
};

enum class Severity {
  Note,   ///< Seen, but of little effect.
  Amber,  ///< It changes what can be said by this fit.
};
constexpr auto name_table(Severity) {
  return names_are<Severity>({{Severity::Note, "note"}, {Severity::Amber, "amber"}});
}

enum class Misfit {
  Separation,   ///< Labels are separable: the prior alone keeps coefficients finite.
  Prior,        ///< The prior moves the posterior.
  NoiseScale,   ///< Residuals unlike the noise scale that was given.
  Dispersion,   ///< Responses vary more, or less, than the family says.
  Calibration,  ///< Expected responses are not where the responses are.
  Skewness,     ///< Residuals are skewed.
  Tails,        ///< Residuals have heavier tails than normal noise.
  Spread,       ///< The size of the noise depends on the features, and so sds are wrong.
  Zeros,        ///< More zeros, or fewer, than the model has.
};
constexpr auto name_table(Misfit) {
  using enum Misfit;
  return names_are<Misfit>({{Separation, "separation"},
                            {Prior, "prior"},
                            {NoiseScale, "noise_scale"},
                            {Dispersion, "dispersion"},
                            {Calibration, "calibration"},
                            {Skewness, "skewness"},
                            {Tails, "tails"},
                            {Spread, "spread"},
                            {Zeros, "zeros"}});
}

struct Finding {
  Misfit misfit = Misfit::Prior;
  Severity severity = Severity::Note;
  double size = 0;         ///< Of the effect, in the units of docs/model_check.md.
  std::string words = {};  ///< What is wrong, what follows, what to do. One sentence without a full stop.
};

struct ModelCheck {
  double num_observations = 0;  ///< N, each row counted as often as it occurs or its weight says.
  Index num_checked = 0;        ///< How many of them were looked at.
  Index num_replicates = 0;
  std::vector<CheckedStatistic> statistics = {};
  std::vector<CalibrationBin> bins = {};  ///< By ascending fitted response.
  bool shares = false;                    ///< Bins have shares of successes, not means.
  /// How far bins are off, in the root mean square and noise taken out: on the logit scale of shares, on the
  /// log scale of counts and positive responses, in standard deviations of the noise of real numbers.
  double calibration = 0;
  std::vector<Finding> findings = {};  ///< In the order of Misfit.

  /// Whether something speaks against the model that matters.
  [[nodiscard]] bool doubtful() const;
};

struct ModelCheckOptions {
  Index max_observations = 20000;  ///< >= 1
  std::uint64_t seed = 1;          ///< Of the rows that are drawn, and of the replicates.
  /// The mode of the posterior of all rows, by which the effect of the prior is found; null: it is not.
  const LaplaceResult* mode = nullptr;
};

/// `chains` as they were sampled, with a weight for each draw in order, or none where all count alike.
/// Nothing for a model without a linear predictor, or where a draw is not finite. The same bits under any
/// executor. The observer is told of Stage::Certify.
[[nodiscard]] std::optional<ModelCheck> check_model(const Problem& problem, std::span<const Chain> chains,
                                                    std::span<const double> weights, const Executor& executor,
                                                    const ModelCheckOptions& options = {},
                                                    const Observer& observer = {});

}  // namespace giga
