// Unit rows in float, for tables whose rows are computed anew whenever they are asked for. Late in a build
// many rows are beyond what 8-bit codes can tell apart; scored by these, all but a few are ruled out before
// any is computed.
#pragma once

#include <vector>

#include "base/large_buffer.hpp"
#include "construct/selector.hpp"

namespace giga {

class NearRows {
 public:
  NearRows() = default;
  /// Holds nothing unless the rows are computed on demand and are few enough: 4 N J <= 512 MB.
  explicit NearRows(const RowSource& rows);

  [[nodiscard]] bool held() const { return buffer_.bytes() > 0; }
  [[nodiscard]] std::size_t bytes() const { return buffer_.bytes(); }

  /// Takes rows [first, first + count). Different rows may come from different threads.
  void store(Index first, const double* rows, Index count) const;

  /// Raises `threshold` to the best lower bound of a candidate's score, and drops candidates that cannot
  /// reach it.
  void narrow(const Query& query, const Executor& executor, std::vector<Candidate>& candidates,
              float& threshold, SearchStats& stats) const;

 private:
  Index dim_ = 0;
  LargeBuffer buffer_;
};

}  // namespace giga
