// With p_n = <l_n, x> = sum_k u_k <l_n, l_k> and q = <l, x>, which is |x|^2 too since the residual of a
// least-squares optimum is orthogonal to x, the score of a row is
//
//     <l_n, d> / sqrt(1 - <l_n, v>^2),
//     <l_n, v> = p_n / sqrt(q),
//     <l_n, d> = (<l_n, l> - p_n) / sqrt(1 - q):
//
// k products for each row of the list, and none of length J.
#include "construct/shortlist.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/dense_kernels.hpp"
#include "base/extended.hpp"
#include "construct/row_pass.hpp"
#include "construct/to_the_end.hpp"

namespace giga {
namespace {

std::vector<double> in_double(const ExtendedVector& x) {
  return {x.begin(), x.end()};
}

}  // namespace

Index shortlist_size(Index most, Index num_active, Index dim) {
  constexpr Index kPerRow = 8, kMostProducts = Index{1} << 22, kMostNumbers = Index{1} << 24;
  const Index by_products = kMostProducts / std::max<Index>(1, num_active);
  const Index by_numbers = kMostNumbers / std::max<Index>(1, dim);
  return std::clamp(std::min(by_products, by_numbers), most, kPerRow * most);
}

Shortlist::Shortlist(const VectorTable& table, ActiveSet& active, std::span<const Pick> picks, Index most)
    : table_(table),
      norms_(picks.size()),
      units_(picks.size()),
      cosines_(picks.size()),
      along_(picks.size()),
      taken_(picks.size(), false) {
  for (const Pick& pick : picks) rows_.push_back(pick.row);
  const std::vector<double> l = in_double(table.target());
  const Index count = std::ssize(picks);
  for (std::vector<double>& cosines : cosines_) {
    cosines.reserve(at(active.size() + std::min(most, count)));  // take() adds one for each that is taken
    cosines.resize(at(active.size()));
  }
  const bool knows_products = table.rows().products() != nullptr;
  for_each_to_the_end(table.executor(), count, [&](Index i) {
    if (knows_products) {
      ask_products(active, l, at(i));
    } else {
      read_unit(l, at(i));
    }
  });
  if (!knows_products) multiply_units(active);
  active_along_ = active.along(table.rows(), l);
}

void Shortlist::ask_products(const ActiveSet& active, const std::vector<double>& l, std::size_t k) {
  const RowProducts& known = *table_.rows().products();
  known.norms(rows_[k], 1, &norms_[k]);
  known.with_direction(rows_[k], 1, l.data(), &along_[k]);
  along_[k] /= norms_[k];
  known.with_rows(rows_[k], active.rows(), cosines_[k].data());
  for (Index slot = 0; slot < active.size(); ++slot)
    cosines_[k][at(slot)] /= norms_[k] * static_cast<double>(active.norm_of(slot));
}

// A unit row: products of rows of any length neither overflow nor underflow.
void Shortlist::read_unit(const std::vector<double>& l, std::size_t k) {
  units_[k].resize(at(table_.dim()));
  table_.rows().read(rows_[k], 1, units_[k].data());
  row_norms(units_[k].data(), 1, table_.dim(), &norms_[k]);
  if (norms_[k] < kShortRow) {
    lengthen(units_[k]);
    row_norms(units_[k].data(), 1, table_.dim(), &norms_[k]);
  }
  for (double& value : units_[k]) value /= norms_[k];
  along_[k] = kernels::dot(units_[k].data(), l.data(), table_.dim());
}

// The products of some rows of the list with some active ones are formed together, 512 components at a time:
// these stay in the cache until they have been multiplied with all others.
void Shortlist::multiply_units(const ActiveSet& active) {
  constexpr Index kTogether = 512, kRows = 16, kSlots = 32;
  const Index count = std::ssize(rows_), row_parts = (count + kRows - 1) / kRows;
  const Index slot_parts = (active.size() + kSlots - 1) / kSlots;
  for_each_to_the_end(table_.executor(), row_parts * slot_parts, [&](Index part) {
    const Index first = part / slot_parts * kRows, last = std::min(count, first + kRows);
    const Index slot = part % slot_parts * kSlots, end = std::min(active.size(), slot + kSlots);
    std::array<double, at(kRows * kSlots)> products{};
    std::vector<ActiveSet::Lengthened> others;
    for (Index k = slot; k < end; ++k) others.push_back(active.lengthened(table_.rows(), k));
    for (Index begin = 0; begin < table_.dim(); begin += kTogether) {
      std::vector<const double*> rows, slots;
      for (Index i = first; i < last; ++i) rows.push_back(units_[at(i)].data() + begin);
      for (const auto& other : others) slots.push_back(other.vector->data() + begin);
      kernels::add_products(rows, slots, std::min(kTogether, table_.dim() - begin), products.data(), kSlots);
    }
    for (Index i = first; i < last; ++i)
      for (Index k = slot; k < end; ++k)
        cosines_[at(i)][at(k)] = products[at((i - first) * kSlots + k - slot)] / others[at(k - slot)].length;
  });
}

Pick Shortlist::best(std::span<const Extended> u) const {
  const std::vector<double> shares(u.begin(), u.end());
  const Index count = std::ssize(shares);
  const double q = kernels::dot(shares.data(), active_along_.data(), count);
  Pick pick;
  if (!(q > 0 && q < 1)) return pick;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (taken_[k]) continue;
    const double p = kernels::dot(shares.data(), cosines_[k].data(), count);
    const double away = 1 - p * p / q;  // 1 - <l_n, v>^2
    if (!(away > 0)) continue;
    pick.offer(static_cast<Index>(k), (along_[k] - p) / std::sqrt((1 - q) * away));
  }
  return pick.score > 0 ? pick : Pick{};
}

void Shortlist::take(Index position) {
  const auto taken = at(position);
  taken_[taken] = true;
  active_along_.push_back(along_[taken]);
  const RowProducts* known = table_.rows().products();
  std::vector<double> cosines(rows_.size());
  if (known != nullptr) {
    known->with_rows(rows_[taken], rows_, cosines.data());
    for (std::size_t k = 0; k < rows_.size(); ++k) cosines[k] /= norms_[taken] * norms_[k];
  } else {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (!taken_[k]) cosines[k] = kernels::dot(units_[taken].data(), units_[k].data(), table_.dim());
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) cosines_[k].push_back(cosines[k]);
}

}  // namespace giga
