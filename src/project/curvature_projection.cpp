#include "giga/project/curvature_projection.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "giga/project/random_projection.hpp"
#include "model/family_kernels.hpp"
#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"

namespace giga {
namespace {

using kernels::kTile;

// Nodes in the far tail, whose weight is next to nothing, are kept from overflowing e^s.
constexpr double kMostPredictor = 700;

// Expectations under N(m, sd^2) by the trapezoidal rule, which converges like exp(-2 pi d / step) for a
// function that is analytic within d of the real line. The density allows steps of 0.75 sd; the families,
// with branch points at +- i pi, steps of 0.6 in s. Both leave less than 1e-14. The range reaches sd beyond
// the usual one, for functions that grow like e^s.
struct Rule {
  std::vector<double> nodes, weights;  // in units of sd
};

Rule rule_for(double sd) {
  constexpr double kDensityStep = 0.75, kFamilyStep = 0.6, kRange = 8.5;
  constexpr double kMostShift = 40;  // exp(40^2 / 2) is beyond a double
  constexpr Index kMost = 2000;      // on either side; reached for sd > 32, where steps grow instead
  const double range = kRange + std::min(sd, kMostShift);
  const double step = std::min(kDensityStep, kFamilyStep / sd);
  const Index side = std::min(kMost, static_cast<Index>(std::ceil(range / step)));
  const double width = range / static_cast<double>(side);
  Rule rule;
  for (Index k = -side; k <= side; ++k) {
    const double x = static_cast<double>(k) * width;
    rule.nodes.push_back(x);
    rule.weights.push_back(width * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi));
  }
  return rule;
}

Points columns_of_factor(const Normal& pihat) {
  return *draw_features(pihat, 1, true, 0, "").frame;
}

}  // namespace

std::string_view name(Expansion expansion) {
  switch (expansion) {
    case Expansion::Taylor: return "taylor";
    case Expansion::Hermite: return "hermite";
  }
  return "unknown";
}

CurvatureProjection::CurvatureProjection(const Regression& regression, const Normal& pihat,
                                         const ThreadPool& pool, const CurvatureProjectionOptions& options)
    : regression_(&regression),
      pihat_(&pihat),
      options_(options),
      frame_(columns_of_factor(pihat)),
      remainder_(draw_features(pihat, std::max<Index>(1, options.remainder_dim), false, options.seed,
                               options.purpose)),
      slope_(static_cast<std::size_t>(regression.num_rows())),
      bend_(static_cast<std::size_t>(regression.num_rows())) {
  if (pihat.dim() != regression.num_parameters()) throw std::invalid_argument("pihat has another dimension");
  if (options.remainder_dim < 0) throw std::invalid_argument("remainder_dim must be at least 0");
  if (options.remainder_dim > 0 && options.expansion != Expansion::Hermite)
    throw std::invalid_argument("the remainder of a Taylor expansion is not orthogonal to it; use Hermite");
  pool.for_each(num_blocks(num_rows()), [&](Index block) {
    const Index end = std::min(num_rows(), (block + 1) * kBlockRows);
    for (Index first = block * kBlockRows; first < end; first += kTile)
      find_moments(first, std::min(kTile, end - first));
  });
}

Index CurvatureProjection::dim() const {
  return curvature_dim(regression_->num_parameters()) + options_.remainder_dim;
}

