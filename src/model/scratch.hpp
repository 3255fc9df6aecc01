// Room for numbers that will be written before they are read.
#pragma once

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

}  // namespace giga
