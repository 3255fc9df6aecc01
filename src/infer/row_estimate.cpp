// L^ = (Q - Q_S) + L_S, its gradient, and standard errors from random groups of the sampled rows.
#include "giga/infer/row_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/shared_entries.hpp"
#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "infer/faults.hpp"
#include "infer/point_sums.hpp"
#include "infer/wide_draws.hpp"

namespace giga {

Extended Quadratic::value(std::span<const double> theta) const {
  const std::size_t dim = centre.size();
  Extended linear = 0, square = 0;
  for (std::size_t d = 0; d < dim; ++d) {
    const double away = theta[d] - centre[d];
    const double* row = at_centre.hessian.data() + d * dim;
    Extended along = 0;
    for (std::size_t e = 0; e < dim; ++e) along += Extended{row[e]} * (theta[e] - centre[e]);
    linear += Extended{at_centre.gradient[d]} * away;
    square += along * away;
  }
  return Extended{at_centre.value} + linear + square / 2;
}

void Quadratic::add_gradient(std::span<const double> theta, Extended* out) const {
  const std::size_t dim = centre.size();
  for (std::size_t d = 0; d < dim; ++d) {
    const double* row = at_centre.hessian.data() + d * dim;
    Extended along = at_centre.gradient[d];
    for (std::size_t e = 0; e < dim; ++e) along += Extended{row[e]} * (theta[e] - centre[e]);
    out[d] += along;
  }
}

Derivatives difference(Derivatives a, const Derivatives& b) {
  a.value -= b.value;
  for (std::size_t d = 0; d < a.gradient.size(); ++d) a.gradient[d] -= b.gradient[d];
  for (std::size_t k = 0; k < a.hessian.size(); ++k) a.hessian[k] -= b.hessian[k];
  return a;
}

namespace {

// One of the random groups of sampled rows: T_b(theta) = L_b(theta) - Q_b(theta), the share of the group in
// the sum of remainders.
struct Group {
  std::unique_ptr<Likelihood> rows;  // null: none fell to it
  Quadratic expansion;
};

// All of them.
struct Groups {
  std::vector<Group> each;  // empty if there are too few rows to tell
  // Where a call may cost as much for the rows of a group as for all: the rows of all groups, with the group
  // of each.
  std::unique_ptr<Likelihood> rows;
  std::vector<Index> group_of;
};

// As many as make standard errors good to a tenth, of a few rows at least, and of little memory.
Index num_groups(Index num_sampled, Index dim) {
  constexpr Index kMost = 64, kFewest = 8, kRows = 8, kNumbers = Index{1} << 22;
  const Index affordable = std::max(kFewest, kNumbers / (dim * dim));
  return std::min({kMost, affordable, num_sampled / kRows});
}

Groups random_groups(const Likelihood& full, std::span<const double> mode, const RowSample& sample,
                     std::uint64_t seed, const Executor& executor) {
  std::vector<std::size_t> sampled;
  for (std::size_t i = 0; i < sample.rows.size(); ++i)
    if (sample.counts[i] > 1) sampled.push_back(i);
  const Index count = num_groups(std::ssize(sampled), full.num_parameters());
  if (count < 2) return {};
  // Each row's group is drawn by itself: groups of equal size would not see remainders of one sign.
  std::vector<std::vector<std::size_t>> members(at(count));
  Stream random = stream(seed, "groups of rows");
  Groups groups;
  for (const std::size_t i : sampled) {
    groups.group_of.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(count))));
    members[at(groups.group_of.back())].push_back(i);
  }
  const auto model_of = [&](const std::vector<std::size_t>& some) {
    std::vector<Index> rows;
    std::vector<double> counts;
    for (const std::size_t i : some) {
      rows.push_back(sample.rows[i]);
      counts.push_back(sample.counts[i] * full.multiplicity(sample.rows[i]));
    }
    return full.subset(rows, counts);
  };
  if (full.linear_model() == nullptr) groups.rows = model_of(sampled);
  groups.each.resize(at(count));
  executor.for_each(count, [&](Index b) {
    if (members[at(b)].empty()) return;
    Group& group = groups.each[at(b)];
    group.rows = model_of(members[at(b)]);
    group.expansion = {{mode.begin(), mode.end()}, group.rows->evaluate(mode, Order::Hessian, Serial())};
  });
  return groups;
}

