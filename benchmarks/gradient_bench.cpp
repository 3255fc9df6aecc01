// Gradients of a regression posterior on one core, by family and size: how many a second, and how fast they
// go over the rows compared with plain reading.
//
//   gradient_bench [bursts]      default 200, of about 2 ms each
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/model/regression.hpp"

namespace {

using giga::Family;
using giga::Index;

struct Case {
  const char* name;
  Family family;
  Index rows, dim;
  bool weighted;
};

giga::Regression made(const Case& c) {
  giga::Stream random = giga::stream(1, "gradient bench");
  std::vector<double> design, response, weights;
  for (Index n = 0; n < c.rows; ++n) {
    double s = 0;
    for (Index d = 0; d + 1 < c.dim; ++d) {
      design.push_back(random.normal());
      s += 0.2 * design.back();
    }
    design.push_back(1);
    const bool up = random.uniform() < 1 / (1 + std::exp(-s));
    switch (c.family) {
      case Family::BernoulliLogit: response.push_back(up ? 1 : -1); break;
      case Family::GaussianIdentity: response.push_back(s + random.normal()); break;
      default: response.push_back(std::floor(4 * random.uniform())); break;
    }
    weights.push_back(c.weighted ? 50 + 100 * random.uniform() : 1);
  }
  return {std::move(design), std::move(response), std::move(weights), {c.family}};
}

/// Seconds a call in each burst, sorted.
template <typename Function>
std::vector<double> bursts(int count, const Function& function) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](int calls) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) function();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const int calls = std::max(1, static_cast<int>(0.002 / std::max(seconds(3) / 3, 1e-9)));
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(seconds(calls) / calls);
  std::sort(times.begin(), times.end());
  return times;
}

// The sum of all elements, as fast as one core can read them.
double total(const std::vector<double>& values) {
  double sums[16] = {};
  for (std::size_t i = 0; i + 16 <= values.size(); i += 16) {
    for (std::size_t k = 0; k < 16; ++k) sums[k] += values[i + k];
  }
  double sum = 0;
  for (const double value : sums) sum += value;
  return sum;
}

void measure(const Case& c, int count) {
  const giga::Regression model = made(c);
  const giga::RegressionPosterior posterior(model, giga::Normal::isotropic(c.dim));
  std::vector<double> theta(static_cast<std::size_t>(c.dim), 0.1), gradient(theta.size());
  volatile double keep = 0;
  const auto times = bursts(count, [&] {
    keep = posterior.log_density(theta.data(), gradient.data());
    theta[0] += 1e-9 * gradient[0];
  });
  const std::vector<double> plain(static_cast<std::size_t>(c.rows * c.dim), 1.0);
  const auto reading = bursts(count, [&] { keep = total(plain); });
  const double middle = times[times.size() / 2];
  std::printf("| %s | %td | %td | %.0f | %.0f | %.2f | %.0f%% |\n", c.name, c.rows, c.dim, 1 / middle,
              1 / times.front(), 1e9 * middle / static_cast<double>(c.rows),
              100 * reading[reading.size() / 2] / middle);
}

}  // namespace

int main(int argc, char** argv) {
  int count = 200;
  if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), count);
  std::printf(
      "| posterior | rows | parameters | gradients a second | in the best burst | ns a row | time of plain "
      "reading |\n|---|---|---|---|---|---|---|\n");
  const Case cases[] = {{"logistic coreset", Family::BernoulliLogit, 100, 11, true},
                        {"softplus Poisson coreset", Family::PoissonSoftplus, 100, 11, true},
                        {"log Poisson coreset", Family::PoissonLog, 100, 11, true},
                        {"gaussian coreset", Family::GaussianIdentity, 100, 11, true},
                        {"logistic, in the first cache", Family::BernoulliLogit, 256, 11, false},
                        {"logistic, in the second cache", Family::BernoulliLogit, 4096, 11, false},
                        {"logistic, as large as ds1", Family::BernoulliLogit, 26733, 11, false},
                        {"softplus Poisson, as large", Family::PoissonSoftplus, 26733, 11, false},
                        {"logistic, beyond all caches", Family::BernoulliLogit, 1000000, 21, false}};
  for (const Case& each : cases) measure(each, each.rows > 100000 ? std::max(1, count / 20) : count);
}
