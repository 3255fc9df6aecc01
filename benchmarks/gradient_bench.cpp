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
#include <string>
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
  giga::RowTerms terms;
  for (Index n = 0; n < c.rows; ++n) {
    double s = 0;
    for (Index d = 0; d + 1 < c.dim; ++d) {
      design.push_back(random.normal());
      s += 0.2 * design.back();
    }
    design.push_back(1);
    response.push_back(giga::describe(c.family).simulation.respond({c.family}, s, random));
    weights.push_back(c.weighted ? 50 + 100 * random.uniform() : 1);
  }
  if (giga::describe(c.family).has_trials) {
    for (double& y : response) {
      terms.trials.push_back(giga::trials_of(y));
      y = giga::successes_of(y);
    }
  }
  return {std::move(design), std::move(response), std::move(weights), {c.family}, std::move(terms)};
}

/// Seconds that so many calls take.
template <typename Function>
double seconds(int calls, const Function& function) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) function();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Calls that make a burst of about 2 ms.
template <typename Function>
int calls_of_burst(const Function& function) {
  return std::max(1, static_cast<int>(0.002 / std::max(seconds(3, function) / 3, 1e-9)));
}

/// Seconds a call in each burst, sorted.
template <typename Function>
std::vector<double> bursts(int count, const Function& function) {
  const int calls = calls_of_burst(function);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(seconds(calls, function) / calls);
  std::sort(times.begin(), times.end());
  return times;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A posterior and a point that moves a little at each gradient.
class Gradients {
 public:
  explicit Gradients(const Case& c)
      : posterior_(made(c), giga::Normal::isotropic(c.dim + giga::describe(c.family).num_extras())),
        theta_(static_cast<std::size_t>(posterior_.dim()), 0.1),
        gradient_(theta_.size()),
        calls_(calls_of_burst([this] { next(); })) {}

  void next() {
    keep_ = posterior_.log_density(theta_.data(), gradient_.data());
    theta_[0] += 1e-9 * gradient_[0];
  }
  /// Seconds a call.
  double burst() {
    return seconds(calls_, [this] { next(); }) / calls_;
  }

 private:
  giga::RegressionPosterior posterior_;
  std::vector<double> theta_, gradient_;
  volatile double keep_ = 0;
  int calls_;
};

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

/// One family beside logistic in turns, so that what slows the machine slows both: ns a row, and the ratio.
void compare_with_logistic(const Case& c, int count) {
  Gradients logistic({"", Family::BernoulliLogit, c.rows, c.dim, c.weighted});
  Gradients other(c);
  std::vector<double> times, ratios;
  for (int i = 0; i < count; ++i) {
    const double by_logistic = logistic.burst();
    times.push_back(other.burst());
    ratios.push_back(times.back() / by_logistic);
  }
  std::printf(" %.1f | %.2f |", 1e9 * median(times) / static_cast<double>(c.rows), median(ratios));
}

/// In the second cache with rows that count once, whose logistic has a kernel of its own, and with weights,
/// as rows of a coreset have; and beyond all caches.
void compare_families(int count) {
  constexpr Index kRows = 4096, kDim = 11, kManyRows = 500'000, kManyDim = 21;
  std::printf(
      "\n| family | ns a row, counted once | of logistic | ns a weighted row | of logistic | ns a row, "
      "beyond "
      "all caches | of logistic |\n|---|---|---|---|---|---|---|\n");
  for (const Family family : giga::all_families()) {
    const giga::FamilyDescription& words = giga::describe(family);
    std::printf("| %s, %s%s |", std::string(words.name).c_str(), std::string(words.link).c_str(),
                words.is_given ? ", given" : "");
    compare_with_logistic({"", family, kRows, kDim, false}, count);
    compare_with_logistic({"", family, kRows, kDim, true}, count);
    compare_with_logistic({"", family, kManyRows, kManyDim, false}, std::max(1, count / 20));
    std::printf("\n");
  }
}

void measure(const Case& c, int count) {
  Gradients gradients(c);
  const auto times = bursts(count, [&] { gradients.next(); });
  volatile double keep = 0;
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
  compare_families(count);
}
