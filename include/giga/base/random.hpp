// Random numbers that do not depend on who draws them.
//
// A stream is a function of (seed, purpose, index): row 17's noise or chain 3's momenta are the same numbers
// on any number of threads, in any order. The generator is Philox4x32-10, a counter cipher; nothing is
// global.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "giga/base/types.hpp"

namespace giga {

class Stream {
 public:
  Stream(std::uint64_t seed, std::uint32_t purpose, std::uint64_t index);

  std::uint64_t bits();
  /// Uniform on the 2^53 multiples of 2^-53 in [0, 1).
  double uniform();
  /// Uniform on 0 .. bound-1, without bias; bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller).
  double normal();

 private:
  void refill();

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;  // block, purpose, index low, index high
  std::array<std::uint64_t, 2> buffer_{};
  int left_ = 0;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

/// `purpose` names what the numbers are for, so that two uses of one seed never share a stream.
[[nodiscard]] Stream stream(std::uint64_t seed, std::string_view purpose, Index index = 0);

}  // namespace giga
