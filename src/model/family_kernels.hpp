// Log-likelihoods of rows, their slopes and curvatures in the linear predictor s, element by element.
//
// The bits of a result depend on its own y and s alone: not on the position, the length or the instruction
// set. `out` may be `s` itself; otherwise arrays do not overlap. Every constant is included. The row constant
// c(y) of a family (row_constants of its description; log y! of Poisson families) comes from the caller, who
// computes it once per row; for families without one it is not read, and the pointer may be null.
//
// Accuracy: the Bernoulli family has l and l' within 4 ulp and l'' within 6, in the tails as well; the
// others have l'' to 4e-15 relative, and l and l' to 8 roundings of the largest of their terms, which may
// cancel. log_likelihoods and slopes take shorter ways than `derivatives`, so the last bits may differ
// between them.
#pragma once

#include "giga/base/types.hpp"
#include "giga/model/family.hpp"

namespace giga {

/// The extra parameters phi of a family at many points: phi_e of point j is values[e * apart + j].
struct PointExtras {
  const double* values = nullptr;
  Index apart = 0;
};

/// What a family computes; filled by kernels_of in families/kernels-inl.hpp. `extras` are the family's extra
/// parameters phi: null where it has none.
struct FamilyKernels {
  // One row at many points.
  void (*values_of_row)(const FamilyParameters& family, PointExtras extras, double y, double constant,
                        const double* s, Index count, double* out);
  void (*slopes_of_row)(const FamilyParameters& family, PointExtras extras, double y, const double* s,
                        Index count, double* out);
  // Many rows at one point.
  void (*values)(const FamilyParameters& family, const double* extras, const double* y,
                 const double* constant, const double* s, Index count, double* out);
  void (*values_and_slopes)(const FamilyParameters& family, const double* extras, const double* y,
                            const double* constant, const double* s, Index count, double* value,
                            double* slope);
  void (*derivatives)(const FamilyParameters& family, const double* extras, const double* y,
                      const double* constant, const double* s, Index count, double* value, double* slope,
                      double* curvature);
  /// out[j] += sum of l over some rows, where a family has a shorter way for all of them together; else null.
  void (*add_rows)(const double* y, const double* const* s, Index count, Index many, double* out);
  /// Derivatives in the extras, of many rows at one point, an array of `count` for each of
  /// first: dl/dphi_e; mixed: d^2 l/(ds dphi_e); second: d^2 l/(dphi_e dphi_f), f <= e, in rows of the lower
  /// triangle. Null where the family has no extras.
  void (*extra_derivatives)(const FamilyParameters& family, const double* extras, const double* y,
                            const double* s, Index count, double* first, double* mixed, double* second);
  /// value, slope and first together, of many rows at one point, for families with extras; `value` may be
  /// null, then `constant` is not read.
  void (*gradients)(const FamilyParameters& family, const double* extras, const double* y,
                    const double* constant, const double* s, Index count, double* value, double* slope,
                    double* first);
  /// out[i] = E y at the predictor s_i: of labels the chance of +1, of successes that of one trial.
  void (*means)(const double* s, Index count, double* out);
};

namespace kernels {

/// The kernels of the family for the instruction set that was chosen.
[[nodiscard]] inline const FamilyKernels& of(const FamilyParameters& family) {
  return *describe(family.family).kernels();
}

/// out[i] = l(s_i) of one row at many parameters.
inline void log_likelihoods(const FamilyParameters& family, double y, double constant, const double* s,
                            Index count, double* out, PointExtras extras = {}) {
  of(family).values_of_row(family, extras, y, constant, s, count, out);
}

/// out[i] = l(s_i) of many rows at one parameter.
inline void log_likelihoods(const FamilyParameters& family, const double* y, const double* constant,
                            const double* s, Index count, double* out, const double* extras = nullptr) {
  of(family).values(family, extras, y, constant, s, count, out);
}

/// out[i] = l'(s_i) of one row at many parameters.
inline void slopes(const FamilyParameters& family, double y, const double* s, Index count, double* out,
                   PointExtras extras = {}) {
  of(family).slopes_of_row(family, extras, y, s, count, out);
}

/// value[i] = l(s_i), slope[i] = l'(s_i) of many rows at one parameter, the shortest way. `count` is a
/// multiple of 8.
inline void values_and_slopes(const FamilyParameters& family, const double* y, const double* constant,
                              const double* s, Index count, double* value, double* slope,
                              const double* extras = nullptr) {
  of(family).values_and_slopes(family, extras, y, constant, s, count, value, slope);
}

/// value[i], slope[i], curvature[i] = l(s_i), l'(s_i), l''(s_i) of many rows at one parameter. `value` and
/// `curvature` may be null; without `value`, `constant` is not read.
inline void derivatives(const FamilyParameters& family, const double* y, const double* constant,
                        const double* s, Index count, double* value, double* slope, double* curvature,
                        const double* extras = nullptr) {
  of(family).derivatives(family, extras, y, constant, s, count, value, slope, curvature);
}

/// out[i] = E y at the predictor s_i, whatever the extra parameters; of labels the chance of +1, of successes
/// that of one trial, of student_t the centre.
inline void expected_responses(const FamilyParameters& family, const double* s, Index count, double* out) {
  of(family).means(s, count, out);
}

}  // namespace kernels
}  // namespace giga
