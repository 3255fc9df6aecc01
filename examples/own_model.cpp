// A model that giga does not know: survival times with censoring. Three functions of a row are all it needs
// to be told; the mode, the vectors, the coreset and the coreset's posterior follow.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/build.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"
#include "giga/project/random_projection.hpp"

namespace {

using giga::Index;

// Weibull times t_n with scale exp(<x_n, beta>) and shape k. Those who left at t_n without an event count by
// their chance of lasting so long. theta = (beta, log k); with w = k (log t - <x, beta>) and d = 1 for an
// event, 0 for a row that is censored,
//     L_n(theta) = d (log k + w - log t) - exp(w).
struct WeibullSurvival {
  std::vector<double> x;  // row-major, num_features a row, the constant among them
  std::vector<double> log_time;
  std::vector<double> event;
  Index num_features;

  [[nodiscard]] Index num_rows() const { return std::ssize(log_time); }
  [[nodiscard]] Index num_parameters() const { return num_features + 1; }

  [[nodiscard]] double log_likelihood(Index n, const double* theta) const {
    const double w = power(n, theta), d = event[at(n)];
    return d * (theta[num_features] + w - log_time[at(n)]) - std::exp(w);
  }

  void gradient(Index n, const double* theta, double* out) const {
    const double k = std::exp(theta[num_features]), w = power(n, theta), e = std::exp(w), d = event[at(n)];
    for (Index j = 0; j < num_features; ++j) out[j] = k * (e - d) * feature(n, j);
    out[num_features] = d + w * (d - e);
  }

  void hessian(Index n, const double* theta, double* out) const {  // D x D, all of it
    const double k = std::exp(theta[num_features]), w = power(n, theta), e = std::exp(w), d = event[at(n)];
    const Index dim = num_parameters();
    for (Index i = 0; i < num_features; ++i) {
      for (Index j = 0; j < num_features; ++j) out[i * dim + j] = -k * k * e * feature(n, i) * feature(n, j);
      out[i * dim + num_features] = out[num_features * dim + i] = k * (e + w * e - d) * feature(n, i);
    }
    out[num_features * dim + num_features] = w * (d - e - w * e);
  }

 private:
  static std::size_t at(Index n) { return static_cast<std::size_t>(n); }
  [[nodiscard]] double feature(Index n, Index j) const { return x[at(n * num_features + j)]; }
  [[nodiscard]] double power(Index n, const double* theta) const {
    double location = 0;
    for (Index j = 0; j < num_features; ++j) location += feature(n, j) * theta[j];
    return std::exp(theta[num_features]) * (log_time[at(n)] - location);
  }
};

WeibullSurvival simulated(Index num_rows, const std::vector<double>& theta) {
  constexpr double kMostTime = 6;  // the study ends; about a quarter of the rows are censored
  WeibullSurvival model{{}, {}, {}, std::ssize(theta) - 1};
  giga::Stream random = giga::stream(1, "survival");
  for (Index n = 0; n < num_rows; ++n) {
    double location = 0;
    for (Index j = 0; j < model.num_features; ++j) {
      model.x.push_back(j + 1 < model.num_features ? random.normal() : 1.0);
      location += model.x.back() * theta[static_cast<std::size_t>(j)];
    }
    const double exponential = -std::log(1 - random.uniform());
    const double time = std::exp(location) * std::pow(exponential, std::exp(-theta.back()));
    model.log_time.push_back(std::log(std::min(time, kMostTime)));
    model.event.push_back(time < kMostTime ? 1 : 0);
  }
  return model;
}

}  // namespace

int main() {
  const std::vector<double> truth = {0.5, -0.3, 0.2, 1.0, 0.4};  // three slopes, the constant, log k
  const char* const names[] = {"x1", "x2", "x3", "constant", "log shape"};
  const auto model = giga::likelihood_of(simulated(10000, truth));
  const giga::Normal prior = giga::Normal::isotropic(model->num_parameters(), 2);
  const giga::Threads executor;
  const giga::Normal full = giga::laplace(*model, prior, executor).posterior;

  // Vectors of 200 random features, in units of the posterior; computed when they are asked for.
  const giga::RandomProjection rows(*model, full, {.norm = giga::Norm::Whitened, .dim = 200});
  const giga::VectorTable table(rows, executor);
  const giga::BuildResult result = giga::corrective(table, {.size = 25});

  // The rows have no multiplicities, so the weights of their vectors are the weights of the rows.
  const auto few = model->subset(result.coreset.rows, result.coreset.weights);
  const giga::Normal small = giga::laplace(*few, prior, executor).posterior;

  std::printf("%td of %td rows, relative error %.3g\n\n", few->num_rows(), model->num_rows(),
              result.relative_error);
  std::printf("             truth     all rows           coreset\n");
  const std::vector<double> full_sd = full.standard_deviations(), small_sd = small.standard_deviations();
  double furthest = 0;
  for (std::size_t d = 0; d < truth.size(); ++d) {
    std::printf("%-10s %7.3f  %7.4f +- %.4f  %7.4f +- %.4f\n", names[d], truth[d], full.mean()[d], full_sd[d],
                small.mean()[d], small_sd[d]);
    furthest = std::max(furthest, std::abs(small.mean()[d] - full.mean()[d]) / full_sd[d]);
  }
  std::printf("\nfurthest mean: %.2g posterior standard deviations off; KL divergence %.2g\n", furthest,
              giga::kl_divergence(small, full));
  return furthest < 0.5 ? 0 : 1;
}
