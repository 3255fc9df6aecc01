// The file is removed while it is locked, so whoever opened it before that has locked a file without a name:
// it looks whether the name still leads to what it has locked, and begins again if not.
#include "giga/record/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = ".giga-lock";

std::string words(int error) {
  return std::system_category().message(error);
}

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

RunLock::RunLock(fs::path folder) : folder_(std::move(folder)), file_(folder_ / kLockFile) {
  std::error_code error;
  made_folder_ = fs::create_directory(folder_, error);
  if (error) throw CannotCreate(printable_path(folder_) + ": cannot make the folder: " + error.message());
  while (!take()) {
  }
}

// False: the file was removed before it was locked.
bool RunLock::take() {
  fd_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0) {
    if (errno == ENOENT) {  // the folder went with the run that had made it
      std::error_code error;
      made_folder_ = fs::create_directory(folder_, error);
      if (!error) return false;
    }
    throw CannotCreate(printable_path(file_) + ": cannot be made: " + words(errno));
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const std::string number = holder(fd_);
    ::close(fd_);
    throw CannotCreate(printable_path(folder_) + ": in use by " +
                       (number.empty() ? "another process" : "process " + number) +
                       "; wait for it, or give another `out`");
  }
  if (!is_named(fd_, file_)) {
    ::close(fd_);
    return false;
  }
  if (const std::string number = holder(fd_); !number.empty())
    note_ = printable_path(folder_) + ": process " + number + " ended without letting go of it";
  const std::string own = std::to_string(::getpid()) + "\n";
  // A number that cannot be written is missing in a message, no more.
  if (::ftruncate(fd_, 0) == 0) (void)!::pwrite(fd_, own.data(), own.size(), 0);
  return true;
}

RunLock::~RunLock() {
  ::unlink(file_.c_str());
  ::close(fd_);
  std::error_code ignored;
  if (made_folder_) fs::remove(folder_, ignored);
}

bool RunLock::left_since(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const auto taken = fs::last_write_time(folder / kLockFile, error);
  if (error) return false;
  const auto written = fs::last_write_time(file, error);
  return error || taken > written;
}

}  // namespace giga
