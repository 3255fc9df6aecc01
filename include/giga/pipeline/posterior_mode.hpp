// The mode of a posterior, as all jobs look for it.
#pragma once

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// laplace() of some rows of a problem, or all, under its prior. Throws OptionError for a flat prior that the
/// likelihood does not make up for, DataError where the log joint is finite nowhere.
[[nodiscard]] LaplaceResult posterior_mode(const Problem& problem, const Likelihood& rows,
                                           const Executor& executor, const LaplaceOptions& options = {},
                                           const Observer& observer = {});

}  // namespace giga
