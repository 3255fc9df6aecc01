// Limits and words. Two limits for each effect: above the first it is noted, above the second it is amber.
// Both are sizes that matter whatever N is; that they are not chance is asked for besides.
#include "pipeline/model_findings.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "giga/base/text.hpp"
#include "giga/pipeline/mode_notes.hpp"
#include "giga/pipeline/prior_effect.hpp"
#include "pipeline/family_noise.hpp"
#include "pipeline/three_digits.hpp"

namespace giga {
namespace {

struct Limits {
  double note, amber;
};
constexpr Limits kSds = {1.05, 1.2};      // by what factor posterior sds are off
constexpr Limits kPriorShift = {0.5, 1};  // posterior sds
constexpr Limits kMisses = {0.07, 0.2};   // ModelCheck::calibration
constexpr Limits kSkewness = {0.3, 1};    // of residuals, in absolute value
constexpr Limits kExcess = {0.5, 2};      // kurtosis above that of normal noise
constexpr Limits kZeros = {0.01, 0.05};   // share of zeros, observed less replicated
constexpr double kNormalKurtosis = 3;
constexpr double kFewZeros = 1.5;  // zeros are amber from the first limit on if off by this factor

constexpr double kFewRows = 3;      // nine rows do not make a dispersion
constexpr double kSkewedTails = 4;  // skewed noise has an excess kurtosis of up to this times skewness^2

// Nothing below the first limit.
std::optional<Severity> severity(double size, Limits limits) {
  if (!(size > limits.note)) return std::nullopt;
  return size > limits.amber ? Severity::Amber : Severity::Note;
}

std::string percent(double share) {
  return three_digits(100 * share) + "%";
}

class Findings {
 public:
  Findings(const Problem& problem, const ModelCheck& check, const MisfitFacts& facts)
      : problem_(problem),
        check_(check),
        facts_(facts),
        family_(problem.likelihood().linear_model()->family()),
        kind_(response_kind(family_.family)) {}

