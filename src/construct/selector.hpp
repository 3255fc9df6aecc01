// The contract of a selector: the row with the largest exact_score, ties to the lowest row.
#pragma once

#include <cstddef>
#include <vector>

#include "construct/query.hpp"
#include "giga/construct/build.hpp"

namespace giga {

/// What a build remembers from one search to the next. It makes searches faster and never changes their
/// answer.
struct SearchMemory {
  std::vector<Index> contenders;  // rows that came close in the last search
  bool backwards = false;         // passes over codes alternate: what the cache still holds is used first
  bool hardly_pruned = false;     // codes left more than half of the rows
  Index unscanned = 0;            // searches since codes were last tried
};

/// How many rows a search is to find.
struct Wanted {
  Index count = 1;
  double share = 1;  ///< of the best score, in (0, 1]
};

class Selector {
 public:
  virtual ~Selector() = default;

  /// The best row; Pick::row is -1 if no row has a positive score.
  [[nodiscard]] virtual Pick best(const Query& query, SearchMemory& memory, SearchStats& stats) const = 0;

  /// The rows that score at least `share` of the best, the best first, ties to the lowest row; at most
  /// `count` of them. None if no row has a positive score. By exact_score; rows that are known by their
  /// products go by these, which are good to nine digits.
  [[nodiscard]] virtual std::vector<Pick> best_several(const Query& query, const Wanted& wanted,
                                                       SearchMemory& memory, SearchStats& stats) const = 0;

  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Bytes of rows read to make it.
  [[nodiscard]] virtual double prepare_bytes_read() const = 0;
};

/// A row that a search could not rule out, and the largest score it may have.
struct Candidate {
  Index row;
  float upper;
};
inline constexpr float kAnyScore = 2;  ///< Above any.

/// The next query differs little from this one: its best row is often among those that came close now, and
/// their scores, found first, are a threshold to prune by from the start. Rows that a search remembers, at
/// most; fewer of those that bounds alone ruled out.
inline constexpr std::size_t kMaxContenders = 32, kCloseContenders = 8;

/// The best of the candidates whose upper bound reaches `threshold`, by exact_score. The best of them become
/// contenders, before those that memory.contenders has.
[[nodiscard]] std::vector<Pick> best_candidates(const Query& query, const Wanted& wanted,
                                                const RowSource& rows, const Executor& executor,
                                                std::vector<Candidate>& candidates, float threshold,
                                                SearchMemory& memory, SearchStats& stats);

/// The same by scoring every row.
[[nodiscard]] std::vector<Pick> best_of_all(const Query& query, const Wanted& wanted, const RowSource& rows,
                                            const Executor& executor, SearchStats& stats);

/// Sorts picks, the best first, and leaves those that are wanted.
void keep_wanted(const Wanted& wanted, std::vector<Pick>& picks);

/// The best exact score among the contenders of the last search, which are then forgotten: where a search may
/// start pruning.
[[nodiscard]] Pick best_contender(const Query& query, const RowSource& rows, SearchMemory& memory,
                                  SearchStats& stats);

/// Largest float certainly not above the score: bounds computed in float are compared with it.
[[nodiscard]] float safely_below(double score);

}  // namespace giga
