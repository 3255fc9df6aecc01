// Table, selector, build: the stages after the projection, for vectors that somebody else projected.
#include "giga/pipeline/build_vectors.hpp"

#include <algorithm>
#include <limits>

#include "giga/base/stopwatch.hpp"

namespace giga {

CoresetResult build_from_vectors(const RowSource& rows, const CoresetOptions& options,
                                 const Executor& executor, const Observer& observer) {
  constexpr Index kUsualSize = 100, kToleranceSize = 1000;
  CoresetResult result;
  result.options = options;
  Index& size = result.options.size;
  if (size == 0) size = options.tolerance > 0 ? kToleranceSize : kUsualSize;
  size = std::min(size, rows.num_rows());

  Stopwatch clock;
  tell(observer, {.stage = Stage::Prepare, .dim = rows.dim()});
  const bool greedy = is_greedy(options.method);  // draws need no search, so nothing is prepared for one
  const VectorTable table(rows, executor.local(), {greedy ? options.selector : SelectorKind::Scan});
  const bool searches = greedy && !table.zero_target();
  if (searches) (void)table.selector();
  result.seconds.prepare = clock.restart();

  result.build = build(table, options.method, {size, options.max_steps, options.tolerance, {}},
                       {size, options.seed, {}}, observer);
  result.seconds.construct = clock.restart();
  result.coreset = result.build.coreset;
  result.heldout_error = std::numeric_limits<double>::quiet_NaN();
  result.dim = table.dim();
  result.norm_sum = table.norm_sum();
  result.target_norm = static_cast<double>(table.target_norm());
  result.num_zero_rows = table.num_zero_rows();
  result.zero_target = table.zero_target();
  if (searches) result.selector = table.selector_kind();
  result.selector_bytes = table.selector_bytes();
  result.prepare_bytes_read = table.prepare_bytes_read();
  return result;
}

}  // namespace giga
