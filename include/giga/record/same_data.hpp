// Whether a table is the one that a coreset was made of: a certificate against other data is worth nothing.
#pragma once

#include <string>
#include <string_view>

#include "giga/base/executor.hpp"
#include "giga/construct/build.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/record/coreset_file.hpp"

namespace giga {

/// 16 hexadecimal digits that change with any value of a feature, a response or a weight, with the kinds and
/// levels of the columns, and with the order of the rows; not with the format of the file, the names or other
/// columns. The same for any number of threads. It finds mistakes, not forgeries.
[[nodiscard]] std::string data_digest(const Dataset& data, const Executor& executor);

/// The same of what the posterior of a coreset depends on: model, response, features, scale, rows and
/// weights.
[[nodiscard]] std::string posterior_digest(const CoresetFile& file);

/// The same of any text.
[[nodiscard]] std::string text_digest(std::string_view text);

/// The coreset by rows of the data of `problem`, which was made of a table. Throws DataError, with what
/// differs, unless the data has as many rows as the file says, the rows of the coreset have the same features
/// and response in it, its scale is that of the file within 1e-9, and so is its digest, where the file has
/// one. A merged coreset is found by the values of its rows, since the shards may be in any order: its rows
/// must be somewhere in the data, and there is no digest of all of them to compare.
[[nodiscard]] Coreset coreset_within(const Problem& problem, const WeightedProblem& coreset,
                                     const CoresetFile& file, const Executor& executor);

}  // namespace giga