  std::vector<Finding> all() {
    out_ = facts_.about_mode;
    find_dispersion();
    find_calibration();
    find_shape();
    find_spread();
    find_zeros();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const CheckedStatistic* statistic(Statistic of) const {
    const auto found = std::ranges::find(check_.statistics, of, &CheckedStatistic::of);
    return found == check_.statistics.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool has_amber(Misfit misfit) const {
    return std::ranges::any_of(out_, [misfit](const Finding& finding) {
      return finding.misfit == misfit && finding.severity == Severity::Amber;
    });
  }

  // "posterior sds are about 2.5 times too small".
  static std::string sds_off(double ratio) {
    return "posterior sds are about " + three_digits(std::max(ratio, 1 / ratio)) + " times too " +
           (ratio > 1 ? "small" : "large");
  }

  // The mean of r^2, observed over expected: variances of coefficients are off by as much.
  void find_dispersion() {
    const CheckedStatistic* found = statistic(Statistic::Dispersion);
    if (found == nullptr || !found->outside || !(found->observed > 0)) return;
    // A row that the model takes for nearly impossible may make up all of it, and no sd wrong.
    if (!(std::abs(facts_.dispersion_evidence) > kFewRows)) return;
    const double ratio = std::sqrt(found->observed / found->mean);
    auto how = severity(std::max(ratio, 1 / ratio), kSds);
    if (!how) return;
    if (describe(family_.family).has_noise_scale()) {
      out_.push_back({Misfit::NoiseScale, *how, ratio,
                      "the residuals have a standard deviation of " +
                          three_digits(std::sqrt(found->observed) * family_.noise_scale) +
                          " and `noise_scale` is " + three_digits(family_.noise_scale) + ": " +
                          sds_off(ratio) + "; leave `noise_scale` out, and the noise is learnt"});
      return;
    }
    // Intervals that are too wide claim nothing that is wrong, and no family here has less noise.
    if (ratio < 1) how = Severity::Note;
    out_.push_back({Misfit::Dispersion, *how, found->observed,
                    responses() + " vary " + three_digits(found->observed) + " times as much as " +
                        expected_noise() + ": " + sds_off(ratio) + (ratio > 1 ? advice() : "")});
  }

  [[nodiscard]] std::string responses() const {
    if (kind_ == ResponseKind::Successes) return "the numbers of successes";
    return kind_ == ResponseKind::Count ? "the counts" : "the responses";
  }
  [[nodiscard]] std::string expected_noise() const {
    if (kind_ == ResponseKind::Successes) return "binomial ones";
    if (kind_ == ResponseKind::Positive) return "the gamma distribution says";
    return family_.family == Family::NegativeBinomial ? "the negative binomial distribution says"
                                                      : "Poisson counts";
  }
  [[nodiscard]] std::string advice() const {
    if (kind_ == ResponseKind::Count && family_.family != Family::NegativeBinomial)
      return "; use `family = negative_binomial`";
    return "; rows with the same features differ: add what makes them differ";
  }

  void find_calibration() {
    if (!facts_.worst_bin) return;
    const auto how = severity(check_.calibration, kMisses);
    if (!how) return;
    const CalibrationBin& bin = check_.bins[at(*facts_.worst_bin)];
    const auto count = static_cast<Index>(bin.count);
    std::string words =
        check_.shares
            ? "fitted probabilities miss the observed shares: of the " + grouped(count) +
                  (kind_ == ResponseKind::Successes ? " trials" : " rows") + " fitted at " +
                  percent(bin.fitted) + " on average " + percent(bin.observed) + " are successes"
            : "fitted means miss the observed ones: the " + grouped(count) + " rows fitted at " +
                  three_digits(bin.fitted) + " on average have a mean of " + three_digits(bin.observed);
    words += "; terms are missing, such as a curve or an interaction, or the link is another";
    if (has_amber(Misfit::Prior)) words += ", or the prior holds a coefficient back";
    out_.push_back({Misfit::Calibration, *how, check_.calibration, words});
  }

  // Skewed residuals have a large kurtosis too, and a few outliers a skewness: what is said is the cause.
  void find_shape() {
    const CheckedStatistic *skewness = statistic(Statistic::Skewness),
                           *kurtosis = statistic(Statistic::Kurtosis);
    if (skewness == nullptr || kurtosis == nullptr) return;
    const auto skewed = skewness->outside ? severity(std::abs(skewness->observed), kSkewness) : std::nullopt;
    const auto heavy =
        kurtosis->outside ? severity(kurtosis->observed - kNormalKurtosis, kExcess) : std::nullopt;
    const double excess = kurtosis->observed - kNormalKurtosis,
                 explained = kSkewedTails * skewness->observed * skewness->observed;
    if (skewed && (!heavy || excess <= explained)) {
      const bool positive = facts_.smallest_response > 0;
      out_.push_back({Misfit::Skewness, *skewed, skewness->observed,
                      "the residuals are skewed (skewness " + three_digits(skewness->observed) +
                          ", of normal noise 0): intervals of new responses are wrong; " +
                          (positive ? "take the logarithm of the response, or use `family = gamma`"
                                    : "transform the response")});
    } else if (heavy) {
      out_.push_back({Misfit::Tails, *heavy, kurtosis->observed,
                      "the residuals have heavier tails than normal noise (kurtosis " +
                          three_digits(kurtosis->observed) +
                          ", of normal noise 3): a few rows decide much; use `family = student_t`"});
    }
  }

  // Said only where the noise is as large as it should be on the whole.
  void find_spread() {
    const RobustSd& robust = facts_.robust;
    if (robust.parameter < 0 || has_amber(Misfit::Dispersion) || has_amber(Misfit::NoiseScale)) return;
    const auto how = severity(robust.ratio, kSds);
    if (!how) return;
    std::string words =
        "the noise is larger in some parts of the data than in others: the posterior sd of '" +
        printable(problem_.likelihood().parameter_name(robust.parameter), 40) + "' is about " +
        three_digits(robust.ratio) + " times too small; ";
    if (kind_ != ResponseKind::Real) {
      words += "add what makes rows differ";
    } else {
      words += facts_.smallest_response > 0 ? "take the logarithm of the response, or use `family = gamma`"
                                            : "transform the response";
    }
    out_.push_back({Misfit::Spread, *how, robust.ratio, words});
  }

  // Counts that vary too much have too many zeros as well; of those the dispersion was told.
  void find_zeros() {
    const CheckedStatistic* zeros = statistic(Statistic::Zeros);
    if (zeros == nullptr || !zeros->outside || kind_ != ResponseKind::Count) return;
    if (has_amber(Misfit::Dispersion)) return;
    auto how = severity(std::abs(zeros->observed - zeros->mean), kZeros);
    if (!how) return;
    if (zeros->observed > kFewZeros * zeros->mean || zeros->mean > kFewZeros * zeros->observed)
      how = Severity::Amber;
    out_.push_back({Misfit::Zeros, *how, zeros->observed - zeros->mean,
                    percent(zeros->observed) + " of the counts are 0, and the model has " +
                        percent(zeros->mean) +
                        ": zeros have a cause of their own; model apart whether a count is 0, and the "
                        "counts above 0"});
  }

  const Problem& problem_;
  const ModelCheck& check_;
  const MisfitFacts& facts_;
  const FamilyParameters& family_;
  ResponseKind kind_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> findings_of(const Problem& problem, const ModelCheck& check, const MisfitFacts& facts) {
  return Findings(problem, check, facts).all();
}

std::vector<Finding> mode_findings(const Problem& problem, const LaplaceResult& mode,
                                   const Executor& executor) {
  const std::vector<double>& theta = mode.posterior.mean();
  const LinearModel* linear = problem.likelihood().linear_model();
  if (linear != nullptr && linear->separates(theta, executor))
    return {{Misfit::Separation, Severity::Amber, 0,
             "the labels are perfectly separable: only the prior keeps the coefficients finite, and their "
             "sizes are what it says; choose `prior` on purpose, or leave out the feature that tells the "
             "labels"}};
  LaplaceResult known = mode;
  if (!known.at_mode) known.at_mode = problem.likelihood().evaluate(theta, Order::Hessian, executor);
  const auto effect = prior_effect(known, problem.prior());
  const auto words = prior_effect_note(problem, known);
  if (effect && words)
    return {{Misfit::Prior, effect->shift > kPriorShift.amber ? Severity::Amber : Severity::Note,
             effect->shift, *words}};
  // A prior that is far from the mode and does not move it: of no effect, but perhaps not what was meant.
  if (auto note = prior_note(problem, theta))
    return {{Misfit::Prior, effect ? Severity::Note : Severity::Amber, effect ? effect->shift : 0,
             *std::move(note)}};
  return {};
}

}  // namespace giga
