// Executors that live as long as the tests.
#pragma once

#include <map>
#include <mutex>

#include "giga/base/threads.hpp"

namespace giga::test {

/// `count` threads, made when they are first asked for.
inline const Threads& threads(int count) {
  static std::mutex mutex;
  static std::map<int, Threads> all;
  const std::lock_guard lock(mutex);
  return all.try_emplace(count, count).first->second;
}

}  // namespace giga::test
