#include "giga/pipeline/posterior_mode.hpp"

#include <stdexcept>

#include "giga/base/error.hpp"

namespace giga {

LaplaceResult posterior_mode(const Problem& problem, const Likelihood& rows, const Executor& executor,
                             const LaplaceOptions& options, const Observer& observer) {
  try {
    return laplace(rows, problem.prior(), executor, options, observer);
  } catch (const OptionError&) {  // a flat prior, and a likelihood that does not make up for it
    throw;
  } catch (const std::invalid_argument&) {
    throw DataError(problem.name() +
                    ": the likelihood is too large for a double wherever the search for the posterior mode "
                    "may begin; rescale the columns");
  }
}

}  // namespace giga
