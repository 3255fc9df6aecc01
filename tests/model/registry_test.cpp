// What every family must say of itself, and how it is found.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/model/family.hpp"
#include "model/family_kernels.hpp"

namespace giga {
namespace {

TEST(Registry, EveryFamilySaysAllThatIsAsked) {
  for (const Family family : all_families()) {
    const FamilyDescription& each = describe(family);
    const std::string label = std::string(each.name) + " " + std::string(each.link);
    EXPECT_FALSE(each.name.empty() || each.link.empty() || each.responses.empty()) << label;
    EXPECT_FALSE(each.response_words.empty() || each.simulation.model.empty()) << label;
    EXPECT_EQ(each.simulation.name.empty(), each.has_trials) << label;
    EXPECT_NE(each.read_response, nullptr) << label;
    EXPECT_NE(each.predictor_of_mean, nullptr) << label;
    EXPECT_NE(each.simulation.respond, nullptr) << label;
    EXPECT_GT(each.analytic_within, 0) << label;
    ASSERT_NE(each.kernels, nullptr) << label;
    const FamilyKernels& kernels = *each.kernels();
    EXPECT_TRUE(kernels.values_of_row != nullptr && kernels.slopes_of_row != nullptr &&
                kernels.values != nullptr && kernels.values_and_slopes != nullptr &&
                kernels.derivatives != nullptr)
        << label;
    EXPECT_EQ(kernels.extra_derivatives != nullptr, each.num_extras() > 0) << label;
    EXPECT_EQ(kernels.gradients != nullptr, each.num_extras() > 0) << label;
    for (const ExtraParameter& extra : each.extras)
      EXPECT_NE(extra.prior.kind, ExtraPrior::Kind::None) << label << " " << extra.name;
  }
}

TEST(Registry, FamiliesAreFoundByTheirWords) {
  for (const Family family : all_families())
    if (!describe(family).is_given) {
      EXPECT_EQ(family_named(family_name(family), link_name(family)), family);
    }
  EXPECT_EQ(family_named("poisson", "logit"), std::nullopt);
  EXPECT_EQ(family_named("Poisson"), std::nullopt);
  EXPECT_EQ(family_named(""), std::nullopt);
}

TEST(Registry, EveryNameHasOneDefaultLinkAndOneThatIsSimulatedUnasked) {
  for (const std::string& name : family_names()) {
    int defaults = 0, usual = 0;
    for (const Family family : all_families()) {
      if (family_name(family) != name) continue;
      defaults += describe(family).is_default_link ? 1 : 0;
      usual += describe(family).simulation.is_usual_link ? 1 : 0;
    }
    EXPECT_EQ(defaults, 1) << name;
    EXPECT_EQ(usual, 1) << name;
  }
  EXPECT_EQ(family_named("poisson"), Family::PoissonLog);
  EXPECT_EQ(family_named("bernoulli"), Family::BernoulliLogit);
  EXPECT_EQ(family_named("gaussian"), Family::Gaussian);
}

TEST(Registry, ASettingThatIsGivenIsNotLearnt) {
  for (const Family family : all_families()) {
    const FamilyDescription& each = describe(family);
    if (!each.given) continue;
    const FamilyDescription& given = describe(*each.given);
    EXPECT_TRUE(given.is_given);
    EXPECT_EQ(given.name, each.name);
    EXPECT_EQ(given.link, each.link);
    ASSERT_EQ(given.settings.size(), 1U);
    EXPECT_EQ(given.num_extras() + 1, each.num_extras());
    EXPECT_EQ(with_setting(family, given.settings[0]), each.given);
    EXPECT_EQ(with_setting(*each.given, given.settings[0]), each.given);
    EXPECT_EQ(with_setting(Family::PoissonLog, given.settings[0]), std::nullopt);
  }
}

TEST(Registry, SuccessesAndTrialsAreOneNumber) {
  for (const double trials : {0.0, 1.0, 12.0, 67108863.0}) {
    for (const double share : {0.0, 0.3, 1.0}) {
      const double successes = std::floor(share * trials), both = with_trials(successes, trials);
      EXPECT_EQ(trials_of(both), trials);
      EXPECT_EQ(successes_of(both), successes);
    }
  }
  for (const auto& [successes, trials] :
       {std::pair(3.0, 2.0), {-1.0, 2.0}, {0.5, 2.0}, {1.0, 2.5}, {1.0, 67108864.0}})
    EXPECT_THROW((void)with_trials(successes, trials), std::invalid_argument);
}

TEST(Registry, ListsNamesLinksAndSettingsOnce) {
  for (const std::vector<std::string>& names : {family_names(), link_names()})
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(family_names()[0], "bernoulli");
  EXPECT_EQ(link_names("poisson"), (std::vector<std::string>{"softplus", "log"}));
  std::set<std::string_view> settings;
  for (const FamilySetting& setting : family_settings()) EXPECT_TRUE(settings.insert(setting.name).second);
  EXPECT_TRUE(settings.contains("noise_scale"));
  EXPECT_TRUE(describe(Family::GaussianIdentity).has_noise_scale());
  EXPECT_FALSE(describe(Family::PoissonLog).has_noise_scale());
}

TEST(Registry, RefusesANumberThatIsNoFamily) {
  EXPECT_THROW((void)describe(static_cast<Family>(all_families().size())), std::invalid_argument);
}

// The predictor of a mean is the one whose simulated responses have that mean: 40000 draws, 5 standard
// errors.
TEST(Registry, StartIsThePredictorWhoseResponsesHaveTheMean) {
  constexpr int kDraws = 40000;
  for (const Family family : all_families()) {
    const FamilyDescription& each = describe(family);
    const double mean = each.is_binary || each.has_trials ? 0.4 : 3.5;
    const double s = each.predictor_of_mean(mean);
    double sum = 0, squares = 0;
    Stream random = stream(5, "start");
    for (int i = 0; i < kDraws; ++i) {
      const double response = each.simulation.respond({family}, s, random);
      const double y = each.has_trials ? successes_of(response) : response;
      sum += y;
      squares += y * y;
    }
    const double got = sum / kDraws, variance = squares / kDraws - got * got;
    EXPECT_NEAR(got, mean, 5 * std::sqrt(variance / kDraws)) << each.name << " " << each.link;
  }
}

// One unit more of a column multiplies the odds, or the mean, by exp(coefficient) under these links alone.
TEST(Registry, RatiosAreNamedWhereTheLinkMakesThem) {
  for (const Family family : all_families()) {
    const FamilyDescription& each = describe(family);
    const std::string_view expected = each.link == "logit"   ? "odds ratio"
                                      : each.link != "log"   ? ""
                                      : each.name == "gamma" ? "ratio of means"
                                                             : "rate ratio";
    EXPECT_EQ(each.ratio, expected) << each.name << " " << each.link;
  }
}

}  // namespace
}  // namespace giga
