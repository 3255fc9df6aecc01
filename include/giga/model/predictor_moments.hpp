// The linear predictor of every row under an approximation of the posterior: s_n ~ N(z_n.m, |C'z_n|^2) for
// theta ~ N(m, C C'). How far a row can bend the posterior, and how long its curvature vector is, follow from
// these two numbers and the response.
#pragma once

#include <vector>

#include "giga/base/executor.hpp"
#include "giga/model/linear_model.hpp"
#include "giga/model/normal.hpp"

namespace giga {

struct PredictorMoments {
  std::vector<float> mean, sd;  ///< One entry per row.
};

/// One pass over all rows. `pihat` has a dimension for every column.
[[nodiscard]] PredictorMoments predictor_moments(const LinearModel& model, const Normal& pihat,
                                                 const Executor& executor);

}  // namespace giga
