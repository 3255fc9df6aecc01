// Regressions on s = z.theta, rows in tiles of kTile for the kernels; sums over all rows are folds over
// blocks.
#include "giga/model/regression.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "giga/model/special.hpp"
#include "model/block_sum.hpp"
#include "model/design.hpp"
#include "model/family_kernels.hpp"
#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"

namespace giga {

using kernels::kTile;

// Rows whose predictors at all points are held at once: they stay in the second-level cache.
constexpr Index kRowsAtOnce = 12;

struct Regression::Parts {
  Design design;
  std::vector<double> response;
  std::vector<double> multiplicity;   // empty: all 1
  std::vector<double> log_factorial;  // log y! of each row of a poisson family; otherwise empty
  FamilyParameters family;
  std::vector<std::string> names;  // of the parameters; empty: none were given

  [[nodiscard]] double times(Index n) const {
    return multiplicity.empty() ? 1.0 : multiplicity[static_cast<std::size_t>(n)];
  }
  [[nodiscard]] double log_factorial_of(Index n) const {
    return log_factorial.empty() ? 0.0 : log_factorial[static_cast<std::size_t>(n)];
  }
};

namespace {

std::vector<double> log_factorials(const std::vector<double>& response, Family family) {
  std::vector<double> out(is_count(family) ? response.size() : 0);
  if (!out.empty()) log_factorial(std::span(response), std::span(out));
  return out;
}

std::vector<double> chosen(std::span<const double> response, const DistinctRows& rows) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(rows.num_rows));
  for (Index k = 0; k < rows.num_rows; ++k) out.push_back(response[static_cast<std::size_t>(rows.row(k))]);
  return out;
}

std::vector<std::string> names_of(const Dataset& data, bool intercept) {
  std::vector<std::string> names = data.feature_names();
  if (intercept) names.emplace_back("(intercept)");
  return names;
}

// s with mean(s) = mean, for the family's mean function.
double predictor_of_mean(Family family, double mean) {
  constexpr double kLeast = 1e-3;
  switch (family) {
    case Family::BernoulliLogit: {  // mean of labels -1 and 1
      const double p = std::clamp((1 + mean) / 2, kLeast, 1 - kLeast);
      return std::log(p / (1 - p));
    }
    case Family::PoissonSoftplus: {
      const double mu = std::max(mean, kLeast);
      return mu + std::log(-std::expm1(-mu));  // log(e^mu - 1)
    }
    case Family::PoissonLog: return std::log(std::max(mean, kLeast));
    case Family::GaussianIdentity: return mean;
  }
  return 0;
}

}  // namespace

Regression::Regression(const Dataset& data, const DistinctRows& rows, Standardisation scale,
                       std::span<const double> response, const RegressionOptions& options) {
  if (static_cast<Index>(response.size()) != data.num_rows())
    throw std::invalid_argument("there must be a response for every row of the data");
  std::vector<double> y = chosen(response, rows);
  std::vector<double> factorials = log_factorials(y, options.family.family);
  parts_ = std::make_unique<const Parts>(Parts{Design(data, rows, std::move(scale), options.intercept),
                                               std::move(y), rows.multiplicity, std::move(factorials),
                                               options.family, names_of(data, options.intercept)});
}

Regression::Regression(std::vector<double> design, std::vector<double> response,
                       std::vector<double> multiplicity, const FamilyParameters& family) {
  if (response.empty() || design.size() % response.size() != 0)
    throw std::invalid_argument("there must be a response for every row of the design");
  if (!multiplicity.empty() && multiplicity.size() != response.size())
    throw std::invalid_argument("there must be a multiplicity for every row, or none");
  const auto dim = static_cast<Index>(design.size() / response.size());
  std::vector<double> factorials = log_factorials(response, family.family);
  parts_ = std::make_unique<const Parts>(Parts{Design(std::move(design), dim),
                                               std::move(response),
                                               std::move(multiplicity),
                                               std::move(factorials),
                                               family,
                                               {}});
}

Regression::~Regression() = default;

Index Regression::num_rows() const {
  return parts_->design.num_rows();
}
Index Regression::num_parameters() const {
  return parts_->design.dim();
}
double Regression::multiplicity(Index n) const {
  return parts_->times(n);
}
const FamilyParameters& Regression::family() const {
  return parts_->family;
}
double Regression::response(Index n) const {
  return parts_->response[static_cast<std::size_t>(n)];
}
void Regression::design(Index first, Index count, double* z) const {
  parts_->design.by_row(first, count, z);
}
std::string Regression::parameter_name(Index d) const {
  return parts_->names.empty() ? Likelihood::parameter_name(d) : parts_->names[static_cast<std::size_t>(d)];
}

