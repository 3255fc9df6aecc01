// libsvm's text format: lines of "label index:value ...", indices ascending from 1, zeros left out.
#pragma once

#include <cstddef>
#include <filesystem>

#include "giga/data/read_dataset.hpp"

namespace giga {

/// Reads it as the dense table it stands for: columns x1 ... xD, D the largest index, and y, the label. Text
/// after '#' and lines without a label are skipped. Refused if the dense table would exceed both 1 GB and
/// 64 times the file.
[[nodiscard]] Dataset read_libsvm(const std::filesystem::path& path, const ReadOptions& options,
                                  const Executor& executor, const Observer& observer,
                                  std::size_t chunk_bytes = std::size_t{1} << 20);

}  // namespace giga
