#include "giga/model/likelihood.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/block_sum.hpp"

namespace giga {

Points::Points(Index dim, Index count) : dim_(dim), count_(count), stride_((count + 15) / 16 * 16) {
  // At a multiple of a page the components of a point would all compete for the same few lines of the cache.
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
  // All rows of the functions.
  FunctionLikelihood(RowFunctions functions, std::vector<double> multiplicity)
      : functions_(std::move(functions)), multiplicity_(std::move(multiplicity)) {}
  // Some of them; there may be none.
  FunctionLikelihood(RowFunctions functions, std::vector<Index> rows, std::vector<double> multiplicity)
      : functions_(std::move(functions)),
        all_(false),
        rows_(std::move(rows)),
        multiplicity_(std::move(multiplicity)) {}

  [[nodiscard]] Index num_rows() const override { return all_ ? functions_.num_rows : std::ssize(rows_); }
  [[nodiscard]] Index num_parameters() const override { return functions_.num_parameters; }
  [[nodiscard]] double multiplicity(Index n) const override {
    return multiplicity_.empty() ? 1.0 : multiplicity_[static_cast<std::size_t>(n)];
  }

  void log_likelihoods(Index first, Index count, const Points& points, double* out) const override {
    std::vector<double> theta(static_cast<std::size_t>(num_parameters()));
    for (Index s = 0; s < points.count(); ++s) {
      points.get(s, theta.data());
      for (Index i = 0; i < count; ++i)
        out[i * points.count() + s] = functions_.log_likelihood(row(first + i), theta.data());
    }
  }

  void slopes(Index first, Index count, const SlopeFeatures& features, double* out) const override {
    const Index dim = num_parameters();
    const Index num = features.points.count();
    std::vector<double> theta(static_cast<std::size_t>(dim)), gradient(theta.size());
    for (Index j = 0; j < num; ++j) {
      features.points.get(j, theta.data());
      const Index along = features.coordinate[static_cast<std::size_t>(j)];
      for (Index i = 0; i < count; ++i) {
        functions_.gradient(row(first + i), theta.data(), gradient.data());
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
        out[s] += multiplicity(n) * functions_.log_likelihood(row(n), theta.data());
    }
  }

  void add_gradients(Index first, Index count, const Points& points, Index apart,
                     double* out) const override {
    std::vector<double> theta(static_cast<std::size_t>(num_parameters())), gradient(theta.size());
    for (Index s = 0; s < points.count(); ++s) {
      points.get(s, theta.data());
      for (Index n = first; n < first + count; ++n) {
        functions_.gradient(row(n), theta.data(), gradient.data());
        for (Index d = 0; d < num_parameters(); ++d)
          out[d * apart + s] += multiplicity(n) * gradient[static_cast<std::size_t>(d)];
      }
    }
  }

  [[nodiscard]] Derivatives evaluate(std::span<const double> theta, Order order,
                                     const Executor& executor) const override {
    const auto dim = static_cast<std::size_t>(num_parameters());
    return sum_of_blocks(num_rows(), num_parameters(), order, executor,
                         [&](Index first, Index count, const DerivativeSums& sum) {
                           std::vector<double> gradient(dim), hessian(dim * dim);
                           for (Index n = first; n < first + count; ++n) {
                             const double times = multiplicity(n);
                             *sum.value += times * functions_.log_likelihood(row(n), theta.data());
                             if (order >= Order::Gradient) {
                               functions_.gradient(row(n), theta.data(), gradient.data());
                               for (std::size_t d = 0; d < dim; ++d) sum.gradient[d] += times * gradient[d];
                             }
                             if (order >= Order::Hessian) {
                               functions_.hessian(row(n), theta.data(), hessian.data());
                               for (std::size_t k = 0; k < dim * dim; ++k)
                                 sum.hessian[k] += times * hessian[k];
                             }
                           }
                         });
  }

  [[nodiscard]] std::unique_ptr<Likelihood> subset(std::span<const Index> rows,
                                                   std::span<const double> weights) const override {
    if (rows.size() != weights.size()) throw std::invalid_argument("there must be a weight for every row");
    std::vector<Index> chosen;
    for (const Index n : rows) chosen.push_back(row(n));
    return std::make_unique<FunctionLikelihood>(functions_, std::move(chosen),
                                                std::vector<double>(weights.begin(), weights.end()));
  }

 private:
  [[nodiscard]] Index row(Index n) const { return all_ ? n : rows_[static_cast<std::size_t>(n)]; }

  RowFunctions functions_;
  bool all_ = true;
  std::vector<Index> rows_;  // unless all_
  std::vector<double> multiplicity_;
};

}  // namespace

std::unique_ptr<Likelihood> likelihood_of(RowFunctions functions, std::vector<double> multiplicity) {
  if (functions.num_rows < 1 || functions.num_parameters < 1)
    throw std::invalid_argument("a model must have at least one row and one parameter");
  if (!multiplicity.empty() && static_cast<Index>(multiplicity.size()) != functions.num_rows)
    throw std::invalid_argument("there must be a multiplicity for every row, or none");
  return std::make_unique<FunctionLikelihood>(std::move(functions), std::move(multiplicity));
}

}  // namespace giga
