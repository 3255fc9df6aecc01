// Short arrays are on the heap. Long ones are mappings without a file, which mremap grows by moving page
// tables, or of a file that has no name any more. The space of a file is reserved when it is made: a folder
// without room for it is an error then, and not a signal when a page is first written to.
//
// An array of which a part is there is a mapping of its whole length that may not be touched, but for the
// pages of that part.
#include "giga/base/row_array.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include "base/atomic_bounds.hpp"
#include "base/system_failure.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr std::size_t kShort = std::size_t{1} << 20, kAligned = 64;

// An open file of the folder without a name. Where the file system does not make such, one with a name is
// made and the name taken away.
int nameless_file(const std::filesystem::path& folder) {
#ifdef O_TMPFILE
  if (const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); file >= 0) return file;
#endif
  std::string name = (folder / "giga-scratch-XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) {
    ::unlink(name.c_str());
    return file;
  }
  const int error = errno;
  const std::string words = folder.string() + ": no file can be made there (" + system_words(error) +
                            "); name another folder with `scratch`";
  if (is_lack(error)) throw ResourceError(words);
  if (is_denied(error)) throw CannotCreate(words);
  throw IoError(words);
}

// Of a file of that folder, or without one if file < 0.
std::byte* mapped(std::size_t size, int protection, int file, const std::filesystem::path& folder) {
  const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* memory = ::mmap(nullptr, size, protection, flags, file, 0);
  if (memory != MAP_FAILED) return static_cast<std::byte*>(memory);
  const int error = errno;
  if (file < 0 || is_lack(error)) throw std::bad_alloc();
  throw IoError(folder.string() + ": its files cannot be used as memory (" + system_words(error) +
                "); name another folder with `scratch`");
}

void advise([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
  ::madvise(memory, size, MADV_HUGEPAGE);
#endif
}

}  // namespace

RowMemory::RowMemory(std::uint64_t limit, std::filesystem::path scratch, bool copies_files)
    : limit_(limit), scratch_(std::move(scratch)), copies_files_(copies_files) {}

RowMemory& RowMemory::unlimited() {
  static RowMemory memory;
  return memory;
}

RowBytes::RowBytes(RowBytes&& other) noexcept : memory_(other.memory_) {
  *this = std::move(other);
}

