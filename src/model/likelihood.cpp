// Points, and a Likelihood made of functions of one row. Such a model comes in two kinds: with a gradient and
// a Hessian by hand, or with derivatives made by autodiff, which sum over rows themselves (RowFunctions).
// Either way a row that throws has log-likelihood -infinity and derivatives NaN.
#include "giga/model/likelihood.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>

#include "model/block_sum.hpp"
#include "model/chosen_rows.hpp"

namespace giga {

Points::Points(Index dim, Index count) : dim_(dim), count_(count), stride_((count + 15) / 16 * 16) {
  // At a multiple of a page (512 doubles) the components of a point would all compete for the same few lines
  // of the cache.
  if (stride_ % 512 == 0) stride_ += 16;
  if (dim < 1 || count < 1) {
    throw std::invalid_argument(std::to_string(count) + " points of dimension " + std::to_string(dim) +
                                "; there must be at least one of each");
  }
  values_.assign(static_cast<std::size_t>(dim_ * stride_), 0.0);
}

void Points::set(Index point, std::span<const double> theta) {
  for (Index d = 0; d < dim_; ++d)
    values_[static_cast<std::size_t>(d * stride_ + point)] = theta[static_cast<std::size_t>(d)];
}

void Points::get(Index point, double* theta) const {
  for (Index d = 0; d < dim_; ++d) theta[d] = at(d, point);
}

std::vector<double> Likelihood::start(const Executor& /*executor*/) const {
  return std::vector<double>(static_cast<std::size_t>(num_parameters()), 0.0);
}

std::string Likelihood::parameter_name(Index d) const {
  return "theta[" + std::to_string(d + 1) + "]";
}

namespace {

class FunctionLikelihood : public Likelihood {
 public:
  FunctionLikelihood(RowFunctions functions, ChosenRows chosen)
      : functions_(std::move(functions)), chosen_(std::move(chosen)) {}

  [[nodiscard]] Index num_rows() const override { return chosen_.size(); }
  [[nodiscard]] Index num_parameters() const override { return functions_.num_parameters; }
  [[nodiscard]] double multiplicity(Index n) const override { return chosen_.multiplicity(n); }

  // Points outside, rows inside: a point is gathered from its components once.
  void log_likelihoods(Index first, Index count, const Points& points, double* out) const override {
    std::vector<double> theta(static_cast<std::size_t>(num_parameters()));
    for (Index s = 0; s < points.count(); ++s) {
      points.get(s, theta.data());
      for (Index i = 0; i < count; ++i) out[i * points.count() + s] = log_likelihood(first + i, theta.data());
    }
  }

  void directional_derivatives(Index first, Index count, const DirectionalFeatures& features,
                               double* out) const override {
    const Index dim = num_parameters();
    const Index num = features.points.count();
    // Made: the functions leave out scale and multiplicity.
    if (functions_.directional_derivatives) {
      functions_.directional_derivatives(chosen_.rows(first, count), features, out);
      for (Index i = 0; i < count; ++i) {
        const double times = features.scale * multiplicity(first + i);
        for (Index j = 0; j < num; ++j) out[i * num + j] *= times;
      }
      return;
    }
    std::vector<double> theta(static_cast<std::size_t>(dim)), gradient(theta.size());
    for (Index j = 0; j < num; ++j) {
      features.points.get(j, theta.data());
      const Index along = features.coordinate[static_cast<std::size_t>(j)];
      for (Index i = 0; i < count; ++i) {
        find_gradient(first + i, theta.data(), gradient);
        // <c_k, gradient>, c_k a column of the frame or a unit vector.
        double slope = features.frame ? 0 : gradient[static_cast<std::size_t>(along)];
        for (Index d = 0; d < dim && features.frame; ++d)
          slope += features.frame->at(d, along) * gradient[static_cast<std::size_t>(d)];
        out[i * num + j] = slope * (features.scale * multiplicity(first + i));
      }
    }
  }

  void add_log_likelihoods(Index first, Index count, const Points& points, double* out) const override {
    std::vector<double> theta(static_cast<std::size_t>(num_parameters()));
    for (Index s = 0; s < points.count(); ++s) {
      points.get(s, theta.data());
      for (Index n = first; n < first + count; ++n)
        out[s] += multiplicity(n) * log_likelihood(n, theta.data());
    }
  }

  void add_gradients(Index first, Index count, const Points& points, Index apart,
                     double* out) const override {
    if (functions_.add_derivatives) return add_made_gradients(first, count, points, apart, out);
    std::vector<double> theta(static_cast<std::size_t>(num_parameters())), gradient(theta.size());
    for (Index s = 0; s < points.count(); ++s) {
      points.get(s, theta.data());
      for (Index n = first; n < first + count; ++n) {
        find_gradient(n, theta.data(), gradient);
        for (Index d = 0; d < num_parameters(); ++d)
          out[d * apart + s] += multiplicity(n) * gradient[static_cast<std::size_t>(d)];
      }
    }
  }

