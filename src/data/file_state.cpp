#include "data/file_state.hpp"

#include <cerrno>
#include <string>
#include <utility>

#include "base/system_failure.hpp"
#include "data/lost_pages.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {

FileState::FileState(std::filesystem::path path, const struct stat& status)
    : path_(std::move(path)),
      device_(status.st_dev),
      number_(status.st_ino),
      size_(status.st_size),
      time_(status.st_mtim),
      losses_(num_losses()) {}

// Whether the file still has its name, and what it is now.
bool FileState::is_there(struct stat& now) const {
  if (::stat(path_.c_str(), &now) == 0) return now.st_dev == device_ && now.st_ino == number_;
  const int error = errno;
  if (error == ENOENT || error == ENOTDIR) return false;
  throw IoError(printable_path(path_) + ": cannot examine: " + system_words(error));
}

void FileState::tell_of_loss() const {
  throw IoError(printable_path(path_) + ": became shorter or unreadable while it was read; run again");
}

void FileState::require_pages() const {
  if (lost_pages_since(losses_, path_)) tell_of_loss();
}

void FileState::require_unchanged() const {
  require_pages();
  struct stat now {};
  if (!is_there(now)) return;
  const bool same =
      now.st_size == size_ && now.st_mtim.tv_sec == time_.tv_sec && now.st_mtim.tv_nsec == time_.tv_nsec;
  if (!same)
    throw IoError(printable_path(path_) + ": was written to while it was read; run again once it is whole");
}

void FileState::require_whole() const {
  require_pages();
  struct stat now {};
  if (is_there(now) && now.st_size < size_) tell_of_loss();
}

FileStates::FileStates(std::span<const std::filesystem::path> files) {
  for (const std::filesystem::path& path : files) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;  // reading it will tell
    states_.emplace_back(path, status);
  }
}

void FileStates::require_unchanged() const {
  for (const FileState& state : states_) state.require_unchanged();
}

}  // namespace giga
