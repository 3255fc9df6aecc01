// Standard deviations of coefficients by the residuals themselves, held against those of the model.
//
// With l' and l'' of the rows at theta, H = sum of -l'' z z' and u_n = H^-1 z_n, the model takes
//
//     H^-1 = sum of -l''_n u_n u_n'    for what should be    sum of l'_n^2 u_n u_n'
//
// (White 1980). The two agree where the noise is as large as the model says in all parts of the data; the
// ratio of their diagonals is by how much posterior variances are off. For coefficient d, with
// e_n = (l'_n^2 + l''_n) u_nd^2, the sum of e over the root of the sum of e^2 is standard normal, about,
// where the model is right.
#pragma once

#include <span>

#include "giga/model/linear_model.hpp"
#include "giga/model/prior.hpp"

namespace giga {

/// Of the coefficient whose sd is furthest too small, among those where that is not chance. That one is too
/// large cannot be told from chance so: where noise is skewed, many rows have little of it and few have much.
struct RobustSd {
  Index parameter = -1;  ///< -1: none.
  double ratio = 1;      ///< The sd by the residuals over that of the model, > 1.
};

/// `share` is that of these rows among all; `limit` is what sum e / sqrt(sum e^2) must be above.
[[nodiscard]] RobustSd robust_sds(const LinearModel& rows, std::span<const double> theta, const Prior& prior,
                                  double share, double limit);

}  // namespace giga
