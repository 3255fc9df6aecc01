// The rows that carry weight while a coreset is built, one slot each: their vectors L_n in double as the
// table has them, their norms in extended precision, their weights w_n.
//
// Slots are numbered in order of arrival. Whoever keeps something per slot (the columns of the NNLS solver,
// the draws of a sample) follows the same numbering and the same removals.
#include "construct/active_set.hpp"

#include <algorithm>
#include <utility>

#include "base/dense_kernels.hpp"
#include "base/extended.hpp"
#include "construct/to_the_end.hpp"

namespace giga {

Index ActiveSet::num_points() const {
  return std::count_if(weights_.begin(), weights_.end(), [](double weight) { return weight > 0; });
}

Index ActiveSet::slot_of(const RowSource& source, Index row) {
  // The row itself first: that needs no vector, which may have to be computed.
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    if (rows_[slot] == row) return static_cast<Index>(slot);
  }
  std::vector<double> vector(at(source.dim()));
  source.read(row, 1, vector.data());
  // A different row with the same vector: its weight is as good on the slot that is there.
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    if (*vectors_[slot] == vector) return static_cast<Index>(slot);
  }
  rows_.push_back(row);
  weights_.push_back(0);
  norms_.push_back(norm(vector));
  vectors_.push_back(std::make_shared<const std::vector<double>>(std::move(vector)));
  return size() - 1;
}

// In extended precision: its products with l and with other rows decide steps near the limit of rounding.
ExtendedVector ActiveSet::unit_row(Index slot) const {
  const auto& vector = *vectors_[at(slot)];
  ExtendedVector unit(vector.begin(), vector.end());
  scale(unit, 1 / norm_of(slot));
  return unit;
}

ExtendedVector ActiveSet::combine(const std::vector<double>& weights, Extended target_norm) const {
  // sum_n w_n L_n / |L|, summed in slot order from nothing: no rounding is carried over from earlier steps.
  ExtendedVector sum(vectors_.empty() ? 0 : vectors_.front()->size(), 0);
  for (std::size_t slot = 0; slot < vectors_.size(); ++slot) {
    if (weights[slot] > 0) add_scaled(sum, static_cast<Extended>(weights[slot]), *vectors_[slot]);
  }
  for (Extended& value : sum) value /= target_norm;
  return sum;
}

ExtendedVector ActiveSet::combine_quickly(const std::vector<double>& weights, Extended target_norm,
                                          const Executor& executor) const {
  constexpr Index kTogether = 512;  // components that stay in the cache while all rows pass
  const Index dim = vectors_.empty() ? 0 : std::ssize(*vectors_.front());
  std::vector<double> sum(at(dim), 0.0);
  for_each_to_the_end(executor, (dim + kTogether - 1) / kTogether, [&](Index part) {
    const Index first = part * kTogether, count = std::min(kTogether, dim - first);
    std::fill_n(sum.data() + first, count, 0.0);
    for (std::size_t slot = 0; slot < vectors_.size(); ++slot) {
      if (!(weights[slot] > 0)) continue;
      const auto factor = static_cast<double>(static_cast<Extended>(weights[slot]) / target_norm);
      kernels::add_scaled(sum.data() + first, factor, vectors_[slot]->data() + first, count);
    }
  });
  return {sum.begin(), sum.end()};
}

std::vector<bool> ActiveSet::drop_zeros() {
  // Which slots stay, for whoever keeps something per slot.
  std::vector<bool> keep(weights_.size());
  std::transform(weights_.begin(), weights_.end(), keep.begin(), [](double weight) { return weight > 0; });
  // Invariant: slots 0 .. kept - 1 are those of the slots seen so far that stay, in their old order.
  std::size_t kept = 0;
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    if (!keep[slot]) continue;
    if (kept != slot) {
      rows_[kept] = rows_[slot];
      weights_[kept] = weights_[slot];
      norms_[kept] = norms_[slot];
      vectors_[kept] = std::move(vectors_[slot]);
    }
    ++kept;
  }
  rows_.resize(kept);
  weights_.resize(kept);
  norms_.resize(kept);
  vectors_.resize(kept);
  return keep;
}

Coreset ActiveSet::coreset() const {
  // The order of arrival is the order of the search; the coreset lists rows as the data has them.
  std::vector<std::size_t> order;
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    if (weights_[slot] > 0) order.push_back(slot);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return rows_[x] < rows_[y]; });
  Coreset coreset;
  for (const std::size_t slot : order) {
    coreset.rows.push_back(rows_[slot]);
    coreset.weights.push_back(weights_[slot]);
  }
  return coreset;
}

}  // namespace giga
