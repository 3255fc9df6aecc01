// libsvm's text format: lines of "label index:value ...", indices ascending from 1, zeros left out.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "giga/data/read_dataset.hpp"

namespace giga {

/// Reads files, one after the other, as the dense table they stand for: columns x1 ... xD, D the largest
/// index of all, and y, the label. Text after '#' and lines without a label are skipped. Refused if the dense
/// table would exceed both 1 GB and 64 times the files. `name` stands for all of them in messages.
[[nodiscard]] Dataset read_libsvm(std::span<const std::filesystem::path> paths, const std::string& name,
                                  const ReadOptions& options, const Executor& executor,
                                  const Observer& observer, std::size_t chunk_bytes = std::size_t{1} << 20);

}  // namespace giga
