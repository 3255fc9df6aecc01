// Whether the rows alone make a posterior proper: the question that a flat prior leaves to them.
#pragma once

#include <Eigen/Core>

#include "giga/model/likelihood.hpp"

namespace giga {

/// Throws OptionError unless they do, as far as minus the Hessian of the log joint tells at the start of the
/// search for the mode and at its end. `converged`: whether the search found a mode.
void require_proper_posterior(const Likelihood& likelihood,
                              const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>& at_start,
                              const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>& at_end, bool converged);

}  // namespace giga
