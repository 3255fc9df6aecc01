// What the verbs of `giga simulate` share: rows are made in blocks, side by side, and written in order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "giga/base/executor.hpp"
#include "giga/base/types.hpp"
#include "giga/data/npy.hpp"
#include "support/arguments.hpp"
#include "support/progress.hpp"

namespace giga::tool {

/// How a verb writes what it makes.
struct SimulateOutput {
  int threads = 0;
  std::filesystem::path out;
  bool force = false;
  bool quiet = false;
};

/// Throws UsageError without --out; `value_name` is what the help calls its value.
[[nodiscard]] SimulateOutput simulate_output(const Arguments& arguments, const std::string& value_name);

/// Throws ResourceError if so much memory would leave too little for anything else.
void check_memory(std::uint64_t bytes);

/// Throws IoError if a regular file of this size does not fit on its disk.
void check_disk(const std::filesystem::path& out, std::uint64_t bytes);

/// make(first, count, values) fills rows of `width` values, on any thread; take(values, end) gets them in
/// order, up to row `end`. Two blocks a thread are all that is held. Throws Stopped after a signal.
void for_each_block(Index rows, Index width, const Executor& executor,
                    const std::function<void(Index, Index, double*)>& make,
                    const std::function<void(std::span<const double>, Index)>& take);

/// All rows of a matrix, which for_each_block makes, as a .npy file; `writer` writes to `out`.
void write_matrix(NpyWriter& writer, const std::filesystem::path& out, Index rows, Index width,
                  const Executor& executor, const std::function<void(Index, Index, double*)>& make,
                  Progress& progress);

}  // namespace giga::tool