void CurvatureProjection::find_moments(Index first, Index count) {
  const Index dim = regression_->num_parameters();
  std::vector<double> z(static_cast<std::size_t>(kTile * dim)),
      u(static_cast<std::size_t>(kTile * frame_.stride()));
  regression_->design(first, count, z.data());
  kernels::predict_many(z.data(), count, dim, frame_.component(0), frame_.stride(), u.data());
  std::vector<double> s, y, slopes, bends;
  Rule rule;
  double step_sd = -1;  // what the rule was made for
  for (Index i = 0; i < count; ++i) {
    double mean = 0, square = 0;
    for (Index d = 0; d < dim; ++d) {
      mean += z[static_cast<std::size_t>(i * dim + d)] * pihat_->mean()[static_cast<std::size_t>(d)];
      const double part = u[static_cast<std::size_t>(i * frame_.stride() + d)];
      square += part * part;
    }
    const double sd = options_.expansion == Expansion::Hermite ? std::sqrt(square) : 0.0;
    // A rule serves all smaller sds within a factor of two.
    const double rounded = sd <= 0.25 ? 0.25 : std::exp2(std::ceil(std::log2(sd)));
    if (sd == 0) {
      rule = {{0.0}, {1.0}};
      step_sd = 0;
    } else if (rounded != step_sd) {
      rule = rule_for(step_sd = rounded);
    }
    const std::size_t size = rule.nodes.size();
    for (auto* values : {&s, &y, &slopes, &bends}) values->resize(size);
    for (std::size_t k = 0; k < size; ++k)
      s[k] = std::min(mean + sd * rule.nodes[k], std::max(mean, kMostPredictor));
    std::fill(y.begin(), y.end(), regression_->response(first + i));
    kernels::derivatives(regression_->family(), y.data(), nullptr, s.data(), static_cast<Index>(size),
                         nullptr, slopes.data(), bends.data());
    double a = 0, b = 0;
    for (std::size_t k = 0; k < size; ++k) {
      a += rule.weights[k] * slopes[k];
      b += rule.weights[k] * bends[k];
    }
    slope_[static_cast<std::size_t>(first + i)] = a;
    bend_[static_cast<std::size_t>(first + i)] = b;
  }
}

void CurvatureProjection::read(Index first, Index count, double* out) const {
  const Index dim = regression_->num_parameters(), width = this->dim();
  const Index most = std::min(count, kTile);
  const Scratch z(most * dim), u(most * frame_.stride());
  for (Index begin = 0; begin < count; begin += kTile) {
    const Index some = std::min(kTile, count - begin);
    regression_->design(first + begin, some, z.data());
    kernels::predict_many(z.data(), some, dim, frame_.component(0), frame_.stride(), u.data());
    for (Index i = 0; i < some; ++i) {
      const Index n = first + begin + i;
      const double times = regression_->multiplicity(n);
      const double a = times * slope_at(n), b = times * curvature_at(n);
      const double* un = u.data() + i * frame_.stride();
      double* v = out + (begin + i) * width;
      for (Index d = 0; d < dim; ++d) *v++ = a * un[d];
      for (Index d = 0; d < dim; ++d) {
        *v++ = b * un[d] * un[d];
        const double twice = std::numbers::sqrt2 * b * un[d];
        for (Index e = d + 1; e < dim; ++e) *v++ = twice * un[e];
      }
    }
    if (options_.remainder_dim > 0) {
      read_remainder(first + begin, some, z.data(), u.data(), out + begin * width + curvature_dim(dim));
    }
  }
}

// sqrt(D/R) (l'(s_j) - a - b (s_j - E s)) u_{d_j}
void CurvatureProjection::read_remainder(Index first, Index count, const double* z, const double* u,
                                         double* out) const {
  const Index dim = regression_->num_parameters(), num = options_.remainder_dim;
  const Points& points = remainder_.points;
  const Scratch s(count * points.stride()), slopes(num);
  kernels::predict_many(z, count, dim, points.component(0), points.stride(), s.data());
  for (Index i = 0; i < count; ++i) {
    const Index n = first + i;
    double mean = 0;
    for (Index d = 0; d < dim; ++d) mean += z[i * dim + d] * pihat_->mean()[static_cast<std::size_t>(d)];
    const double* sn = s.data() + i * points.stride();
    kernels::scores(regression_->family(), regression_->response(n), sn, num, slopes.data());
    const double times =
        regression_->multiplicity(n) * std::sqrt(static_cast<double>(dim) / static_cast<double>(num));
    for (Index j = 0; j < num; ++j) {
      const double rest = slopes.data()[j] - slope_at(n) - curvature_at(n) * (sn[j] - mean);
      out[i * this->dim() + j] =
          times * rest * u[i * frame_.stride() + remainder_.coordinate[static_cast<std::size_t>(j)]];
    }
  }
}

std::string CurvatureProjection::place(Index n, Index j) const {
  return "row " + std::to_string(n + 1) + ", component " + std::to_string(j + 1);
}

}  // namespace giga
