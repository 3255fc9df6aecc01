// Philox4x32-10 (Salmon et al., SC 2011) by way of Random123: block b of a stream is the cipher of the
// counter (b, purpose, index) under the key `seed`, 128 bits at a time. Streams with different (seed,
// purpose, index) never share a block; one stream has 2^32 blocks, that is 2^33 words of 64 bits, before it
// repeats.
#include "giga/base/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace giga {

Stream::Stream(std::uint64_t seed, std::uint32_t purpose, std::uint64_t index)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, purpose, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)} {}

void Stream::refill() {
  r123::Philox4x32 cipher;
  const r123::Philox4x32::ctr_type counter = {{counter_[0], counter_[1], counter_[2], counter_[3]}};
  const r123::Philox4x32::key_type key = {{key_[0], key_[1]}};
  const auto out = cipher(counter, key);
  // Four words of 32 bits make two of 64, the lower half first.
  buffer_ = {(std::uint64_t{out[1]} << 32) | out[0], (std::uint64_t{out[3]} << 32) | out[2]};
  ++counter_[0];
  left_ = 2;
}

std::uint64_t Stream::bits() {
  // left_ words of the block are unused; they are handed out first to last.
  if (left_ == 0) refill();
  --left_;
  return buffer_[at(1 - left_)];
}

double Stream::uniform() {
  // The upper 53 bits as an integer k in [0, 2^53), times 2^-53: exact, so every k / 2^53 is equally likely.
  return static_cast<double>(bits() >> 11) * 0x1.0p-53;
}

std::uint64_t Stream::below(std::uint64_t bound) {
  // With e = 2^64 mod bound, the draws below 2^64 - e cover every remainder equally often; the others are
  // drawn again. In unsigned arithmetic 2^64 - e is 0 - e, which is 0 for e = 0: then every draw is good.
  const std::uint64_t excess = (0 - bound) % bound;  // 2^64 mod bound
  while (true) {
    const std::uint64_t draw = bits();
    if (draw < 0 - excess || excess == 0) return draw % bound;
  }
}

double Stream::normal() {
  // Box-Muller: for u, v uniform, sqrt(-2 log(1 - u)) times (cos, sin)(2 pi v) are two independent N(0, 1).
  // The second is kept for the next call.
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));  // log of a number in (0, 1]
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

Stream stream(std::uint64_t seed, std::string_view purpose, Index index) {
  // The name of a purpose becomes 32 bits of the counter.
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return {seed, hash, static_cast<std::uint64_t>(index)};
}

}  // namespace giga
