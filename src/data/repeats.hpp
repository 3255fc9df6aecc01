// Which of some rows of a table equal an earlier one among them.
//
// Rows are hashed in parallel, distributed by the top bits of their hash into parts small enough for the
// cache, and looked up part by part. Within a part rows stay in order, so the first of a set of equal rows is
// the first in the table; equal hashes are settled by comparing values. No step depends on the number of
// threads.
#pragma once

#include <cstdint>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"

namespace giga {

/// By value: 0 equals -0, as their hashes do; NaN does not occur in a Dataset. `own` are the features of the
/// row, `other` those of another, and `response` its response.
[[nodiscard]] bool equals_row(const Dataset& data, Index row, const double* own, const double* other,
                              double response);
/// 0 in every row of a table without a response.
[[nodiscard]] double response_or_0(const Dataset& data, Index row);

/// Of rows `rows` of `data`, all by their number there; those of weight 0 do not count.
class Repeats {
 public:
  Repeats(const Dataset& data, const RowRange& rows, const Executor& executor, std::uint64_t hash_mask);

  [[nodiscard]] const RowRange& rows() const { return rows_; }
  [[nodiscard]] bool counts(Index n) const { return kinds_[at(n - rows_.begin)] != kNothing; }
  [[nodiscard]] bool is_repeat(Index n) const { return kinds_[at(n - rows_.begin)] == kRepeat; }
  /// The row that a repeat repeats.
  [[nodiscard]] Index first(Index n) const { return static_cast<Index>(hashes_[at(n - rows_.begin)]); }
  /// Of a row that is no repeat, until set_number().
  [[nodiscard]] std::uint64_t hash(Index n) const { return hashes_[at(n - rows_.begin)]; }

  /// Whether a row counts and is no repeat.
  [[nodiscard]] bool is_first(Index n) const { return kinds_[at(n - rows_.begin)] == kFirst; }

  /// A number that is kept for a row which is no repeat, in the place of its hash.
  void set_number(Index n, Index number) {
    hashes_[at(n - rows_.begin)] = static_cast<std::uint64_t>(number);
  }
  [[nodiscard]] Index number(Index n) const { return first(n); }

 private:
  void hash_rows();
  void deal_rows();
  void look_up(std::size_t part);
  [[nodiscard]] std::size_t part_of(std::uint64_t hash) const;

  const Dataset& data_;
  const RowRange rows_;
  const Executor& executor_;
  std::uint64_t hash_mask_;
  int shift_ = 64;
  // Per row: its hash; of a repeat the row that it repeats.
  RowArray<std::uint64_t> hashes_{executor_.memory()};
  // Where each part begins in order_, and the end of the last.
  std::vector<std::size_t> begins_;
  RowArray<Index> order_{executor_.memory()};
  // What each row is; before it is looked up, what it may be.
  static constexpr char kNothing = 0, kFirst = 1, kRepeat = 2;
  RowArray<char> kinds_{executor_.memory()};
};

}  // namespace giga
