#include "giga/report/certificate_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

namespace giga::test {
namespace {

Certificate good() {
  Certificate out;
  out.num_rows = 26'000;
  out.num_data_rows = 26'733;
  out.coreset_size = 100;
  out.num_parameters = 2;
  out.num_chains = 4;
  out.max_rhat = 1.002;
  out.min_ess = 3456.7;
  out.max_rhat_allowed = 1.05;
  out.min_effective_size = 100;
  out.coreset.before = {{1.23456, 0.0321, 0.001, 0.001}, {-20.5, 3.25, 0.1, 0.1}};
  out.coreset.after = {{1.23556, 0.0322, 0.001, 0.001}, {-20.6, 3.26, 0.1, 0.1}};
  out.coreset.num_draws = out.laplace.num_draws = 4000;
  out.coreset.k_hat = 0.2134;
  out.coreset.k_limit = out.laplace.k_limit = 0.7;
  out.coreset.effective_size = 3120.9;
  out.laplace.after = {{1.23656, 0.0323, 0.001, 0.001}, {-20.7, 3.27, 0.1, 0.1}};
  return out;
}

TEST(CertificateText, SaysWhatACoresetIsGoodFor) {
  Certificate out = good();
  EXPECT_EQ(certificate_sentence(out), "checked against all 26,733 rows: k-hat 0.21, safe to use");
  out.coreset.k_hat = -0.001;
  EXPECT_EQ(certificate_sentence(out), "checked against all 26,733 rows: k-hat 0.00, safe to use");
  out.coreset.k_hat = 1.3;
  out.coreset.flat = true;
  out.coreset.spread = 0.02;
  EXPECT_EQ(
      certificate_sentence(out),
      "checked against all 26,733 rows: the weights of all draws are within 2% of each other, safe to use");
  EXPECT_EQ(k_hat_text(out.coreset), "flat");
  out.coreset.exact = true;
  EXPECT_EQ(certificate_sentence(out),
            "checked against all 26,733 rows: the posterior is that of all rows, safe to use");
}

TEST(CertificateText, SaysWhatIsWrongAndWhatToDo) {
  const auto sentence = [](Doubt doubt, const auto& change) {
    Certificate out = good();
    out.doubt = doubt;
    change(out);
    return certificate_sentence(out);
  };
  const std::string start = "checked against all 26,733 rows: not safe: ";
  EXPECT_EQ(sentence(Doubt::HighKhat,
                     [](Certificate& out) {
                       out.coreset.k_hat = 1.3;
                       out.suggested_size = 300;
                     }),
            start + "k-hat 1.30 is above 0.70; use more points, try `size = 300`");
  EXPECT_EQ(sentence(Doubt::HighKhat, [](Certificate& out) { out.coreset.k_hat = HUGE_VAL; }),
            start + "k-hat infinite is above 0.70; the coreset has all rows already");
  EXPECT_EQ(sentence(Doubt::NotMixed, [](Certificate& out) { out.max_rhat = 1.2345; }),
            start +
                "the chains have not mixed (R-hat 1.234, must be at most 1.05), so nothing can be said; "
                "sample longer with `warmup` and `draws`");
  EXPECT_EQ(sentence(Doubt::NotMixed, [](Certificate& out) { out.max_rhat = std::nan(""); }),
            start +
                "the chains have not mixed (R-hat has no value, must be at most 1.05), so nothing can be "
                "said; sample longer with `warmup` and `draws`");
  EXPECT_EQ(sentence(Doubt::DrawsNotFinite, [](Certificate& out) { out.num_draws_not_finite = 3; }),
            start + "3 of 4,000 draws are not finite numbers; sample again");
  EXPECT_EQ(
      sentence(Doubt::TooFewDraws, [](Certificate& out) { out.min_ess = 63.2; }),
      start + "4,000 draws are too few to tell (effective size 63, must be 100); make more with `draws`");
  EXPECT_EQ(
      sentence(Doubt::FewEffective,
               [](Certificate& out) {
                 out.coreset.effective_size = 41;
                 out.suggested_size = 200;
               }),
      start + "the weights leave an effective size of 41 of 4,000 draws; use more points, try `size = 200`");
  EXPECT_EQ(sentence(Doubt::Disagrees,
                     [](Certificate& out) {
                       out.disagreement = 2.51;
                       out.suggested_size = 200;
                     }),
            start +
                "the corrected means are 2.51 standard deviations from those that the Laplace "
                "approximation leads to; use more points, try `size = 200`");
}

TEST(CertificateText, TheTableShowsMeansToAHundredthOfTheirStandardDeviation) {
  const std::vector<std::string> names = {"age", "größe"};
  const std::string text = certificate_text(good(), names);
  EXPECT_NE(text.find("           coreset          corrected          Laplace        \n"
                      "parameter     mean      sd       mean      sd     mean      sd\n"
                      "age         1.2346  0.0321     1.2356  0.0322   1.2366  0.0323\n"
                      "größe       -20.50    3.25     -20.60    3.26   -20.70    3.27\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("checked against all 26,733 rows: k-hat 0.21, safe to use\n")) << text;
}

TEST(CertificateText, NamesCannotWriteToTheTerminal) {
  const std::vector<std::string> names = {"a\x1b[2J", "b\n"};
  const std::string text = certificate_text(good(), names);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("b\\x0a"), std::string::npos);
}

TEST(CertificateText, RefusesAnotherNumberOfNames) {
  EXPECT_THROW((void)certificate_text(good(), std::vector<std::string>{"a"}), std::invalid_argument);
}

TEST(CertificateText, QuantitiesComeBeforeTheParameters) {
  Certificate out = good();
  out.coreset.quantities_before = {{0.5, 0.01, 0, 0}};
  out.coreset.quantities_after = {{0.52, 0.01, 0, 0}};
  out.laplace.quantities_after = {{0.53, 0.01, 0, 0}};
  const std::string text = certificate_text(out, std::vector<std::string>{"x1", "std_x1", "std_x2"});
  const auto first = text.find("\nx1 "), second = text.find("\nstd_x1 "), third = text.find("\nstd_x2 ");
  ASSERT_NE(third, std::string::npos) << text;
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  const std::string line = text.substr(first + 1, second - first);
  EXPECT_NE(line.find("0.5000"), std::string::npos) << line;
  EXPECT_NE(line.find("0.5200"), std::string::npos) << line;
  EXPECT_NE(line.find("0.5300"), std::string::npos) << line;
  EXPECT_THROW((void)certificate_text(out, std::vector<std::string>{"a", "b"}), std::invalid_argument);
}

TEST(CertificateText, NumbersOfARecordHaveNamesOfTheirOwn) {
  const auto numbers = certificate_numbers(good());
  std::set<std::string> names;
  for (const auto& [name, value] : numbers) names.insert(name);
  EXPECT_EQ(names.size(), numbers.size());
  EXPECT_EQ(numbers.front().first, "k_hat");
  EXPECT_EQ(numbers.front().second, 0.2134);
}

}  // namespace
}  // namespace giga::test
