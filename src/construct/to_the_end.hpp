// Loops within a step of a build. A step either happens or does not: once it has begun to change the state of
// the build, a request to stop waits until it has ended.
#pragma once

#include <functional>

#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"

namespace giga {

/// executor.for_each(count, body), to its end: where the executor is told to stop, everything is done again
/// here. What body(i) does must not depend on whether it was done before.
inline void for_each_to_the_end(const Executor& executor, Index count,
                                const std::function<void(Index)>& body) {
  if (count == 0) return;
  try {
    executor.for_each(count, body);
  } catch (const Stopped&) {
    Serial().for_each(count, body);
  }
}

}  // namespace giga
