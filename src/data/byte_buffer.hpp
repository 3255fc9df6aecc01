// Numbers and texts as bytes, one after the other, and back: what ranks tell each other.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "giga/base/executor.hpp"

namespace giga {

template <typename Number>
void put(Bytes& bytes, std::span<const Number> numbers) {
  static_assert(std::is_trivially_copyable_v<Number>);
  const std::size_t before = bytes.size();
  bytes.resize(before + numbers.size_bytes());
  if (!numbers.empty()) std::memcpy(bytes.data() + before, numbers.data(), numbers.size_bytes());
}

template <typename Number>
void put(Bytes& bytes, const Number& number) {
  put(bytes, std::span<const Number>(&number, 1));
}

inline void put_text(Bytes& bytes, std::string_view text) {
  put(bytes, text.size());
  put(bytes, std::span<const char>(text.data(), text.size()));
}

/// Takes from the front of bytes what was put there.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  template <typename Number>
  void get(Number* numbers, std::size_t count) {
    const std::size_t length = count * sizeof(Number);
    if (length > 0) std::memcpy(numbers, rest_.data(), length);
    rest_ = rest_.subspan(length);
  }
  template <typename Number>
  [[nodiscard]] Number get() {
    Number number;
    get(&number, 1);
    return number;
  }
  [[nodiscard]] std::string text() {
    std::string out(get<std::size_t>(), '\0');
    get(out.data(), out.size());
    return out;
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace giga
