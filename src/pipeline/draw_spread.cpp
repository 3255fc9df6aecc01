// Quantiles by cells: the range of the values is cut into cells of equal width, the weight in each is summed,
// and only the draws of the cell that a quantile falls in are put in order.
#include "pipeline/draw_spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/dense_kernels.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr std::size_t kCells = 512;
constexpr double kUnits = 0x1p50;  // of all draws together

using Found = std::vector<std::pair<double, std::uint64_t>>;

// The first value at which the units reach `wanted`. `found` has them all.
double reached(Found& found, std::uint64_t wanted) {
  const auto [least, most] = std::ranges::minmax_element(found, {}, &Found::value_type::first);
  if (least->first == most->first) return least->first;
  std::ranges::sort(found, {}, &Found::value_type::first);
  std::uint64_t below = 0;
  for (const auto& [value, units] : found) {
    below += units;
    if (below >= wanted) return value;
  }
  return found.back().first;
}

}  // namespace

DrawSpread::DrawSpread(std::span<const double> weights, std::span<const double> quantiles) {
  double total = 0;
  for (const double weight : weights) {
    if (!(weight >= 0))
      throw std::invalid_argument("a weight is " + shortest(weight) + ", must not be negative");
    total += weight;
  }
  if (!(total > 0 && std::isfinite(total))) throw std::invalid_argument("the weights of the draws are all 0");
  const bool equal = std::ranges::all_of(weights, [&](double weight) { return weight == weights[0]; });
  std::uint64_t all = 0;
  double squares = 0;
  for (const double weight : weights) {
    weights_.push_back(weight / total);
    units_.push_back(equal ? 1 : static_cast<std::uint64_t>(std::llround(weights_.back() * kUnits)));
    all += units_.back();
    squares += weights_.back() * weights_.back();
  }
  correction_ = 1 / (1 - squares);
  for (const double p : quantiles) {
    if (!(p > 0 && p < 1))
      throw std::invalid_argument("a quantile is " + shortest(p) + ", must be between 0 and 1");
    // 0.07 of 100 draws are 7, not the 8 that 7.000000000000001 would be rounded up to.
    const double share = std::ceil(p * static_cast<double>(all) * (1 - 1e-12));
    wanted_.push_back(std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share), 1, all));
  }
}

void DrawSpread::write(const double* x, Room& room, double* out) const {
  const Index count = std::ssize(weights_);
  const double mean = kernels::dot(weights_.data(), x, count);
  room.squares.resize(weights_.size());
  for (std::size_t s = 0; s < weights_.size(); ++s) room.squares[s] = (x[s] - mean) * (x[s] - mean);
  out[0] = mean;
  out[1] = std::sqrt(kernels::dot(weights_.data(), room.squares.data(), count) * correction_);
  if (!wanted_.empty()) write_quantiles(x, room, out + 2);
}

void DrawSpread::write_quantiles(const double* x, Room& room, double* out) const {
  const std::size_t count = weights_.size();
  double low = x[0], high = x[0];
  for (std::size_t s = 0; s < count; ++s) {
    low = std::min(low, x[s]);
    high = std::max(high, x[s]);
  }
  // Values that are all alike, infinite or too far apart are in one cell.
  const double scale = static_cast<double>(kCells) / (high - low);
  const bool cut = high > low && std::isfinite(scale) && scale > 0;
  std::array<std::uint64_t, kCells> sums{};
  room.cells.assign(count, 0);
  for (std::size_t s = 0; s < count; ++s) {
    if (cut) {
      const auto cell = static_cast<std::size_t>((x[s] - low) * scale);
      room.cells[s] = static_cast<std::uint16_t>(std::min(cell, kCells - 1));
    }
    sums[room.cells[s]] += units_[s];
  }
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    // Invariant: `below` is the weight of the cells before `cell`. A larger value is never in an earlier
    // cell.
    std::uint64_t below = 0;
    std::size_t cell = 0;
    while (below + sums[cell] < wanted_[k]) below += sums[cell++];
    room.found.clear();
    for (std::size_t s = 0; s < count; ++s)
      if (room.cells[s] == cell && units_[s] > 0) room.found.emplace_back(x[s], units_[s]);
    out[k] = reached(room.found, wanted_[k] - below);
  }
}

}  // namespace giga
