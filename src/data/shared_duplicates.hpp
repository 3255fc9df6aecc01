// Equal rows of a table whose rows ranks share.
#pragma once

#include <cstdint>

#include "giga/base/executor.hpp"
#include "giga/data/duplicates.hpp"

namespace giga {

/// The distinct rows of all ranks, on every rank; called by all of them. They are those that one process
/// would find, with the same multiplicities.
[[nodiscard]] DistinctRows shared_distinct_rows(const Dataset& data, const Executor& executor,
                                                std::uint64_t hash_mask);

}  // namespace giga
