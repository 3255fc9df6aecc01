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
    EXPECT_FALSE(each.response_words.empty() || each.simulation.name.empty() || each.simulation.model.empty())
        << label;
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
  }
}

TEST(Registry, FamiliesAreFoundByTheirWords) {
  for (const Family family : all_families())
    EXPECT_EQ(family_named(family_name(family), link_name(family)), family);
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
  EXPECT_EQ(family_named("gaussian"), Family::GaussianIdentity);
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
    const double mean = each.is_binary ? 0.4 : 3.5;
    const double s = each.predictor_of_mean(mean);
    double sum = 0, squares = 0;
    Stream random = stream(5, "start");
    for (int i = 0; i < kDraws; ++i) {
      const double y = each.simulation.respond({family}, s, random);
      sum += y;
      squares += y * y;
    }
    const double got = sum / kDraws, variance = squares / kDraws - got * got;
    EXPECT_NEAR(got, mean, 5 * std::sqrt(variance / kDraws)) << each.name << " " << each.link;
  }
}

}  // namespace
}  // namespace giga
