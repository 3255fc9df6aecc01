// What an executor of one process does with pieces of work.
#include "giga/base/executor.hpp"

namespace giga {

std::vector<Bytes> Executor::spread(Index count, const std::function<Bytes(Index)>& piece) const {
  std::vector<Bytes> results(static_cast<std::size_t>(count));
  for_each(count, [&](Index i) { results[static_cast<std::size_t>(i)] = piece(i); });
  return results;
}

}  // namespace giga
