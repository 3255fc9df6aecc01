// Bytes that come in order and only once: standard input, or a gzip file being inflated.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

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

/// Inflates a gzip file of one or more members. Throws what MappedFile::open throws; DataError if the
/// file is not gzip, is cut, fails its checksum or has other bytes at its end.
[[nodiscard]] std::unique_ptr<ByteSource> gzip_source(const std::filesystem::path& path);

}  // namespace giga
