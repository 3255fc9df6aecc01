// How much the remainder R_n of each row varies under the Laplace approximation, and the sample drawn by it.
// Notation as in the header.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/dense_kernels.hpp"
#include "giga/base/random.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/model/linear_model.hpp"
#include "infer/wide_draws.hpp"
#include "model/family_kernels.hpp"
#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"

namespace giga {
namespace {

using kernels::kTile;

// A score is a float; what is beyond (a remainder that overflows) is certain to be sampled at this size too.
constexpr double kMostScore = 1e30;

float as_score(double mean_square, double multiplicity) {
  const double score = multiplicity * std::sqrt(mean_square);
  return static_cast<float>(score <= kMostScore ? score : kMostScore);
}

struct Node {
  double x, weight;
};

// Gauss-Hermite nodes for the standard normal distribution, the middle one left out: R_n is 0 there.
constexpr std::array<Node, 8> kNodes = {{{-4.512745863399783, 2.23458440077466e-5},
                                         {-3.205429002856470, 2.78914132123177e-3},
                                         {-2.076847978677830, 4.99164067652179e-2},
                                         {-1.023255663789133, 2.44097502894939e-1},
                                         {1.023255663789133, 2.44097502894939e-1},
                                         {2.076847978677830, 4.99164067652179e-2},
                                         {3.205429002856470, 2.78914132123177e-3},
                                         {4.512745863399783, 2.23458440077466e-5}}};

// Rows whose parameters all enter by a linear predictor: s ~ N(z.m, |C'z|^2) under pihat, so that
// E R^2 is an integral over one number,  R(s) = l(s) - l(s0) - l'(s0) (s - s0) - l''(s0) (s - s0)^2 / 2.
class LinearScores {
 public:
  LinearScores(const LinearModel& model, const PredictorMoments& moments)
      : model_(model), moments_(moments) {}

  static constexpr Index kAtOnce = kTile;

  // `count` <= kAtOnce rows.
  void find(Index first, Index count, float* out) const {
    Tile y{}, centre{}, sd{}, value, slope, curvature, s, there, sum{};
    const Tile no_constants{};
    for (Index i = 0; i < count; ++i) {
      y[at(i)] = model_.response(first + i);
      centre[at(i)] = static_cast<double>(moments_.mean[at(first + i)]);
      sd[at(i)] = static_cast<double>(moments_.sd[at(first + i)]);
    }
    kernels::derivatives(model_.family(), y.data(), no_constants.data(), centre.data(), count, value.data(),
                         slope.data(), curvature.data());
    for (const auto& [x, weight] : kNodes) {
      for (Index i = 0; i < count; ++i) s[at(i)] = centre[at(i)] + x * sd[at(i)];
      kernels::log_likelihoods(model_.family(), y.data(), no_constants.data(), s.data(), count, there.data());
      for (std::size_t i = 0; i < at(count); ++i) {
        const double away = x * sd[i];
        const double rest = there[i] - value[i] - away * (slope[i] + 0.5 * away * curvature[i]);
        sum[i] += weight * rest * rest;
      }
    }
    for (Index i = 0; i < count; ++i) out[i] = as_score(sum[at(i)], model_.multiplicity(first + i));
  }

 private:
  using Tile = std::array<double, static_cast<std::size_t>(kTile)>;

  const LinearModel& model_;
  const PredictorMoments& moments_;
};

// Any other model: along a direction d, with f(t) = L_n(m + t d),
//   R_n(m + t d) = f(t) - f(0) - t f'(0) - t^2 f''(0) / 2,
// the derivatives by central differences of step h. Their error is a share h^2 of the cubic and quartic terms
// themselves, which a score can bear.
//
// A model may be undefined somewhere: what is asked of it is asked near m, or where it was asked before. A
// point at which no row of a block has a finite value says nothing of these rows, and is left out.
class ProbedScores {
 public:
  // A call may cost as much for a few rows as for many.
  static constexpr Index kAtOnce = kBlockRows;

  // Both ways along directions drawn from pihat.
  ProbedScores(const Likelihood& likelihood, const Normal& pihat)
      : likelihood_(likelihood), ends_(2), points_(pihat.dim(), 1 + kProbes * (2 + ends_)) {
    points_.set(0, pihat.mean());
    std::vector<double> draw(at(pihat.dim()));
    for (Index k = 0; k < kProbes; ++k) {
      Stream random = stream(0, "remainder scores", k);
      pihat.draw(random, draw.data());
      add_line(pihat.mean(), draw, kStep);
    }
  }

