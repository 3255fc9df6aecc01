// How far the posterior of a coreset is from that of all rows, computed against every row.
//
// Draws theta_s of the coreset's posterior pi_w have ratios log r_s = L(theta_s) - L(w, theta_s), the density
// of the posterior pi of all rows over that of pi_w up to a constant. Pareto-smoothed importance sampling
// (psis.hpp) turns them into weights, and says by k-hat whether that is possible: where it is, pi_w covers
// pi, and means and standard deviations can be corrected to those of all rows. The Laplace approximation,
// drawn from and corrected in the same way, stands beside it as the cheap alternative.
//
//   const auto part = model.subset(rows, weights);
//   const Certificate certificate = certify(model, part.get(), prior, chains, executor);
//   if (certificate.safe()) use(certificate.coreset.after);
//
// docs/certificate.md says what the numbers mean and where they are blind.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/base/observer.hpp"
#include "giga/base/row_count.hpp"
#include "giga/infer/chain.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/psis.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/prior.hpp"

namespace giga {

struct Estimate;

/// Linear functions of the parameters whose moments are wanted too, such as coefficients on another scale.
struct LinearQuantities {
  Index count = 0;
  /// Their `count` values at theta; linear, without a constant term. Called from one thread.
  std::function<std::vector<double>(const double* theta)> values = {};
  /// Where they are not linear: their means and standard deviations for theta ~ normal.
  std::function<std::vector<Estimate>(const Normal& normal)> moments = {};
};

struct CertificateOptions {
  double max_k_hat = 0.7;           ///< Safe needs k_hat <= min(max_k_hat, 1 - 1 / log10(S)), or `flat`.
  double min_effective_size = 100;  ///< Safe needs effective_size >= min_effective_size.
  double max_rhat = 1.05;           ///< Safe needs rhat <= max_rhat for all parameters.
  Index gradient_draws = 1000;      ///< Fisher distances use at most that many draws, spread evenly; >= 1.
  Index laplace_draws = 4000;       ///< Drawn from the Laplace approximation; >= 1.
  /// Rows that log ratios and gradients are taken from; see RowEstimateOptions.
  RowCount check_rows = {};
  std::uint64_t seed = 1;
  const LaplaceResult* laplace = nullptr;             ///< Of all rows, where it is known already;
  const RowArray<float>* remainder_scores = nullptr;  ///< as are these, of the same.
  LinearQuantities quantities = {};
};

/// Mean and standard deviation of a parameter, with their Monte Carlo standard errors.
struct Estimate {
  double mean = 0, sd = 0;
  double mcse_mean = 0, mcse_sd = 0;
};

/// Draws of an approximation, and the weights that make them draws of the posterior of all rows.
struct Correction {
  std::vector<Estimate> before;             ///< One per parameter, of the approximation itself.
  std::vector<Estimate> after;              ///< Of the posterior of all rows, by the weighted draws.
  std::vector<Estimate> quantities_before;  ///< The same of CertificateOptions::quantities.
  std::vector<Estimate> quantities_after;   ///< By the same draws and weights.
  Index num_draws = 0;
  double relative_ess = 1;    ///< Effective size of the ratios r_s as a Markov chain, over S; at most 1.
  double k_hat = 0;           ///< 0 if `exact`; infinite when there is no fit (`tail` says why).
  double k_limit = 0;         ///< What k_hat may be at most.
  double effective_size = 0;  ///< Of the weighted draws.
  PsisTail tail = PsisTail::Smoothed;
  bool exact = false;  ///< The log ratios differ by at most 1e-6: the distributions are the same.
  double spread = 0;   ///< By how much the log ratios differ at most; infinite if one is not finite.
  /// spread <= 0.1; or k_hat < 1, and the weights leave 99% of the draws, 1 / sum w_s^2 >= 0.99 S: no draw
  /// counts much more than another. k_hat tells the shape of a tail whatever its size; for differences as
  /// small as these it does not matter.
  bool flat = false;
  Index num_impossible = 0;  ///< Draws at which the posterior of all rows has no density.
  /// Estimated squared errors of the means and standard deviations of the parameters, in units of the
  /// posterior's, averaged: of the draws as they are (the bias that the correction sees, less what noise adds
  /// to it, and their own noise), and as corrected (the noise that is left by unequal weights).
  double error_plain = 0, error_corrected = 0;
  /// Whether the corrected moments are the better answer. Where nearly all that the weights do is noise, the
  /// draws as they are have the smaller error.
  [[nodiscard]] bool pays() const { return !(error_corrected > error_plain); }
  bool usable = false;          ///< k_hat <= k_limit or flat, and effective_size >= min_effective_size
  std::vector<double> weights;  ///< One per draw, smoothed; they add up to 1.
};

/// E |g|^2 with g = grad log pi - grad log pi_w: the square of the norm |L - L(w)| of the paper's equation
/// for the weighted Fisher information distance. It has the units of 1 / theta^2; `whitened` has none: E |C'
/// g|^2 with C C' the covariance of the Laplace approximation of all rows.
struct FisherDistance {
  double value = 0, mcse = 0;
  double whitened = 0, whitened_mcse = 0;
};

struct Divergences {
  double of_coreset = 0;  ///< KL(pi_w || pi)
  double of_full = 0;     ///< KL(pi || pi_w)
};

/// Why a coreset is not certified; the first that applies.
enum class Doubt {
  None,            ///< Safe to use.
  DrawsNotFinite,  ///< A draw is NaN or infinite.
  TooFewDraws,     ///< 20 or fewer, fewer than 6 per chain, or of an effective size below min_effective_size.
  NotMixed,        ///< rhat > max_rhat, or it has no value: the draws are not those of the posterior.
  HighKhat,        ///< k_hat > k_limit, and the ratios are not flat.
  FewEffective,    ///< The weights leave fewer than min_effective_size draws.
  Disagrees,       ///< Both corrections are usable and lead to different means: draws miss a part of pi.
};
constexpr auto name_table(Doubt) {
  using enum Doubt;
  return names_are<Doubt>({{None, "none"},
                           {DrawsNotFinite, "draws_not_finite"},
                           {TooFewDraws, "too_few_draws"},
                           {NotMixed, "not_mixed"},
                           {HighKhat, "high_k_hat"},
                           {FewEffective, "few_effective"},
                           {Disagrees, "disagrees"}});
}

/// What the sums over all rows were taken from.
struct CheckedRows {
  Index count = 0;    ///< Rows used beside the expansion at the mode; all of them if !estimated.
  Index certain = 0;  ///< Of them, those that count once; the others were sampled.
  bool estimated = false;
  /// Standard errors of the log ratios at draws of the coreset's posterior: root mean square and largest; and
  /// at draws of the Laplace approximation. 0 if !estimated.
  double ratio_error = 0, ratio_error_most = 0, laplace_ratio_error = 0;
  Index passes = 0;           ///< Over all rows.
  bool found_scores = false;  ///< One of them was for CertificateOptions::remainder_scores.
};

struct Certificate {
  Index num_rows = 0;       ///< Distinct rows that all was computed against.
  Index num_data_rows = 0;  ///< Rows of the data, repeats among them; num_rows where that is not known.
  Index coreset_size = 0;
  Index num_parameters = 0;
  Index num_chains = 0;
  double max_rhat = 0;  ///< Largest of a parameter; NaN if one has none.
  double min_ess = 0;   ///< Smallest bulk or tail effective size of a parameter.
  Index num_draws_not_finite = 0;
  double max_rhat_allowed = 0, min_effective_size = 0;  ///< As in the options.

