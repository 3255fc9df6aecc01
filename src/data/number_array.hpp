// A long array of doubles that may grow in place: pages are moved, not copied, and those never written to
// take no memory.
#pragma once

#include <cstddef>

#include "giga/base/types.hpp"

namespace giga {

class NumberArray {
 public:
  NumberArray() = default;
  ~NumberArray();
  NumberArray(NumberArray&& other) noexcept;
  NumberArray& operator=(NumberArray&& other) noexcept;

  /// Room for exactly `count` numbers, the new ones 0. Throws std::bad_alloc. Moves the array.
  void resize(Index count);
  /// Room for at least `count` numbers, growing by doubling.
  void reserve(Index count);

  [[nodiscard]] double* data() const { return data_; }
  [[nodiscard]] Index capacity() const { return count_; }

 private:
  double* data_ = nullptr;
  Index count_ = 0;
};

/// first * second, or std::bad_alloc if that many doubles cannot be addressed.
[[nodiscard]] Index checked_count(Index first, Index second);

}  // namespace giga
