// Log-likelihoods of rows and their derivatives in the linear predictor s, element by element.
//
// The bits of a result depend on its own y and s alone: not on the position, the length or the instruction
// set. `out` may be `s` itself; otherwise arrays do not overlap. Every constant is included. Of Poisson
// families log y! is had from the caller, who computes it once a row (log_factorial); for the others it is
// not read, and the pointer may be null.
//
// Accuracy: of the Bernoulli family l and l' are within 4 ulp and l'' within 6, in the tails as well; the
// others have l'' to 4e-15 relative, and l and l' to 8 roundings of the largest of their terms, which may
// cancel. log_likelihoods and scores take shorter ways than `derivatives`, so the last bits may differ
// between them.
#pragma once

#include "giga/base/types.hpp"
#include "giga/model/family.hpp"

namespace giga::kernels {

/// out[i] = l(s_i) of one row at many parameters.
void log_likelihoods(const FamilyParameters& family, double y, double log_y_factorial, const double* s,
                     Index count, double* out);

/// out[i] = l(s_i) of many rows at one parameter.
void log_likelihoods(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                     const double* s, Index count, double* out);

/// out[i] = l'(s_i) of one row at many parameters.
void scores(const FamilyParameters& family, double y, const double* s, Index count, double* out);

/// value[i] = l(s_i), score[i] = l'(s_i) of many rows at one parameter, the shortest way. `count` is a
/// multiple of 8.
void values_and_scores(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                       const double* s, Index count, double* value, double* score);

/// out[j] += sum_i l(s[i][j]) of the Bernoulli family, for count <= 16 rows i with labels y[i] and j < many.
/// One logarithm serves all rows, so the error is a few roundings of 1 a row, and of the sum. s[i] has room
/// for a multiple of 8 elements.
void add_bernoulli(const double* y, const double* const* s, Index count, Index many, double* out);

/// value[i], first[i], second[i] = l(s_i), l'(s_i), l''(s_i) of many rows at one parameter. `value` and
/// `second` may be null; without `value`, log_y_factorial is not read.
void derivatives(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                 const double* s, Index count, double* value, double* first, double* second);

}  // namespace giga::kernels
