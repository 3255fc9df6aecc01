// A whole file as read-only bytes, paged in on demand.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace giga {

class FileState;

/// Owns a private read-only mapping of a regular file; the bytes do not move when the object does. Nobody
/// should write to the file while it is mapped: require_unchanged() tells whether somebody did. If it is
/// shortened, the system ends the process where bytes are read that are gone, unless outlive_lost_pages() was
/// called.
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

  /// Throws IoError if the file was written to since it was opened, or part of it could not be read. A file
  /// that has lost its name to another, or has none any more, is asked about its pages alone.
  void require_unchanged() const;
  /// The same of a file that may grow: throws IoError if it became shorter, or part of it could not be read.
  void require_whole() const;

 private:
  MappedFile(std::filesystem::path path, std::span<const std::byte> bytes,
             std::shared_ptr<const FileState> state);

  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const FileState> state_;  // when it was opened
};

/// For programs that must not end when a mapped file is shortened, or its disk fails: called by whoever owns
/// the process. Bytes of a MappedFile that cannot be read are zeros from then on, and so are all after them;
/// the work goes on with these, and require_unchanged() of the file, or of whatever was read from it, tells
/// of it.
///
/// Sets a handler for SIGBUS, unless it is set. Called again, it takes back the signal from a library that
/// set another, as those of MPI do when they start. A signal that has another cause is left to the handler
/// that was found last, and if that hands it back, to the one that was found first: these are set in our
/// place.
void outlive_lost_pages();

}  // namespace giga
