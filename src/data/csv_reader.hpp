// CSV files, plain or gzip, and standard input, as Datasets.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "data/csv_scan.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga {

/// Sizes that only tests change: small ones make small files cross many boundaries.
struct CsvSizes {
  std::size_t chunk_bytes = std::size_t{1} << 20;   ///< parsed by one thread at a time
  std::size_t block_bytes = std::size_t{16} << 20;  ///< of a stream, held at a time
  std::size_t max_row_bytes = kMaxRowBytes;         ///< of a stream
};

/// Files, plain or .gz, whose rows one after the other are the table; `name` stands for all of them in
/// messages. A plain file is mapped, and its pages are given back as they are read, so that memory is needed
/// for the numbers only. The delimiter of a .tsv file is a tab unless one was chosen.
[[nodiscard]] Dataset read_csv_files(std::span<const std::filesystem::path> paths, const std::string& name,
                                     const ReadOptions& options, const Executor& executor,
                                     const Observer& observer, const CsvSizes& sizes = {});
/// One plain file, or one .gz, whatever it is called; with the delimiter of the options.
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
