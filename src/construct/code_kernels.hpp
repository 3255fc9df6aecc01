// The 8-bit codes of rows (encode_rows.cpp), and the pass over them (scan_codes.cpp).
//
// With c = <l_n, l> and rho = |l_n - c l|, a row is kept as kappa = c / rho and the unit vector
//     r_n = (l_n - c l) / rho  ~  sum_k y_nk b_k + scale * q_n,    q_n in [-119, 119]^J,
// with an error of at most spread * scale. The b_k are the K leading directions of the table, if it has any
// (otherwise K = 0): the codes then resolve only what is left, and the error shrinks with it. With a query
//     d = A l + B g,    v = v_A l + v_B g
// a row needs one product, x = <r_n, g>:
//     geodesic:  score^2 = num^2 / (num^2 + 1 - x^2),    num = A kappa + B x
//     linear:    score^2 = num^2 / (1 + kappa^2)
// and the interval known for x gives an interval for the score, without a root or a division.
//
// That takes l before the first row is coded, and so a second reading of the rows. Where reading is dear the
// codes are `plain`: r_n is l_n itself, and c is taken from the codes once l is known. Then
//     geodesic:  score^2 = num^2 / (num^2 + 1 - c^2 - x^2),    num = A c + B x
//     linear:    score   = num
// which is as good except for rows within a few degrees of l or -l: their distance from l
// is lost in rounding.
//
// The codes lie in two planes of four bits: q = 16 h + f with h in [-7, 7] and f in [-8, 7]. A pass reads the
// coarse plane; the fine one only for groups in which a row may win by its coarse bound.
//
// Layout of a plane: groups of 16 rows; within a group octets of dimensions; within an octet the 16 rows,
// four bytes each, the first four dimensions in the lower halves of the bytes and the last four in the upper.
// One multiply-add instruction then advances 8 or 16 rows by two dimensions, or four in the coarse plane,
// with no horizontal sum and nothing moved between the lanes of a register.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "construct/selector.hpp"
#include "giga/base/types.hpp"

namespace giga::kernels {

inline constexpr Index kGroupRows = 16;
static_assert(kBlockRows % kGroupRows == 0);

inline constexpr int kCodeOffset = 136;        // q + 136 = 16 (h + 8) + (f + 8)
inline constexpr float kLeadingSteps = 32768;  // steps from 0 to 1, the largest leading coordinate

inline constexpr Index kOctet = 8;                    // dimensions
inline constexpr Index kOctetBytes = 4 * kGroupRows;  // of a group, in one plane

/// The dimensions of a group in whole octets, and perhaps half a one.
struct Octets {
  Index whole;
  bool half;

  explicit Octets(Index dim)
      : whole((dim + kOctet / 2 - 1) / kOctet), half((dim + kOctet - 1) / kOctet != whole) {}
  [[nodiscard]] Index count() const { return whole + (half ? 1 : 0); }
  [[nodiscard]] Index coarse_bytes() const { return count() * kOctetBytes; }
  [[nodiscard]] Index fine_bytes() const { return whole * kOctetBytes; }
};

/// Codes and side data of the rows of a block. Scales are the upper half of a float: rounded up, so that no
/// code exceeds 119.
struct CodeBlock {
  std::uint8_t* coarse;   // h + 8, in half an octet q + 136: groups * coarse_bytes()
  std::uint8_t* fine;     // f + 8: groups * fine_bytes()
  float* kappa;           // groups * 16; NaN: not here (zero rows, padding, and rows too close to l)
  std::uint16_t* scale;   // groups * 16
  std::int16_t* leading;  // y in steps of 1 / 32768: groups * K * 16
  Index groups;
  Octets octets;
};

/// The scale whose upper half this is.
[[nodiscard]] inline float expanded(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// What rows are measured against.
struct CodeFrame {
  bool plain = false;
  std::vector<double> l;       // padded; zero if plain
  Index num_leading = 0;       // K
  std::vector<float> leading;  // b_k, row_room(J) apart, zero beyond J
};

/// The distance in memory between rows that may be read and written up to any vector width. At multiples of a
/// power of two the rows of a column would compete for the same few lines of the cache.
[[nodiscard]] constexpr Index row_room(Index dim) {
  return (dim + 63) / 64 * 64 + 16;
}

struct EncodeScratch {
  std::vector<float> unit;
  std::vector<std::uint8_t> codes;
  std::vector<float> along;
  std::vector<Dots> dots;
};

/// How far the codes of a block may be from its rows.
struct CodeBounds {
  float spread = 0;         // max over rows of |r_n - sum y b - scale q_n| / scale
  float coarse_spread = 0;  // the same with 16 h_n for q_n
  float norm = 0;           // max over rows of |q_n| and |16 h_n|
};

/// What encode finds out about a block besides its codes.
struct EncodeSummary {
  CodeBounds bounds;
  std::vector<Index> left_out;  // rows, counted from the block's first, that are too close to l to be coded
};

/// Encodes `count` rows starting at row `first` of the block (a multiple of 16).
void encode(const double* rows, Index first, Index count, Index dim, const CodeFrame& frame,
            const CodeBlock& block, EncodeScratch& scratch, EncodeSummary& summary);

/// g in integer steps of `unit`, as the lanes of a multiply-add take them.
struct SteppedDirection {
  /// Fine: 4 words of two 16-bit steps for each octet, of its dimensions 0 and 2, 1 and 3, 4 and 6, 5 and 7.
  /// Coarse: 2 words of four 8-bit steps.
  std::vector<std::int32_t> words;
  std::int32_t total = 0;  // the sum of the integers
  float unit = 1;
  float error = 0;  // |g - unit * (its integers)|
};

struct CodeQuery {
  bool geodesic;
  bool plain;
  float target_error;          // as in `fine`, of the steps that l was rounded to; 0 unless plain
  SteppedDirection fine;       // 16 bits per step
  SteppedDirection coarse;     // 8 bits per step: products with 4-bit codes then fit 16 bits
  std::vector<float> leading;  // <b_k, g> / 32768
  float float_error;           // what float arithmetic may lose in x
  float d_along, d_across;
  float share = 1;  // of the best score: rows that reach it are wanted
};

/// For plain codes: fills in c from the query whose direction is l.
void measure_target(const CodeBlock& block, const CodeQuery& target);

/// Scans a block; appends rows whose upper bound reaches `threshold`, which rises to the query's share of the
/// best lower bound met. Returns the number of groups whose fine plane was read: all of them if not
/// `coarse_first`.
Index scan_codes(const CodeBlock& block, const CodeQuery& query, const CodeBounds& bounds, bool coarse_first,
                 Index first_row, float& threshold, std::vector<Candidate>& candidates);

}  // namespace giga::kernels
