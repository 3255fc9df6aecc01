// What the factorisations of an NNLS problem share: the columns, the target, the present solution.
#pragma once

#include <memory>
#include <vector>

#include "base/extended.hpp"
#include "giga/base/types.hpp"

namespace giga {

/// The <a_i, residual> that makes a column worth entering: more than this share of |residual|, and above
/// rounding.
inline constexpr Extended kNnlsViolation = 1e-10L;

struct NnlsProblem {
  ExtendedVector b;
  // Their owner may hold them too; null: not kept. Where norms are extreme, scaled by a power of two, which
  // changes no bit of the direction: products of columns neither overflow nor underflow.
  std::vector<std::shared_ptr<const std::vector<double>>> columns;
  std::vector<Extended> norms;
  std::vector<Extended> u;  // of the unit columns

  [[nodiscard]] Index num_columns() const { return std::ssize(columns); }

  [[nodiscard]] const std::vector<double>& column(Index i) const { return *columns[at(i)]; }

  /// a_i = column / norm.
  [[nodiscard]] ExtendedVector unit(Index i) const {
    ExtendedVector out(column(i).begin(), column(i).end());
    scale(out, 1 / norms[at(i)]);
    return out;
  }

  /// b - A u, from the columns: nothing is carried along that could drift.
  [[nodiscard]] ExtendedVector residual() const {
    ExtendedVector out = b;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (u[i] > 0) add_scaled(out, -u[i] / norms[i], *columns[i]);
    return out;
  }
};

/// The first column that reaches zero on the way from u to z, and the share of the way until then.
struct NnlsBoundary {
  Index position = -1;  // in the support; -1: z is positive
  Extended step = 1;
};

/// u + step (z - u) with the largest step <= 1 that keeps u >= 0: column k reaches 0 at u_k / (u_k - z_k).
template <typename Number>
[[nodiscard]] NnlsBoundary nnls_boundary(const std::vector<Extended>& u, const std::vector<Index>& support,
                                         const std::vector<Number>& z) {
  NnlsBoundary out;
  for (std::size_t k = 0; k < z.size(); ++k) {
    if (z[k] > 0) continue;
    const Extended from = u[at(support[k])];
    const Extended until = from > 0 ? from / (from - static_cast<Extended>(z[k])) : 0;
    if (until < out.step || out.position < 0) {
      out.step = until < out.step ? until : out.step;
      out.position = static_cast<Index>(k);
    }
  }
  return out;
}

/// Goes as far as the boundary allows, or to z.
template <typename Number>
void nnls_advance(std::vector<Extended>& u, const std::vector<Index>& support, const std::vector<Number>& z,
                  const NnlsBoundary& boundary) {
  for (std::size_t k = 0; k < z.size(); ++k) {
    Extended& each = u[at(support[k])];
    const auto goal = static_cast<Extended>(z[k]);
    each = boundary.position < 0 ? goal : std::max<Extended>(0, each + boundary.step * (goal - each));
  }
}

/// The new number of each column once those that are not kept are gone; -1 for these.
[[nodiscard]] inline std::vector<Index> nnls_moved(const std::vector<bool>& keep) {
  std::vector<Index> moved(keep.size(), -1);
  Index kept = 0;
  for (std::size_t i = 0; i < keep.size(); ++i)
    if (keep[i]) moved[i] = kept++;
  return moved;
}

}  // namespace giga
