// Rows in the order of their expected response, cut where a bin is full.
#include "pipeline/fitted_bins.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/family_kernels.hpp"
#include "pipeline/family_noise.hpp"

namespace giga {
namespace {

constexpr Index kMostBins = 10;
constexpr double kLeastExpected = 5;

// E y of a row, or of one trial, at one theta.
std::vector<double> expected_at(const LinearModel& rows, std::span<const double> theta) {
  const Index dim = rows.num_columns();
  std::vector<double> z(at(dim)), s;
  for (Index n = 0; n < rows.num_rows(); ++n) {
    rows.design(n, 1, z.data());
    s.push_back(std::inner_product(z.begin(), z.end(), theta.begin(), rows.offset(n)));
  }
  kernels::expected_responses(rows.family(), s.data(), std::ssize(s), s.data());
  return s;
}

// How much of a bin's limits a row fills: its observations, and what is expected of the rarer outcome.
struct Filling {
  double count = 0, expected = 0;
};

Filling filling_of(const LinearModel& rows, Index n, double mean) {
  const double count = rows.multiplicity(n) * rows.trials(n);
  switch (response_kind(rows.family().family)) {
    case ResponseKind::Label:
    case ResponseKind::Successes: return {count, count * std::min(mean, 1 - mean)};
    case ResponseKind::Count: return {count, count * mean};
    case ResponseKind::Positive:
    case ResponseKind::Real: break;
  }
  return {count, count};
}

}  // namespace

FittedBins fitted_bins(const LinearModel& rows, std::span<const double> theta) {
  const std::vector<double> mean = expected_at(rows, theta);
  std::vector<Index> order(mean.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index n) { return mean[at(n)]; });
  double all = 0;
  for (const Index n : order) all += filling_of(rows, n, mean[at(n)]).count;
  FittedBins out{std::vector<Index>(mean.size(), 0), 0};
  Filling now;
  std::size_t begin = 0;  // of the present bin
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Index n = order[i];
    const Filling one = filling_of(rows, n, mean[at(n)]);
    now.count += one.count;
    now.expected += one.expected;
    out.of_row[at(n)] = out.count;
    const bool alike = i + 1 < order.size() && mean[at(order[i + 1])] == mean[at(n)];
    // Rounding must not make an eleventh bin of the last row.
    const bool full = now.count >= all / double{kMostBins} * (1 - 1e-9) && now.expected >= kLeastExpected;
    if (alike || !full) continue;
    ++out.count;
    now = {};
    begin = i + 1;
  }
  if (begin == order.size()) return out;
  // What is left at the end joins the last bin that is full.
  if (out.count == 0) return {std::move(out.of_row), 1};
  for (std::size_t i = begin; i < order.size(); ++i) out.of_row[at(order[i])] = out.count - 1;
  return out;
}

}  // namespace giga
