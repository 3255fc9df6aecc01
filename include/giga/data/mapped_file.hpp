// A whole file as read-only bytes, paged in on demand.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace giga {

/// Owns a private read-only mapping of a regular file; the bytes do not move when the object does. The file
/// must not be shortened by another process while it is mapped.
class MappedFile {
 public:
  /// Throws InputMissing (no such file, folder, no permission, not a regular file), DataError (empty file) or
  /// IoError (the system will not map it). Never waits, not even for a named pipe.
  [[nodiscard]] static MappedFile open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Gives back the memory of the whole pages inside [offset, offset + length). The bytes stay valid:
  /// touching them again reads them again.
  void release(std::size_t offset, std::size_t length) const noexcept;

  /// A hint that the bytes will be read in order.
  void advise_sequential() const noexcept;

 private:
  MappedFile(std::filesystem::path path, std::span<const std::byte> bytes);

  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

/// The name, as messages have it, of the file that is mapped at an address; null if none is, or too many are.
/// Safe in a handler of signals: a page of a file that was cut raises SIGBUS.
[[nodiscard]] const char* mapped_file_at(const void* address) noexcept;

}  // namespace giga
