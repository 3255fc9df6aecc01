// Anonymous mappings: mmap gives zeroed pages that take memory only when written to, and mremap moves page
// tables instead of copying numbers, so that doubling an array of many gigabytes needs no second one.
#include "data/number_array.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace giga {
namespace {

constexpr Index kMaxCount = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(double));

std::size_t bytes_of(Index count) {
  if (count > kMaxCount) throw std::bad_alloc();
  return static_cast<std::size_t>(count) * sizeof(double);
}

}  // namespace

NumberArray::~NumberArray() {
  if (data_ != nullptr) ::munmap(data_, static_cast<std::size_t>(count_) * sizeof(double));
}

NumberArray::NumberArray(NumberArray&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}

NumberArray& NumberArray::operator=(NumberArray&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(count_, other.count_);
  return *this;
}

// mremap keeps the old numbers and adds zeroed pages; after a failure the array is unchanged.
void NumberArray::resize(Index count) {
  if (count == count_) return;
  if (count == 0) {
    *this = NumberArray();
    return;
  }
  const std::size_t bytes = bytes_of(count);
  void* memory = data_ == nullptr
                     ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : ::mremap(data_, bytes_of(count_), bytes, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  data_ = static_cast<double*>(memory);
  count_ = count;
}

void NumberArray::reserve(Index count) {
  // Doubling makes the total of all moves proportional to the final size; near the limit it grows as asked.
  if (count > count_) resize(std::max(count, count_ <= kMaxCount / 2 ? 2 * count_ : count));
}

Index checked_count(Index first, Index second) {
  Index product = 0;
  if (__builtin_mul_overflow(first, second, &product) || product > kMaxCount) throw std::bad_alloc();
  return product;
}

}  // namespace giga
