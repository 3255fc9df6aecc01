// Selection by a pass over 8-bit codes of the rows. See code_kernels.hpp for the mathematics.
//
// Memory: J (rounded up to a multiple of 4) + 6 bytes per row, and 2 for each leading direction that is split
// off first. These are used where a few of them, at most J / 8, hold 90% of the energy of a sample of rows.
// Where codes leave many rows, these are also held in 16 bits: near_rows.hpp.
#pragma once

#include <memory>
#include <vector>

#include "construct/code_kernels.hpp"
#include "construct/near_rows.hpp"
#include "construct/selector.hpp"

namespace giga {

class QuantisedSelector final : public Selector {
 public:
  /// Reads all rows once. `target` is l.
  QuantisedSelector(const RowSource& rows, const Executor& executor, const ExtendedVector& target);

  [[nodiscard]] Pick best(const Query& query, SearchMemory& memory, SearchStats& stats) const override;
  [[nodiscard]] std::vector<Pick> best_several(const Query& query, const Wanted& wanted, SearchMemory& memory,
                                               SearchStats& stats) const override;
  [[nodiscard]] std::size_t bytes() const override { return buffer_.size() + near_.bytes(); }
  [[nodiscard]] double prepare_bytes_read() const override;

 private:
  friend class QuantisedBuilder;

  QuantisedSelector(const RowSource& rows, const Executor& executor, kernels::CodeFrame frame);
  void encode(Index first, const double* x, Index count, kernels::EncodeScratch& scratch);
  void collect();
  [[nodiscard]] kernels::CodeBlock block(Index index) const;
  [[nodiscard]] kernels::CodeBlock codes_of(Index first, Index count) const;
  [[nodiscard]] std::vector<Candidate> scan(const Query& query, double share, float& threshold,
                                            SearchMemory& memory, SearchStats& stats) const;

  const RowSource& rows_;
  const Executor& executor_;
  kernels::Octets octets_;
  kernels::CodeFrame frame_;
  RowBytes buffer_;  // all coarse codes, then all fine ones, kappas, scales and leading coordinates
  std::size_t fine_offset_ = 0;
  std::size_t kappa_offset_ = 0;
  std::size_t scale_offset_ = 0;
  std::size_t leading_offset_ = 0;
  std::vector<kernels::EncodeSummary> summaries_;  // by block, while rows are coded
  std::vector<kernels::CodeBounds> bounds_;        // by block
  std::vector<Index> left_out_;                    // rows without codes, always scored in double
  NearRows near_;
  float target_error_ = 0;  // of plain codes
  double passes_ = 1;       // over the rows, of its own
};

/// Makes plain codes (see code_kernels.hpp) while somebody else reads the rows.
class QuantisedBuilder {
 public:
  QuantisedBuilder(const RowSource& rows, const Executor& executor);
  ~QuantisedBuilder();

  /// Whether that is worth it: rows that are computed whenever they are read, and few of them close to l.
  [[nodiscard]] static bool suits(const RowSource& rows);

  /// Takes rows of one block. Different blocks may come from different threads, with a scratch each.
  void add(Index first, const double* x, Index count, kernels::EncodeScratch& scratch);
  [[nodiscard]] std::unique_ptr<Selector> finish(const ExtendedVector& target);

 private:
  std::unique_ptr<QuantisedSelector> selector_;
};

}  // namespace giga
