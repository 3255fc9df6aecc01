// What selectors share. A search that prunes by bounds ends with candidates, the rows it could not rule out:
// row, and an upper bound of its score. Those are rescored in double, the most promising first, and
// exact_score decides; so all selectors return the same row.
#include "construct/selector.hpp"

#include <algorithm>
#include <cmath>

#include "construct/best_row.hpp"

namespace giga {
namespace {

// The next query differs little from this one: its best row is often among those that came close now, and
// their scores, found first, are a threshold to prune by from the start.
constexpr std::size_t kMaxContenders = 32;
constexpr Index kFirstRound = 32;
constexpr Index kCandidatesAtOnce = 64;  // by one thread

}  // namespace

std::vector<Pick> Selector::best_several(const Query& query, Index /*count*/, SearchMemory& memory,
                                         SearchStats& stats) const {
  const Pick pick = best(query, memory, stats);
  return pick.row < 0 ? std::vector<Pick>{} : std::vector{pick};
}

float safely_below(double score) {
  // 1e-6 is more than the 2^-24 (6e-8) by which rounding to float may raise the score.
  const auto rounded = static_cast<float>(score);
  return rounded - 1e-6F * std::abs(rounded);
}

Pick best_contender(const Query& query, const RowSource& rows, const SearchMemory& memory,
                    SearchStats& stats) {
  std::vector<double> scratch;
  Pick pick;
  for (const Index row : memory.contenders) pick.offer(row, score_row(query, rows, row, scratch));
  const auto count = static_cast<double>(memory.contenders.size());
  stats.rows_rescored += count;
  stats.bytes_read += count * static_cast<double>(rows.dim()) * sizeof(double);
  return pick;
}

Pick best_candidate(const Query& query, const RowSource& rows, const Executor& executor,
                    std::vector<Candidate>& candidates, float threshold, SearchMemory& memory,
                    SearchStats& stats) {
  // The most promising first, in rounds: what one round finds spares the next most of the rest.
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
    return x.upper != y.upper ? x.upper > y.upper : x.row < y.row;
  });
  // Invariant: scores[i] belongs to candidates[i] for i < scores.size(); the rest are unscored, by falling
  // upper bound. `pick` is the best of those scored.
  std::vector<double> scores;
  Pick pick;
  const auto drop_hopeless = [&] {
    // Candidates are sorted by their bounds, so the hopeless ones are at the end. Those already scored stay.
    const auto first = std::partition_point(candidates.begin(), candidates.end(),
                                            [&](const Candidate& x) { return x.upper >= threshold; });
    candidates.erase(std::max(first, candidates.begin() + std::ssize(scores)), candidates.end());
  };
  drop_hopeless();
  for (Index round = kFirstRound; scores.size() < candidates.size(); round *= 2) {
    const Index begin = std::ssize(scores), end = std::min(std::ssize(candidates), begin + round);
    scores.resize(at(end));
    const auto score_some = [&](Index first, Index count, Pick& best) {
      std::vector<double> scratch;
      for (Index i = begin + first; i < begin + first + count; ++i) {
        scores[at(i)] = score_row(query, rows, candidates[at(i)].row, scratch);
        best.offer(candidates[at(i)].row, scores[at(i)]);
      }
    };
    pick = best_row(executor, end - begin, score_some, pick, {.block_rows = kCandidatesAtOnce});
    if (pick.score > 0) threshold = std::max(threshold, safely_below(pick.score));
    drop_hopeless();
  }
  stats.rows_rescored += static_cast<double>(scores.size());
  stats.bytes_read += static_cast<double>(scores.size()) * static_cast<double>(rows.dim()) * sizeof(double);

  // The best scores of this search are the contenders of the next.
  std::vector<std::size_t> order(scores.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  const std::size_t keep = std::min(kMaxContenders, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<Index>(keep), order.end(),
                    [&](std::size_t x, std::size_t y) { return scores[x] > scores[y]; });
  memory.contenders.clear();
  for (std::size_t k = 0; k < keep; ++k) memory.contenders.push_back(candidates[order[k]].row);
  return pick.score > 0 ? pick : Pick{};
}

}  // namespace giga
