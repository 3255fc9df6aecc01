#include "giga/design/both_scales.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "giga/report/posterior_summary.hpp"
#include "report/chains.hpp"

namespace giga::test {
namespace {

Standardisation uneven() {
  return {{2.5, -1000, 0.001}, {0.5, 300, 1e-4}, {}};
}

TEST(BothScales, PredictionsAreEqualOnBothScales) {
  const Standardisation scale = uneven();
  const std::vector<double> x = {3.1, -1234.5, 0.0017};
  for (const bool intercept : {true, false}) {
    const BothScales both({"a", "b", "c"}, scale, intercept, true);
    const std::vector<double> theta = {0.7, -1.3, 0.4, -2.2};
    double standardised = intercept ? theta[3] : 0.0, original = 0;
    const std::vector<double> values = both.values(theta.data());
    ASSERT_EQ(values.size(), both.names().size());
    for (std::size_t d = 0; d < 3; ++d) {
      standardised += theta[d] * (x[d] - scale.mean[d]) / scale.scale[d];
      original += values[d] * x[d];
    }
    original += values[3];
    EXPECT_NEAR(original, standardised, 1e-12);
    for (std::size_t d = 0; d < (intercept ? 4U : 3U); ++d) EXPECT_EQ(values[4 + d], theta[d]);
  }
}

TEST(BothScales, TheConstantOfAModelWithoutAnInterceptIsCalledOffset) {
  const BothScales with({"a", "b", "c"}, uneven(), true, true),
      without({"a", "b", "c"}, uneven(), false, true);
  EXPECT_EQ(with.names(), (std::vector<std::string>{"a", "b", "c", "(intercept)", "std_a", "std_b", "std_c",
                                                    "std_(intercept)"}));
  EXPECT_EQ(without.names(),
            (std::vector<std::string>{"a", "b", "c", "(offset)", "std_a", "std_b", "std_c"}));
  EXPECT_EQ(with.num_original(), 4);
  EXPECT_EQ(without.num_original(), 4);
}

TEST(BothScales, AFeatureThatIsCalledAsOursAreKeepsItsName) {
  const BothScales both({"a", "std_a", "(intercept)"}, uneven(), true, true);
  EXPECT_EQ(both.names(), (std::vector<std::string>{"a", "std_a", "(intercept)", "(intercept)_", "std_a_",
                                                    "std_std_a", "std_(intercept)", "std_(intercept)_"}));
}

TEST(BothScales, FeaturesAsTheyAreHaveOneScale) {
  const BothScales both({"a"}, Standardisation::identity(1), false, false);
  EXPECT_EQ(both.names(), std::vector<std::string>{"a"});
  const double theta = 1.5;
  EXPECT_EQ(both.values(&theta), std::vector<double>{1.5});
}

TEST(BothScales, ParametersSampledAsLogarithmsAreShownAsTheyAre) {
  for (const bool standardised : {true, false}) {
    const Standardisation scale = standardised ? uneven() : Standardisation::identity(3);
    const BothScales both({"a", "b", "c"}, scale, true, standardised, {ExtraName("sigma", true), "other"});
    EXPECT_EQ(both.names(),
              (std::vector<std::string>{"a", "b", "c", "(intercept)", "sigma", "other", "std_a", "std_b",
                                        "std_c", "std_(intercept)", "log_sigma", "std_other"}));
    const std::vector<double> theta = {0.7, -1.3, 0.4, -2.2, -0.5, 3.5};
    const std::vector<double> values = both.values(theta.data());
    ASSERT_EQ(values.size(), both.names().size());
    EXPECT_EQ(values[4], std::exp(-0.5));
    EXPECT_EQ(values[5], 3.5);
    EXPECT_EQ(std::vector<double>(values.begin() + 6, values.end()), theta);
    EXPECT_TRUE(both.has_logs());
    EXPECT_EQ(both.log_of(4), 4);
    for (const Index k : {0, 3, 5, 6, 10}) EXPECT_EQ(both.log_of(k), -1);
  }
  EXPECT_FALSE(BothScales({"a"}, Standardisation::identity(1), false, false).has_logs());
}

TEST(BothScales, AChainKeepsItsDrawsAndWhatIsKnownOfThem) {
  const BothScales both({"a", "b", "c"}, uneven(), true, true);
  const Chain chain = made_up_chain(10, 4);
  const Chain out = on_both_scales(chain, both);
  EXPECT_EQ(out.dim, 8);
  ASSERT_EQ(out.num_draws(), 10);
  for (Index s = 0; s < 10; ++s) {
    const std::vector<double> values = both.values(chain.draw(s));
    EXPECT_EQ(std::vector<double>(out.draw(s), out.draw(s) + 8), values);
  }
  EXPECT_EQ(out.stats[3].log_density, chain.stats[3].log_density);
  EXPECT_THROW((void)on_both_scales(made_up_chain(10, 3), both), std::invalid_argument);
  EXPECT_THROW(BothScales({"a"}, uneven(), true, true), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
