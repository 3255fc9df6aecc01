// pihat, the distribution under which vectors are made and errors are measured: the Laplace approximation of
// all rows or of some, or the prior.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

struct Pihat {
  Normal distribution;
  std::optional<LaplaceResult> laplace = {};  ///< Unless it is the prior.
  bool separable = false;                     ///< As in CoresetResult.
  Index passes = 0;                           ///< Over all rows.
  std::vector<std::string> notes = {};        ///< What the mode says about the model and the data.
};

/// As `options.pihat` asks for. `known`, which may be null, is taken for the Laplace approximation of all
/// rows. If the rows are not the data but stand for others (`rows_are_data` is false), nothing is said of
/// what they tell of the model. Throws OptionError for a flat prior that the likelihood does not make up for,
/// DataError where the log joint is finite nowhere.
[[nodiscard]] Pihat find_pihat(const Problem& problem, const CoresetOptions& options,
                               const LaplaceResult* known, bool rows_are_data, const Executor& executor,
                               const Observer& observer);

}  // namespace giga
