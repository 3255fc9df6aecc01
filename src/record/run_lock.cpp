// The file is removed while it is locked, so whoever opened it before that has locked a file without a name:
// it looks whether the name still leads to what it has locked, and begins again if not.
#include "giga/record/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/system_failure.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/folders.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = ".giga-lock";

// The number that a process has written there; empty if there is none.
std::string holder(int fd) {
  std::array<char, 32> text;
  const ssize_t count = ::pread(fd, text.data(), text.size(), 0);
  std::string number;
  for (ssize_t i = 0;
       i < count && text[static_cast<std::size_t>(i)] >= '0' && text[static_cast<std::size_t>(i)] <= '9'; ++i)
    number += text[static_cast<std::size_t>(i)];
  return number;
}

bool is_named(int fd, const fs::path& path) {
  struct stat here {
  }, there{};
  return ::fstat(fd, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
         here.st_dev == there.st_dev;
}

}  // namespace

RunLock::RunLock(fs::path folder)
    : folder_(std::move(folder)), file_(folder_ / kLockFile), made_folder_(make_folder(folder_)) {
  // Others take it and let go of it meanwhile, but not that often.
  constexpr int kAttempts = 1000;
  try {
    for (int attempt = 0; !take(); ++attempt) {
      if (attempt == kAttempts) throw IoError(printable_path(file_) + ": cannot be locked");
    }
  } catch (...) {
    let_go();
    throw;
  }
}

// False: the file was removed before it was locked.
bool RunLock::take() {
  fd_ = uninterrupted([&] { return ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666); });
  if (fd_ < 0) {
    const int error = errno;
    if (error == ENOENT) {  // the folder went with the run that had made it
      made_folder_ = make_folder(folder_);
      return false;
    }
    const std::string text = printable_path(file_) + ": cannot be made: " + system_words(error);
    if (is_lack(error)) throw ResourceError(text);
    if (is_disk(error)) throw IoError(text);
    throw CannotCreate(text);
  }
  if (uninterrupted([&] { return ::flock(fd_, LOCK_EX | LOCK_NB); }) != 0 && errno == EWOULDBLOCK) {
    const std::string number = holder(fd_);
    throw CannotCreate(printable_path(folder_) + ": in use by " +
                       (number.empty() ? "another process" : "process " + number) +
                       "; wait for it, or give another `out`");
  }
  if (!is_named(fd_, file_)) {
    ::close(std::exchange(fd_, -1));
    return false;
  }
  held_ = true;
  if (const std::string number = holder(fd_); !number.empty())
    note_ = printable_path(folder_) + ": process " + number + " ended without letting go of it";
  const std::string own = std::to_string(::getpid()) + "\n";
  // A number that cannot be written is missing in a message, no more.
  if (::ftruncate(fd_, 0) == 0) (void)!::pwrite(fd_, own.data(), own.size(), 0);
  return true;
}

RunLock::~RunLock() {
  let_go();
}

// The file of somebody else who holds the folder stays.
void RunLock::let_go() noexcept {
  if (held_) ::unlink(file_.c_str());
  if (fd_ >= 0) ::close(fd_);
  if (made_folder_) ::rmdir(folder_.c_str());  // refused by the system unless it is empty
}

void RunLock::clear(const fs::path& folder) {
  if (is_present(folder / kLockFile)) const RunLock left(folder);
}

bool RunLock::left_since(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const auto taken = fs::last_write_time(folder / kLockFile, error);
  if (error) return false;
  const auto written = fs::last_write_time(file, error);
  return error || taken > written;
}

}  // namespace giga
