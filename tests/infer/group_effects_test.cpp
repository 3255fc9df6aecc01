// Laplace approximation and chains of group effects, against a model in which all but the standard deviation
// can be integrated out: y_i = b_g(i) + e_i, e_i ~ N(0, 1), b_j ~ N(0, sd^2). With n_j rows in group j, whose
// mean is m_j,
//
//   log p(y | sd) = const - sum_j (log(1 + n_j sd^2) + n_j m_j^2 / (1 + n_j sd^2)) / 2,
//   b_j | sd, y ~ N(k_j m_j, k_j / n_j),   k_j = n_j sd^2 / (1 + n_j sd^2),
//
// so that the posterior is a mixture over one number, by quadrature.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "giga/infer/diagnostics.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/infer/sample.hpp"
#include "giga/model/regression.hpp"
#include "infer/group_coordinates.hpp"
#include "support/executors.hpp"

namespace giga::test {
namespace {

struct GroupedMeans {
  std::vector<int> sizes;
  std::vector<double> means;  // of the rows of each group
  std::vector<double> z, y;
  ScalarPrior sd_prior = parse_prior("exponential(1)");

  GroupedMeans(int groups, int rows, double sd, std::uint64_t seed) {
    Stream random = stream(seed, "groups");
    for (int j = 0; j < groups; ++j) {
      const double b = sd * random.normal();
      const int count = 1 + rows + j % 3 * rows / 2;
      double sum = 0;
      for (int i = 0; i < count; ++i) {
        y.push_back(b + random.normal());
        sum += y.back();
        std::vector<double> row(static_cast<std::size_t>(groups) + 1, 0.0);
        row[static_cast<std::size_t>(j) + 1] = 1;
        z.insert(z.end(), row.begin(), row.end());
      }
      sizes.push_back(count);
      means.push_back(sum / count);
    }
  }

