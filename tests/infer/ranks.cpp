#include "infer/ranks.hpp"

#include <array>
#include <cmath>

namespace giga::test {
namespace {

double score(Index rank) {
  return normal_quantile((static_cast<double>(rank) + 0.5) / (kRankedDraws + 1));
}

void check_scores(const std::vector<Index>& ranks, const std::string& what, Findings& findings) {
  double variance = 0, fourth = 0;  // moments of the score of a uniform rank
  for (Index rank = 0; rank <= kRankedDraws; ++rank) {
    variance += std::pow(score(rank), 2) / (kRankedDraws + 1);
    fourth += std::pow(score(rank), 4) / (kRankedDraws + 1);
  }
  const auto count = static_cast<double>(ranks.size());
  double sum = 0, squares = 0;
  for (const Index rank : ranks) {
    sum += score(rank);
    squares += std::pow(score(rank), 2);
  }
  findings.compare(sum / std::sqrt(count * variance), what + ", mean of ranks");
  findings.compare((squares - count * variance) / std::sqrt(count * (fourth - variance * variance)),
                   what + ", variance of ranks");
}

// Wilson and Hilferty: the cube root of a chi-square is nearly normal.
void check_histogram(const std::vector<Index>& ranks, const std::string& what, Findings& findings) {
  constexpr std::size_t kBins = 16;
  std::array<double, kBins> bins{};
  for (const Index rank : ranks) ++bins[static_cast<std::size_t>(rank) * kBins / (kRankedDraws + 1)];
  const double expected = static_cast<double>(ranks.size()) / kBins;
  double chi_square = 0;
  for (const double bin : bins) chi_square += (bin - expected) * (bin - expected) / expected;
  constexpr double kFreedom = kBins - 1, kSpread = 2 / (9 * kFreedom);
  findings.compare((std::cbrt(chi_square / kFreedom) - (1 - kSpread)) / std::sqrt(kSpread),
                   what + ", histogram of ranks");
}

}  // namespace

RankedTruth rank_truth(const std::vector<double>& truth, const std::vector<std::vector<double>>& draws) {
  RankedTruth out;
  for (std::size_t q = 0; q < truth.size(); ++q) {
    Index rank = 0;
    double mean = 0, variance = 0, covariance = 0;  // of neighbouring draws, as sums
    for (const std::vector<double>& draw : draws) {
      if (draw[q] < truth[q]) ++rank;
      mean += draw[q] / static_cast<double>(kRankedDraws);
    }
    for (std::size_t s = 0; s < draws.size(); ++s) {
      variance += std::pow(draws[s][q] - mean, 2);
      if (s > 0) covariance += (draws[s][q] - mean) * (draws[s - 1][q] - mean);
    }
    out.rank.push_back(rank);
    out.autocorrelation.push_back(covariance / variance);
  }
  return out;
}

Ranks gather_ranks(std::vector<std::string> quantities, const std::vector<RankedTruth>& all) {
  Ranks out;
  for (const RankedTruth& one : all) out.ranks.insert(out.ranks.end(), one.rank.begin(), one.rank.end());
  for (std::size_t q = 0; q < quantities.size(); ++q) {
    double total = 0;
    for (const RankedTruth& one : all) total += one.autocorrelation[q];
    // The sample mean of a chain takes 1 / L off the autocorrelation of independent draws.
    out.autocorrelation.push_back(total / static_cast<double>(all.size()) + 1.0 / kRankedDraws);
  }
  out.quantities = std::move(quantities);
  return out;
}

Findings check_ranks(const Ranks& ranks, Index all_quantities) {
  constexpr Index kTests = 3;
  Findings findings;
  findings.bound = bonferroni_bound(kTests * all_quantities, kFalseAlarmOfAll);
  const std::size_t count = ranks.quantities.size();
  for (std::size_t q = 0; q < count; ++q) {
    const std::string& what = ranks.quantities[q];
    std::vector<Index> of_quantity;
    for (std::size_t i = q; i < ranks.ranks.size(); i += count) of_quantity.push_back(ranks.ranks[i]);
    check_scores(of_quantity, what, findings);
    check_histogram(of_quantity, what, findings);
    findings.require(std::abs(ranks.autocorrelation[q]) <= kMostAutocorrelation,
                     what + ": autocorrelation " + std::to_string(ranks.autocorrelation[q]));
  }
  return findings;
}

}  // namespace giga::test
