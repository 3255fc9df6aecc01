// The 8-bit codes of rows, and the pass over them.
//
// With c = <l_n, l> and rho = |l_n - c l|, a row is kept as kappa = c / rho and the unit vector
//     r_n = (l_n - c l) / rho  ~  sum_k y_nk b_k + scale * q_n,    q_n in [-127, 127]^J,
// with an error of at most spread * scale. The b_k are the K leading directions of the table where it has
// such (K = 0 otherwise): the codes then resolve only what is left, and the error shrinks with it. A query d
// = A l + B g, v = v_A l + v_B g then needs one product a row, x = <r_n, g>:
//     geodesic:  score^2 = num^2 / (num^2 + 1 - x^2),    num = A kappa + B x
//     linear:    score^2 = num^2 / (1 + kappa^2)
// and the interval known for x gives an interval for the score, without a root or a division.
//
// Layout: groups of 16 rows; within a group pairs of dimensions; within a pair the 16 rows, two bytes each.
// One 16-bit multiply-add instruction then advances 8 or 16 rows by two dimensions with no horizontal sum.
#pragma once

#include <cstdint>
#include <vector>

#include "construct/selector.hpp"
#include "giga/base/types.hpp"

namespace giga::kernels {

inline constexpr Index kGroupRows = 16;
static_assert(kBlockRows % kGroupRows == 0);

/// Codes and side data of the rows of a block. Scales are the upper half of a float: rounded up, so that no
/// code exceeds 127.
struct CodeBlock {
  std::int8_t* codes;    // groups * pairs * 32
  float* kappa;          // groups * 16; NaN: not here (zero rows, padding, and rows too close to l)
  std::uint16_t* scale;  // groups * 16
  float* leading;        // y: groups * K * 16
  Index groups;
  Index pairs;  // of dimensions: ceil(J / 2)
};

/// What rows are measured against.
struct CodeFrame {
  std::vector<double> l;       // padded
  Index num_leading = 0;       // K
  std::vector<float> leading;  // b_k, row_room(J) apart, zero beyond J
};

/// The distance in memory between rows that may be read and written up to any vector width.
[[nodiscard]] constexpr Index row_room(Index dim) {
  return (dim + 63) / 64 * 64;
}

struct EncodeScratch {
  std::vector<float> unit;
  std::vector<std::int8_t> codes;
  std::vector<Dots> dots;
};

/// What encode finds out about a block besides its codes.
struct EncodeSummary {
  double spread = 0;            // max over rows of |r_n - sum y b - scale q_n| / scale
  double code_norm = 0;         // max over rows of |scale q_n|
  std::vector<Index> left_out;  // rows, counted from the block's first, that are too close to l to be coded
};

/// Encodes `count` rows starting at row `first` of the block (a multiple of 16).
void encode(const double* rows, Index first, Index count, Index dim, const CodeFrame& frame,
            const CodeBlock& block, EncodeScratch& scratch, EncodeSummary& summary);

struct CodeQuery {
  bool geodesic;
  std::vector<std::int32_t> pairs;  // g in 16-bit steps of `unit`, two dimensions to a word
  std::vector<float> leading;       // <b_k, g>
  float unit;
  float unit_error;   // |g - unit * (its integers)|
  float float_error;  // what float arithmetic may lose in x
  float d_along, d_across;
};

/// Scans a block; appends rows whose upper bound reaches `threshold`, which rises to the best lower bound
/// met.
void scan_codes(const CodeBlock& block, const CodeQuery& query, float spread, float code_norm,
                Index first_row, float& threshold, std::vector<Candidate>& candidates);

}  // namespace giga::kernels
