// What the verbs of `giga simulate` share: rows are made in blocks, side by side, and written in order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "giga/base/executor.hpp"
#include "giga/base/types.hpp"

namespace giga::tool {

/// Throws ResourceError if so much memory would leave too little for anything else.
void check_memory(std::uint64_t bytes);

/// Throws IoError if a regular file of this size does not fit on its disk.
void check_disk(const std::filesystem::path& out, std::uint64_t bytes);

/// make(first, count, values) fills rows of `width` values, on any thread; take(values, end) gets them in
/// order, up to row `end`. Two blocks a thread are all that is held. Throws Stopped after a signal.
void for_each_block(Index rows, Index width, const Executor& executor,
                    const std::function<void(Index, Index, double*)>& make,
                    const std::function<void(std::span<const double>, Index)>& take);

}  // namespace giga::tool
