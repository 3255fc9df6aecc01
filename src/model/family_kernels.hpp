// Log-likelihoods of rows and their derivatives in the linear predictor s, element by element.
//
// The bits of a result depend on its own y and s alone: not on the position, the length or the instruction
// set. `out` may be `s` itself; otherwise arrays do not overlap. Every constant is included. Of Poisson
// families log y! is had from the caller, who computes it once a row (log_factorial); for the others it is
// not read, and the pointer may be null.
//
// Accuracy, relative: l' and l'' of the Bernoulli and Gaussian families 1e-15, in the tails as well; of the
// Poisson families l'' 2e-15, and l' and l 1e-15 of the largest of their terms, which may cancel.
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

/// out[i] = l'(s_i) of one row at many parameters. The bits may differ from those of `derivatives`.
void scores(const FamilyParameters& family, double y, const double* s, Index count, double* out);

/// value[i], first[i], second[i] = l(s_i), l'(s_i), l''(s_i) of many rows at one parameter. `value` and
/// `second` may be null; without `value`, log_y_factorial is not read.
void derivatives(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                 const double* s, Index count, double* value, double* first, double* second);

}  // namespace giga::kernels
