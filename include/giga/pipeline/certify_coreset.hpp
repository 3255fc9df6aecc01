// The certificate of a coreset of a problem: coreset rows and weights as in coreset.csv, chains as sampled.
#pragma once

#include <memory>
#include <span>

#include "giga/construct/build.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// The model of some rows of the dataset, row k counted weights[k] times, on the problem's scale. Rows of
/// weight 0 are left out; null if none is left. Throws std::invalid_argument for rows the dataset does not
/// have, and for weights that are negative or not finite.
[[nodiscard]] std::unique_ptr<Regression> coreset_model(const Problem& problem, const Coreset& coreset);

/// The coefficients on the scale of the data; none where that is the scale of the parameters. `scales` must
/// outlive them.
[[nodiscard]] LinearQuantities original_quantities(const BothScales& scales, bool standardised);

/// certificate.hpp against all rows of the problem. The chains have the parameters of problem.model(): of the
/// standardised features, if they are.
[[nodiscard]] Certificate certify_coreset(const Problem& problem, const Coreset& coreset,
                                          std::span<const Chain> chains, const Executor& executor,
                                          const CertificateOptions& options = {},
                                          const Observer& observer = {});

}  // namespace giga