void Regression::log_likelihoods(Index first, Index count, const Points& points, double* out) const {
  const Index dim = num_parameters(), num = points.count();
  const Scratch z(std::min(count, kRowsAtOnce) * dim), s(std::min(count, kRowsAtOnce) * points.stride());
  for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
    const Index some = std::min(kRowsAtOnce, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    kernels::predict_many(z.data(), some, dim, points.component(0), points.stride(), s.data());
    for (Index i = 0; i < some; ++i) {
      const Index n = first + begin + i;
      kernels::log_likelihoods(parts_->family, response(n), parts_->log_factorial_of(n),
                               s.data() + i * points.stride(), num, out + (begin + i) * num);
    }
  }
}

void Regression::slopes(Index first, Index count, const SlopeFeatures& features, double* out) const {
  const Points& points = features.points;
  const Index dim = num_parameters(), num = points.count();
  const Index apart = features.frame ? features.frame->stride() : dim;
  const Index most = std::min(count, kRowsAtOnce);
  const Scratch z(most * dim), s(most * points.stride()), framed(features.frame ? most * apart : 0);
  const double* u = features.frame ? framed.data() : z.data();  // of row i, <c_k, z_i>
  for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
    const Index some = std::min(kRowsAtOnce, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    kernels::predict_many(z.data(), some, dim, points.component(0), points.stride(), s.data());
    if (features.frame)
      kernels::predict_many(z.data(), some, dim, features.frame->component(0), apart, framed.data());
    for (Index i = 0; i < some; ++i) {
      double* row = out + (begin + i) * num;
      kernels::scores(parts_->family, response(first + begin + i), s.data() + i * points.stride(), num, row);
      kernels::scale_by_chosen(u + i * apart, features.scale * multiplicity(first + begin + i),
                               features.coordinate.data(), num, row);
    }
  }
}

void Regression::add_log_likelihoods(Index first, Index count, const Points& points, double* out) const {
  const Index dim = num_parameters(), num = points.count(), stride = points.stride();
  const Index most = std::min(count, kRowsAtOnce);
  const Scratch z(most * dim), s(most * stride);
  const bool bernoulli = parts_->family.family == Family::BernoulliLogit;
  for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
    const Index some = std::min(kRowsAtOnce, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    kernels::predict_many(z.data(), some, dim, points.component(0), stride, s.data());
    std::array<const double*, kRowsAtOnce> together{};  // rows that count once: they share a logarithm
    std::array<double, kRowsAtOnce> labels{};
    std::size_t num_together = 0;
    for (Index i = 0; i < some; ++i) {
      const Index n = first + begin + i;
      const double times = multiplicity(n);
      double* values = s.data() + i * stride;
      if (bernoulli && times == 1) {
        together[num_together] = values;
        labels[num_together++] = response(n);
      } else {
        kernels::log_likelihoods(parts_->family, response(n), parts_->log_factorial_of(n), values, num,
                                 values);
        kernels::add_products(&times, 1, 1, values, stride, num, out, num);
      }
    }
    kernels::add_bernoulli(labels.data(), together.data(), static_cast<Index>(num_together), num, out);
  }
}

void Regression::add_gradients(Index first, Index count, const Points& points, Index apart,
                               double* out) const {
  const Index dim = num_parameters(), num = points.count(), stride = points.stride();
  const Index most = std::min(count, kRowsAtOnce);
  const Scratch z(most * dim), s(most * stride);
  for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
    const Index some = std::min(kRowsAtOnce, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    kernels::predict_many(z.data(), some, dim, points.component(0), stride, s.data());
    for (Index i = 0; i < some; ++i) {
      const Index n = first + begin + i;
      double* slopes = s.data() + i * stride;
      kernels::scores(parts_->family, response(n), slopes, num, slopes);
      const double times = multiplicity(n);
      for (Index d = 0; d < dim; ++d) z.data()[i * dim + d] *= times;
    }
    kernels::add_products(z.data(), some, dim, s.data(), stride, num, out, apart);
  }
}

