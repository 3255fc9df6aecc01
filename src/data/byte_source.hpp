// Bytes that come in order and only once: standard input, a file, or a gzip file being inflated.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "giga/data/mapped_file.hpp"

namespace giga {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills out[0 .. size) as far as there are bytes; fewer only at the end.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// Bytes of the input taken so far, and of all (0 if unknown).
  [[nodiscard]] virtual std::size_t taken() const = 0;
  [[nodiscard]] virtual std::size_t total() const = 0;
};

/// Reads from a descriptor that stays open. Throws IoError.
[[nodiscard]] std::unique_ptr<ByteSource> descriptor_source(int fd, std::string name);

// Of a mapped file, whose pages are given back as they are read. Throw IoError if it became shorter since it
// was opened, or part of it could not be read.

/// Its bytes.
[[nodiscard]] std::unique_ptr<ByteSource> mapped_source(std::shared_ptr<const MappedFile> file);
/// Inflates a gzip file of one or more members. Throws DataError if the file is not gzip, is cut, fails its
/// checksum or has other bytes at its end.
[[nodiscard]] std::unique_ptr<ByteSource> gzip_source(std::shared_ptr<const MappedFile> file);

}  // namespace giga
