// A Likelihood made of functions of many rows. A block of rows is one call; the Hessian of a block, 2 D:
//     d^2 L / dtheta_d dtheta_e ~ (g_e(theta + h_d e_d) - g_e(theta - h_d e_d)) / 2 h_d,
// made symmetric, with h_d = eps^(1/3) max(1, |theta_d|): the error of the difference, h^2, and that of the
// rounding, eps / h, are then of one size, some 1e-10 of the derivatives.
#include "giga/model/block_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/block_sum.hpp"
#include "model/chosen_rows.hpp"
#include "model/feature_blocks.hpp"

namespace giga {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::string point_text(std::span<const double> theta) {
  constexpr std::size_t kMost = 8;
  std::string text = "(";
  for (std::size_t d = 0; d < std::min(theta.size(), kMost); ++d)
    text += (d > 0 ? ", " : "") + std::to_string(theta[d]);
  return text + (theta.size() > kMost ? ", ...)" : ")");
}

[[noreturn]] void refuse(const char* function, double value, Index row, std::span<const double> theta,
                         const char* cure) {
  const char* what = std::isnan(value) ? " is NaN" : value > 0 ? " is infinite" : " is -infinity";
  throw ModelError(std::string(function) + what + " for row " + std::to_string(row) +
                   " at theta = " + point_text(theta) + cure);
}

// L_n of some rows; each is a number or -infinity.
void find_values(const BlockFunctions& functions, std::span<const Index> rows, std::span<const double> theta,
                 double* out) {
  functions.log_likelihoods(rows, theta, out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isnan(out[i]) || out[i] == std::numeric_limits<double>::infinity())
      refuse("log_likelihood", out[i], rows[i], theta,
             "; where a row is impossible, -infinity is the value to give");
  }
}

// Their gradients. They may be anything where L_n is -infinity, which is asked only if there is a doubt.
void find_gradients(const BlockFunctions& functions, std::span<const Index> rows,
                    std::span<const double> theta, double* out) {
  functions.gradients(rows, theta, out);
  const std::size_t dim = theta.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const double> row(out + i * dim, dim);
    const auto bad = std::ranges::find_if_not(row, [](double value) { return std::isfinite(value); });
    if (bad == row.end()) continue;
    double value = 0;
    find_values(functions, rows.subspan(i, 1), theta, &value);
    if (std::isfinite(value)) refuse("gradient", *bad, rows[i], theta, ", where log_likelihood is a number");
  }
}

class BlockLikelihood : public Likelihood {
 public:
  BlockLikelihood(BlockFunctions functions, ChosenRows chosen)
      : functions_(std::move(functions)), chosen_(std::move(chosen)) {}

  [[nodiscard]] Index num_rows() const override { return chosen_.size(); }
  [[nodiscard]] Index num_parameters() const override { return functions_.num_parameters; }
  [[nodiscard]] double multiplicity(Index n) const override { return chosen_.multiplicity(n); }

  void log_likelihoods(Index first, Index count, const Points& points, double* out) const override {
    std::vector<double> values(at(count));
    at_each_point(points, [&](Index s, std::span<const double> theta) {
      find_values(functions_, chosen_.rows(first, count), theta, values.data());
      for (Index i = 0; i < count; ++i) out[i * points.count() + s] = values[at(i)];
    });
  }

  void directional_derivatives(Index first, Index count, const DirectionalFeatures& features,
                               double* out) const override {
    kept_->read(num_rows(), first, count, features, out,
                [&](Index from, Index some, double* to) { find_features(from, some, features, to); });
  }

  void add_log_likelihoods(Index first, Index count, const Points& points, double* out) const override {
    const std::vector<Index> rows = chosen_.rows(first, count);
    std::vector<double> values(at(count));
    at_each_point(points, [&](Index s, std::span<const double> theta) {
      find_values(functions_, rows, theta, values.data());
      for (Index i = 0; i < count; ++i) out[s] += multiplicity(first + i) * values[at(i)];
    });
  }

  void add_gradients(Index first, Index count, const Points& points, Index apart,
                     double* out) const override {
    const Index dim = num_parameters();
    const std::vector<Index> rows = chosen_.rows(first, count);
    std::vector<double> gradients(at(count * dim));
    at_each_point(points, [&](Index s, std::span<const double> theta) {
      find_gradients(functions_, rows, theta, gradients.data());
      for (Index i = 0; i < count; ++i) {
        for (Index d = 0; d < dim; ++d)
          out[d * apart + s] += multiplicity(first + i) * gradients[at(i * dim + d)];
      }
    });
  }

  [[nodiscard]] Derivatives evaluate(std::span<const double> theta, Order order,
                                     const Executor& executor) const override {
    return sum_of_blocks(num_rows(), num_parameters(), order, executor,
                         [&](Index first, Index count, const DerivativeSums& sum) {
                           const std::vector<Index> rows = chosen_.rows(first, count);
                           const std::vector<double> times = chosen_.multiplicities(first, count);
                           std::vector<double> values(at(count));
                           find_values(functions_, rows, theta, values.data());
                           for (Index i = 0; i < count; ++i) *sum.value += times[at(i)] * values[at(i)];
                           if (order >= Order::Gradient) add_gradient(rows, times, theta, 1, sum.gradient);
                           if (order >= Order::Hessian) add_hessian(rows, times, theta, sum.hessian);
                         });
  }

  [[nodiscard]] std::vector<double> start(const Executor& executor) const override {
    return functions_.start ? functions_.start() : Likelihood::start(executor);
  }
  [[nodiscard]] std::string parameter_name(Index d) const override {
    return functions_.parameter_name ? functions_.parameter_name(d) : Likelihood::parameter_name(d);
  }

