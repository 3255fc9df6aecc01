// Write a temporary file beside the target, fsync it, rename it over the target, fsync the folder: after a
// crash at any point the target is either the old file or the new one, whole. The temporary file must be in
// the folder of the target, as rename works within one file system only.
//
//     Open --finish()--> Finished --commit()--> Committed      commit() calls finish() if it is still due
//       any failure --> Failed
//
// Several files that appear together trade names with those they replace (RENAME_EXCHANGE), so that what was
// there is under the temporary name until all is done, and can be put back.
#include "giga/data/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/system_failure.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/folders.hpp"

namespace giga {
namespace {

// Larger writes go past the buffer.
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw CannotCreate(printable_path(path) + ": " + why);
}

[[noreturn]] void refuse_existing(const std::filesystem::path& path) {
  throw CannotCreate(printable_path(path) + " exists; use `force` to replace it");
}

// What the path leads to, links followed; nothing if that cannot be told (errno says why).
std::optional<struct stat> status_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

// The open descriptor a path stands for. Opening /dev/stdout again would start at offset 0 of a redirected
// file and fails on a socket; a duplicate of the descriptor does neither.
std::optional<int> descriptor_named(const std::filesystem::path& path) {
  const std::string& text = path.native();
  if (text == "/dev/stdout") return STDOUT_FILENO;
  if (text == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    int fd = -1;
    const auto result = std::from_chars(text.data() + folder.size(), text.data() + text.size(), fd);
    if (result.ec == std::errc{} && result.ptr == text.data() + text.size()) return fd;
  }
  return std::nullopt;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// The target's folder must exist; whether it is writable is found out by opening the temporary file.
void check_folder(const std::filesystem::path& target, const std::filesystem::path& folder) {
  const std::string name = printable_path(folder);
  const auto status = status_of(folder);
  if (!status && (errno == ENOENT || errno == ENOTDIR)) {
    refuse(target, "folder " + name + " does not exist; create it first");
  }
  if (!status) refuse(target, "folder " + name + " cannot be examined: " + system_words(errno));
  if (!S_ISDIR(status->st_mode)) refuse(target, name + " is not a folder");
}

// The one use of randomness that is not a Stream: two processes must not choose the same name.
std::string random_name() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device device;
  std::string name = ".giga-";
  for (int i = 0; i < 6; ++i) name += kLetters[device() % kLetters.size()];
  return name + ".tmp";
}

// Renames unless `to` exists; 0 or an errno. Each fallback is for file systems that lack the one before it;
// none can replace a file made by somebody else.
int rename_without_replacing(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != ENOSYS && errno != EINVAL) return errno;
  // A hard link fails if the name exists, so it reserves the name and gives it the content in one step.
  if (::link(from, to) == 0) {
    ::unlink(from);
    return 0;
  }
  if (errno == EEXIST) return errno;
  // Without either: make an empty file of that name, which fails if there is one, and replace that.
  const int reserved = ::open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (reserved < 0) return errno;
  ::close(reserved);
  if (::rename(from, to) == 0) return 0;
  const int error = errno;
  ::unlink(to);
  return error;
}

// A folder that is opened before names in it change, and makes the changes durable after. Not every file
// system can, nor has everybody the right to read the folder; but a disk that fails is to be told of.
class OpenFolder {
 public:
  OpenFolder(const std::filesystem::path& target, const std::filesystem::path& folder)
      : fd_(uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })) {
    if (fd_ >= 0 || (!is_lack(errno) && !is_disk(errno))) return;
    const int error = errno;
    const std::string text = printable_path(target) + ": cannot open the folder " + printable_path(folder) +
                             ": " + system_words(error);
    if (is_lack(error)) throw ResourceError(text);
    throw IoError(text);
  }
  ~OpenFolder() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;

  // The error, or 0.
  [[nodiscard]] int sync() const {
    if (fd_ < 0 || uninterrupted([&] { return ::fsync(fd_); }) == 0) return 0;
    return is_disk(errno) ? errno : 0;
  }

 private:
  int fd_;
};

