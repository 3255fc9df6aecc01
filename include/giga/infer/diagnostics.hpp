// How far the draws of a Markov chain can be trusted: R-hat, effective sample sizes, Monte Carlo standard
// errors.
//
// Vehtari, Gelman, Simpson, Carpenter and Buerkner, "Rank-normalization, folding, and localization: an
// improved R-hat for assessing convergence of MCMC", Bayesian Analysis 16 (2021); the autocorrelations are
// cut and made monotone as in Geyer, "Practical Markov chain Monte Carlo", Statistical Science 7 (1992). The
// numbers are those of the R package posterior 1.4.0.
//
// The draws of one quantity come as chains of equal length; chains of other lengths are
// `std::invalid_argument`, and so is a probability outside [0, 1]. Every chain is split into halves first;
// the middle draw of an odd number is left out. Without an answer a function returns NaN:
//
//   draws                                      NaN is returned by
//   a NaN among them, or none at all           all functions
//   an infinity among them                     all but quantile, rhat and ess_bulk, for which the order
//                                              suffices; rhat as well when the median is infinite
//   all equal, but for 2.2e-16 of the largest  all but quantile; rhat and ess_bulk only when exactly equal
//   what is asked about is all equal, say      that function: ess_sd when all draws are as far from the mean,
//   whether a draw is below a quantile         rhat when they are as far from the median, ess_tail often when
//                                              the largest value is repeated
//   fewer than 6 per chain                     all ess_ and mcse_ functions: a half needs 3
//   fewer than 4 per chain                     rhat and rhat_basic as well: a half needs 2
//
// One chain is enough, since it has two halves. Chains that are each constant, at different values, have an
// infinite rhat. The differences to posterior are five:
//   - with 2 or 3 draws per chain it gives the numbers of the transposed matrix of draws, here they are NaN;
//   - its rhat of chains that are each constant is a number above 1e14, the rounding of a zero variance;
//   - its mcse_sd has no answer for draws that spread by less than 1e-8, as their squares look equal;
//   - draws that spread by less than 2.2e-16 are equal to it, in whatever units they are;
//   - squares that overflow, of draws near 1e154, spoil its answers.
#pragma once

#include <span>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// One quantity: element c has the draws of chain c in order.
using Chains = std::span<const std::vector<double>>;

/// sqrt of (variance over all chains) / (variance within a chain), near 1 when the chains agree: the larger
/// one of that for the draws and that for their distances to the median, both as normal scores of their
/// ranks.
[[nodiscard]] double rhat(Chains chains);
/// The same ratio of the draws as they are, without ranks.
[[nodiscard]] double rhat_basic(Chains chains);

/// The number of independent draws that would serve as well, at most S log10(S): for the centre of the
/// distribution, from normal scores of the ranks.
[[nodiscard]] double ess_bulk(Chains chains);
/// The smaller one of ess_quantile at 0.05 and at 0.95.
[[nodiscard]] double ess_tail(Chains chains);
[[nodiscard]] double ess_mean(Chains chains);
/// That of |theta - mean|.
[[nodiscard]] double ess_sd(Chains chains);
/// That of "theta is at most its p quantile". p = 1 stands for 1 - 1 / (2 S).
[[nodiscard]] double ess_quantile(Chains chains, double p);

/// Standard errors of the estimates, in the units of the draws.
[[nodiscard]] double mcse_mean(Chains chains);
[[nodiscard]] double mcse_sd(Chains chains);
/// Half the distance between the order statistics that are one standard error below and above p.
[[nodiscard]] double mcse_quantile(Chains chains, double p);

/// Linear between the order statistics at 1 + (S - 1) p: type 7 of R.
[[nodiscard]] double quantile(Chains chains, double p);

/// The energy Bayesian fraction of missing information, one per chain, from the energies of Hamiltonian Monte
/// Carlo: sum of (E_i - E_i-1)^2 over sum of (E_i - mean)^2. Below 0.3 the momenta are renewed too timidly
/// for the tails. (Betancourt, arXiv:1604.00695, equation 5.) The chains may differ in length; NaN for fewer
/// than 3 energies, equal ones, and any that is not finite.
[[nodiscard]] std::vector<double> e_bfmi(Chains energies);

struct QuantitySummary {
  double mean, sd;
  double median, mad;   ///< mad: 1.4826 times the median of |theta - median|, near sd for normal draws
  double q5, q50, q95;  ///< q50 is the median
  double rhat, ess_bulk, ess_tail;
  double mcse_mean, mcse_sd;
};

/// What the functions above say, at the cost of one sort. An infinite draw makes mean infinite and sd NaN,
/// and leaves the order statistics as they are; sd needs two draws.
[[nodiscard]] QuantitySummary summarise(Chains chains);

}  // namespace giga