  // At `draws`, row-major, however far out. No step goes farther than one standard deviation of pihat, the
  // direction d times |C^-1 d|^-1.
  ProbedScores(const Likelihood& likelihood, const Normal& pihat, std::span<const double> draws)
      : likelihood_(likelihood),
        ends_(1),
        points_(pihat.dim(), 1 + std::ssize(draws) / pihat.dim() * (2 + ends_)) {
    const Index dim = pihat.dim();
    points_.set(0, pihat.mean());
    std::vector<double> away(at(dim));
    for (Index k = 0; k < std::ssize(draws) / dim; ++k) {
      const auto draw = draws.subspan(at(k * dim), at(dim));
      std::ranges::transform(draw, pihat.mean(), away.begin(), std::minus());
      double square = 0;  // |C^-1 d|^2
      for (Index d = 0; d < dim; ++d)
        square += away[at(d)] * kernels::dot(pihat.precision().data() + d * dim, away.data(), dim);
      add_line(pihat.mean(), draw, square > 0 ? std::min(kStep, 1 / std::sqrt(square)) : kStep);
    }
  }

  void find(Index first, Index count, float* out) const {
    const Index num_points = points_.count();
    const Scratch values(count * num_points);
    likelihood_.log_likelihoods(first, count, points_, values.data());
    std::vector<char> known(at(num_points), 0);  // of each point: whether any row is possible there
    for (Index i = 0; i < count; ++i) {
      for (Index s = 0; s < num_points; ++s)
        known[at(s)] |= static_cast<char>(std::isfinite(values.data()[i * num_points + s]));
    }
    for (Index i = 0; i < count; ++i)
      out[i] =
          as_score(mean_square(values.data() + i * num_points, known), likelihood_.multiplicity(first + i));
  }

 private:
  static constexpr Index kProbes = 8;
  static constexpr double kStep = 0.25;

  // The points m + h d, m - h d, m + d and, where both ends are wanted, m - d.
  void add_line(std::span<const double> mode, std::span<const double> end, double step) {
    Index next = 1 + std::ssize(steps_) * (2 + ends_);
    steps_.push_back(step);
    std::vector<double> theta(mode.size());
    const auto add = [&](double length) {
      for (std::size_t d = 0; d < mode.size(); ++d) theta[d] = mode[d] + length * (end[d] - mode[d]);
      points_.set(next++, theta);
    };
    add(step);
    add(-step);
    if (ends_ == 1) return points_.set(next, end);  // to the bit: close by, the model may be undefined
    add(1);
    add(-1);
  }

  // Of the remainders of a row whose values are f, at the ends that are known; infinite if none is.
  [[nodiscard]] double mean_square(const double* f, const std::vector<char>& known) const {
    double sum = 0;
    Index count = 0;
    for (Index k = 0; k < std::ssize(steps_); ++k) {
      const Index begin = 1 + k * (2 + ends_);
      if (known[at(begin)] == 0 || known[at(begin + 1)] == 0) continue;
      const double* g = f + begin;
      const double step = steps_[at(k)], slope = (g[0] - g[1]) / (2 * step);
      const double curvature = ((g[0] - f[0]) + (g[1] - f[0])) / (step * step);
      for (Index end = 0; end < ends_; ++end) {
        if (known[at(begin + 2 + end)] == 0) continue;
        const double sign = end == 0 ? 1 : -1;
        const double rest = g[2 + end] - f[0] - sign * slope - curvature / 2;
        sum += rest * rest;
        ++count;
      }
    }
    const double mean = sum / static_cast<double>(count);
    return std::isnan(mean) ? std::numeric_limits<double>::infinity() : mean;
  }

