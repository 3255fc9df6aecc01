// Formulas and families under three pretended ranks and on two threads: the bits of one thread, from the
// columns that are learnt of the table to draws and certificate.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/read_table.hpp"
#include "support/pretend_ranks.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

constexpr int kRows = 18'000;  // five blocks; every sixth row repeats the one before it

// Words, a date, numbers, exposures and trials; every kind of response.
std::string flights() {
  constexpr std::array kCarriers = {"AA", "B6", "DL", "UA"};
  std::string text = "carrier,date,x,days,n,k,count,temp,time,late\n", row;
  Stream random = stream(29, "formula ranks");
  for (int i = 0; i < kRows; ++i) {
    if (i % 6 != 5) {
      const auto c = static_cast<std::size_t>(random.below(4));
      const double x = random.normal(), s = 0.5 * x + (c == 1 ? 0.6 : 0) - 0.2;
      const std::uint64_t days = 1 + random.below(9), n = 1 + random.below(6);
      const double p = 1 / (1 + std::exp(-s));
      int k = 0;
      for (std::uint64_t t = 0; t < n; ++t) k += random.uniform() < p ? 1 : 0;
      const double u = random.uniform(), noise = random.normal();
      const double mean = static_cast<double>(days) * std::exp(0.3 * s), spread = 0.5 - std::log(1 - u);
      row = std::string(kCarriers[c]) + ",2024-0" + std::to_string(1 + random.below(9)) + "-11," +
            shortest(x) + "," + std::to_string(days) + "," + std::to_string(n) + "," + std::to_string(k) +
            "," + shortest(std::floor(mean * spread)) + "," + shortest(5 + 3 * s + 2 * noise) + "," +
            shortest(std::exp(s + 0.4 * noise)) + "," + (random.uniform() < p ? "yes" : "no") + "\n";
    }
    text += row;
  }
  return text;
}

struct Case {
  std::string formula;
  FamilyParameters family;
  std::vector<std::string> priors;
  bool autoscale = false;
};

void PrintTo(const Case& with, std::ostream* out) {
  *out << with.formula;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"temp ~ ns(x, 3) + carrier + month(date)",
       {.family = Family::Gaussian},
       {"normal(0, 2.5)", "carrier = student_t(4, 0, 1)", "sigma = half_normal(2)"},
       true},
      {"temp ~ x * carrier", {.family = Family::StudentT}, {}},
      {"count ~ poly(x, 2) + carrier + offset(log(days))",
       {.family = Family::NegativeBinomial},
       {"poly(x, 2) = laplace(0, 0.5)"}},
      {"time ~ x + carrier", {.family = Family::GammaLog}, {"shape = gamma(2, 0.5)"}},
      {"cbind(k, n - k) ~ x + carrier", {.family = Family::BinomialProbit}, {}},
      {"late ~ x * carrier", {.family = Family::BernoulliCloglog}, {"cauchy(0, 1)"}}};
  return kCases;
}

// A table read, a problem made and fitted, all of it by one executor.
struct Fitted {
  Fitted(const std::filesystem::path& path, const Case& with, const Executor& executor)
      : table(read_table(path, {}, model_of(with), executor)), problem(table.data, table.model, executor) {
    FitOptions options;
    options.sample.warmup = 80;
    options.sample.draws = 60;
    options.laplace_draws = 100;
    result = fit(problem, options, executor);
  }

  static ModelOptions model_of(const Case& with) {
    ModelOptions out{.family = with.family, .formula = with.formula};
    for (const std::string& text : with.priors) add_prior(out.priors, text);
    out.priors.autoscale = with.autoscale;
    return out;
  }

  ModelTable table;
  Problem problem;
  FitResult result;
};

void expect_same(const Fitted& got, const Fitted& want) {
  EXPECT_EQ(*got.table.model.design, *want.table.model.design);
  const Design &one = *got.problem.table()->design, &other = *want.problem.table()->design;
  EXPECT_EQ(one.names(), other.names());
  EXPECT_EQ(one.scale().mean, other.scale().mean);
  EXPECT_EQ(one.scale().scale, other.scale().scale);
  EXPECT_EQ(got.problem.table()->options.priors.found, want.problem.table()->options.priors.found);
  EXPECT_EQ(got.problem.notes(), want.problem.notes());
  EXPECT_FALSE(want.result.coreset.coreset.rows.empty());
  EXPECT_EQ(got.result.coreset.coreset.rows, want.result.coreset.coreset.rows);
  EXPECT_EQ(got.result.coreset.coreset.weights, want.result.coreset.coreset.weights);
  ASSERT_EQ(got.result.chains.size(), want.result.chains.size());
  for (std::size_t c = 0; c < want.result.chains.size(); ++c)
    EXPECT_EQ(got.result.chains[c].draws, want.result.chains[c].draws);
  EXPECT_EQ(got.result.certificate.coreset.weights, want.result.certificate.coreset.weights);
  EXPECT_EQ(got.result.certificate.coreset.k_hat, want.result.certificate.coreset.k_hat);
}

class FormulasOfPretendedRanks : public ::testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    shared_folder = std::make_unique<TempDir>();
    write_file(*shared_folder / "t.csv", flights());
  }
  static void TearDownTestSuite() { shared_folder.reset(); }
  static inline std::unique_ptr<TempDir> shared_folder;
};

TEST_P(FormulasOfPretendedRanks, AreFittedToTheSameBits) {
  const Threads one(1), two(2);
  const PretendRanks three(3);
  const Fitted want(*shared_folder / "t.csv", GetParam(), one);
  ASSERT_GT(num_blocks(want.problem.likelihood().num_rows()), 3);
  for (const Executor* executor : {static_cast<const Executor*>(&two), static_cast<const Executor*>(&three)})
    expect_same(Fitted(*shared_folder / "t.csv", GetParam(), *executor), want);
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string out;
  for (const char letter : std::string(family_name(info.param.family.family)))
    if (letter != '_') out += letter;
  return out;
}

INSTANTIATE_TEST_SUITE_P(Every, FormulasOfPretendedRanks, ::testing::ValuesIn(cases()), case_name);

// What makes this worth having: with the total passed on in another order the gradient has other bits.
TEST(FormulasOfBrokenRanks, GiveOtherBitsWhereTheOrderOfBlocksIsBroken) {
  const TempDir folder;
  write_file(folder / "t.csv", flights());
  const ModelTable table = read_table(folder / "t.csv", {}, Fitted::model_of(cases()[0]), Threads(1));
  const Problem problem(table.data, table.model, Threads(1));
  const auto gradient_by = [&problem](const Executor& executor) {
    const auto dim = static_cast<std::size_t>(problem.likelihood().num_parameters());
    const std::vector<double> theta(dim, 0.3);
    std::vector<double> gradient(dim);
    Posterior(problem.likelihood(), problem.prior(), &executor).log_density(theta.data(), gradient.data());
    return gradient;
  };
  EXPECT_EQ(gradient_by(PretendRanks(3)), gradient_by(Threads(1)));
  EXPECT_NE(gradient_by(PretendRanks(3, PretendRanks::Way::Backwards)), gradient_by(Threads(1)));
}

}  // namespace
}  // namespace giga::test
