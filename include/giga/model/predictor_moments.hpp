// The linear predictor of every row under an approximation of the posterior: s_n ~ N(z_n.m + o_n, |C'z_n|^2)
// for theta ~ N(m, C C'), o_n the offset. Where the family has extra parameters, z_n is 0 for them. How far a
// row can bend the posterior, and how long its curvature vector is, follow from these two numbers and the
// response.
#pragma once

#include "giga/base/executor.hpp"
#include "giga/model/linear_model.hpp"
#include "giga/model/normal.hpp"

namespace giga {

struct PredictorMoments {
  RowArray<float> mean, sd;  ///< One entry per row.
  /// The covariance of the predictor and each extra parameter of the family: those of a row lie together.
  RowArray<float> cross;
};

/// One pass over all rows. `pihat` has a dimension for every column, and for every extra parameter.
[[nodiscard]] PredictorMoments predictor_moments(const LinearModel& model, const Normal& pihat,
                                                 const Executor& executor);

}  // namespace giga
