// Rows of a family with E extra parameters, whitened. With u = F_beta' z and w_e the column of F' that
// belongs to phi_e, F the frame, the gradient and the Hessian of a row are
//
//     U a   and   U B U',   U = (u, w_1, ..., w_E),   a = (l', dl/dphi),
//     B = (l'', d^2l/(ds dphi)'; d^2l/(ds dphi), d^2l/dphi^2):
//
// only u, a and B differ from row to row. With K = U_n'U_m the products of two rows are
//
//     <U_n a_n, U_m a_m> = a_n' K a_m,    <U_n B_n U_n', U_m B_m U_m'> = tr(B_n K B_m K').
#pragma once

#include <array>

#include "giga/base/types.hpp"

namespace giga {

inline constexpr Index kMostBlock = 5;  // 1 + E

/// A square matrix of 1 + E rows.
struct SmallMatrix {
  std::array<std::array<double, static_cast<std::size_t>(kMostBlock)>, static_cast<std::size_t>(kMostBlock)>
      entries{};
  double& operator()(Index i, Index j) { return entries[at(i)][at(j)]; }
  double operator()(Index i, Index j) const { return entries[at(i)][at(j)]; }
};

/// a and B of a row.
struct RowBlock {
  std::array<double, static_cast<std::size_t>(kMostBlock)> a{};
  SmallMatrix b;
};

/// How many numbers a and B take besides l' and l'': E, E and E (E + 1) / 2.
[[nodiscard]] constexpr Index extra_numbers(Index num_extras) {
  return 2 * num_extras + num_extras * (num_extras + 1) / 2;
}

/// From l', l'' and `extra`: dl/dphi, d^2l/(ds dphi), then d^2l/dphi^2 in rows of the lower triangle.
[[nodiscard]] inline RowBlock row_block(double slope, double curvature, const double* extra,
                                        Index num_extras) {
  RowBlock out;
  out.a[0] = slope;
  out.b(0, 0) = curvature;
  const double* second = extra + 2 * num_extras;
  for (Index e = 1; e <= num_extras; ++e) {
    out.a[at(e)] = extra[e - 1];
    out.b(e, 0) = out.b(0, e) = extra[num_extras + e - 1];
    for (Index f = 1; f <= e; ++f) out.b(e, f) = out.b(f, e) = *second++;
  }
  return out;
}

/// a_n' K a_m.
[[nodiscard]] inline double gradient_product(const RowBlock& n, const SmallMatrix& k, const RowBlock& m,
                                             Index size) {
  double sum = 0;
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) sum += n.a[at(i)] * k(i, j) * m.a[at(j)];
  }
  return sum;
}

/// tr(B_n K B_m K').
[[nodiscard]] inline double hessian_product(const RowBlock& n, const SmallMatrix& k, const RowBlock& m,
                                            Index size) {
  SmallMatrix left, right;  // B_n K and K B_m
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      for (Index l = 0; l < size; ++l) {
        left(i, j) += n.b(i, l) * k(l, j);
        right(i, j) += k(i, l) * m.b(l, j);
      }
    }
  }
  double sum = 0;
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) sum += left(i, j) * right(i, j);
  }
  return sum;
}

}  // namespace giga
