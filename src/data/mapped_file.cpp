// mmap, with a message for every way in which a path can fail to be a readable file. The mapping is private
// and read-only, and outlives the descriptor, which is closed once it exists.
#include "giga/data/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/system_failure.hpp"
#include "data/file_state.hpp"
#include "data/lost_pages.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// Closed when it goes out of scope, exceptions included.
struct Descriptor {
  int fd;
  explicit Descriptor(int value) : fd(value) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

// What the user can do depends on why open() failed.
[[noreturn]] void throw_open_error(const std::string& name, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR: throw InputMissing(name + ": no such file; check the path");
    case EACCES:
    case EPERM: throw InputMissing(name + ": no permission to read it; change its mode or run as its owner");
    default: break;
  }
  const std::string text = name + ": cannot open: " + system_words(error);
  if (is_lack(error)) throw ResourceError(text);
  if (is_disk(error)) throw IoError(text);
  throw InputMissing(text);
}

// O_NONBLOCK: opening a named pipe that nobody writes to must not wait.
int open_for_reading(const std::filesystem::path& path) {
  return uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
}

// Of a regular file that is not empty; anything else cannot be mapped.
struct stat regular_status(int fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    const int error = errno;
    throw IoError(name + ": cannot examine: " + system_words(error));
  }
  if (S_ISDIR(status.st_mode)) throw InputMissing(name + ": is a directory; give a file");
  if (!S_ISREG(status.st_mode)) {
    throw InputMissing(name + ": is not a regular file (a pipe or device); save it to a file first");
  }
  if (status.st_size == 0) throw DataError(name + ": file is empty");
  return status;
}

// madvise and munmap take a pointer to memory that they do not write to.
std::byte* address(std::span<const std::byte> bytes) {
  return const_cast<std::byte*>(bytes.data());
}

void unmap(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) return;
  forget_mapping(bytes);
  ::munmap(address(bytes), bytes.size());
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path, std::span<const std::byte> bytes,
                       std::shared_ptr<const FileState> state)
    : path_(std::move(path)), bytes_(bytes), state_(std::move(state)) {}

// MAP_PRIVATE: what others write to the file later may or may not be seen, but is never written back.
MappedFile MappedFile::open(const std::filesystem::path& path) {
  const std::string name = printable_path(path);
  const Descriptor file(open_for_reading(path));
  if (file.fd < 0) throw_open_error(name, errno);
  const struct stat status = regular_status(file.fd, name);
  MappedFile out(path, {}, std::make_shared<const FileState>(path, status));
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    const std::string text = name + ": cannot map into memory: " + system_words(error);
    if (is_lack(error)) throw ResourceError(text);
    throw IoError(text);
  }
  out.bytes_ = {static_cast<const std::byte*>(data), size};
  remember_mapping(out.bytes_, path);
  return out;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, {})),
      state_(std::move(other.state_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap(bytes_);
    path_ = std::move(other.path_);
    bytes_ = std::exchange(other.bytes_, {});
    state_ = std::move(other.state_);
  }
  return *this;
}

MappedFile::~MappedFile() {
  unmap(bytes_);
}

// MADV_DONTNEED on a private mapping that was never written to: the pages are dropped, and read from the file
// again if they are touched.
void MappedFile::release(std::size_t offset, std::size_t length) const noexcept {
  if (offset >= bytes_.size()) return;
  // Only pages that lie in [offset, end) as a whole: their neighbours may still be needed.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t end = offset + std::min(length, bytes_.size() - offset);
  const std::size_t first = (offset + page - 1) / page * page;
  // The last page of the file is whole though the file may end inside it.
  const std::size_t last = end == bytes_.size() ? end : end / page * page;
  if (first < last) ::madvise(address(bytes_) + first, last - first, MADV_DONTNEED);
}

void MappedFile::advise_sequential() const noexcept {
  if (!bytes_.empty()) ::madvise(address(bytes_), bytes_.size(), MADV_SEQUENTIAL);
}

void MappedFile::require_unchanged() const {
  state_->require_unchanged();
}

void MappedFile::require_whole() const {
  state_->require_whole();
}

}  // namespace giga
