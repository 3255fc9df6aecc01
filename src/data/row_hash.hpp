// A hash of a row's values: equal rows have equal hashes. Two values at a time go through a 64 x 64 -> 128
// bit multiplication whose halves are folded, as in wyhash; distinct_rows compares rows that collide.
#pragma once

#include <bit>
#include <cstdint>

#include "giga/base/executor.hpp"
#include "giga/data/duplicates.hpp"

namespace giga {

namespace hash_detail {

// Both halves of a 128-bit product, folded by exclusive or.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// -0 + 0 is +0, so the two zeros, which are equal, have equal bits.
inline std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value + 0.0);
}

inline constexpr std::uint64_t kFirstMixer =
    0x9E3779B97F4A7C15;  // odd, half of the bits set: those of the golden ratio
inline constexpr std::uint64_t kSecondMixer = 0xD6E8FEB86659FD93;

}  // namespace hash_detail

inline std::uint64_t hash_row(const double* features, Index dim, double response) {
  using namespace hash_detail;
  // The number of features is part of the hash, and every step depends on the one before.
  std::uint64_t hash = mix(bits(response) ^ kFirstMixer, kSecondMixer ^ static_cast<std::uint64_t>(dim));
  Index j = 0;
  for (; j + 1 < dim; j += 2)
    hash = mix(bits(features[j]) ^ hash, bits(features[j + 1]) ^ kSecondMixer) + kFirstMixer;
  if (j < dim) hash = mix(bits(features[j]) ^ hash, kFirstMixer) + kSecondMixer;
  return mix(hash, kSecondMixer);
}

/// distinct_rows with only the bits of `hash_mask` kept of each hash, to test what collisions do.
[[nodiscard]] DistinctRows distinct_rows_masked(const Dataset& data, const Executor& executor,
                                                std::uint64_t hash_mask);

}  // namespace giga
