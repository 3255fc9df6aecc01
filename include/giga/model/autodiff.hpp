// A model of your own from one function of a row; its derivatives are made.
//
//   struct Exponential {                               // times t_n with rate exp(theta)
//     std::vector<double> times;
//     Index num_rows() const { return std::ssize(times); }
//     Index num_parameters() const { return 1; }
//     template <typename T>
//     T log_likelihood(Index n, const T* theta) const {
//       using namespace giga::math;                    // exp, log, lgamma, sigmoid, dot, ... of any T
//       return theta[0] - times[n] * exp(theta[0]);
//     }
//   };
//   const auto model = likelihood_of(Exponential{times});
//
// T is double for values, autodiff::Dual for the derivative along a direction and autodiff::Traced for
// gradients and Hessians (autodiff/numbers.hpp). Write T for what depends on theta and double for what does
// not; comparisons and branches are allowed. A trap: std::exp of a T does not compile, exp after the `using`
// above does.
//
// Eigen's AutoDiffScalar carries D derivatives through every operation, and D^2 for a Hessian. A row depends
// on theta through a few linear predictors, and Traced makes use of that. Times per row for Weibull survival
// times with D parameters, in units of derivatives written by hand (benchmarks/autodiff_bench):
//
//                                            gradient               Hessian        slope along one direction
//                                       D = 5   20   60       D = 5   20   60          D = 5   20   60
//   made                                  2.6   2.0  1.5        2.7  1.3  0.5            0.5  0.6  0.5
//   AutoDiffScalar, D at run time           4    5    8          53  170  200
//   AutoDiffScalar, D in its type         0.7   2.5   6          11   58
#pragma once

#include <concepts>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "giga/model/autodiff/functions.hpp"
#include "giga/model/autodiff/numbers.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

/// A model whose log-likelihood of a row is a template of the kind of number. What RowModel says about
/// throwing and optional members holds here as well.
template <typename Model>
concept DifferentiableRowModel = requires(const Model& model, Index n, const double* theta,
                                          const autodiff::Dual* dual, const autodiff::Traced* traced) {
  { model.num_rows() } -> std::convertible_to<Index>;
  { model.num_parameters() } -> std::convertible_to<Index>;
  { model.log_likelihood(n, theta) } -> std::convertible_to<double>;
  { model.log_likelihood(n, dual) } -> std::convertible_to<autodiff::Dual>;
  { model.log_likelihood(n, traced) } -> std::convertible_to<autodiff::Traced>;
};

namespace autodiff {

/// add_derivatives of RowFunctions.
template <DifferentiableRowModel Model>
void add_derivatives(const Model& model, std::span<const Index> rows, std::span<const double> times,
                     const double* theta, Order order, Derivatives& sum) {
  Trace trace(model.num_parameters(), order >= Order::Hessian);
  trace.set_point(theta);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    try {
      const Traced value = model.log_likelihood(rows[i], trace.start());
      sum.value += times[i] * value.value();
      if (order >= Order::Gradient) trace.add_gradient(value, times[i], sum.gradient.data());
      if (order >= Order::Hessian) trace.add_hessian(sum.hessian.data());
    } catch (const std::exception&) {
      sum.value -= std::numeric_limits<double>::infinity();
      for (double& each : sum.gradient) each = std::numeric_limits<double>::quiet_NaN();
      for (double& each : sum.hessian) each = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

/// directional_derivatives of RowFunctions.
template <DifferentiableRowModel Model>
void find_directional_derivatives(const Model& model, std::span<const Index> rows,
                                  const DirectionalFeatures& features, double* out) {
  const Points& points = features.points;
  std::vector<Dual> theta(static_cast<std::size_t>(points.dim()));
  for (Index j = 0; j < points.count(); ++j) {
    const Index along = features.coordinate[static_cast<std::size_t>(j)];
    for (Index d = 0; d < points.dim(); ++d) {
      const double direction = features.frame ? features.frame->at(d, along) : (d == along ? 1.0 : 0.0);
      theta[static_cast<std::size_t>(d)] = {points.at(d, j), direction};
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double slope = std::numeric_limits<double>::quiet_NaN();
      try {
        slope = Dual(model.log_likelihood(rows[i], theta.data())).slope();
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it stays NaN
      }
      out[static_cast<Index>(i) * points.count() + j] = slope;
    }
  }
}

}  // namespace autodiff

/// A model without derivatives by hand. One that is a RowModel as well keeps its own.
template <typename Model>
concept NeedsDerivatives = DifferentiableRowModel<Model> && !RowModel<Model>;

/// `multiplicity` is empty or has a positive entry for every row.
template <NeedsDerivatives Model>
[[nodiscard]] std::unique_ptr<Likelihood> likelihood_of(Model model, std::vector<double> multiplicity = {}) {
  const auto shared = std::make_shared<const Model>(std::move(model));
  RowFunctions functions;
  functions.num_rows = shared->num_rows();
  functions.num_parameters = shared->num_parameters();
  functions.log_likelihood = [shared](Index n, const double* theta) -> double {
    return shared->log_likelihood(n, theta);
  };
  functions.add_derivatives = [shared](std::span<const Index> rows, std::span<const double> times,
                                       const double* theta, Order order, Derivatives& sum) {
    autodiff::add_derivatives(*shared, rows, times, theta, order, sum);
  };
  functions.directional_derivatives = [shared](std::span<const Index> rows,
                                               const DirectionalFeatures& features, double* out) {
    autodiff::find_directional_derivatives(*shared, rows, features, out);
  };
  take_optional_members(functions, shared);
  return likelihood_of(std::move(functions), std::move(multiplicity));
}

}  // namespace giga
