// The certificate of a coreset of a problem: rows of the data and their weights, chains as they were sampled.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "giga/construct/build.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// Where ranks share the rows: what coreset_model(), Dataset::features() and Dataset::response() may be asked
/// of these rows of the data, on every rank; called by all of them together.
void fetch_rows(const Problem& problem, std::span<const Index> rows, const Executor& executor);

/// The likelihood of some rows of the data, row k counted weights[k] times, on the problem's scale. Rows of
/// weight 0 are left out; null if none is left. Throws std::invalid_argument for rows that the data do not
/// have, and for weights that are negative or not finite. Where ranks share the rows, they must have been
/// fetched.
[[nodiscard]] std::unique_ptr<Likelihood> coreset_model(const Problem& problem, const Coreset& coreset);

/// The parameters on the user's scale; none where that is the scale they were sampled on. `scales` must
/// outlive them.
[[nodiscard]] LinearQuantities original_quantities(const BothScales& scales);

/// Means and standard deviations of the parameters on the user's scale, for theta ~ normal.
[[nodiscard]] std::vector<Estimate> original_moments(const Normal& normal, const BothScales& scales);

/// certificate.hpp against all rows of the problem. The chains have the parameters of problem.likelihood().
/// Its quantities are original_quantities() unless the options have others.
[[nodiscard]] Certificate certify_coreset(const Problem& problem, const Coreset& coreset,
                                          std::span<const Chain> chains, const Executor& executor,
                                          CertificateOptions options = {}, const Observer& observer = {});

}  // namespace giga
