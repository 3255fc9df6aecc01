// Unit rows in 16 bits per component, with a bound of the rounding of each. Late in a build many rows are
// beyond what 8-bit codes can tell apart; scored by these, all but a few are ruled out before any is read in
// double or computed.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "construct/selector.hpp"

namespace giga {

class NearRows {
 public:
  /// A row takes 2 bytes for each component, whose number is rounded up to a multiple of 16, and 12 bytes
  /// more. Holds nothing of tables with more than 2^28 such components (512 MB, and up to 192 MB). Of other
  /// rows that are computed on demand it holds what is stored; rows in memory are taken over by narrow() once
  /// that pays.
  NearRows(const RowSource& rows, RowMemory& memory);

  [[nodiscard]] std::size_t bytes() const { return buffer_.size() + steps_.size() * 3 * sizeof(float); }

  /// Takes rows [first, first + count), if they are computed. Different rows may come from different threads.
  void store(Index first, const double* rows, Index count);

  /// Whether search() can be asked: the rows are held, and the query tells what l is.
  [[nodiscard]] bool serves(const Query& query) const;
  /// The rows that may reach the threshold, which is raised to `share` of the best lower bound of a score.
  /// Those with the highest bounds are contenders then.
  [[nodiscard]] std::vector<Candidate> search(const Query& query, double share, const Executor& executor,
                                              float& threshold, SearchMemory& memory,
                                              SearchStats& stats) const;

  /// Raises `threshold` to `share` of the best lower bound of a candidate's score, and drops candidates that
  /// cannot reach it. Those with the highest bounds are contenders then, dropped or not.
  void narrow(const Query& query, double share, const Executor& executor, std::vector<Candidate>& candidates,
              float& threshold, SearchMemory& memory, SearchStats& stats) const;

 private:
  class Bounds;

  [[nodiscard]] bool held() const { return buffer_.size() > 0; }
  [[nodiscard]] double product(Index n, const std::vector<float>& g) const;
  void measure_target(const Query& query, const Executor& executor) const;
  void make_room() const;
  void take(Index first, const double* rows, Index count) const;

  const RowSource* rows_;
  Index room_;  // from row to row: the length, rounded up to whole registers
  bool few_enough_ = false;
  // Filled by store(), or by the first search that finds it worth while.
  mutable std::once_flag taken_, measured_;
  mutable std::atomic<bool> ready_ = false;
  mutable RowBytes buffer_;
  mutable RowArray<float> steps_, errors_;  // of every row: x ~ step * integers, within error
  mutable RowArray<float> along_;           // <l_n, l>, within error
};

}  // namespace giga
