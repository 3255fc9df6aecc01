// Fits of formulas, families and priors of every kind: the same bytes on one thread and two, after a stop,
// and from giga report on the folder.
#include <cmath>
#include <random>

#include "cli/fit_command.hpp"

namespace giga::test {
namespace {

using Words = std::vector<std::string>;

// Words, dates, numbers with holes, exposures, trials, and a response for every family.
std::string flights(int rows) {
  std::mt19937 random(11);
  const auto uniform = [&random] { return (static_cast<double>(random() % 100000) + 0.5) / 100000; };
  const Words carriers = {"AA", "B6", "\"D,L\"", "UA"};
  std::string text = "carrier,date,x,days,shift,k,n,count,temp,time,late\n";
  for (int i = 0; i < rows; ++i) {
    const auto c = random() % 4;
    const double x = 4 * uniform() - 2, s = 0.5 * x + (c == 3 ? 0.8 : 0) - 0.3;
    const double p = 1 / (1 + std::exp(-s)), noise = std::log(uniform() / uniform());
    const auto days = 1 + random() % 9, n = 1 + random() % 8;
    unsigned k = 0;
    for (unsigned t = 0; t < n; ++t) k += uniform() < p ? 1 : 0;
    const double mean = static_cast<double>(days) * std::exp(0.4 * s), spread = -std::log(uniform());
    text += carriers[c] + ",2024-0" + std::to_string(1 + random() % 9) + "-0" +
            std::to_string(1 + random() % 9) + "," + (i % 40 == 7 ? "" : shortest(x)) + "," +
            std::to_string(days) + "," + shortest(std::round(100 * uniform()) / 100) + "," +
            std::to_string(k) + "," + std::to_string(n) + "," + shortest(std::floor(mean * (0.5 + spread))) +
            "," + shortest(10 + 3 * s + noise) + "," + shortest(std::exp(s + 0.3 * noise)) + "," +
            (uniform() < p ? "yes" : "no") + "\n";
  }
  return text;
}

struct Model {
  std::string name;
  Words words;
};

void PrintTo(const Model& model, std::ostream* out) {
  *out << model.name;
}

const std::vector<Model>& models() {
  static const std::vector<Model> kModels = {
      {"Gaussian",
       {"temp ~ ns(x, 3) + carrier + offset(shift)", "--family", "gaussian", "--prior", "normal(0, 2.5)",
        "--autoscale", "--prior", "carrier = student_t(4, 0, 1)", "--prior-sigma", "half_normal(1)"}},
      {"StudentT", {"temp ~ x * carrier", "--family", "student_t", "--prior-nu", "gamma(2, 0.2)"}},
      {"NegativeBinomial",
       {"count ~ poly(x, 2) + carrier + month(date) + offset(log(days))", "--family", "negative_binomial",
        "--prior-intercept", "cauchy(0, 2)", "--prior-phi", "half_cauchy(2)"}},
      {"Gamma", {"time ~ x + relevel(carrier, \"UA\")", "--family", "gamma", "--prior", "laplace(0, 1)"}},
      {"Binomial", {"cbind(k, n - k) ~ bs(x, 4) + carrier", "--family", "binomial", "--link", "probit"}},
      {"Bernoulli",
       {"late ~ x:carrier + I(x^2) + weekday(date)", "--family", "bernoulli", "--link", "cloglog",
        "--success", "no"}}};
  return kModels;
}

class FormulaFit : public KilledFit, public ::testing::WithParamInterface<Model> {
 protected:
  FormulaFit() { write_file(folder_ / "t.csv", flights(3000)); }

  [[nodiscard]] Words model() const {
    Words words = GetParam().words;
    words.insert(words.end(), {"--missing", "drop"});
    return words;
  }
  [[nodiscard]] Words to(const std::string& out, const Words& more = {}) const {
    Words all = {"t.csv"};
    for (const Words& part : {model(), kShort, {"--no-times", "--out", out}, more})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }
};

TEST_P(FormulaFit, HasTheSameBytesOnOneThreadAndTwo) {
  const Outcome one = fit(to("one", {"--threads", "1"}));
  ASSERT_EQ(one.code, 0) << one.error;
  ASSERT_EQ(fit(to("two", {"--threads", "2"})).code, 0);
  EXPECT_NE(one.error.find("dropped 75 rows of 3000"), std::string::npos) << one.error;
  expect_same_files("one", "two");
}

TEST_P(FormulaFit, ResumedAfterKillsHasTheSameBytes) {
  kill_and_resume(2, 5, model());
}

TEST_P(FormulaFit, TheReportOfItsFolderIsTheSamePage) {
  ASSERT_EQ(fit(to("out")).code, 0);
  ASSERT_EQ(command({"report", "out", "--out", "page.html"}).code, 0);
  EXPECT_TRUE(bytes("out/report.html") == bytes("page.html"));
  // Without the table and the folder's old page too.
  fs::remove(folder_ / "t.csv");
  ASSERT_EQ(command({"report", "out", "--force"}).code, 0);
  EXPECT_TRUE(bytes("out/report.html") == bytes("page.html"));
}

std::string name_of(const ::testing::TestParamInfo<Model>& model) {
  return model.param.name;
}

INSTANTIATE_TEST_SUITE_P(Every, FormulaFit, ::testing::ValuesIn(models()), name_of);

}  // namespace
}  // namespace giga::test