// What log_likelihood_sums() of each group gives, with a call for all groups: L_b(theta_s) is out[s * B + b]
// for B groups.
std::vector<double> sums_by_group(const Groups& groups, std::span<const double> points, Index dim,
                                  const Executor& executor) {
  constexpr Index kPoints = 16;
  const Index num_groups = std::ssize(groups.each), num_points = std::ssize(points) / dim;
  std::vector<double> out(at(num_points * num_groups), 0);
  fill_shared(executor, num_points, kPoints, {entries_of(out.data(), num_groups)},
              [&](Index first, Index count) {
                Points some(dim, count);
                for (Index s = 0; s < count; ++s) some.set(s, points.subspan(at((first + s) * dim), at(dim)));
                const Index num_rows = groups.rows->num_rows();
                std::vector<double> values(at(std::min(num_rows, kBlockRows) * count));
                for (Index begin = 0; begin < num_rows; begin += kBlockRows) {
                  const Index rows = std::min(kBlockRows, num_rows - begin);
                  groups.rows->log_likelihoods(begin, rows, some, values.data());
                  for (Index i = 0; i < rows; ++i) {
                    const double times = groups.rows->multiplicity(begin + i);
                    double* sum = out.data() + first * num_groups + groups.group_of[at(begin + i)];
                    for (Index s = 0; s < count; ++s)
                      sum[s * num_groups] += times * values[at(i * count + s)];
                  }
                }
              });
  return out;
}

// body(s) for every one of `count` points, some points at a time.
template <typename Body>
void for_points(const Executor& executor, Index count, const Body& body) {
  constexpr Index kAtOnce = 64;
  executor.for_each((count + kAtOnce - 1) / kAtOnce, [&](Index part) {
    for (Index s = part * kAtOnce; s < std::min(count, (part + 1) * kAtOnce); ++s) body(s);
  });
}

}  // namespace

struct RowEstimate::Parts {
  Index dim = 0;
  Index num_certain = 0;
  std::unique_ptr<Likelihood> sample;  // L_S
  Quadratic rest;                      // Q - Q_S
  Groups groups;                       // of the rows with p < 1

  [[nodiscard]] std::span<const double> point(std::span<const double> points, Index s) const {
    return points.subspan(at(s * dim), at(dim));
  }
};

RowEstimate::RowEstimate(const Likelihood& full, std::span<const double> mode, const Derivatives& at_mode,
                         const RowSample& sample, std::uint64_t seed, const Executor& executor) {
  if (std::ssize(mode) != full.num_parameters() || sample.rows.size() != sample.counts.size() ||
      sample.rows.empty())
    throw std::invalid_argument("the mode and the sample do not fit the model");
  full.fetch(sample.rows, executor);
  auto parts = std::make_unique<Parts>();
  parts->dim = full.num_parameters();
  parts->num_certain = sample.num_certain;
  std::vector<double> counts;
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    double count = sample.counts[i];
    if (fault(Fault::SampleCountedOnce)) count = 1;
    if (fault(Fault::CertainRowsTwice) && count == 1) count = 2;
    counts.push_back(count * full.multiplicity(sample.rows[i]));
  }
  std::vector<Index> rows = sample.rows;
  if (fault(Fault::RemainderRowDropped)) {
    const auto lightest = std::ranges::min_element(counts) - counts.begin();
    rows.erase(rows.begin() + lightest);
    counts.erase(counts.begin() + lightest);
  }
  parts->sample = full.subset(rows, counts);
  parts->rest = {{mode.begin(), mode.end()},
                 difference(at_mode, parts->sample->evaluate(mode, Order::Hessian, executor))};
  parts->groups = random_groups(full, mode, sample, seed, executor);
  parts_ = std::move(parts);
}

RowEstimate::~RowEstimate() = default;
RowEstimate::RowEstimate(RowEstimate&&) noexcept = default;
RowEstimate& RowEstimate::operator=(RowEstimate&&) noexcept = default;

Index RowEstimate::num_rows() const {
  return parts_->sample->num_rows();
}

Index RowEstimate::num_certain() const {
  return parts_->num_certain;
}

ExtendedVector RowEstimate::log_likelihoods(std::span<const double> points, const Executor& executor) const {
  ExtendedVector out = log_likelihood_sums(*parts_->sample, points, executor);
  for_points(executor, std::ssize(out),
             [&](Index s) { out[at(s)] += parts_->rest.value(parts_->point(points, s)); });
  return out;
}

ExtendedVector RowEstimate::gradients(std::span<const double> points, const Executor& executor) const {
  ExtendedVector out = gradient_sums(*parts_->sample, points, executor);
  for_points(executor, std::ssize(points) / parts_->dim, [&](Index s) {
    parts_->rest.add_gradient(parts_->point(points, s), out.data() + s * parts_->dim);
  });
  return out;
}

