// From repeats among the rows to distinct rows and their multiplicities.
#include "giga/data/duplicates.hpp"

#include "data/repeats.hpp"
#include "data/row_hash.hpp"
#include "data/shared_duplicates.hpp"

namespace giga {
namespace {

// The common case costs no memory: all rows distinct and counted once.
DistinctRows collected(const Dataset& data, Repeats& repeats) {
  DistinctRows distinct;
  const Index num_rows = data.num_rows();
  bool all_one = true;
  for (Index n = 0; n < num_rows; ++n) {
    // Rows of weight 0 are neither distinct rows nor repeats.
    if (!repeats.counts(n)) continue;
    (repeats.is_repeat(n) ? distinct.num_repeats : distinct.num_rows) += 1;
    all_one = all_one && data.weight(n) == 1;
  }
  if (distinct.num_rows != num_rows) {
    distinct.rows.reserve(at(distinct.num_rows));
    for (Index n = 0; n < num_rows; ++n)
      if (repeats.is_first(n)) distinct.rows.push_back(n);
  }
  if (all_one && distinct.num_repeats == 0) return distinct;
  // In row order: a first row keeps its number among the distinct rows, where its repeats find it.
  distinct.multiplicity.reserve(at(distinct.num_rows));
  for (Index n = 0; n < num_rows; ++n) {
    if (!repeats.counts(n)) continue;
    if (!repeats.is_repeat(n)) {
      repeats.set_number(n, std::ssize(distinct.multiplicity));
      distinct.multiplicity.push_back(data.weight(n));
    } else {  // its first row came before it
      distinct.multiplicity[at(repeats.number(repeats.first(n)))] += data.weight(n);
    }
  }
  return distinct;
}

}  // namespace

DistinctRows distinct_rows_masked(const Dataset& data, const Executor& executor, std::uint64_t hash_mask) {
  if (data.is_shared()) return shared_distinct_rows(data, executor, hash_mask);
  Repeats repeats(data, {0, data.num_rows()}, executor, hash_mask);
  return collected(data, repeats);
}

DistinctRows distinct_rows(const Dataset& data, const Executor& executor) {
  return distinct_rows_masked(data, executor, ~std::uint64_t{0});
}

}  // namespace giga
