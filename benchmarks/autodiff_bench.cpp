// Derivatives that are made (autodiff.hpp) against derivatives by hand and Eigen's AutoDiffScalar, by the
// number of parameters D, for a row of Weibull survival times: one linear predictor and a shape.
//
//   autodiff_bench [rounds]      default 60, each of about a millisecond for every contender
//
// Nanoseconds a row, the best of all rounds; what is compared is measured alternately, on one core.
// AutoDiffScalar has its gradient in a vector of run-time length (on the heap), or of a length in the type,
// which a model would have to know when it is compiled.
#include <Eigen/Core>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <unsupported/Eigen/AutoDiff>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/model/autodiff.hpp"
#include "support/weibull.hpp"

namespace {

using giga::Derivatives;
using giga::Index;
using giga::Order;
using giga::test::Weibull;

struct Contender {
  std::string name;
  Index rows;  // a call
  std::function<void()> call;
  double best_ns = 1e300;  // a row
};

void measure(std::vector<Contender>& contenders, int rounds) {
  using Clock = std::chrono::steady_clock;
  for (int round = 0; round < rounds; ++round) {
    for (Contender& each : contenders) {
      const auto begin = Clock::now();
      Index rows = 0;
      double seconds = 0;
      do {
        each.call();
        rows += each.rows;
        seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      } while (seconds < 1e-3);
      each.best_ns = std::min(each.best_ns, 1e9 * seconds / static_cast<double>(rows));
    }
  }
}

void print(const char* what, Index dim, const std::vector<Contender>& contenders) {
  for (const Contender& each : contenders) {
    std::printf("| %s | %td | %s | %.0f | %.2f |\n", what, dim, each.name.c_str(), each.best_ns,
                each.best_ns / contenders.front().best_ns);
  }
}

// The row in the few operations that AutoDiffScalar has without temporaries of its expression types.
template <typename Scalar>
Scalar log_likelihood(const Weibull& model, Index n, const Scalar* theta) {
  using std::exp;
  const Index num = model.num_features;
  const double* const x = model.x.data() + n * num;
  const double log_time = model.log_time[static_cast<std::size_t>(n)];
  Scalar location = theta[0] * x[0];
  for (Index j = 1; j < num; ++j) location += theta[j] * x[j];
  const Scalar shape = exp(theta[num]);
  const Scalar rest = -location + log_time;
  const Scalar w = shape * rest;
  const Scalar sum = theta[num] + w;
  Scalar out = (sum - log_time) * model.event[static_cast<std::size_t>(n)];
  const Scalar e = exp(w);
  out -= e;
  return out;
}

template <int kDim>
using Gradient = Eigen::Matrix<double, kDim, 1>;
template <int kDim>
using First = Eigen::AutoDiffScalar<Gradient<kDim>>;
template <int kDim>
using Second = Eigen::AutoDiffScalar<Eigen::Matrix<First<kDim>, kDim, 1>>;

template <int kDim>
Contender eigen_gradients(const Weibull& model, const std::vector<double>& theta, Derivatives& sum) {
  const int dim = static_cast<int>(model.num_parameters());
  const Index rows = std::min<Index>(model.num_rows(), 64);
  std::vector<First<kDim>> point;
  point.reserve(theta.size());
  for (int d = 0; d < dim; ++d) point.emplace_back(theta[static_cast<std::size_t>(d)], dim, d);
  return {kDim == Eigen::Dynamic ? "Eigen, D at run time" : "Eigen, D in the type", rows,
          [&model, &sum, point, dim, rows] {
            for (Index n = 0; n < rows; ++n) {
              const First<kDim> value = log_likelihood(model, n, point.data());
              sum.value += value.value();
              Eigen::Map<Eigen::VectorXd>(sum.gradient.data(), dim) += value.derivatives();
            }
          }};
}

template <int kDim>
Contender eigen_hessians(const Weibull& model, const std::vector<double>& theta, Derivatives& sum) {
  const int dim = static_cast<int>(model.num_parameters());
  constexpr Index kRows = 4;
  std::vector<Second<kDim>> point;
  for (int d = 0; d < dim; ++d) {
    point.emplace_back(First<kDim>(theta[static_cast<std::size_t>(d)], dim, d), dim, d);
    for (int e = 0; e < dim; ++e) point.back().derivatives()[e].derivatives() = Gradient<kDim>::Zero(dim);
  }
  return {kDim == Eigen::Dynamic ? "Eigen, D at run time" : "Eigen, D in the type", kRows,
          [&model, &sum, point, dim] {
            for (Index n = 0; n < kRows; ++n) {
              const Second<kDim> value = log_likelihood(model, n, point.data());
              for (Index d = 0; d < dim; ++d) {
                Eigen::Map<Eigen::VectorXd>(sum.hessian.data() + d * dim, dim) +=
                    value.derivatives()[d].derivatives();
              }
            }
          }};
}

template <int kDim>
void compare(int rounds) {
  constexpr Index kRows = 512, kPoints = 16;
  const Weibull rows = giga::test::simulated_weibull(kRows, kDim);
  const auto by_hand = giga::likelihood_of(giga::test::WeibullByHand{rows}), made = giga::likelihood_of(rows);
  const giga::Threads pool(1);
  const std::vector<double> theta(kDim, 0.1);
  Derivatives sum{0, theta, std::vector<double>(kDim * kDim)};
  volatile double keep = 0;
  (void)keep;

  const auto evaluate = [&](const char* name, const giga::Likelihood& model, Order order) -> Contender {
    return {name, kRows, [&, order] { keep = model.evaluate(theta, order, pool).value; }};
  };
  std::vector<Contender> values = {evaluate("one double", *made, Order::Value)};
  measure(values, rounds);
  print("value", kDim, values);

  giga::DirectionalFeatures features{giga::Points(kDim, kPoints), {}, giga::Points(kDim, kDim), 1};
  for (Index j = 0; j < kPoints; ++j) {
    features.points.set(j, theta);
    features.coordinate.push_back(j * kDim / kPoints);
  }
  for (Index d = 0; d < kDim; ++d) features.frame->set(d, theta);
  std::vector<double> out(static_cast<std::size_t>(kRows * kPoints));
  const auto slopes = [&](const char* name, const giga::Likelihood& model) -> Contender {
    return {name, kRows * kPoints, [&] { model.directional_derivatives(0, kRows, features, out.data()); }};
  };
  std::vector<Contender> directions = {slopes("by hand", *by_hand), slopes("made", *made)};
  measure(directions, rounds);
  print("slope along a direction", kDim, directions);

  std::vector<Contender> gradients = {
      evaluate("by hand", *by_hand, Order::Gradient), evaluate("made", *made, Order::Gradient),
      eigen_gradients<Eigen::Dynamic>(rows, theta, sum), eigen_gradients<kDim>(rows, theta, sum)};
  measure(gradients, rounds);
  print("value and gradient", kDim, gradients);

  std::vector<Contender> hessians = {evaluate("by hand", *by_hand, Order::Hessian),
                                     evaluate("made", *made, Order::Hessian),
                                     eigen_hessians<Eigen::Dynamic>(rows, theta, sum)};
  // Beyond, one number would have 30 kB.
  if constexpr (kDim <= 20) hessians.push_back(eigen_hessians<kDim>(rows, theta, sum));
  measure(hessians, rounds);
  print("value, gradient and Hessian", kDim, hessians);
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 60;
  if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), rounds);
  std::printf("| what | D | by | ns a row | ratio to by hand |\n|---|---|---|---|---|\n");
  compare<5>(rounds);
  compare<20>(rounds);
  compare<60>(rounds);
}
