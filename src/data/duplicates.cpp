// Rows are hashed in parallel, distributed by the top bits of their hash into parts small enough for the
// cache, and looked up part by part. Within a part rows stay in order, so the first of a set of equal rows is
// the first in the table; equal hashes are settled by comparing values. No step depends on the number of
// threads.
#include "giga/data/duplicates.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "data/row_hash.hpp"

namespace giga {
namespace {

// 0 in every row of a table without a response.
double response_of(const Dataset& data, Index n) {
  const auto response = data.response();
  return response.empty() ? 0 : response[at(n)];
}

// By value: 0 equals -0, as their hashes do; NaN does not occur in a Dataset.
bool equal_rows(const Dataset& data, Index a, Index b) {
  const Index dim = data.num_features();
  return response_of(data, a) == response_of(data, b) &&
         std::equal(data.features(a), data.features(a) + dim, data.features(b));
}

// Rows per part, on average at most this: the hash table of a part then takes about 1 MB.
constexpr Index kPartRows = 1 << 15;

class Finder {
 public:
  Finder(const Dataset& data, const Executor& executor, std::uint64_t hash_mask)
      : data_(data), executor_(executor), hash_mask_(hash_mask) {}

  // The three steps; repeats_[n] says whether row n equals an earlier one.
  DistinctRows find() {
    hash_rows();
    deal_rows();
    repeats_.resize(data_.num_rows());
    executor_.for_each(static_cast<Index>(begins_.size()) - 1, [this](Index part) { look_up(at(part)); });
    return collect();
  }

 private:
  void hash_rows() {
    hashes_.resize(data_.num_rows());
    for_each_block(executor_, data_.num_rows(), [this](Index first, Index count) {
      for (Index n = first; n < first + count; ++n) {
        hashes_[at(n)] =
            hash_row(data_.features(n), data_.num_features(), response_of(data_, n)) & hash_mask_;
      }
    });
  }

  // The top log2(parts) bits. A shift by 64 would be undefined.
  std::size_t part_of(std::uint64_t hash) const {
    return shift_ == 64 ? 0 : static_cast<std::size_t>(hash >> shift_);
  }

  // order_[begins_[p] .. begins_[p + 1]): the rows of part p that count, ascending.
  void deal_rows() {
    // A counting sort by part: count, take prefix sums, place. It is stable.
    const auto parts = std::bit_ceil(at(data_.num_rows() / kPartRows + 1));
    shift_ = 64 - std::countr_zero(parts);
    begins_.assign(parts + 1, 0);
    const Index num_rows = data_.num_rows();
    for (Index n = 0; n < num_rows; ++n) {
      if (data_.weight(n) > 0) ++begins_[part_of(hashes_[at(n)]) + 1];
    }
    for (std::size_t p = 1; p <= parts; ++p) begins_[p] += begins_[p - 1];
    order_.resize(static_cast<Index>(begins_.back()));
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (Index n = 0; n < num_rows; ++n) {
      if (data_.weight(n) > 0) order_[next[part_of(hashes_[at(n)])]++] = n;
    }
  }

  // Open addressing with linear probing, at most half full. A row found to repeat row f is marked, and its
  // hash, which is not needed any more, becomes f. The hash of a first row stays until collect().
  void look_up(std::size_t part) {
    const std::size_t count = begins_[part + 1] - begins_[part];
    // A power of two, so that a mask replaces the remainder. The low bits choose the slot; the top bits chose
    // the part and are all alike here.
    const std::size_t size = std::bit_ceil(2 * count + 1);
    std::vector<Index> table(size, -1);
    for (std::size_t i = begins_[part]; i < begins_[part + 1]; ++i) {
      const Index n = order_[i];
      const std::uint64_t hash = hashes_[at(n)];
      std::size_t slot = static_cast<std::size_t>(hash) & (size - 1);
      while (true) {
        const Index f = table[slot];
        if (f < 0) {
          table[slot] = n;
          break;
        }
        if (hashes_[at(f)] == hash && equal_rows(data_, f, n)) {
          hashes_[at(n)] = static_cast<std::uint64_t>(f);
          repeats_[at(n)] = 1;
          break;
        }
        slot = (slot + 1) & (size - 1);
      }
    }
  }

  // The common case costs no memory: all rows distinct and counted once.
  DistinctRows collect() {
    order_.resize(0);
    DistinctRows distinct;
    const Index num_rows = data_.num_rows();
    bool all_one = true;
    for (Index n = 0; n < num_rows; ++n) {
      const double weight = data_.weight(n);
      // Rows of weight 0 are neither distinct rows nor repeats.
      if (!(weight > 0)) continue;
      (repeats_[at(n)] == 0 ? distinct.num_rows : distinct.num_repeats) += 1;
      all_one = all_one && weight == 1;
    }
    const bool all_rows = distinct.num_rows == num_rows;
    if (!all_rows) list_rows(distinct.num_rows, distinct.rows);
    if (!(all_one && distinct.num_repeats == 0)) add_weights(distinct.num_rows, distinct.multiplicity);
    return distinct;
  }

  void list_rows(Index count, std::vector<Index>& rows) const {
    rows.reserve(at(count));
    for (Index n = 0; n < data_.num_rows(); ++n)
      if (data_.weight(n) > 0 && repeats_[at(n)] == 0) rows.push_back(n);
  }

  // In row order: a first row's hash becomes its number among the distinct rows, where its repeats find it.
  void add_weights(Index count, std::vector<double>& weights) {
    weights.reserve(at(count));
    for (Index n = 0; n < data_.num_rows(); ++n) {
      const double weight = data_.weight(n);
      if (!(weight > 0)) continue;
      if (repeats_[at(n)] == 0) {
        hashes_[at(n)] = weights.size();
        weights.push_back(weight);
      } else {  // its first row came before it
        weights[hashes_[hashes_[at(n)]]] += weight;
      }
    }
  }

  const Dataset& data_;
  const Executor& executor_;
  std::uint64_t hash_mask_;
  int shift_ = 64;
  // Per row: its hash, then what look_up() and collect() put in its place.
  RowArray<std::uint64_t> hashes_{executor_.memory()};
  // Where each part begins in order_, and the end of the last.
  std::vector<std::size_t> begins_;
  RowArray<Index> order_{executor_.memory()};
  RowArray<char> repeats_{executor_.memory()};
};

}  // namespace

DistinctRows distinct_rows_masked(const Dataset& data, const Executor& executor, std::uint64_t hash_mask) {
  return Finder(data, executor, hash_mask).find();
}

DistinctRows distinct_rows(const Dataset& data, const Executor& executor) {
  return distinct_rows_masked(data, executor, ~std::uint64_t{0});
}

}  // namespace giga
