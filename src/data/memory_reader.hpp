// A table in memory as a Dataset.
#pragma once

#include "giga/data/memory_table.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga {

/// Throws what read_dataset throws. The table must live as long as the Dataset.
[[nodiscard]] Dataset read_memory(const MemoryTable& source, const ReadOptions& options,
                                  const Executor& executor, const Observer& observer);

}  // namespace giga
