// What an observer is told while a file is read.
#pragma once

#include <cstddef>

#include "giga/base/observer.hpp"

namespace giga {

/// `done` of `total` bytes; throws Stopped where the observer asks to stop.
inline void tell_bytes(const Observer& observer, std::size_t done, std::size_t total) {
  tell(observer,
       {.stage = Stage::Load, .done = static_cast<Index>(done), .total = static_cast<Index>(total)});
}

}  // namespace giga