// With y_n = R_n / p_n of the sampled rows, B groups that each row falls to independently, shares T_b and
// their mean T: B / (B - 1) sum_b (T_b - T)^2 expects sum y_n^2, which exceeds the variance of priority
// sampling, the expectation of sum (1 - p_n) y_n^2, by what certain rows need not pay for.
EstimateError RowEstimate::error(std::span<const double> points, const Executor& executor) const {
  const Index num_points = std::ssize(points) / parts_->dim, num_groups = std::ssize(parts_->groups.each);
  EstimateError out;
  const bool known = num_groups >= 2 || parts_->num_certain == parts_->sample->num_rows();
  out.each.assign(at(num_points), known ? 0 : std::numeric_limits<double>::infinity());
  if (!known) out.rms = out.most = std::numeric_limits<double>::infinity();
  if (num_groups < 2 || num_points == 0) return out;
  std::vector<double> shares(at(num_groups * num_points), 0);  // those of a group together
  const auto share_of = [&](Index b) {
    return std::span(shares).subspan(at(b * num_points), at(num_points));
  };
  std::vector<double> together;
  if (parts_->groups.rows) together = sums_by_group(parts_->groups, points, parts_->dim, executor);
  const Entries of_groups = entries_of(shares.data(), num_points);
  fill_shared(executor, num_groups, 1, {of_groups}, [&](Index b, Index /*count*/) {
    const Group& group = parts_->groups.each[at(b)];
    if (!group.rows) return;
    const std::span<double> share = share_of(b);
    ExtendedVector sums;
    for (Index s = 0; s < num_points && !together.empty(); ++s)
      sums.push_back(Extended{together[at(s * num_groups + b)]});
    if (together.empty()) sums = log_likelihood_sums(*group.rows, points, Serial());
    for (Index s = 0; s < num_points; ++s)
      share[at(s)] = static_cast<double>(sums[at(s)] - group.expansion.value(parts_->point(points, s)));
    // A constant cancels from weights, whichever it is: the average over the points is taken off.
    const double mean = std::accumulate(share.begin(), share.end(), 0.0) / static_cast<double>(num_points);
    for (double& value : share) value -= mean;
  });
  double total = 0;
  for (std::size_t s = 0; s < at(num_points); ++s) {
    double sum = 0, squares = 0;
    for (Index b = 0; b < num_groups; ++b) {
      const double share = share_of(b)[s];
      sum += share;
      squares += share * share;
    }
    const auto groups = static_cast<double>(num_groups);
    const double variance = std::max(0.0, groups / (groups - 1) * (squares - sum * sum / groups));
    out.each[s] = std::sqrt(variance);
    out.most = std::max(out.most, out.each[s]);
    total += variance;
  }
  out.rms = std::sqrt(total / static_cast<double>(num_points));
  return out;
}

std::vector<double> RowEstimate::gradient_noise(std::span<const double> points, std::span<const double> frame,
                                                const Executor& executor) const {
  const Index dim = parts_->dim, num_points = std::ssize(points) / dim;
  const Index num_groups = std::ssize(parts_->groups.each);
  std::vector<double> out(at(num_points), 0);
  if (num_groups < 2) return out;
  std::vector<std::vector<double>> shares(at(num_groups));
  executor.for_each(num_groups, [&](Index b) {
    const Group& group = parts_->groups.each[at(b)];
    if (!group.rows) return shares[at(b)].resize(points.size(), 0);
    ExtendedVector expanded(points.size(), 0);
    for (Index s = 0; s < num_points; ++s)
      group.expansion.add_gradient(parts_->point(points, s), expanded.data() + s * dim);
    const ExtendedVector sums = gradient_sums(*group.rows, points, Serial());
    std::vector<double>& share = shares[at(b)];
    for (std::size_t i = 0; i < sums.size(); ++i) share.push_back(static_cast<double>(sums[i] - expanded[i]));
    if (frame.empty()) return;
    std::vector<double> turned(share.size(), 0);  // F' e of every point
    for (Index s = 0; s < num_points; ++s) {
      for (Index e = 0; e < dim; ++e) {
        for (Index d = 0; d < dim; ++d)
          turned[at(s * dim + d)] += frame[at(e * dim + d)] * share[at(s * dim + e)];
      }
    }
    share = std::move(turned);
  });
  const auto b = static_cast<double>(num_groups);
  for (std::size_t i = 0; i < points.size(); ++i) {
    double sum = 0, squares = 0;
    for (const auto& share : shares) {
      sum += share[i];
      squares += share[i] * share[i];
    }
    out[i / at(dim)] += std::max(0.0, b / (b - 1) * (squares - sum * sum / b));
  }
  return out;
}

std::vector<double> spread_points(std::span<const double> points, Index dim, Index count) {
  const Index all = std::ssize(points) / dim, kept = std::min(all, count);
  std::vector<double> out;
  for (Index i = 0; i < kept; ++i) {
    const auto point = points.subspan(at(i * all / kept * dim), at(dim));
    out.insert(out.end(), point.begin(), point.end());
  }
  return out;
}