  [[nodiscard]] std::unique_ptr<Likelihood> subset(std::span<const Index> rows,
                                                   std::span<const double> weights) const override {
    return std::make_unique<BlockLikelihood>(functions_, chosen_.subset(rows, weights));
  }

 private:
  template <typename Action>
  static void at_each_point(const Points& points, const Action& action) {
    std::vector<double> theta(at(points.dim()));
    for (Index s = 0; s < points.count(); ++s) {
      points.get(s, theta.data());
      action(s, std::span<const double>(theta));
    }
  }

  // out += factor sum_i times_i grad L_n(theta).
  void add_gradient(std::span<const Index> rows, std::span<const double> times, std::span<const double> theta,
                    double factor, double* out) const {
    const std::size_t dim = theta.size();
    std::vector<double> gradients(rows.size() * dim);
    find_gradients(functions_, rows, theta, gradients.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t d = 0; d < dim; ++d) out[d] += factor * times[i] * gradients[i * dim + d];
    }
  }

  void add_hessian(std::span<const Index> rows, std::span<const double> times, std::span<const double> theta,
                   double* out) const {
    const std::size_t dim = theta.size();
    std::vector<double> moved(theta.begin(), theta.end()), slopes(dim * dim, 0.0);
    for (std::size_t d = 0; d < dim; ++d) {
      const double step = std::cbrt(kEpsilon) * std::max(1.0, std::abs(theta[d]));
      const double above = theta[d] + step, below = theta[d] - step, width = above - below;
      moved[d] = above;
      add_gradient(rows, times, moved, 1 / width, slopes.data() + d * dim);
      moved[d] = below;
      add_gradient(rows, times, moved, -1 / width, slopes.data() + d * dim);
      moved[d] = theta[d];
    }
    for (std::size_t d = 0; d < dim; ++d) {
      for (std::size_t e = 0; e < dim; ++e)
        out[d * dim + e] += (slopes[d * dim + e] + slopes[e * dim + d]) / 2;
    }
  }

  // The derivatives of rows [first, first + count) along features, a call for each feature.
  void find_features(Index first, Index count, const DirectionalFeatures& features, double* out) const {
    const Index dim = num_parameters(), num = features.points.count();
    const std::vector<Index> rows = chosen_.rows(first, count);
    std::vector<double> gradients(at(count * dim)), direction(at(dim));
    at_each_point(features.points, [&](Index j, std::span<const double> theta) {
      find_gradients(functions_, rows, theta, gradients.data());
      const Index along = features.coordinate[at(j)];
      for (Index d = 0; d < dim; ++d)
        direction[at(d)] = features.frame ? features.frame->at(d, along) : (d == along ? 1.0 : 0.0);
      for (Index i = 0; i < count; ++i) {
        double slope = 0;
        for (Index d = 0; d < dim; ++d) slope += direction[at(d)] * gradients[at(i * dim + d)];
        out[i * num + j] = slope * (features.scale * multiplicity(first + i));
      }
    });
  }

  BlockFunctions functions_;
  ChosenRows chosen_;
  std::unique_ptr<FeatureBlocks> kept_ = std::make_unique<FeatureBlocks>();
};

void require_functions(const BlockFunctions& functions) {
  if (functions.num_rows < 1 || functions.num_parameters < 1)
    throw std::invalid_argument("a model must have at least one row and one parameter");
  if (!functions.log_likelihoods || !functions.gradients)
    throw std::invalid_argument("a model of blocks must have log-likelihoods and gradients");
}

}  // namespace

std::unique_ptr<Likelihood> likelihood_of(BlockFunctions functions, std::vector<double> multiplicity) {
  require_functions(functions);
  ChosenRows all(functions.num_rows, std::move(multiplicity));
  return std::make_unique<BlockLikelihood>(std::move(functions), std::move(all));
}

// (8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))) / 12 h, with an error of h^4: h = eps^(1/5).
GradientCheck check_gradients(const BlockFunctions& functions, std::span<const Index> rows,
                              std::span<const double> theta) {
  require_functions(functions);
  if (std::ssize(theta) != functions.num_parameters)
    throw std::invalid_argument("theta must have a number for every parameter");
  const std::size_t dim = theta.size();
  std::vector<double> given(rows.size() * dim), values(rows.size()), moved(theta.begin(), theta.end());
  find_gradients(functions, rows, theta, given.data());
  std::vector<double> found(given.size(), 0.0);
  for (std::size_t d = 0; d < dim; ++d) {
    const double step = std::pow(kEpsilon, 0.2) * std::max(1.0, std::abs(theta[d]));
    for (const auto& [steps, factor] : {std::pair(1, 8.0), {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
      moved[d] = theta[d] + steps * step;
      find_values(functions, rows, moved, values.data());
      for (std::size_t i = 0; i < rows.size(); ++i) found[i * dim + d] += factor * values[i] / (12 * step);
    }
    moved[d] = theta[d];
  }
  double largest = 0;
  for (const double value : given) largest = std::max(largest, std::abs(value));
  for (const double value : found) largest = std::max(largest, std::abs(value));
  GradientCheck worst;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const double error = largest > 0 ? std::abs(given[k] - found[k]) / largest : 0;
    if (!(error > worst.error)) continue;
    worst = {rows[k / dim], static_cast<Index>(k % dim), given[k], found[k], error};
  }
  return worst;
}

}  // namespace giga