  [[nodiscard]] Regression model() const { return {z, y, {}, {Family::GaussianIdentity}}; }
  [[nodiscard]] Prior prior() const {
    std::vector<ScalarPrior> components(means.size() + 1, ScalarPrior::normal(0, 1));
    components[0] = sd_prior;
    return {components, {{0, 1, std::ssize(means)}}};
  }
  // The log posterior of x = log sd, up to a constant.
  [[nodiscard]] double log_posterior(double x) const {
    double value = sd_prior.density(x).value;
    for (std::size_t j = 0; j < means.size(); ++j) {
      const double n = sizes[j], more = 1 + n * std::exp(2 * x);
      value -= (std::log(more) - n * means[j] * means[j] * (1 - 1 / more)) / 2;
    }
    return value;
  }
  // The posterior mean of f(sd), by the trapezium rule.
  [[nodiscard]] double expected(const std::function<double(double)>& f) const {
    double sum = 0, total = 0;
    for (double x = -12; x < 5; x += 0.002) {
      const double weight = std::exp(log_posterior(x) - log_posterior(-0.5));
      sum += weight * f(std::exp(x));
      total += weight;
    }
    return sum / total;
  }
};

double share(double n, double sd) {
  return n * sd * sd / (1 + n * sd * sd);
}

TEST(GroupLaplace, PutsTheSdWhereItsOwnPosteriorIsLargest) {
  for (const double sd : {0.0, 0.3, 2.0}) {
    const GroupedMeans data(12, 10, sd, 5);
    const LaplaceResult found = laplace(data.model(), data.prior(), threads(1));
    ASSERT_EQ(found.end, LaplaceEnd::Converged);
    const double x = found.posterior.mean()[0], h = 1e-3;
    const auto m = [&](double at) { return data.log_posterior(at); };
    const double curvature = -(m(x + h) - 2 * m(x) + m(x - h)) / (h * h);
    // The distance from the maximum in its own standard deviations.
    EXPECT_LT(std::abs((m(x + h) - m(x - h)) / (2 * h)) / std::sqrt(curvature), 2e-3) << sd;
    EXPECT_NEAR(found.posterior.standard_deviations()[0] * std::sqrt(curvature), 1, 1e-4) << sd;
    EXPECT_LE(found.passes, 12) << sd;
  }
}

TEST(GroupLaplace, CoefficientsAreThoseGivenTheSdWidenedByWhatIsNotKnownOfIt) {
  const GroupedMeans data(12, 10, 0.5, 6);
  const LaplaceResult found = laplace(data.model(), data.prior(), threads(1));
  const double x = found.posterior.mean()[0], sd = std::exp(x),
               sd_x = found.posterior.standard_deviations()[0];
  for (std::size_t j = 0; j < data.means.size(); ++j) {
    const double n = data.sizes[j], k = share(n, sd);
    EXPECT_NEAR(found.posterior.mean()[j + 1], k * data.means[j], 1e-9);
    const double moved = 2 * k * (1 - k) * data.means[j] * sd_x;  // d(k m) / dx
    EXPECT_NEAR(found.posterior.standard_deviations()[j + 1], std::sqrt(k / n + moved * moved), 1e-6);
  }
}

TEST(GroupCoordinates, GradientIsThatOfDifferencesWhateverTheShares) {
  const GroupedMeans data(4, 5, 0.8, 7);
  const Regression model = data.model();
  const Prior prior = data.prior();
  const Posterior posterior(model, prior);
  const GroupCoordinates some(posterior, prior.groups(), {-0.3}, {0, 0, 1, 0.25, 0.6});
  const std::vector<double> here = {0.4, 0.5, -0.8, 1.1, 0.2};
  std::vector<double> gradient(5), unused(5);
  (void)some.log_density(here.data(), gradient.data());
  for (std::size_t d = 0; d < here.size(); ++d) {
    constexpr double kStep = 1e-5;
    std::vector<double> up = here, down = here;
    up[d] += kStep;
    down[d] -= kStep;
    const double slope =
        (some.log_density(up.data(), unused.data()) - some.log_density(down.data(), unused.data())) /
        (2 * kStep);
    EXPECT_NEAR(gradient[d], slope, 1e-6 * (1 + std::abs(slope))) << d;
  }
}

TEST(GroupCoordinates, AreCentredAsFarAsTheRowsTellTheGroups) {
  for (const auto& [rows, least, most] : {std::tuple{1, 0.5, 1.0}, std::tuple{2000, 0.0, 0.02}}) {
    const GroupedMeans data(6, rows, 0.5, 8);
    const Regression model = data.model();
    const Posterior posterior(model, data.prior());
    const Normal about = laplace(model, data.prior(), threads(1)).posterior;
    const GroupCoordinates coordinates(posterior, data.prior().groups(), about);
    const double sd = std::exp(about.mean()[0]);
    for (std::size_t j = 0; j < data.means.size(); ++j) {
      // V_j / sd^2 = 1 - k_j.
      EXPECT_NEAR(coordinates.shares()[j + 1], 1 - share(data.sizes[j], sd), 1e-6);
      EXPECT_GE(coordinates.shares()[j + 1], least);
      EXPECT_LE(coordinates.shares()[j + 1], most);
    }
  }
}

// Of groups that do not differ, of some that do, of groups with hundreds of rows each, and of few groups.
TEST(GroupChains, AgreeWithQuadratureWithinFiveStandardErrors) {
  struct Case {
    int groups, rows;
    double sd;
  };
  for (const auto& [groups, rows, sd] :
       {Case{10, 8, 0}, Case{10, 8, 0.7}, Case{10, 150, 0.7}, Case{3, 60, 1.5}}) {
    const GroupedMeans data(groups, rows, sd, 11);
    const Regression model = data.model();
    const Prior prior = data.prior();
    const Posterior posterior(model, prior);
    const Normal about = laplace(model, prior, threads(1)).posterior;
    SampleOptions options{.draws = 2000, .seed = 4};
    options.target_accept = 0.9;
    const std::vector<Chain> chains = sample_groups(posterior, prior.groups(), about, 4, options, threads(2));
    Index divergent = 0;
    const auto series = [&](const std::function<double(const double*)>& f) {
      std::vector<std::vector<double>> all;
      for (const Chain& chain : chains) {
        all.emplace_back();
        for (Index s = 0; s < chain.num_draws(); ++s) all.back().push_back(f(chain.draw(s)));
      }
      return all;
    };
    for (const Chain& chain : chains)
      for (const DrawStats& stats : chain.stats) divergent += stats.divergent ? 1 : 0;
    EXPECT_LE(divergent, 3) << groups << " groups of " << rows;
    const auto expect = [&, groups = groups, rows = rows](
                            double exact, const std::function<double(const double*)>& f, const char* what) {
      const QuantitySummary drawn = summarise(series(f));
      EXPECT_LT(drawn.rhat, 1.01) << what;
      EXPECT_NEAR(drawn.mean, exact, 5 * drawn.mcse_mean) << what << ", " << groups << " groups of " << rows;
    };
    expect(
        data.expected([](double s) { return s; }), [](const double* t) { return std::exp(t[0]); }, "sd");
    expect(
        data.expected([](double s) { return s * s; }), [](const double* t) { return std::exp(2 * t[0]); },
        "sd^2");
    const double n = data.sizes[1], m = data.means[1];
    expect(
        data.expected([&](double s) { return share(n, s) * m; }), [](const double* t) { return t[2]; }, "b");
    expect(
        data.expected([&](double s) {
          const double k = share(n, s);
          return k / n + k * k * m * m;
        }),
        [](const double* t) { return t[2] * t[2]; }, "b^2");
  }
}

}  // namespace
}  // namespace giga::test