// A file that goes when others come: under a name of ours until they are there.
class SetAside {
 public:
  explicit SetAside(std::filesystem::path path)
      : path_(std::move(path)), aside_(folder_of(path_) / random_name()) {
    if (is_folder(path_)) throw CannotCreate(printable_path(path_) + ": is a folder, not a file");
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, aside_.c_str(), RENAME_NOREPLACE) == 0) {
      moved_ = true;
      return;
    }
    const bool unknown = errno == ENOSYS || errno == EINVAL;  // to this file system
    moved_ = unknown && ::rename(path_.c_str(), aside_.c_str()) == 0;
    if (moved_ || errno == ENOENT || errno == ENOTDIR) return;
    const int error = errno;
    const std::string text = printable_path(path_) + ": cannot be removed: " + system_words(error);
    if (is_denied(error)) throw CannotCreate(text);
    throw IoError(text);
  }
  ~SetAside() {
    if (moved_) ::unlink(aside_.c_str());
  }
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

  void put_back() noexcept {
    if (std::exchange(moved_, false)) ::rename(aside_.c_str(), path_.c_str());
  }

 private:
  std::filesystem::path path_, aside_;
  bool moved_ = false;
};

}  // namespace

// Whatever exists and can only be written to, not replaced: pipes, sockets, character devices.
bool OutputFile::is_direct(const std::filesystem::path& target) {
  const auto status = status_of(target);
  if (descriptor_named(target)) return true;
  return status && !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode) && !S_ISBLK(status->st_mode);
}

OutputFile::OutputFile(const std::filesystem::path& target, bool force)
    : target_(target), final_(target), force_(force) {
  if (!target.has_filename()) refuse(target, "names a folder; give a file name");
  buffer_.reserve(kBufferBytes);
  const auto status = status_of(target);
  const int unknown = status || errno == ENOENT || errno == ENOTDIR ? 0 : errno;
  if (is_direct(target)) {
    open_directly();
    return;
  }
  if (unknown != 0) fail_to_open("cannot be examined: ", unknown);
  if (status && S_ISDIR(status->st_mode)) refuse(target, "is a folder; give a file name");
  if (status && S_ISBLK(status->st_mode)) refuse(target, "is a block device; give a file name");
  // A dangling link is also something that must not be replaced without `force`.
  if (is_present(target) && !force) refuse_existing(target);
  if (status) {
    // The file a link leads to is replaced, not the link.
    std::error_code ignored;
    if (auto resolved = std::filesystem::canonical(target, ignored); !ignored) final_ = std::move(resolved);
  }
  check_folder(target, folder_of(final_));
  open_temporary();
  // A private file that is replaced stays private.
  if (status) ::fchmod(fd_, status->st_mode & 0777);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::open_directly() {
  const auto named = descriptor_named(target_);
  fd_ = uninterrupted([&] {
    return named ? ::fcntl(*named, F_DUPFD_CLOEXEC, 0)
                 : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  });
  if (fd_ < 0) fail_to_open("cannot open for writing: ", errno);
}

// An exclusive open of a random name rather than mkostemp: the system then applies the umask, which a process
// with threads cannot read safely.
void OutputFile::open_temporary() {
  const std::filesystem::path folder = folder_of(final_);
  // 36^6 names: a second attempt is already rare.
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::filesystem::path name = folder / random_name();
    fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ >= 0) {
      temporary_.swap(name);
      return;
    }
    if (errno != EEXIST && errno != EINTR) break;
  }
  const int error = errno;
  fail_to_open("folder " + printable_path(folder) + (is_denied(error) ? " is not writable: " : ": "), error);
}

void OutputFile::fail_to_open(const std::string& what, int error) {
  if (is_disk(error)) fail(error);
  if (is_lack(error)) throw ResourceError(printable_path(target_) + ": " + what + system_words(error));
  refuse(target_, what + system_words(error));
}

void OutputFile::require_open(const char* function) const {
  if (state_ == State::Open) return;
  throw std::logic_error(std::string("OutputFile::") + function + " after " +
                         (state_ == State::Failed     ? "a failure"
                          : state_ == State::Finished ? "finish"
                                                      : "commit"));
}

// After a failure the object only waits to be destroyed, which removes the temporary file.
void OutputFile::fail(int error) {
  state_ = State::Failed;
  std::string advice;
  if (error == ENOSPC || error == EDQUOT) advice = "; free some space and run again";
  throw IoError(printable_path(target_) + ": cannot write: " + system_words(error) + advice);
}

