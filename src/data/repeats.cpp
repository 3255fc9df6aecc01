#include "data/repeats.hpp"

#include <algorithm>
#include <bit>

#include "data/row_hash.hpp"

namespace giga {
namespace {

// Rows per part, on average at most this: the hash table of a part then takes about 1 MB.
constexpr Index kPartRows = 1 << 15;

}  // namespace

double response_or_0(const Dataset& data, Index row) {
  return data.response().empty() ? 0 : data.response(row);
}

bool equals_row(const Dataset& data, Index row, const double* own, const double* other, double response) {
  return response_or_0(data, row) == response && std::equal(own, own + data.num_features(), other);
}

Repeats::Repeats(const Dataset& data, const RowRange& rows, const Executor& executor, std::uint64_t hash_mask)
    : data_(data), rows_(rows), executor_(executor), hash_mask_(hash_mask) {
  hash_rows();
  deal_rows();
  executor_.for_each(static_cast<Index>(begins_.size()) - 1, [this](Index part) { look_up(at(part)); });
  order_.resize(0);
}

void Repeats::hash_rows() {
  hashes_.resize(rows_.size());
  kinds_.resize(rows_.size());
  const bool weighted = !data_.weights().empty();
  for_each_block(executor_, rows_, [this, weighted](Index first, Index count) {
    FeatureRows features(data_, 1);
    for (Index n = first; n < first + count; ++n) {
      hashes_[at(n - rows_.begin)] =
          hash_row(features.row(n), data_.num_features(), response_or_0(data_, n)) & hash_mask_;
      kinds_[at(n - rows_.begin)] = !weighted || data_.weight(n) > 0 ? kFirst : kNothing;
    }
  });
}

// The top log2(parts) bits. A shift by 64 would be undefined.
std::size_t Repeats::part_of(std::uint64_t hash) const {
  return shift_ == 64 ? 0 : static_cast<std::size_t>(hash >> shift_);
}

// order_[begins_[p] .. begins_[p + 1]): the rows of part p that count, ascending.
void Repeats::deal_rows() {
  // A counting sort by part: count, take prefix sums, place. It is stable.
  const auto parts = std::bit_ceil(at(rows_.size() / kPartRows + 1));
  shift_ = 64 - std::countr_zero(parts);
  begins_.assign(parts + 1, 0);
  for (Index n = rows_.begin; n < rows_.end; ++n) {
    if (counts(n)) ++begins_[part_of(hash(n)) + 1];
  }
  for (std::size_t p = 1; p <= parts; ++p) begins_[p] += begins_[p - 1];
  order_.resize(static_cast<Index>(begins_.back()));
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (Index n = rows_.begin; n < rows_.end; ++n) {
    if (counts(n)) order_[next[part_of(hash(n))]++] = n;
  }
}

// Open addressing with linear probing, at most half full. A row found to repeat row f is marked, and its
// hash, which is not needed any more, becomes f.
void Repeats::look_up(std::size_t part) {
  const std::size_t count = begins_[part + 1] - begins_[part];
  // A power of two, so that a mask replaces the remainder. The low bits choose the slot; the top bits chose
  // the part and are all alike here.
  const std::size_t size = std::bit_ceil(2 * count + 1);
  std::vector<Index> table(size, -1);
  FeatureRows features(data_, 1), firsts(data_, 1);
  for (std::size_t i = begins_[part]; i < begins_[part + 1]; ++i) {
    const Index n = order_[i];
    const std::uint64_t own = hash(n);
    std::size_t slot = static_cast<std::size_t>(own) & (size - 1);
    while (true) {
      const Index f = table[slot];
      if (f < 0) {
        table[slot] = n;
        break;
      }
      if (hash(f) == own && equals_row(data_, f, firsts.row(f), features.row(n), response_or_0(data_, n))) {
        hashes_[at(n - rows_.begin)] = static_cast<std::uint64_t>(f);
        kinds_[at(n - rows_.begin)] = kRepeat;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
}

}  // namespace giga
