// Whether files are, after they were read, what they were before.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <span>
#include <vector>

namespace giga {

/// A file as it is when this is made: its size and time, and how often pages of it were lost.
class FileState {
 public:
  FileState(std::filesystem::path path, const struct stat& status);

  /// Throws IoError if the file was written to meanwhile, or pages of it could not be read, or it cannot be
  /// told. Of a file that no longer has its name, because it was renamed or removed, or another took the
  /// name, only pages are asked about: it is taken to be as it was, as whoever replaces a file does not write
  /// to it.
  void require_unchanged() const;
  /// The same of a file that may grow, and be written to where nobody reads any more: throws IoError if it
  /// became shorter, or pages of it could not be read.
  void require_whole() const;

 private:
  [[nodiscard]] bool is_there(struct stat& now) const;
  void require_pages() const;
  [[noreturn]] void tell_of_loss() const;

  std::filesystem::path path_;
  dev_t device_;
  ino_t number_;
  off_t size_;
  timespec time_;
  std::uint64_t losses_;
};

/// Those of several files.
class FileStates {
 public:
  explicit FileStates(std::span<const std::filesystem::path> files);

  /// Throws IoError for the first file that changed.
  void require_unchanged() const;

 private:
  std::vector<FileState> states_;
};

}  // namespace giga
