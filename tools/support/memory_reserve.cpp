// A new-handler, which operator new calls when malloc has failed, and after which it tries again.
#include "support/memory_reserve.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

namespace giga::tool {
namespace {

// Address space until it is needed: nobody writes to it. A JSON array of 10^5 numbers takes 1.6 MB to
// destroy.
constexpr std::size_t kBytes = std::size_t{4} << 20;

std::atomic<void*> g_to_go_on{nullptr}, g_to_end{nullptr};

bool give(std::atomic<void*>& kept) {
  void* const memory = kept.exchange(nullptr);
  std::free(memory);
  return memory != nullptr;
}

void out_of_memory() {
  if (give(g_to_go_on)) return;
  const bool given = give(g_to_end);
  if (given && std::uncaught_exceptions() > 0) return;  // in a destructor, most likely
  throw std::bad_alloc();
}

}  // namespace

void keep_memory_back() {
  g_to_go_on = std::malloc(kBytes);
  g_to_end = std::malloc(kBytes);
  std::set_new_handler(out_of_memory);
}

}  // namespace giga::tool
