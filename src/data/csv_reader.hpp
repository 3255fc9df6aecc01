// CSV files, plain or gzip, and standard input, as Datasets.
#pragma once

#include <cstddef>
#include <filesystem>

#include "giga/data/read_dataset.hpp"

namespace giga {

/// Sizes that only tests change: small ones make small files cross many boundaries.
struct CsvSizes {
  std::size_t chunk_bytes = std::size_t{1} << 20;     ///< parsed by one thread at a time
  std::size_t block_bytes = std::size_t{16} << 20;    ///< of a stream, held at a time
  std::size_t max_row_bytes = std::size_t{32} << 20;  ///< of a stream; a longer row is refused
};

/// Maps the file; its pages are given back as they are read, so that memory is needed for the numbers only.
[[nodiscard]] Dataset read_csv(const std::filesystem::path& path, const ReadOptions& options,
                               const Executor& executor, const Observer& observer,
                               const CsvSizes& sizes = {});
[[nodiscard]] Dataset read_gzip_csv(const std::filesystem::path& path, const ReadOptions& options,
                                    const Executor& executor, const Observer& observer,
                                    const CsvSizes& sizes = {});
/// `name` stands in messages.
[[nodiscard]] Dataset read_csv_stream(int fd, const std::string& name, const ReadOptions& options,
                                      const Executor& executor, const Observer& observer,
                                      const CsvSizes& sizes = {});

}  // namespace giga
