// Memory for tables of many megabytes: page-aligned, zero, on huge pages where the system has them. Filling
// it then takes a few hundred page faults instead of tens of thousands.
#pragma once

#include <cstddef>

namespace giga {

class LargeBuffer {
 public:
  LargeBuffer() = default;
  /// Throws std::bad_alloc.
  explicit LargeBuffer(std::size_t bytes);
  ~LargeBuffer();
  LargeBuffer(LargeBuffer&& other) noexcept;
  LargeBuffer& operator=(LargeBuffer&& other) noexcept;

  template <typename Element>
  [[nodiscard]] Element* as(std::size_t offset_bytes = 0) const {
    return reinterpret_cast<Element*>(data_ + offset_bytes);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace giga
