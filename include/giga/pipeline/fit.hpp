// The whole job on a problem: a coreset, draws of its posterior, their certificate against all rows; and
// where the certificate fails, the same with a larger coreset.
//
//   const FitResult result = fit(problem, {}, executor);
//   if (result.certificate.safe()) use(result.certificate.coreset.after);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "giga/base/observer.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/sample.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/model_check.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// What the coreset of a fit is asked for. In the whitened norm an error is that of the gradient in posterior
/// standard deviations, so a tolerance of 0.05 leaves the means within a few hundredths of one.
[[nodiscard]] CoresetOptions fit_coreset_options();

struct FitOptions {
  /// The first coreset. size = 0: D(D+3)/2, from 20 to 5000, at most all distinct rows.
  CoresetOptions coreset = fit_coreset_options();
  /// Where a coreset is not certified for its size, another with Certificate::suggested_size points is
  /// made, without a tolerance, until there have been max_rounds of them. 1: none; >= 1. Where the projection
  /// is Auto, and so the curvature, later coresets see 500 random features of the remainder as well.
  Index max_rounds = 4;
  /// draws = 0 and thin = 0: as resolved_sampling says. Thinned, as it takes longer to weigh a draw against
  /// all rows than to make it.
  SampleOptions sample = {.draws = 0, .thin = 0};
  Index chains = 4;            ///< >= 1
  Index laplace_draws = 1000;  ///< As in CertificateOptions.
  RowCount check_rows = {};    ///< As in CertificateOptions.
};

/// A coreset that was made, and what the certificate said of it.
struct FitRound {
  Index size = 0;
  double relative_error = 0, heldout_error = 0;
  double k_hat = 0, effective_size = 0;
  Doubt doubt = Doubt::None;
};

/// How far a fit has come: all that it needs to go on. Of the present round there may be a coreset, and then
/// chains.
struct FitState {
  std::vector<FitRound> rounds;  ///< Those that ended.
  Index next_size = 0;           ///< of the present round; 0: the first, as the options say
  std::optional<CoresetResult> coreset;
  std::vector<Chain> chains;
  StageSeconds seconds;  ///< of all rounds, and of all runs that had a part in it
  StagePasses passes;    ///< likewise
};

/// Either may be empty.
struct FitObserver {
  /// Is told of Stage::Laplace, Project, Prepare, Construct, Sample and Certify, in every round. Where it
  /// answers Stop, or the executor was told to stop, the fit returns with `stopped`.
  Observer watch = {};
  /// After every stage but the last, with what fit() would go on from. From the thread that calls fit.
  std::function<void(const FitState&)> save = {};
};

struct FitResult {
  CoresetResult coreset;           ///< Of the last round.
  SampleOptions sample;            ///< As resolved.
  std::vector<Chain> chains = {};  ///< Of the parameters of problem.likelihood().
  Certificate certificate;
  std::vector<FitRound> rounds;
  StageSeconds seconds;
  StagePasses passes;
  /// By the draws as the certificate weighs them. Only where it is safe, and of a model with a linear
  /// predictor.
  std::optional<ModelCheck> model_check = {};
  bool stopped = false;  ///< It was asked to stop: nothing else here means anything.
};

/// From `state` on: a fit that was stopped and goes on from what it saved gives the same bits. The same bits
/// for any number of threads. The certificate has the coefficients on the scale of the data as its
/// quantities. Throws DataError where a coreset is empty, since then there is no posterior to sample.
[[nodiscard]] FitResult fit(const Problem& problem, const FitOptions& options, const Executor& executor,
                            const FitObserver& observer = {}, FitState state = {});

/// The options of the chains on a coreset of so many points. Draws that are not asked for are those worth the
/// time to make and to weigh them: 4000 of each chain, thinned by 2, by which the standard deviations of
/// dozens of coefficients are right within a few percent; of coresets with more than 25,000 numbers (points
/// times parameters) fewer transitions, down to 1000 draws that are not thinned. If `check_rows` are all,
/// with more than 18,750 distinct rows (and 4 chains) fewer too, but never below 1000. The time is that of
/// certify_bench.
[[nodiscard]] SampleOptions resolved_sampling(const Problem& problem, const FitOptions& options,
                                              Index points);

/// The options of the coreset of the present round, resolved.
[[nodiscard]] CoresetOptions round_options(const Problem& problem, const FitOptions& options,
                                           const FitState& state);

}  // namespace giga
