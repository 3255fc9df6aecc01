// What selectors share. A search that prunes by bounds ends with candidates, the rows it could not rule out:
// row, and an upper bound of its score. Those are rescored in double, the most promising first, and
// exact_score decides; so all selectors return the same row.
#include "construct/selector.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "construct/row_pass.hpp"

namespace giga {
namespace {

constexpr Index kFirstRound = 32;
constexpr Index kCandidatesAtOnce = 64;  // by one thread

}  // namespace

float safely_below(double score) {
  // 1e-6 is more than the 2^-24 (6e-8) by which rounding to float may raise the score.
  const auto rounded = static_cast<float>(score);
  return rounded - 1e-6F * std::abs(rounded);
}

Pick best_contender(const Query& query, const RowSource& rows, SearchMemory& memory, SearchStats& stats) {
  const std::vector<Index> contenders = std::exchange(memory.contenders, {});
  std::vector<double> scratch;
  Pick pick;
  for (const Index row : contenders) pick.offer(row, score_row(query, rows, row, scratch));
  const auto count = static_cast<double>(contenders.size());
  stats.rows_rescored += count;
  stats.bytes_read += count * static_cast<double>(rows.dim()) * sizeof(double);
  return pick;
}

void keep_wanted(const Wanted& wanted, std::vector<Pick>& picks) {
  std::erase_if(picks, [](const Pick& pick) { return !(pick.score > 0); });
  const auto kept = std::min(wanted.count, std::ssize(picks));
  std::partial_sort(picks.begin(), picks.begin() + kept, picks.end(), [](const Pick& x, const Pick& y) {
    return x.score != y.score ? x.score > y.score : x.row < y.row;
  });
  picks.resize(at(kept));
  if (picks.empty()) return;
  const double least = wanted.share * picks.front().score;
  std::erase_if(picks, [least](const Pick& pick) { return pick.score < least; });
}

std::vector<Pick> best_of_all(const Query& query, const Wanted& wanted, const RowSource& rows,
                              const Executor& executor, SearchStats& stats) {
  const Index dim = rows.dim();
  std::vector<Pick> picks(at(rows.num_rows()));
  for_each_block(executor, rows.num_rows(), [&](Index begin, Index count) {
    kernels::Dots products[kTileRows];
    for_each_tile(rows, begin, count, [&](Index first, const double* x, Index some) {
      kernels::dots(x, some, dim, query.d.data(), query.v.data(), products);
      for (Index i = 0; i < some; ++i)
        picks[at(first + i)] = {first + i, exact_score(query, x + i * dim, products[i], dim)};
    });
  });
  const auto count = static_cast<double>(rows.num_rows());
  stats.bytes_read += count * static_cast<double>(dim) * sizeof(double);
  stats.rows_touched += count;
  stats.rows_rescored += count;
  keep_wanted(wanted, picks);
  return picks;
}

std::vector<Pick> best_candidates(const Query& query, const Wanted& wanted, const RowSource& rows,
                                  const Executor& executor, std::vector<Candidate>& candidates,
                                  float threshold, SearchMemory& memory, SearchStats& stats) {
  // The most promising first, in rounds: what one round finds spares the next most of the rest.
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
    return x.upper != y.upper ? x.upper > y.upper : x.row < y.row;
  });
  // Invariant: picks[i] belongs to candidates[i] for i < picks.size(); the rest are unscored, by falling
  // upper bound.
  std::vector<Pick> picks;
  const auto drop_hopeless = [&] {
    // Candidates are sorted by their bounds, so the hopeless ones are at the end. Those already scored stay.
    const auto first = std::partition_point(candidates.begin(), candidates.end(),
                                            [&](const Candidate& x) { return x.upper >= threshold; });
    candidates.erase(std::max(first, candidates.begin() + std::ssize(picks)), candidates.end());
  };
  drop_hopeless();
  for (Index round = std::max(kFirstRound, wanted.count); picks.size() < candidates.size(); round *= 2) {
    const Index begin = std::ssize(picks), end = std::min(std::ssize(candidates), begin + round);
    picks.resize(at(end));
    executor.for_each((end - begin + kCandidatesAtOnce - 1) / kCandidatesAtOnce, [&](Index part) {
      std::vector<double> scratch;
      const Index first = begin + part * kCandidatesAtOnce, last = std::min(end, first + kCandidatesAtOnce);
      for (Index i = first; i < last; ++i) {
        const Index row = candidates[at(i)].row;
        picks[at(i)] = {row, score_row(query, rows, row, scratch)};
      }
    });
    // No row below a share of the best is wanted, nor one below the last of those that are.
    std::vector<double> scores;
    for (const Pick& pick : picks) scores.push_back(pick.score);
    const auto last = std::min(wanted.count, std::ssize(scores)) - 1;
    std::nth_element(scores.begin(), scores.begin() + last, scores.end(), std::greater<>());
    const double best = *std::max_element(scores.begin(), scores.begin() + last + 1);
    const double enough = std::max(wanted.share * best, last + 1 == wanted.count ? scores[at(last)] : 0.0);
    if (enough > 0) threshold = std::max(threshold, safely_below(enough));
    drop_hopeless();
  }
  stats.rows_rescored += static_cast<double>(picks.size());
  stats.bytes_read += static_cast<double>(picks.size()) * static_cast<double>(rows.dim()) * sizeof(double);

  // The best scores of this search are the contenders of the next.
  const std::size_t keep = std::min(kMaxContenders, picks.size());
  std::vector<Pick> close(keep);
  std::partial_sort_copy(picks.begin(), picks.end(), close.begin(), close.end(),
                         [](const Pick& x, const Pick& y) { return x.score > y.score; });
  const std::vector<Index> others = std::exchange(memory.contenders, {});
  for (const Pick& pick : close) memory.contenders.push_back(pick.row);
  for (const Index row : others) {
    if (memory.contenders.size() >= kCloseContenders) break;
    if (std::ranges::find(memory.contenders, row) == memory.contenders.end())
      memory.contenders.push_back(row);
  }
  keep_wanted(wanted, picks);
  return picks;
}

}  // namespace giga
