#include "pipeline/own_terms.hpp"

#include <optional>
#include <vector>

#include "base/shared_entries.hpp"
#include "giga/design/design_state.hpp"
#include "pipeline/trials.hpp"

namespace giga {
namespace {

// Of all rows that are here, equal or not, in their order: the first that does not fit is told.
void check_own_trials(const Dataset& data, const FormulaResponse& left, const Response& response,
                      const ModelOptions& options, const Executor& executor) {
  data.check_together(executor, [&] {
    for_each_block(executor, data.held(), [&](Index first, Index count) {
      std::vector<double> values(at(count)), trials(at(count));
      left.write(data, first, count, values.data(), trials.data());
      for (Index i = 0; i < count; ++i)
        check_trial(data, options.family, first + i, response.value_of(data.response(first + i)),
                    trials[at(i)]);
    });
  });
}

// Whether, on every rank, the responses are those of the data.
bool are_those_of(const Dataset& data, const Response& response, const Executor& executor) {
  if (!response.success) return true;
  bool same = true;
  for (const Bytes& told : gathered(executor, [&] {
         const RowRange own = data.held();
         bool equal = true;
         for (Index n = own.begin; n < own.end && equal; ++n)
           equal = response.value_of(data.response(n)) == data.response(n);
         return Bytes(1, equal ? std::byte{1} : std::byte{0});
       }))
    same = same && told[0] == std::byte{1};
  return same;
}

}  // namespace

OwnTerms own_terms(const Dataset& data, const DistinctRows& distinct, const Response& response,
                   const ModelOptions& options, const Executor& executor) {
  std::optional<FormulaResponse> left;
  std::optional<FormulaOffset> offset;
  if (options.design) {
    left.emplace(*options.design, sources_of(*options.design, data));
    offset.emplace(*options.design, sources_of(*options.design, data, false));
    if (offset->empty()) offset.reset();
  }
  const bool has_trials = describe(options.family.family).has_trials;
  require_trials(data, options.family, left && left->has_trials());
  if (has_trials) check_own_trials(data, *left, response, options, executor);
  OwnTerms out;
  const bool given = distinct.rows.empty() && !has_trials && are_those_of(data, response, executor);
  on_every_rank(executor, [&] {
    if (!given) out.response = row_array<double>(executor, distinct.num_rows);
    if (offset) out.offset = row_array<double>(executor, distinct.num_rows);
  });
  if (given && !offset) return out;
  for_own_blocks(executor, distinct.num_rows, [&](Index first, Index count) {
    for (Index k = first; k < first + count; ++k) {
      const Index row = distinct.row(k);
      if (!given) out.response[at(k)] = response.value_of(data.response(row));
      if (has_trials) {
        double successes = 0, trials = 0;
        left->write(data, row, 1, &successes, &trials);
        out.response[at(k)] = with_trials(out.response[at(k)], trials);
      }
      if (offset) offset->write(data, row, 1, out.offset.data() + k);
    }
  });
  return out;
}

}  // namespace giga
