#include "construct/selector.hpp"

#include <algorithm>
#include <cmath>

namespace giga {
namespace {

constexpr std::size_t kMaxContenders = 32;
constexpr Index kCandidatesAtOnce = 256;

}  // namespace

float safely_below(double score) {
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

Pick best_candidate(const Query& query, const RowSource& rows, const ThreadPool& pool,
                    std::vector<Candidate>& candidates, float threshold, SearchMemory& memory,
                    SearchStats& stats) {
  std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.upper < threshold; });
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& x, const Candidate& y) { return x.row < y.row; });
  const auto count = static_cast<Index>(candidates.size());
  std::vector<double> scores(candidates.size());
  const auto score_some = [&](Index chunk) {
    std::vector<double> scratch;
    const Index end = std::min(count, (chunk + 1) * kCandidatesAtOnce);
    for (Index i = chunk * kCandidatesAtOnce; i < end; ++i) {
      const auto k = static_cast<std::size_t>(i);
      scores[k] = score_row(query, rows, candidates[k].row, scratch);
    }
  };
  const Index chunks = (count + kCandidatesAtOnce - 1) / kCandidatesAtOnce;
  if (chunks > 1) {
    pool.for_each(chunks, score_some);
  } else if (chunks == 1) {
    score_some(0);
  }
  stats.rows_rescored += static_cast<double>(count);
  stats.bytes_read += static_cast<double>(count) * static_cast<double>(rows.dim()) * sizeof(double);

  Pick pick;
  for (std::size_t k = 0; k < scores.size(); ++k) pick.offer(candidates[k].row, scores[k]);

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
