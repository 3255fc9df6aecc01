// Work on files that are read, or stay mapped, until it is done: what comes of it is worth something only if
// they stayed as they were.
//
//   const Dataset data = read_dataset("flights.npy", {}, threads);
//   const CoresetResult result = of_unchanged(data, [&] { return build_coreset(Problem(data), {}, threads);
//   });
#pragma once

#include <type_traits>

#include "giga/base/error.hpp"
#include "giga/base/executor.hpp"

namespace giga {

namespace unchanged_detail {

template <typename Files, typename Work, typename AtEnd>
auto result_of(const Files& files, const Work& work, const AtEnd& at_end) {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      at_end();
    } else {
      auto result = work();
      at_end();
      return result;
    }
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    files.require_unchanged();
    throw;
  }
}

}  // namespace unchanged_detail

/// What work() gives. `files` has require_unchanged(), which throws what is wrong with them: as Dataset and
/// MappedFile do. That is asked at the end; and before anything that work() throws is passed on, as a file
/// that changes can make any stage fail, in words that blame the data. Only Stopped passes by.
template <typename Files, typename Work>
auto of_unchanged(const Files& files, const Work& work) {
  return unchanged_detail::result_of(files, work, [&] { files.require_unchanged(); });
}

/// The same of work that ranks do together: what one of them finds at the end is thrown on all.
template <typename Files, typename Work>
auto of_unchanged(const Files& files, const Executor& executor, const Work& work) {
  return unchanged_detail::result_of(files, work,
                                     [&] { on_every_rank(executor, [&] { files.require_unchanged(); }); });
}

}  // namespace giga
