// The Laplace approximation where the prior has group effects. Notation as in prior.hpp: b the coefficients
// of groups, x_k = log sd_k, theta all parameters but the x.
//
// The joint mode of (b, x) is of no use: the density grows without end as all b and sd go to 0 together. The
// x are therefore put where their own posterior is largest, by Laplace's formula for the integral over theta,
//
//   m(x) = log p(x) + log p(y, thetahat(x) | x) - log det H(x) / 2,
//
// thetahat(x) the mode given x and H(x) minus the Hessian there. In log sd, and under a prior with a density
// of sd that is finite at 0, m has its maximum at a positive sd even if the groups do not differ. The result
// is
//
//   N((thetahat, xhat), V),  of which theta | x ~ N(thetahat + J (x - xhat), H^-1), x ~ N(xhat, (-m'')^-1),
//
// J = d thetahat / dx: wider in theta than H^-1 by what is not known of the x.
#pragma once

#include "giga/infer/laplace.hpp"

namespace giga {

/// What laplace() does for such a prior. A start says where the x begin as well.
[[nodiscard]] LaplaceResult group_laplace(const Likelihood& likelihood, const Prior& prior,
                                          const Executor& executor, const LaplaceOptions& options,
                                          const Observer& observer);

}  // namespace giga