// The buffer is emptied first if the bytes do not fit beside it, so that they arrive in order.
void OutputFile::write(std::string_view bytes) {
  require_open("write");
  if (bytes.size() > kBufferBytes - buffer_.size()) flush();
  if (bytes.size() >= kBufferBytes) return write_through(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void OutputFile::flush() {
  write_through({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

void OutputFile::write_through(std::string_view bytes) {
  // A write may be short, to a pipe or a disk that is nearly full.
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    if (written == 0) fail(EIO);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// fsync before rename: otherwise a crash could leave the new name with no content.
void OutputFile::finish() {
  require_open("finish");
  flush();
  if (!temporary_.empty() && uninterrupted([&] { return ::fsync(fd_); }) != 0) fail(errno);
  // Network file systems report a full disk on close. After EINTR the descriptor is closed all the same.
  if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail(errno);
  state_ = State::Finished;
}

void OutputFile::require_finished() {
  if (state_ == State::Finished) return;
  require_open("commit");
  finish();
}

void OutputFile::commit() {
  require_finished();
  if (!temporary_.empty()) {
    const OpenFolder folder(target_, folder_of(final_));
    publish(false);
    if (const int lost = folder.sync(); lost != 0) fail(lost);
  }
  state_ = State::Committed;
}

// With force, rename replaces the target in one step. Otherwise a target that has appeared since is an error.
// Undoably: the old file and the new one change places, where the file system can do that.
void OutputFile::publish(bool undoably) {
  const char *const from = temporary_.c_str(), *const to = final_.c_str();
  if (undoably && force_ && type_of(final_) == std::filesystem::file_type::directory)
    refuse(target_, "is a folder; give a file name");  // rename would refuse it, an exchange would not
  int error = 0;
  undo_ = Undo::Remove;
  if (!force_) {
    error = rename_without_replacing(from, to);
  } else if (!undoably) {
    error = ::rename(from, to) == 0 ? 0 : errno;
  } else if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0) {
    undo_ = Undo::Exchange;
  } else {
    const bool unknown = errno == ENOSYS || errno == EINVAL;
    if (unknown) undo_ = Undo::Nothing;
    error = !unknown && errno != ENOENT ? errno : ::rename(from, to) == 0 ? 0 : errno;
  }
  if (error != 0) {
    undo_ = Undo::Nothing;
    state_ = State::Failed;
  }
  if (error == EEXIST) refuse_existing(target_);
  if (error == EISDIR || error == ENOENT || is_denied(error)) refuse(target_, system_words(error));
  if (error != 0) fail(error);
  if (undo_ != Undo::Exchange) temporary_.clear();
}

void OutputFile::take_back() noexcept {
  if (undo_ == Undo::Exchange)
    ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, final_.c_str(), RENAME_EXCHANGE);
  if (undo_ == Undo::Remove) ::unlink(final_.c_str());
  undo_ = Undo::Nothing;
  state_ = State::Failed;
}

void commit_together(std::span<const std::unique_ptr<OutputFile>> outputs,
                     std::span<const std::filesystem::path> removed) {
  std::map<std::filesystem::path, std::unique_ptr<OpenFolder>> folders;
  for (const auto& output : outputs) {
    output->require_finished();
    if (output->temporary_.empty()) continue;
    std::unique_ptr<OpenFolder>& folder = folders[folder_of(output->final_)];
    if (!folder) folder = std::make_unique<OpenFolder>(output->target_, folder_of(output->final_));
  }
  std::vector<std::unique_ptr<SetAside>> aside;
  aside.reserve(removed.size());  // nothing may fail between a rename and the note of it
  try {
    for (const std::filesystem::path& path : removed) aside.push_back(std::make_unique<SetAside>(path));
    for (const auto& output : outputs)
      if (!output->temporary_.empty()) output->publish(true);
  } catch (...) {
    for (const auto& output : outputs) output->take_back();
    for (const auto& each : aside) each->put_back();
    throw;
  }
  for (const auto& [path, folder] : folders)
    if (const int lost = folder->sync(); lost != 0) outputs.back()->fail(lost);
  for (const auto& output : outputs) output->state_ = OutputFile::State::Committed;
}

}  // namespace giga
