// The verdict on the model, as the command says it.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/fit_command.hpp"
#include "giga/base/random.hpp"
#include "giga/model/simulate_data.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

class ModelVerdict : public FitCommand {
 protected:
  // Counts of mean exp(0.5 + 0.4 x), with gamma(phi) noise on the mean: negative binomial.
  void write_counts(double phi) const {
    std::string text = "x,y\n";
    Stream random = stream(5, "counts");
    for (int n = 0; n < 2000; ++n) {
      const double x = random.normal(), mean = std::exp(0.5 + 0.4 * x) * draw_gamma(phi, random) / phi;
      text += std::to_string(x) + "," + std::to_string(static_cast<int>(draw_poisson(mean, random))) + "\n";
    }
    write_file(folder_ / "t.csv", text);
  }
  [[nodiscard]] std::vector<std::string> counts(const std::string& out, const std::string& family,
                                                std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"t.csv", "--out", out, "--family", family};
    all.insert(all.end(), kShort.begin(), kShort.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(ModelVerdict, StandsBesideThatOnTheCoreset) {
  write_counts(0.5);
  const Outcome wrong = fit(counts("wrong", "poisson", {"--strict"}));
  EXPECT_EQ(wrong.code, 0) << "what speaks against the model changes no exit code\n" << wrong.error;
  const std::size_t coreset = wrong.out.find("safe to use"),
                    model = wrong.out.find("\nmodel check  doubtful: the counts vary ");
  ASSERT_NE(coreset, std::string::npos) << wrong.out;
  ASSERT_NE(model, std::string::npos) << wrong.out;
  EXPECT_LT(coreset, model);
  EXPECT_NE(wrong.out.find("times too small; use --family negative_binomial\n"), std::string::npos)
      << wrong.out;
  EXPECT_EQ(wrong.out.find('\x1b'), std::string::npos) << "no colours in a file";
  const json check = record("wrong")["model_check"];
  EXPECT_EQ(check["verdict"], "doubtful");
  EXPECT_EQ(check["findings"][0]["misfit"], "dispersion");
  EXPECT_GT(check["findings"][0]["size"], 2);
  EXPECT_EQ(check["num_checked"], 2000);
  EXPECT_NE(bytes("wrong/report.html").find("The model is in doubt"), std::string::npos);
  const Outcome right = fit(counts("right", "negative_binomial"));
  EXPECT_NE(right.out.find("\nmodel check  nothing speaks against the model (mean, sd, zeros, largest, "
                           "dispersion and calibration of all 2,000 rows)\n"),
            std::string::npos)
      << right.out;
}

TEST_F(ModelVerdict, HasTheSameBytesHoweverItCameAbout) {
  write_counts(0.5);
  ASSERT_EQ(fit(counts("one", "poisson", {"--no-times", "--threads", "1"})).code, 0);
  ASSERT_EQ(fit(counts("two", "poisson", {"--no-times", "--threads", "2"})).code, 0);
  expect_same_files("one", "two");
  const std::string page = bytes("one/report.html");
  ASSERT_EQ(command({"report", "one", "--force"}).code, 0);
  EXPECT_TRUE(bytes("one/report.html") == page);
}

TEST_F(ModelVerdict, IsNotGivenByDrawsThatAreNotOfThePosterior) {
  write_table(4000, 6);
  const Outcome outcome = fit(usual("out", {"--size", "7"}));
  ASSERT_NE(outcome.out.find("not safe"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("model check"), std::string::npos);
  EXPECT_FALSE(record("out").contains("model_check"));
}

TEST_F(ModelVerdict, IsGivenByChainsOfATableAndByACheckButNotByThoseOfACoreset) {
  write_counts(0.5);
  const Outcome sampled = command(
      {"sample", "t.csv", "--family", "poisson", "--warmup", "150", "--draws", "200", "--out", "all"});
  ASSERT_EQ(sampled.code, 0) << sampled.error;
  EXPECT_NE(sampled.error.find("model check      doubtful: the counts vary "), std::string::npos)
      << sampled.error;
  EXPECT_EQ(record("all")["model_check"]["verdict"], "doubtful");
  ASSERT_EQ(command({"build", "t.csv", "--family", "poisson", "--projection", "curvature", "--size", "40",
                     "--out", "c.csv"})
                .code,
            0);
  ASSERT_EQ(command({"sample", "c.csv", "--warmup", "150", "--draws", "200", "--out", "some"}).code, 0);
  EXPECT_FALSE(record("some").contains("model_check"));
  const Outcome checked = command({"check", "t.csv", "c.csv", "some"});
  ASSERT_EQ(checked.code, 0) << checked.error;
  EXPECT_TRUE(checked.out.ends_with("safe to use\n")) << "the last line is the verdict on the coreset";
  EXPECT_NE(checked.error.find("model check      doubtful: the counts vary "), std::string::npos)
      << checked.error;
  // The report of the chains has what the check found.
  ASSERT_EQ(command({"report", "some"}).code, 0);
  EXPECT_NE(bytes("some/report.html").find("The model is in doubt"), std::string::npos);
}

}  // namespace
}  // namespace giga::test
