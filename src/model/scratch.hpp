// Room for numbers that will be written before they are read: unlike std::vector it is not cleared.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "giga/base/types.hpp"

namespace giga {

class Scratch {
 public:
  explicit Scratch(Index count)
      : values_(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(count))) {}
  [[nodiscard]] double* data() const { return values_.get(); }

 private:
  std::unique_ptr<double[]> values_;
};

/// Models with more parameters than this pay for an allocation.
inline constexpr Index kFewParameters = 64;

/// The same, without an allocation if there are at most kFew of them.
template <Index kFew>
class SmallScratch {
 public:
  explicit SmallScratch(Index count) {
    if (count > kFew) many_ = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(count));
  }
  [[nodiscard]] double* data() { return many_ ? many_.get() : few_.data(); }

 private:
  std::array<double, static_cast<std::size_t>(kFew)> few_;
  std::unique_ptr<double[]> many_;
};

}  // namespace giga
