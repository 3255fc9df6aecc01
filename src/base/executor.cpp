// What an executor of one process does with pieces of work, and what ranks say to each other.
#include "giga/base/executor.hpp"

#include <exception>

namespace giga {

std::vector<Bytes> Executor::spread(Index count, const std::function<Bytes(Index)>& piece) const {
  std::vector<Bytes> results(static_cast<std::size_t>(count));
  for_each(count, [&](Index i) { results[static_cast<std::size_t>(i)] = piece(i); });
  return results;
}

std::vector<Bytes> gathered(const Executor& executor, const std::function<Bytes()>& words) {
  std::exception_ptr failure;
  Bytes own;
  // Not within a piece: the threads of a rank are busy while it spreads.
  try {
    own = words();
  } catch (...) {
    failure = std::current_exception();
  }
  return executor.spread(executor.num_ranks(), [&](Index) {
    if (failure) std::rethrow_exception(failure);
    return own;
  });
}

}  // namespace giga