  // Three ways to the same sums: made derivatives, derivatives by hand, or (for both) values alone.
  [[nodiscard]] Derivatives evaluate(std::span<const double> theta, Order order,
                                     const Executor& executor) const override {
    const auto dim = static_cast<std::size_t>(num_parameters());
    // Made derivatives: one call per block, so that the trace is set up once for all its rows.
    if (functions_.add_derivatives && order > Order::Value) {
      return sum_of_blocks(num_rows(), num_parameters(), order, executor,
                           [&](Index first, Index count, const DerivativeSums& sum) {
                             // Autodiff fills the upper triangle only.
                             Derivatives block;
                             block.gradient.assign(dim, 0.0);
                             if (order >= Order::Hessian) block.hessian.assign(dim * dim, 0.0);
                             functions_.add_derivatives(chosen_.rows(first, count),
                                                        chosen_.multiplicities(first, count), theta.data(),
                                                        order, block);
                             if (order >= Order::Hessian) mirror(block.hessian, dim);
                             *sum.value = block.value;
                             std::copy(block.gradient.begin(), block.gradient.end(), sum.gradient);
                             std::copy(block.hessian.begin(), block.hessian.end(), sum.hessian);
                           });
    }
    return sum_of_blocks(num_rows(), num_parameters(), order, executor,
                         [&](Index first, Index count, const DerivativeSums& sum) {
                           // By hand: row after row within the block.
                           std::vector<double> gradient(dim), hessian(dim * dim);
                           for (Index n = first; n < first + count; ++n) {
                             const double times = multiplicity(n);
                             *sum.value += times * log_likelihood(n, theta.data());
                             if (order >= Order::Gradient) {
                               find_gradient(n, theta.data(), gradient);
                               for (std::size_t d = 0; d < dim; ++d) sum.gradient[d] += times * gradient[d];
                             }
                             if (order >= Order::Hessian) {
                               find_hessian(n, theta.data(), hessian);
                               for (std::size_t k = 0; k < dim * dim; ++k)
                                 sum.hessian[k] += times * hessian[k];
                             }
                           }
                         });
  }

  [[nodiscard]] std::vector<double> start(const Executor& executor) const override {
    if (!functions_.start) return Likelihood::start(executor);
    std::vector<double> start = functions_.start();
    if (std::ssize(start) != num_parameters())
      throw std::invalid_argument("the model starts at " + std::to_string(start.size()) + " values, it has " +
                                  std::to_string(num_parameters()) + " parameters");
    return start;
  }
  [[nodiscard]] std::string parameter_name(Index d) const override {
    return functions_.parameter_name ? functions_.parameter_name(d) : Likelihood::parameter_name(d);
  }

  [[nodiscard]] std::unique_ptr<Likelihood> subset(std::span<const Index> rows,
                                                   std::span<const double> weights) const override {
    return std::make_unique<FunctionLikelihood>(functions_, chosen_.subset(rows, weights));
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  // The functions of row n. A model may refuse parameters: there its density is zero.
  [[nodiscard]] double log_likelihood(Index n, const double* theta) const {
    try {
      return functions_.log_likelihood(chosen_.row(n), theta);
    } catch (const std::exception&) {
      return -kInfinity;
    }
  }
  void find_gradient(Index n, const double* theta, std::vector<double>& out) const {
    try {
      functions_.gradient(chosen_.row(n), theta, out.data());
    } catch (const std::exception&) {
      std::fill(out.begin(), out.end(), kNan);
    }
  }
  void find_hessian(Index n, const double* theta, std::vector<double>& out) const {
    try {
      functions_.hessian(chosen_.row(n), theta, out.data());
    } catch (const std::exception&) {
      std::fill(out.begin(), out.end(), kNan);
    }
  }

  // add_gradients by add_derivatives, which add to what is there: the sums so far go in and out of `sum`.
  void add_made_gradients(Index first, Index count, const Points& points, Index apart, double* out) const {
    const std::vector<Index> rows = chosen_.rows(first, count);
    const std::vector<double> times = chosen_.multiplicities(first, count);
    std::vector<double> theta(static_cast<std::size_t>(num_parameters()));
    Derivatives sum{0, theta, {}};
    for (Index s = 0; s < points.count(); ++s) {
      points.get(s, theta.data());
      for (Index d = 0; d < num_parameters(); ++d)
        sum.gradient[static_cast<std::size_t>(d)] = out[d * apart + s];
      functions_.add_derivatives(rows, times, theta.data(), Order::Gradient, sum);
      for (Index d = 0; d < num_parameters(); ++d)
        out[d * apart + s] = sum.gradient[static_cast<std::size_t>(d)];
    }
  }
  // Below the diagonal what is above it.
  static void mirror(std::vector<double>& hessian, std::size_t dim) {
    for (std::size_t i = 0; i < dim; ++i)
      for (std::size_t j = 0; j < i; ++j) hessian[i * dim + j] = hessian[j * dim + i];
  }

  RowFunctions functions_;
  ChosenRows chosen_;
};

}  // namespace

std::unique_ptr<Likelihood> likelihood_of(RowFunctions functions, std::vector<double> multiplicity) {
  if (functions.num_rows < 1 || functions.num_parameters < 1)
    throw std::invalid_argument("a model must have at least one row and one parameter");
  ChosenRows all(functions.num_rows, std::move(multiplicity));
  // Either pair of functions is enough; by hand both must be there.
  const bool by_hand = functions.gradient && functions.hessian;
  if (!functions.log_likelihood ||
      (!by_hand && !(functions.add_derivatives && functions.directional_derivatives)))
    throw std::invalid_argument(
        "a model must have a log-likelihood, and gradient and Hessian or what replaces them");
  return std::make_unique<FunctionLikelihood>(std::move(functions), std::move(all));
}

}  // namespace giga
