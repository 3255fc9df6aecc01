#include "giga/report/draws_summary.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "giga/base/text.hpp"
#include "report/chains.hpp"

namespace giga::test {
namespace {

const Executor& executor() {
  static const Threads kTwo(2);
  return kTwo;
}

std::vector<Chain> good_chains(Index draws = 500, Index dim = 2) {
  std::vector<Chain> chains;
  for (std::uint64_t c = 1; c <= 4; ++c) {
    chains.push_back(made_up_chain(draws, dim, c));
    for (DrawStats& stats : chains.back().stats) {
      stats.divergent = false;
      stats.accept_stat = 0.5;
    }
  }
  return chains;
}

std::vector<std::string> said(const std::vector<Chain>& chains, SamplerKind sampler = SamplerKind::Nuts) {
  return warnings(summarise_chains(chains, {"a", "b"}, true, executor()), health_of(chains, sampler, 10));
}

::testing::AssertionResult one_says(const std::vector<std::string>& all, const std::string& words) {
  for (const std::string& text : all) {
    if (text.find(words) != std::string::npos) return ::testing::AssertionSuccess();
  }
  auto failure = ::testing::AssertionFailure() << "nothing says '" << words << "' in:";
  for (const std::string& text : all) failure << "\n  " << text;
  return failure;
}

TEST(DrawsSummary, AgreesWithTheDiagnosticsOfEachQuantity) {
  const auto chains = good_chains();
  const auto quantities = summarise_chains(chains, {"a", "b"}, true, executor());
  ASSERT_EQ(quantities.size(), 3U);
  EXPECT_EQ(quantities[0].name, "lp__");
  EXPECT_EQ(quantities[2].name, "b");
  std::vector<std::vector<double>> b;
  for (const Chain& chain : chains) {
    auto& draws = b.emplace_back();
    for (Index s = 0; s < chain.num_draws(); ++s) draws.push_back(chain.draw(s)[1]);
  }
  EXPECT_EQ(quantities[2].summary.rhat, rhat(b));
  EXPECT_EQ(quantities[2].summary.ess_tail, ess_tail(b));
  EXPECT_EQ(quantities[2].summary.mcse_mean, mcse_mean(b));
  EXPECT_EQ(summarise_chains(chains, {"a", "b"}, false, executor()).size(), 2U);
  EXPECT_THROW((void)summarise_chains(chains, {"a"}, true, executor()), std::invalid_argument);
}

TEST(DrawsSummary, WeightsLeaveAShareOfTheEffectiveSize) {
  const auto chains = good_chains();
  const auto plain = summarise_chains(chains, {"a", "b"}, false, executor());
  const auto count = 4 * static_cast<std::size_t>(chains[0].num_draws());
  const auto equal =
      weighted_quantities(plain, chains, std::vector<double>(count, 1.0 / static_cast<double>(count)));
  EXPECT_NEAR(equal[1].summary.ess_bulk, plain[1].summary.ess_bulk, 1e-6);
  std::vector<double> half(count, 0.0);
  for (std::size_t s = 0; s < count; s += 2) half[s] = 2.0 / static_cast<double>(count);
  const auto weighted = weighted_quantities(plain, chains, half);
  EXPECT_NEAR(weighted[1].summary.ess_bulk, plain[1].summary.ess_bulk / 2, 1e-6);
  EXPECT_NEAR(weighted[1].summary.ess_tail, plain[1].summary.ess_tail / 2, 1e-6);
  EXPECT_NEAR(weighted[1].summary.mcse_mean, plain[1].summary.mcse_mean * std::sqrt(2.0), 1e-9);
  EXPECT_NE(weighted[1].summary.mean, plain[1].summary.mean);
  EXPECT_TRUE(
      weighted_csv(weighted).starts_with("variable,mean,median,sd,q5,q95,ess_bulk,ess_tail,mcse_mean\na,"));
}

TEST(DrawsSummary, CsvHasAllDigitsAndInertNames) {
  auto chains = good_chains();
  chains[0].draws[0] = std::numeric_limits<double>::quiet_NaN();
  const auto quantities = summarise_chains(chains, {"=a,b", "b"}, false, executor());
  const std::string csv = summary_csv(quantities);
  EXPECT_TRUE(csv.starts_with(
      "variable,mean,median,sd,mad,q5,q95,rhat,ess_bulk,ess_tail,mcse_mean,mcse_sd\n\"'=a,b\",NaN,NaN,NaN,"))
      << csv;
  EXPECT_NE(csv.find("\nb," + shortest(quantities[1].summary.mean) + ","), std::string::npos);
}

TEST(DrawsSummary, TextHasALineForEveryQuantityOfOneWidth) {
  const std::string text = summary_text(summarise_chains(good_chains(),
                                                         {"a",
                                                          "gr\xC3\xB6\xC3\x9F"
                                                          "e"},
                                                         true, executor()));
  EXPECT_TRUE(text.starts_with("       ")) << text;
  EXPECT_NE(text.find("ESS bulk  ESS tail\nlp__"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

TEST(Warnings, ThereAreNoneForIndependentDraws) {
  EXPECT_TRUE(said(good_chains()).empty()) << said(good_chains()).front();
}

TEST(Warnings, ChainsThatDisagreeAreNamedWithTheirRhat) {
  auto chains = good_chains();
  for (std::size_t i = 1; i < chains[2].draws.size(); i += 2) chains[2].draws[i] += 1.5;
  const auto all = said(chains);
  EXPECT_TRUE(one_says(all, "R-hat is above 1.01 for 'b', up to 1."));
  EXPECT_TRUE(one_says(all, "longer `warmup`"));
}

TEST(Warnings, SlowChainsHaveASmallEffectiveSize) {
  auto chains = good_chains(1000);
  for (std::size_t c = 0; c < 4; ++c) {
    double state = 0;
    for (Index s = 0; s < 1000; ++s) {
      double& value = chains[c].draws[static_cast<std::size_t>(2 * s)];
      state = 0.99 * state + value;
      value = state;
    }
  }
  const auto all = said(chains);
  EXPECT_TRUE(one_says(all, "the bulk effective sample size is below 400 (100 per chain) for 'a'"));
  EXPECT_TRUE(one_says(all, "the tail effective sample size"));
}

TEST(Warnings, DivergencesAndDepthAreCountedWithTheirShare) {
  auto chains = good_chains();
  for (std::size_t s = 0; s < 10; ++s) chains[1].stats[s].divergent = true;
  for (std::size_t s = 0; s < 40; ++s) chains[1].stats[s].tree_depth = 10;
  const auto all = said(chains);
  EXPECT_TRUE(one_says(all, "10 draws of 2000 (0.5%) come from a trajectory that diverged"));
  EXPECT_TRUE(one_says(all, "`target_accept`"));
  EXPECT_TRUE(one_says(all, "40 draws of 2000 (2%) took the largest tree depth, 10"));
  EXPECT_TRUE(one_says(all, "`max_depth`"));
}

TEST(Warnings, TimidMomentaAreNamedWithTheirChain) {
  auto chains = good_chains();
  double energy = 0;
  for (DrawStats& stats : chains[2].stats) stats.energy = energy += 0.1 * stats.energy;
  EXPECT_TRUE(one_says(said(chains), "E-BFMI of chain 3 is 0.0"));
  for (const std::string& text : said(chains, SamplerKind::Rwmh))
    EXPECT_EQ(text.find("E-BFMI"), std::string::npos);
}

TEST(Warnings, ConstantAndNonFiniteDrawsAreSaidAndNothingElseOfThem) {
  auto chains = good_chains();
  for (Chain& chain : chains) {
    for (std::size_t i = 0; i < chain.draws.size(); i += 2) chain.draws[i] = 7;
  }
  chains[0].draws[1] = std::numeric_limits<double>::infinity();
  const auto all = said(chains);
  EXPECT_TRUE(one_says(all, "all draws of 'a' are equal"));
  EXPECT_TRUE(one_says(all, "draws of 'b' are NaN or infinite"));
  EXPECT_EQ(all.size(), 2U);
}

TEST(Warnings, AcceptanceOfWalksAndEvaluationsThatAreNotFinite) {
  auto chains = good_chains();
  for (DrawStats& stats : chains[3].stats) stats.accept_stat = 0.04;
  chains[0].num_gradients = 5000;
  chains[0].num_not_finite = 12;
  const auto all = said(chains, SamplerKind::Rwmh);
  EXPECT_TRUE(one_says(all, "chain 4 accepted 4% of its proposals"));
  EXPECT_TRUE(one_says(all, "12 evaluations of the density, of 5000, were not finite"));
  EXPECT_FALSE(one_says(said(chains), "accepted"));
}

TEST(Warnings, ChainsTooShortToJudgeAreSaidToBe) {
  EXPECT_TRUE(one_says(said(good_chains(5)), "chains of 5 draws are too short"));
}

TEST(Ratios, AreTheLastColumnsAndExpOfTheQuantiles) {
  const auto quantities = summarise_chains(good_chains(), {"x", "(intercept)"}, true, executor());
  const Ratios ratios{"odds ratio", {"x"}};
  const std::string csv = summary_csv(quantities, ratios), plain = summary_csv(quantities);
  const QuantitySummary& s = quantities[1].summary;
  EXPECT_NE(csv.find(",mcse_mean,mcse_sd,odds_ratio,odds_ratio_q5,odds_ratio_q95\n"), std::string::npos);
  EXPECT_NE(csv.find("," + shortest(std::exp(s.q50)) + "," + shortest(std::exp(s.q5)) + "," +
                     shortest(std::exp(s.q95)) + "\n(intercept),"),
            std::string::npos);
  EXPECT_TRUE(csv.ends_with(",NaN,NaN,NaN\n"));
  // Readers of the columns before them see what they saw.
  std::size_t at = 0, there = 0;
  while (at < plain.size()) {
    const std::size_t end = plain.find('\n', at);
    EXPECT_EQ(csv.substr(there, end - at), plain.substr(at, end - at));
    at = end + 1;
    there = csv.find('\n', there) + 1;
  }
  EXPECT_NE(weighted_csv(quantities, {"ratio of means", {"x"}})
                .find(",mcse_mean,ratio_of_means,ratio_of_means_q5,ratio_of_means_q95\n"),
            std::string::npos);
}

TEST(Ratios, TextHasALineForEveryCoefficientAndNothingWithoutThem) {
  const auto quantities = summarise_chains(good_chains(), {"x", "(intercept)"}, true, executor());
  const std::string text = ratios_text(quantities, {"rate ratio", {"x"}});
  EXPECT_NE(text.find("rate ratio"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_EQ(text.find("(intercept)"), std::string::npos);
  EXPECT_EQ(ratios_text(quantities, {}), "");
}

TEST(Ratios, TextShowsTheIntervalHoweverNarrow) {
  Quantity quantity{"distance", {}, false, 0};
  quantity.summary.q5 = 0.0001609;
  quantity.summary.q50 = 0.000218;
  quantity.summary.q95 = 0.0002759;
  const auto text = [&] { return ratios_text(std::span(&quantity, 1), {"odds ratio", {"distance"}}); };
  EXPECT_NE(text().find("1.000218  1.000161  1.000276\n"), std::string::npos) << text();
  quantity.summary.q95 = 800;  // beyond a double
  EXPECT_NE(text().find("inf"), std::string::npos) << text();
  quantity.summary.q5 = quantity.summary.q50 = quantity.summary.q95 = 0;
  EXPECT_NE(text().find("1   1    1\n"), std::string::npos) << text();
}

TEST(DrawsSummary, NamesThatDifferInTheirMiddleStayDifferentInTheText) {
  const std::string a = std::string(50, 'p') + "1" + std::string(50, 'q'),
                    b = std::string(50, 'p') + "2" + std::string(50, 'q');
  const std::string text = summary_text(summarise_chains(good_chains(), {a, b}, false, executor()));
  const std::size_t first = text.find('\n') + 1, second = text.find('\n', first) + 1;
  EXPECT_NE(text.substr(first, 100), text.substr(second, 100));
}

}  // namespace
}  // namespace giga::test
