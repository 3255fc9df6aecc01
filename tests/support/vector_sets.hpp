// Random sets of vectors for construction: every kind of input that it must take as ordinary. Set i is a
// function of i alone.
#pragma once

#include <string>
#include <vector>

#include "giga/base/matrix_view.hpp"
#include "giga/base/names.hpp"
#include "giga/base/types.hpp"

namespace giga::test {

enum class VectorSetKind {
  Gaussian,       ///< Normal components, half of the time with a common mean.
  Binary,         ///< Components 0 and 1.
  Collinear,      ///< Multiples of one vector, half of the time of both signs.
  Axis,           ///< Each row along one axis.
  NearDuplicate,  ///< One vector, plus noise of 1e-9 of its size.
  Pairs,          ///< x and -x for every x: the sum is zero.
  PairsAndRest,   ///< Pairs, and a few rows besides, which may be far smaller.
  MixedNorms,     ///< Normal directions, norms log-uniform from 1e-150 to 1e150.
  LowRank,        ///< Combinations of two or three vectors.
  Clustered,      ///< A few centres, rows within 1e-6 of them.
  NearTarget,     ///< One vector, plus noise between 1e-3 and 1e-7 of its size: all nearly parallel to L.
};
constexpr auto name_table(VectorSetKind) {
  using enum VectorSetKind;
  return names_are<VectorSetKind>({{Gaussian, "gaussian"},
                                   {Binary, "binary"},
                                   {Collinear, "collinear"},
                                   {Axis, "axis"},
                                   {NearDuplicate, "near-duplicate"},
                                   {Pairs, "pairs"},
                                   {PairsAndRest, "pairs-and-rest"},
                                   {MixedNorms, "mixed-norms"},
                                   {LowRank, "low-rank"},
                                   {Clustered, "clustered"},
                                   {NearTarget, "near-target"}});
}

/// N x J, row-major.
struct VectorSet {
  VectorSetKind kind = VectorSetKind::Gaussian;
  Index index = 0;
  Index rows = 0, dim = 0;
  std::vector<double> data;

  [[nodiscard]] MatrixView view() const { return MatrixView::of(data.data(), rows, dim); }
  [[nodiscard]] const double* row(Index n) const { return data.data() + n * dim; }
  [[nodiscard]] std::string label() const;
};

/// The eight kinds; N 1..500 and J 1..50, small ones more often. Some have zero rows, some have
/// duplicates.
[[nodiscard]] VectorSet vector_set(Index i);

/// All kinds; N 1..max_rows and J 1..60, with zero rows and duplicates as above.
[[nodiscard]] VectorSet selector_vectors(Index i, Index max_rows);

/// Normal components.
[[nodiscard]] VectorSet gaussian_vectors(Index rows, Index dim, Index seed);

}  // namespace giga::test