RowBytes& RowBytes::operator=(RowBytes&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  std::swap(partial_, other.partial_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(place_, other.place_);
  std::swap(file_, other.file_);
  return *this;
}

RowBytes::Place RowBytes::place_for(std::size_t size) const {
  if (size < kShort) return Place::Heap;
  const std::uint64_t own = place_ == Place::Mapping ? size_ : 0;
  return size <= own || memory_->has_room_for(size - own) ? Place::Mapping : Place::File;
}

namespace {

std::size_t page_size() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Moves pages to `to`. The system is asked without the C library: UCX, by which MPI sends, puts a function of
// its own in place of mremap, which hands on four arguments and not the fifth, the address.
bool move_pages_to(void* to, void* from, std::size_t length) {
  return ::syscall(SYS_mremap, from, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, to) != -1;
}

}  // namespace

RowBytes::RowBytes(RowMemory& memory, std::size_t size, std::size_t begin, std::size_t end)
    : memory_(&memory) {
  RowBytes made(memory);
  made.begin_ = begin;
  made.end_ = end;
  made.place_ = memory.has_room_for(end - begin) ? Place::Mapping : Place::File;
  if (made.place_ == Place::File) {
    made.file_ = nameless_file(memory.scratch_);
    if (::ftruncate(made.file_, static_cast<off_t>(size)) != 0) made.fail_to_fit(size, errno);
  }
  made.mapped_ = std::max<std::size_t>(size, 1);
  made.mapping_ = mapped(made.mapped_, PROT_NONE, made.file_, memory.scratch_);
  made.data_ = made.mapping_;
  made.partial_ = true;
  made.size_ = size;
  made.count(made.present(), true);
  made.open_pages(begin, end);
  *this = std::move(made);
}

// The pages that have these bytes.
void RowBytes::open_pages(std::size_t begin, std::size_t end) const {
  if (begin == end) return;
  if (place_ == Place::File) reserve(begin, end);
  const std::size_t page = page_size(), offset = reinterpret_cast<std::uintptr_t>(data_) % page;
  std::byte* const from = data_ + (begin + offset) / page * page - offset;
  const auto length = static_cast<std::size_t>(data_ + end - from);
  if (::mprotect(from, length, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  if (place_ == Place::Mapping) advise(from, length);
}

void RowBytes::widen(std::size_t begin, std::size_t end) {
  if (!partial_ || begin == end) return;
  const std::size_t low = begin_ == end_ ? begin : std::min(begin, begin_);
  const std::size_t high = begin_ == end_ ? end : std::max(end, end_);
  open_pages(low, high);
  count(present(), false);
  begin_ = low;
  end_ = high;
  count(present(), true);
}

void RowBytes::narrow(std::size_t begin, std::size_t end) {
  if (!partial_) return;
  // Whole pages, given back and closed.
  const auto close = [&](std::size_t from, std::size_t to) {
    const std::size_t page = page_size(), offset = reinterpret_cast<std::uintptr_t>(data_) % page;
    const std::size_t first = (from + offset + page - 1) / page * page, last = (to + offset) / page * page;
    if (from >= to || first >= last) return;
    if (place_ == Place::Mapping) ::madvise(data_ + first - offset, last - first, MADV_DONTNEED);
    ::mprotect(data_ + first - offset, last - first, PROT_NONE);
  };
  close(begin_, begin);
  close(end, end_);
  count(present(), false);
  begin_ = begin;
  end_ = end;
  count(present(), true);
}

// The pages of the part are moved into a place that was kept free for all. Large pages stay what they are if
// they lie in it as they did before.
RowBytes RowBytes::placed(RowBytes part, std::size_t size, std::size_t first) {
  const std::size_t length = part.size_, page = page_size(), large = std::size_t{1} << 21;
  const bool moves = part.place_ == Place::Mapping && !part.partial_ && page < large;
  if (!moves) {
    RowBytes out(*part.memory_, size, first, first + length);
    if (length > 0) std::memcpy(out.data_ + first, part.data_, length);
    return out;
  }
  const std::size_t kept = size + 2 * large;
  void* const mapping = ::mmap(nullptr, kept, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  RowBytes out(*part.memory_);
  out.mapping_ = static_cast<std::byte*>(mapping);
  out.mapped_ = kept;
  out.place_ = Place::Mapping;
  out.partial_ = true;
  const auto distance = reinterpret_cast<std::uintptr_t>(part.data_) -
                        reinterpret_cast<std::uintptr_t>(out.mapping_) - first;  // modulo 2^64, as all here
  out.data_ = out.mapping_ + distance % large;
  out.size_ = size;
  out.begin_ = first;
  out.end_ = first + length;
  void* const target = out.data_ + first;
  if (!move_pages_to(target, part.data_, length)) throw std::bad_alloc();
  // Its bytes are counted here as they were there.
  part.data_ = nullptr;
  part.size_ = 0;
  return out;
}

// After a failure the array is as it was.
void RowBytes::resize(std::size_t size) {
  if (size == size_) return;
  if (partial_ && size != 0) throw std::logic_error("an array of which a part is there is not resized");
  if (size == 0) {
    *this = RowBytes(*memory_);
    return;
  }
  const Place place = place_for(size);
  if (data_ != nullptr && place == place_ && place != Place::Heap) return resize_mapping(size);
  RowBytes other(*memory_);
  other.make(place, size);
  if (data_ != nullptr) std::memcpy(other.data_, data_, std::min(size, size_));
  *this = std::move(other);
}

void RowBytes::make(Place place, std::size_t size) {
  place_ = place;
  if (place == Place::Heap) {
    data_ =
        static_cast<std::byte*>(std::aligned_alloc(kAligned, (size + kAligned - 1) / kAligned * kAligned));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_, 0, size);
  } else {
    if (place == Place::File) {
      file_ = nameless_file(memory_->scratch_);
      set_file_size(size);
    }
    data_ = mapped(size, PROT_READ | PROT_WRITE, file_, memory_->scratch_);
    if (place == Place::Mapping) advise(data_, size);
  }
  size_ = size;
  count(size, true);
}

void RowBytes::resize_mapping(std::size_t size) {
  if (size < size_) {
    // The rest of the last page stays, and would be there again if the array grew.
    const std::size_t page = page_size();
    std::memset(data_ + size, 0, std::min(size_, (size + page - 1) / page * page) - size);
  }
  if (place_ == Place::File) set_file_size(size);
  void* memory = ::mremap(data_, size_, size, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (place_ == Place::Mapping) advise(memory, size);
  count(size_, false);
  data_ = static_cast<std::byte*>(memory);
  size_ = size;
  count(size_, true);
}

void RowBytes::set_file_size(std::size_t size) const {
  int error = EINTR;
  while (error == EINTR) {
    if (size < size_) {
      error = ::ftruncate(file_, static_cast<off_t>(size)) == 0 ? 0 : errno;
    } else {
      error = ::posix_fallocate(file_, 0, static_cast<off_t>(size));
    }
  }
  if (error != 0) fail_to_fit(size, error);
}

void RowBytes::reserve(std::size_t begin, std::size_t end) const {
  int error = EINTR;
  while (error == EINTR)
    error = ::posix_fallocate(file_, static_cast<off_t>(begin), static_cast<off_t>(end - begin));
  if (error != 0) fail_to_fit(end - begin, error);
}

void RowBytes::fail_to_fit(std::size_t size, int error) const {
  const std::filesystem::path& folder = memory_->scratch_;
  std::error_code unknown;
  const auto space = std::filesystem::space(folder, unknown);
  throw IoError(folder.string() + ": an array of " + data_size(size) + " does not fit (" +
                std::strerror(error) + (unknown ? "" : "; " + data_size(space.available) + " are free") +
                "); name another folder with `scratch`, or allow more `memory`");
}

void RowBytes::count(std::size_t size, bool added) const noexcept {
  if (place_ == Place::Heap) return;
  auto& total = place_ == Place::Mapping ? memory_->in_memory_ : memory_->in_files_;
  const std::uint64_t now = added ? total += size : total -= size;
  if (place_ != Place::File) return;
  raise_to(memory_->most_in_files_, now);
}

void RowBytes::release() noexcept {
  if (data_ != nullptr) {
    count(present(), false);
    if (place_ == Place::Heap) {
      std::free(data_);
    } else {
      ::munmap(partial_ ? mapping_ : data_, partial_ ? mapped_ : size_);
    }
  }
  if (file_ >= 0) ::close(file_);
}

Index checked_product(Index first, Index second) {
  Index product = 0;
  if (__builtin_mul_overflow(first, second, &product)) throw std::bad_alloc();
  return product;
}

}  // namespace giga
