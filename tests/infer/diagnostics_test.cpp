#include "giga/infer/diagnostics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "giga/base/random.hpp"
#include "infer/reference.hpp"

namespace giga::test {
namespace {

using ChainVectors = std::vector<std::vector<double>>;

ChainVectors normal_chains(std::size_t num_chains, std::size_t num_draws, std::uint64_t seed = 1) {
  ChainVectors chains(num_chains, std::vector<double>(num_draws));
  Stream random = stream(seed, "chains");
  for (std::vector<double>& chain : chains) std::ranges::generate(chain, [&] { return random.normal(); });
  return chains;
}

ChainVectors mapped(ChainVectors chains, const std::function<double(double)>& function) {
  for (std::vector<double>& chain : chains) std::ranges::transform(chain, chain.begin(), function);
  return chains;
}

// Calls check(chains, expected) for every stored set of draws.
template <class Check>
void for_each_set(Check check) {
  const Json sets = read_reference("diagnostics.json");
  ASSERT_GE(sets.size(), 40U);
  for (const auto& [name, set] : sets.items()) {
    SCOPED_TRACE(name);
    // posterior takes draws of 1e-18 for equal, in whatever units they are.
    if (name == "equal_up_to_rounding") continue;
    ChainVectors chains;
    for (const Json& chain : set["draws"]) chains.push_back(numbers(chain));
    check(chains, set["expected"]);
  }
}

TEST(Diagnostics, EqualThoseOfThePosteriorPackage) {
  using Diagnostic = double (*)(Chains);
  const std::vector<std::pair<std::string, Diagnostic>> diagnostics = {
      {"rhat", rhat},         {"rhat_basic", rhat_basic}, {"ess_bulk", ess_bulk},   {"ess_tail", ess_tail},
      {"ess_mean", ess_mean}, {"ess_sd", ess_sd},         {"mcse_mean", mcse_mean}, {"mcse_sd", mcse_sd}};
  for_each_set([&](const ChainVectors& chains, const Json& expected) {
    for (const auto& [name, diagnostic] : diagnostics) {
      const double value = number(expected[name]);
      // Chains that are each constant: R divides by the rounding of their scores' means.
      if (name == "rhat" && value > 1e14) {
        EXPECT_EQ(rhat(chains), std::numeric_limits<double>::infinity());
      } else {
        EXPECT_TRUE(agree(diagnostic(chains), value)) << name;
      }
    }
  });
}

TEST(Diagnostics, OfQuantilesEqualThoseOfThePosteriorPackage) {
  using Diagnostic = double (*)(Chains, double);
  const std::vector<std::pair<std::string, Diagnostic>> diagnostics = {
      {"quantile", quantile}, {"ess_quantile", ess_quantile}, {"mcse_quantile", mcse_quantile}};
  for_each_set([&](const ChainVectors& chains, const Json& expected) {
    for (const auto& [name, diagnostic] : diagnostics) {
      for (const auto& [p, value] : expected[name].items())
        EXPECT_TRUE(agree(diagnostic(chains, std::stod(p)), number(value))) << name << " at " << p;
    }
  });
}

TEST(Diagnostics, SummariesEqualThoseOfThePosteriorPackage) {
  for_each_set([&](const ChainVectors& chains, const Json& expected) {
    const QuantitySummary summary = summarise(chains);
    const std::vector<std::pair<std::string, double>> fields = {{"mean", summary.mean},
                                                                {"sd", summary.sd},
                                                                {"median", summary.median},
                                                                {"mad", summary.mad},
                                                                {"q5", summary.q5},
                                                                {"q50", summary.q50},
                                                                {"q95", summary.q95},
                                                                {"ess_bulk", summary.ess_bulk},
                                                                {"ess_tail", summary.ess_tail},
                                                                {"mcse_mean", summary.mcse_mean},
                                                                {"mcse_sd", summary.mcse_sd}};
    for (const auto& [name, value] : fields) EXPECT_TRUE(agree(value, number(expected[name]))) << name;
    EXPECT_TRUE(agree(summary.rhat, rhat(chains), 0));
  });
}

TEST(Diagnostics, EnergyFractionsFollowTheirDefinition) {
  for_each_set([&](const ChainVectors& chains, const Json& expected) {
    // Below three energies the stored formula has numbers where there is no answer.
    if (chains[0].size() < 3) return;
    const std::vector<double> fractions = e_bfmi(chains), values = numbers(expected["e_bfmi"]);
    ASSERT_EQ(fractions.size(), values.size());
    for (std::size_t c = 0; c < values.size(); ++c) EXPECT_TRUE(agree(fractions[c], values[c])) << c;
  });
  const ChainVectors unlike = {{1, 2}, {1, 1, 1}, {}, {0, 1, 0, 1}};
  const std::vector<double> fractions = e_bfmi(unlike);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_TRUE(std::isnan(fractions[c]));
  EXPECT_DOUBLE_EQ(fractions[3], 3);
}

TEST(Diagnostics, DoNotDependOnTheUnitsOfTheDraws) {
  const ChainVectors chains = normal_chains(4, 200);
  for (const double unit : {0x1p-900, 0x1p-60, 0x1p-40, 0x1p+40, 0x1p+900}) {
    const ChainVectors scaled = mapped(chains, [=](double x) { return unit * x; });
    EXPECT_EQ(rhat(scaled), rhat(chains));
    EXPECT_EQ(rhat_basic(scaled), rhat_basic(chains));
    EXPECT_EQ(ess_mean(scaled), ess_mean(chains));
    EXPECT_EQ(ess_sd(scaled), ess_sd(chains));
    EXPECT_EQ(mcse_mean(scaled), unit * mcse_mean(chains));
    EXPECT_EQ(mcse_sd(scaled), unit * mcse_sd(chains));
    EXPECT_EQ(mcse_quantile(scaled, 0.3), unit * mcse_quantile(chains, 0.3));
    EXPECT_EQ(e_bfmi(scaled), e_bfmi(chains));
  }
}

TEST(Diagnostics, OfRanksDoNotChangeUnderAMonotoneMap) {
  const ChainVectors chains = normal_chains(3, 101);
  const ChainVectors cubes = mapped(chains, [](double x) { return x * x * x; });
  EXPECT_EQ(ess_bulk(cubes), ess_bulk(chains));
}

TEST(Diagnostics, EffectiveSizeOfAnAutoregressionIsThatOfItsSpectrum) {
  // S (1 - rho) / (1 + rho). The relative standard error of the estimate is some 5 % here; four of them.
  for (const double rho : {-0.5, 0.0, 0.8}) {
    ChainVectors chains = normal_chains(4, 10000, 7);
    for (std::vector<double>& chain : chains) {
      for (std::size_t i = 1; i < chain.size(); ++i)
        chain[i] = rho * chain[i - 1] + std::sqrt(1 - rho * rho) * chain[i];
    }
    EXPECT_NEAR(ess_mean(chains) / (40000 * (1 - rho) / (1 + rho)), 1, 0.2) << rho;
    EXPECT_LT(rhat(chains), 1.01);
  }
}

TEST(Diagnostics, TwoOrThreeDrawsAChainHaveNoAnswer) {
  for (const std::size_t num_draws : {2U, 3U}) {
    const ChainVectors chains = normal_chains(4, num_draws);
    EXPECT_TRUE(std::isnan(rhat(chains)));
    EXPECT_TRUE(std::isnan(rhat_basic(chains)));
    EXPECT_TRUE(std::isnan(ess_bulk(chains)));
    EXPECT_TRUE(std::isnan(ess_tail(chains)));
    EXPECT_TRUE(std::isnan(mcse_mean(chains)));
  }
}

TEST(Diagnostics, NoDrawsHaveNoAnswer) {
  for (const ChainVectors& chains : {ChainVectors{}, ChainVectors(3)}) {
    const QuantitySummary summary = summarise(chains);
    for (const double value :
         {summary.mean, summary.sd, summary.median, summary.mad, summary.q5, summary.rhat, summary.ess_bulk,
          summary.ess_tail, summary.mcse_mean, summary.mcse_sd})
      EXPECT_TRUE(std::isnan(value));
    EXPECT_TRUE(std::isnan(quantile(chains, 0.5)));
    EXPECT_TRUE(std::isnan(mcse_quantile(chains, 0.5)));
  }
}

TEST(Diagnostics, RefuseChainsOfDifferentLengthAndWrongProbabilities) {
  const ChainVectors unlike = {{1, 2, 3}, {1, 2}};
  EXPECT_THROW(static_cast<void>(rhat(unlike)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(summarise(unlike)), std::invalid_argument);
  const ChainVectors chains = normal_chains(1, 10);
  for (const double p : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(quantile(chains, p)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(ess_quantile(chains, p)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(mcse_quantile(chains, p)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace giga::test
