// Rows that are made block by block, in parallel, and taken in order by one writer. Row n depends on the seed
// and n alone, so the output is the same for any number of threads and any size of block.
#include "simulate/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/text.hpp"
#include "options/resources.hpp"
#include "support/exit_codes.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr Index kBlockValues = Index{1} << 20;  // rows of more values make smaller blocks

}  // namespace

SimulateOutput simulate_output(const Arguments& arguments, const std::string& value_name) {
  SimulateOutput request;
  request.threads = threads_of(arguments);
  request.force = arguments.flag("force");
  request.quiet = arguments.flag("quiet");
  const auto out = arguments.text("out");
  if (!out) throw UsageError("no output; give --out " + value_name);
  request.out = *out;
  return request;
}

void check_memory(std::uint64_t bytes) {
  if (bytes > physical_memory_bytes() / 2) {
    throw ResourceError(fmt::format(
        "rows of this length need {} of memory while they are made; use a smaller --dim or --rank",
        data_size(bytes)));
  }
}

void check_disk(const std::filesystem::path& out, std::uint64_t bytes) {
  std::error_code ignored;
  const auto status = std::filesystem::status(out, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;  // a device
  const auto present = free_bytes_beside(out);
  if (present && bytes > *present) {
    throw IoError(fmt::format("{}: needs {} and {} are free; use fewer --rows or another disk",
                              printable_path(out), data_size(bytes), data_size(*present)));
  }
}

void for_each_block(Index rows, Index width, const Executor& executor,
                    const std::function<void(Index, Index, double*)>& make,
                    const std::function<void(std::span<const double>, Index)>& take) {
  const Index block_rows = std::clamp(kBlockValues / width, Index{1}, kBlockRows);
  const Index blocks = (rows + block_rows - 1) / block_rows;
  // Two blocks per thread are made at once, so that threads need not wait for the slowest block.
  const Index group = std::min(blocks, Index{2} * executor.num_threads());
  const auto values = static_cast<std::size_t>(group * block_rows * width);
  check_memory(values * sizeof(double));
  std::vector<double> buffer(values);
  // Invariant: rows before first * block_rows have been taken, in order.
  for (Index first = 0; first < blocks; first += group) {
    const Index begin = first * block_rows;
    const Index end = std::min(rows, (first + group) * block_rows);
    executor.for_each(std::min(group, blocks - first), [&](Index i) {
      const Index from = begin + i * block_rows;
      if (signal_received() != 0) return;
      make(from, std::min(block_rows, end - from), buffer.data() + (from - begin) * width);
    });
    stop_if_signalled();
    take({buffer.data(), static_cast<std::size_t>((end - begin) * width)}, end);
  }
}

void write_matrix(NpyWriter& writer, const std::filesystem::path& out, Index rows, Index width,
                  const Executor& executor, const std::function<void(Index, Index, double*)>& make,
                  Progress& progress) {
  for_each_block(rows, width, executor, make, [&](std::span<const double> values, Index end) {
    writer.append(values);
    progress.update(end, 0, "");
  });
  progress.begin("saving " + printable_path(out));
  writer.commit();
}

}  // namespace giga::tool
