// The rows that carry weight while a coreset is built, one slot each: their vectors L_n in double as the
// table has them, or how to find them again, their norms in extended precision, their weights w_n.
//
// Slots are numbered in order of arrival. Whoever keeps something per slot (the columns of the NNLS solver,
// the draws of a sample) follows the same numbering and the same removals.
#include "construct/active_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/dense_kernels.hpp"
#include "base/extended.hpp"
#include "construct/row_pass.hpp"
#include "construct/to_the_end.hpp"

namespace giga {

Index ActiveSet::num_points() const {
  return std::count_if(weights_.begin(), weights_.end(), [](double weight) { return weight > 0; });
}

namespace {

// -0 + 0 is +0, so that vectors which are equal have equal digests.
std::uint64_t digest_of(const std::vector<double>& vector) {
  std::uint64_t digest = 0;
  for (const double value : vector) {
    digest = (digest ^ std::bit_cast<std::uint64_t>(value + 0.0)) * 0x9E3779B97F4A7C15;
    digest ^= digest >> 29;
  }
  return digest;
}

}  // namespace

std::shared_ptr<const std::vector<double>> ActiveSet::row(const RowSource& source, Index slot) const {
  if (vectors_[at(slot)]) return vectors_[at(slot)];
  auto vector = std::make_shared<std::vector<double>>(at(source.dim()));
  source.read(rows_[at(slot)], 1, vector->data());
  return vector;
}

ActiveSet::Lengthened ActiveSet::lengthened(const RowSource& source, Index slot) const {
  const Extended length = norm_of(slot);
  if (length >= kShortRow) return {row(source, slot), 0, static_cast<double>(length)};
  auto vector = std::make_shared<std::vector<double>>(*row(source, slot));
  lengthen(*vector);
  return {std::move(vector), kLengthening, static_cast<double>(std::scalbn(length, kLengthening))};
}

Index ActiveSet::slot_of(const RowSource& source, Index row) {
  // The row itself first: that needs no vector, which may have to be computed.
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    if (rows_[slot] == row) return static_cast<Index>(slot);
  }
  std::vector<double> vector(at(source.dim()));
  source.read(row, 1, vector.data());
  // A different row with the same vector: its weight is as good on the slot that is there.
  const std::uint64_t digest = digest_of(vector);
  for (Index slot = 0; slot < size(); ++slot) {
    if (digests_[at(slot)] == digest && *this->row(source, slot) == vector) return slot;
  }
  rows_.push_back(row);
  weights_.push_back(0);
  norms_.push_back(norm(vector));
  digests_.push_back(digest);
  vectors_.push_back(holds(source) ? std::make_shared<const std::vector<double>>(std::move(vector))
                                   : nullptr);
  return size() - 1;
}

// In extended precision: its products with l and with other rows decide steps near the limit of rounding.
ExtendedVector ActiveSet::unit_row(const RowSource& source, Index slot) const {
  const auto vector = row(source, slot);
  ExtendedVector unit(vector->begin(), vector->end());
  scale(unit, 1 / norm_of(slot));
  return unit;
}

const std::vector<double>& ActiveSet::along(const RowSource& source, const std::vector<double>& l) {
  for (Index slot = std::ssize(along_); slot < size(); ++slot) {
    const Lengthened row = lengthened(source, slot);
    along_.push_back(kernels::dot(row.vector->data(), l.data(), source.dim()) / row.length);
  }
  return along_;
}

ExtendedVector ActiveSet::combine(const RowSource& source, const std::vector<double>& weights,
                                  Extended target_norm) const {
  // sum_n w_n L_n / |L|, summed in slot order from nothing: no rounding is carried over from earlier steps.
  ExtendedVector sum(rows_.empty() ? 0 : at(source.dim()), 0);
  for (Index slot = 0; slot < size(); ++slot) {
    if (weights[at(slot)] > 0) add_scaled(sum, static_cast<Extended>(weights[at(slot)]), *row(source, slot));
  }
  for (Extended& value : sum) value /= target_norm;
  return sum;
}

ExtendedVector ActiveSet::combine_quickly(const RowSource& source, const std::vector<double>& weights,
                                          Extended target_norm, const Executor& executor) const {
  constexpr Index kTogether = 512;  // components that stay in the cache while all rows pass
  const Index dim = rows_.empty() ? 0 : source.dim();
  std::vector<double> sum(at(dim), 0.0);
  if (!holds(source)) {
    std::vector<Index> rows;
    std::vector<double> factors;
    for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
      if (!(weights[slot] > 0)) continue;
      rows.push_back(rows_[slot]);
      factors.push_back(static_cast<double>(static_cast<Extended>(weights[slot]) / target_norm));
    }
    const RowProducts& known = *source.products();
    for_each_to_the_end(executor, dim == 0 ? 0 : known.num_parts(),
                        [&](Index part) { known.combine(part, rows, factors, sum.data()); });
    return {sum.begin(), sum.end()};
  }
  std::vector<Lengthened> rows;
  std::vector<double> factors;
  for (Index slot = 0; slot < size(); ++slot) {
    if (!(weights[at(slot)] > 0)) continue;
    rows.push_back(lengthened(source, slot));
    const Extended factor = static_cast<Extended>(weights[at(slot)]) / target_norm;
    factors.push_back(static_cast<double>(std::scalbn(factor, -rows.back().exponent)));
  }
  for_each_to_the_end(executor, (dim + kTogether - 1) / kTogether, [&](Index part) {
    const Index first = part * kTogether, count = std::min(kTogether, dim - first);
    std::fill_n(sum.data() + first, count, 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k)
      kernels::add_scaled(sum.data() + first, factors[k], rows[k].vector->data() + first, count);
  });
  return {sum.begin(), sum.end()};
}

std::vector<bool> ActiveSet::drop_zeros() {
  // Which slots stay, for whoever keeps something per slot.
  std::vector<bool> keep(weights_.size());
  std::transform(weights_.begin(), weights_.end(), keep.begin(), [](double weight) { return weight > 0; });
  // Invariant: slots 0 .. kept - 1 are those of the slots seen so far that stay, in their old order.
  std::size_t kept = 0, known = 0;  // those whose products with l are there
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    if (!keep[slot]) continue;
    if (kept != slot) {
      rows_[kept] = rows_[slot];
      weights_[kept] = weights_[slot];
      norms_[kept] = norms_[slot];
      digests_[kept] = digests_[slot];
      vectors_[kept] = std::move(vectors_[slot]);
      if (slot < along_.size()) along_[kept] = along_[slot];
    }
    ++kept;
    if (slot < along_.size()) known = kept;
  }
  rows_.resize(kept);
  weights_.resize(kept);
  norms_.resize(kept);
  digests_.resize(kept);
  along_.resize(known);
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