  Correction coreset;
  Correction laplace;
  LaplaceEnd laplace_end = LaplaceEnd::Converged;
  CheckedRows checked;
  double disagreement = 0;  ///< Largest distance of the two corrected means, in corrected standard deviations

  Index num_gradient_draws = 0;
  FisherDistance fisher_coreset;  ///< Under pi_w: the coreset's draws as they are.
  FisherDistance fisher_full;     ///< Under pi, as in the paper: the coreset's draws, weighted.
  FisherDistance fisher_laplace;  ///< Under pi as well: the draws of the Laplace approximation, weighted.

  Divergences kl_laplace;  ///< Between the Laplace approximations of the two posteriors.
  Divergences kl_draws;    ///< Of the posteriors themselves, from the ratios at the coreset's draws.

  Doubt doubt = Doubt::None;
  Index suggested_size = 0;  ///< Of a coreset to try next; 0 where its size is not the problem.

  [[nodiscard]] bool safe() const { return doubt == Doubt::None; }
};

/// `chains` are draws of the posterior of `coreset`, whose multiplicities are its weights; null is the
/// empty coreset, whose posterior is the prior. Chains must have draws, all equally many, of the model's
/// dimension (std::invalid_argument). The same bits under any executor; at most about 100 MB and what the
/// draws take. The observer is told of the rows gone through in each part (Stage::Certify), from the thread
/// that calls certify.
[[nodiscard]] Certificate certify(const Likelihood& full, const Likelihood* coreset, const Prior& prior,
                                  std::span<const Chain> chains, const Executor& executor,
                                  const CertificateOptions& options = {}, const Observer& observer = {});

/// The size to try after `size` points were not enough for D parameters of `num_rows` rows: twice as many and
/// at least 2 D, but not past D + D(D+1)/2, which matches gradient and curvature, on the way there. 0 when
/// there are no more rows.
[[nodiscard]] Index next_size(Index size, Index num_parameters, Index num_rows);

}  // namespace giga