Derivatives Regression::evaluate(std::span<const double> theta, Order order, const Executor& executor) const {
  const Index dim = num_parameters();
  if (std::ssize(theta) != dim) throw std::invalid_argument("theta has the wrong length");
  Derivatives total = sum_of_blocks(
      num_rows(), dim, order, executor, [&](Index first, Index count, const DerivativeSums& sum) {
        std::vector<double> z(static_cast<std::size_t>(kTile * dim));
        std::array<double, kTile> s, y, value, slope, bend, factorials;
        for (Index begin = 0; begin < count; begin += kTile) {
          const Index some = std::min(kTile, count - begin);
          const Index row = first + begin;
          parts_->design.by_component(row, some, z.data());
          kernels::predict(z.data(), dim, theta.data(), s.data());
          std::fill(std::copy_n(parts_->response.begin() + row, some, y.begin()), y.end(), 1.0);
          if (!parts_->log_factorial.empty())
            std::fill(std::copy_n(parts_->log_factorial.begin() + row, some, factorials.begin()),
                      factorials.end(), 0.0);
          kernels::derivatives(parts_->family, y.data(), factorials.data(), s.data(), kTile, value.data(),
                               slope.data(), order >= Order::Hessian ? bend.data() : nullptr);
          for (Index i = 0; i < kTile; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const double times = i < some ? parts_->times(row + i) : 0.0;
            if (i < some) *sum.value += times * value[k];
            slope[k] = i < some ? slope[k] * times : 0.0;
            if (order >= Order::Hessian) bend[k] = i < some ? bend[k] * times : 0.0;
          }
          if (order >= Order::Gradient) kernels::add_weighted_rows(z.data(), dim, slope.data(), sum.gradient);
          if (order >= Order::Hessian) kernels::add_weighted_squares(z.data(), dim, bend.data(), sum.hessian);
        }
      });
  for (Index d = 0; d < dim && order >= Order::Hessian; ++d) {
    for (Index e = 0; e < d; ++e)
      total.hessian[static_cast<std::size_t>(e * dim + d)] =
          total.hessian[static_cast<std::size_t>(d * dim + e)];
  }
  return total;
}

std::unique_ptr<Likelihood> Regression::subset(std::span<const Index> rows,
                                               std::span<const double> weights) const {
  if (rows.size() != weights.size()) throw std::invalid_argument("there must be a weight for every row");
  const Index dim = num_parameters();
  std::vector<double> z(rows.size() * static_cast<std::size_t>(dim)), y;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    design(rows[k], 1, z.data() + static_cast<Index>(k) * dim);
    y.push_back(response(rows[k]));
  }
  return std::make_unique<Regression>(std::move(z), std::move(y),
                                      std::vector<double>(weights.begin(), weights.end()), parts_->family);
}

// The sums run through the rows in their order, with no sums of blocks between: a part is what the rows of a
// block bring to each of the two, and those that the last block lacks are 0.
std::vector<double> Regression::start(const Executor& executor) const {
  std::vector<double> theta = Likelihood::start(executor);
  if (!parts_->design.ends_in_ones()) return theta;
  ExtendedVector sums = {0, 0};  // of the responses, and of how often they count
  fold_blocks<double>(
      executor, num_rows(), 2 * kBlockRows, std::span(sums),
      [this](Index first, Index count, Index /*piece*/, double* part) {
        for (Index i = 0; i < count; ++i) {
          part[i] = multiplicity(first + i) * response(first + i);
          part[kBlockRows + i] = multiplicity(first + i);
        }
      },
      [](const double* part, Extended* total) {
        for (Index i = 0; i < kBlockRows; ++i) {
          total[0] += static_cast<Extended>(part[i]);
          total[1] += static_cast<Extended>(part[kBlockRows + i]);
        }
      });
  theta.back() = predictor_of_mean(parts_->family.family, static_cast<double>(sums[0] / sums[1]));
  return theta;
}

bool Regression::separates(std::span<const double> theta, const Executor& executor) const {
  if (parts_->family.family != Family::BernoulliLogit) return false;
  const Index dim = num_parameters();
  char misplaced = 0;                    // whether a row is not on the side of its label
  std::atomic<bool> known_here = false;  // one has been met: blocks that follow need not be looked at
  fold_blocks<char>(
      executor, num_rows(), 1, std::span(&misplaced, 1),
      [&](Index first, Index count, Index /*piece*/, char* part) {
        std::vector<double> z(at(kTile * dim));
        std::array<double, kTile> s;
        for (Index begin = 0; begin < count && !known_here.load(std::memory_order_relaxed); begin += kTile) {
          const Index row = first + begin, some = std::min(kTile, count - begin);
          parts_->design.by_component(row, some, z.data());
          kernels::predict(z.data(), dim, theta.data(), s.data());
          for (Index i = 0; i < some; ++i) {
            if (!(response(row + i) * s[at(i)] > 0)) *part = 1;
          }
          if (*part != 0) known_here = true;
        }
      },
      [](const char* part, char* total) { *total = *part != 0 ? *part : *total; });
  return misplaced == 0;
}

}  // namespace giga