  const Likelihood& likelihood_;
  Index ends_;                 // of each line, beyond m
  Points points_;              // m, and those of each line
  std::vector<double> steps_;  // h of each line
};

template <typename Scores>
RowArray<float> of_all_rows(const Scores& scores, Index num_rows, const Executor& executor) {
  RowArray<float> out = row_array<float>(executor, num_rows);
  for_own_blocks(executor, num_rows, [&](Index first, Index count) {
    for (Index begin = 0; begin < count; begin += Scores::kAtOnce)
      scores.find(first + begin, std::min(Scores::kAtOnce, count - begin), out.data() + first + begin);
  });
  return out;
}

// Whether all parameters enter by the linear predictor.
bool has_linear_scores(const Likelihood& likelihood) {
  const LinearModel* linear = likelihood.linear_model();
  return linear != nullptr && linear->num_columns() == likelihood.num_parameters();
}

}  // namespace

RowArray<float> remainder_scores(const Likelihood& likelihood, const Normal& pihat, const Executor& executor,
                                 const PredictorMoments* moments) {
  if (pihat.dim() != likelihood.num_parameters())
    throw std::invalid_argument("pihat has another dimension than the model");
  if (!has_linear_scores(likelihood))
    return of_all_rows(ProbedScores(likelihood, pihat), likelihood.num_rows(), executor);
  const LinearModel& linear = *likelihood.linear_model();
  PredictorMoments found;
  if (moments == nullptr) found = predictor_moments(linear, pihat, executor);
  return of_all_rows(LinearScores(linear, moments != nullptr ? *moments : found), likelihood.num_rows(),
                     executor);
}

RowArray<float> wide_scores(const Likelihood& likelihood, const Normal& pihat, std::span<const double> draws,
                            double widest, const Executor& executor) {
  constexpr Index kProbed = 12;
  const Index dim = pihat.dim();
  if (!has_linear_scores(likelihood)) {
    const std::vector<double> some = spread_points(draws, dim, kProbed);
    return of_all_rows(ProbedScores(likelihood, pihat, some), likelihood.num_rows(), executor);
  }
  std::vector<double> away(draws.begin(), draws.end());
  for (std::size_t i = 0; i < away.size(); ++i) away[i] -= pihat.mean()[i % at(dim)];
  return remainder_scores(likelihood, widened(pihat, away, widest, executor), executor);
}

namespace {

// What each rank finds, one after the other; `alike`: all find the same.
template <typename Find>
auto of_all_ranks(const Executor& executor, bool alike, const Find& find) {
  if (alike) return find();
  decltype(find()) all;
  const std::vector<Bytes> told = gathered(executor, [&] {
    const auto own = find();
    const auto bytes = std::as_bytes(std::span(own));
    return Bytes(bytes.begin(), bytes.end());
  });
  for (const Bytes& bytes : told) {
    const std::size_t before = all.size(), each = sizeof(all[0]);
    all.resize(before + bytes.size() / each);
    if (!bytes.empty()) std::memcpy(all.data() + before, bytes.data(), bytes.size());
  }
  return all;
}

}  // namespace

RowSample priority_sample(std::span<const float> scores, Index size, std::uint64_t seed,
                          const Executor& executor, int power) {
  constexpr double kFloor = 0.1;  // of the average score, added to each
  if (size < 1) throw std::invalid_argument("size must be at least 1");
  if (power != 1 && power != 2) throw std::invalid_argument("power must be 1 or 2");
  const auto num_rows = std::ssize(scores);
  RowSample sample;
  if (size >= num_rows) {
    sample.rows.resize(at(num_rows));
    std::iota(sample.rows.begin(), sample.rows.end(), Index{0});
    sample.counts.assign(at(num_rows), 1);
    sample.num_certain = num_rows;
    return sample;
  }
  // A score that is no number counts as 0, an infinite one as the largest: sums stay finite.
  const auto given = [&](Index n) {
    const auto score = static_cast<double>(scores[at(n)]);
    const double bounded = score > 0 ? std::min(score, kMostScore) : 0;
    return power == 1 ? bounded : bounded * bounded;
  };
  const Extended total = sum_blocks(executor, num_rows, 1, [&](Index first, Index count, double* part) {
    for (Index n = first; n < first + count; ++n) *part += given(n);
  })[0];
  const double average = static_cast<double>(total) / static_cast<double>(num_rows);
  const double floor = average > 0 ? kFloor * average : 1;

  const auto score = [&](Index n) { return given(n) + floor; };

  // Priorities a_n / u_n, u_n in (0, 1], from a stream for each block of rows. About min(1, a_n / c) of the
  // rows exceed c, so that those above sum a / (4 size) are enough to choose among; if not, those above a
  // lower one.
  struct Priority {
    double value;
    Index row;
    double score;
  };
  const RowRange own = executor.own_rows(num_rows);
  std::vector<Priority> order;
  std::vector<std::vector<Priority>> found(at(num_blocks(own.size())));  // by block
  const double all = static_cast<double>(total) + floor * static_cast<double>(num_rows);
  for (double cut = all / (4 * static_cast<double>(size)); std::ssize(order) <= size; cut /= 4) {
    if (cut < floor) cut = 0;
    const double clearly_below = cut * (1 - 1e-12);
    const auto find = [&] {
      for_each_block(executor, own, [&, cut, clearly_below](Index first, Index count) {
        Stream random = stream(seed, "priority sample", first / kBlockRows);
        std::vector<Priority>& here = found[at((first - own.begin) / kBlockRows)];
        here.clear();
        for (Index n = first; n < first + count; ++n) {
          const double a = score(n), u = 1 - random.uniform();
          if (a < clearly_below * u) continue;  // a / u < cut: hardly any row is divided
          const double priority = a / u;
          if (priority > cut) here.push_back({priority, n, a});
        }
      });
      std::vector<Priority> here;
      for (const auto& block : found) here.insert(here.end(), block.begin(), block.end());
      return here;
    };
    order = of_all_ranks(executor, own.size() == num_rows, find);
  }
  const auto next = order.begin() + size;  // of priority tau
  std::ranges::nth_element(order, next, [](const auto& one, const auto& other) {
    return one.value != other.value ? one.value > other.value : one.row < other.row;
  });
  const double tau = next->value;
  std::ranges::sort(order.begin(), next, {}, &Priority::row);
  for (auto it = order.begin(); it != next; ++it) {
    sample.rows.push_back(it->row);
    sample.counts.push_back(std::max(1.0, tau / it->score));
    if (it->score >= tau) ++sample.num_certain;
  }
  return sample;
}

}  // namespace giga
