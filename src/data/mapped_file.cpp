// mmap, with a message for every way in which a path can fail to be a readable file. The mapping is private
// and read-only, and outlives the descriptor, which is closed once it exists.
#include "giga/data/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "base/system_failure.hpp"
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

// The size of a regular file that is not empty; anything else cannot be mapped.
std::size_t regular_size(int fd, const std::string& name) {
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
  return static_cast<std::size_t>(status.st_size);
}

// madvise and munmap take a pointer to memory that they do not write to.
std::byte* address(std::span<const std::byte> bytes) {
  return const_cast<std::byte*>(bytes.data());
}

// Files that are mapped now, for handlers of signals. A place is taken by setting `begin`, last; a handler
// that reads a name while it changes is of a process that is about to end.
struct Place {
  std::atomic<const std::byte*> begin{nullptr};
  std::atomic<std::size_t> size{0};
  std::atomic<bool> taken{false};
  std::array<char, 512> name{};
};
constexpr std::size_t kPlaces = 128;
std::array<Place, kPlaces> g_places;

void remember(std::span<const std::byte> bytes, const std::string& name) noexcept {
  for (Place& place : g_places) {
    if (place.taken.exchange(true)) continue;
    const std::size_t length = std::min(name.size(), place.name.size() - 1);
    std::copy_n(name.data(), length, place.name.data());
    place.name[length] = '\0';
    place.size = bytes.size();
    place.begin = bytes.data();
    return;
  }
}

void forget(std::span<const std::byte> bytes) noexcept {
  for (Place& place : g_places) {
    if (place.begin != bytes.data()) continue;
    place.begin = nullptr;
    place.taken = false;
    return;
  }
}

void unmap(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) return;
  forget(bytes);
  ::munmap(address(bytes), bytes.size());
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path, std::span<const std::byte> bytes)
    : path_(std::move(path)), bytes_(bytes) {}

// MAP_PRIVATE: what others write to the file later may or may not be seen, but is never written back.
MappedFile MappedFile::open(const std::filesystem::path& path) {
  const std::string name = printable_path(path);
  std::filesystem::path kept = path;  // copied before there is a mapping to lose
  const Descriptor file(open_for_reading(path));
  if (file.fd < 0) throw_open_error(name, errno);
  const std::size_t size = regular_size(file.fd, name);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    const std::string text = name + ": cannot map into memory: " + system_words(error);
    if (is_lack(error)) throw ResourceError(text);
    throw IoError(text);
  }
  const std::span bytes(static_cast<const std::byte*>(data), size);
  remember(bytes, name);
  return {std::move(kept), bytes};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap(bytes_);
    path_ = std::move(other.path_);
    bytes_ = std::exchange(other.bytes_, {});
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

const char* mapped_file_at(const void* address) noexcept {
  const auto* byte = static_cast<const std::byte*>(address);
  for (const Place& place : g_places) {
    const std::byte* begin = place.begin;
    if (begin != nullptr && byte >= begin && byte < begin + place.size) return place.name.data();
  }
  return nullptr;
}

void MappedFile::advise_sequential() const noexcept {
  if (!bytes_.empty()) ::madvise(address(bytes_), bytes_.size(), MADV_SEQUENTIAL);
}

}  // namespace giga