namespace {

// Half the distance of the quantiles at 16% and 84%: the standard deviation, whatever the tails do.
double scale_of(std::vector<double> values) {
  constexpr double kBelow = 0.16;
  const auto last = static_cast<double>(values.size() - 1);
  const auto quantile = [&](double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * last);
    std::ranges::nth_element(values, place);
    return *place;
  };
  const double low = quantile(kBelow), high = quantile(1 - kBelow);
  return (high - low) / 2;
}

// Those whose components are all finite.
std::vector<double> finite_points(std::span<const double> points, Index dim) {
  std::vector<double> out;
  for (Index s = 0; s < std::ssize(points) / dim; ++s) {
    const auto point = points.subspan(at(s * dim), at(dim));
    if (std::ranges::all_of(point, [](double x) { return std::isfinite(x); }))
      out.insert(out.end(), point.begin(), point.end());
  }
  return out;
}

}  // namespace

EstimatedRows estimate_rows(const Likelihood& full, const Likelihood* coreset, const LaplaceResult& laplace,
                            std::span<const double> points, const RowEstimateOptions& options,
                            const Executor& executor) {
  constexpr Index kFirst = 2000, kWorthwhile = 8000, kShare = 3, kPilot = 256;
  constexpr double kMostGrowth = 16, kMargin = 1.2;
  constexpr Index kForMoments = 1024;
  constexpr double kMostAt = 5;  // the standard error at any point, over what the root mean square may be
  const Index num_rows = full.num_rows(), dim = full.num_parameters();
  const bool automatic = options.rows.kind == RowCount::Kind::Auto;
  if (options.rows.kind == RowCount::Kind::All || (automatic && num_rows < kWorthwhile)) return {};
  if (!automatic && options.rows.number < 1) throw std::invalid_argument("rows must be at least 1");
  if (!automatic && options.rows.number >= num_rows) return {};
  const std::vector<double> finite = finite_points(points, dim), pilot = spread_points(finite, dim, kPilot);
  if (pilot.empty()) return {};

  const std::vector<double>& mode = laplace.posterior.mean();
  EstimatedRows out;
  if (!laplace.at_mode) ++out.passes;
  const Derivatives at_mode =
      laplace.at_mode ? *laplace.at_mode : full.evaluate(mode, Order::Hessian, executor);
  RowArray<float> found;
  const RowArray<float>* scores = options.scores;
  if (scores == nullptr) {
    found = remainder_scores(full, laplace.posterior, executor);
    scores = &found;
    out.found_scores = true;
    ++out.passes;
  }
  // Draws much wider than the Laplace approximation, those of a failing coreset, meet other remainders: rows
  // that matter there alone would hardly ever be sampled, and no standard error could show it.
  RowArray<float> wide;
  const std::vector<double> draws = spread_points(finite, dim, kForMoments);
  std::vector<double> away = draws;
  for (std::size_t i = 0; i < away.size(); ++i) away[i] -= mode[i % at(dim)];
  const double widest = widest_moment(away, laplace.posterior, executor);
  if (is_wide(widest, std::ssize(draws) / dim, dim)) {
    wide = joined_scores(*scores, wide_scores(full, laplace.posterior, draws, widest, executor), executor);
    scores = &wide;
    ++out.passes;
  }
  ExtendedVector less(pilot.size() / at(dim), 0);
  if (coreset != nullptr) less = log_likelihood_sums(*coreset, pilot, executor);
  double size = static_cast<double>(automatic ? kFirst : options.rows.number);
  while (true) {
    const RowSample sample = priority_sample(*scores, static_cast<Index>(size), options.seed, executor);
    RowEstimate estimate(full, mode, at_mode, sample, options.seed, executor);
    const ExtendedVector sums = estimate.log_likelihoods(pilot, executor);
    std::vector<double> ratios;
    for (std::size_t s = 0; s < sums.size(); ++s) ratios.push_back(static_cast<double>(sums[s] - less[s]));
    const double half = scale_of(std::move(ratios)) / 2;
    const double allowed = options.max_error * std::max(1.0, half * half);
    const EstimateError error = estimate.error(pilot, executor);
    // Standard errors fall like 1 / sqrt(size) at least.
    const double over = std::max(error.rms / allowed, error.most / (kMostAt * allowed));
    if (over <= 1) {
      out.estimate = std::move(estimate);
      return out;
    }
    size *= std::clamp(kMargin * over * over, 2.0, kMostGrowth);
    if (!(size * static_cast<double>(kShare) <= static_cast<double>(num_rows))) return out;
  }
}

}  // namespace giga
