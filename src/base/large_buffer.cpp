// Anonymous private mappings: the kernel hands them out zeroed and page-aligned, and a moved-from buffer owns
// nothing. MADV_HUGEPAGE is advice only; where it is refused the memory comes in ordinary pages.
#include "base/large_buffer.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace giga {

LargeBuffer::LargeBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  data_ = static_cast<std::byte*>(memory);
}

LargeBuffer::~LargeBuffer() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

LargeBuffer::LargeBuffer(LargeBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

LargeBuffer& LargeBuffer::operator=(LargeBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace giga
