// Made-up regression data: the file is what was asked for, in every format, and as the model says.
#include "cli/data_files.hpp"
#include "giga/data/npy.hpp"

namespace giga::test {
namespace {

using Words = std::vector<std::string>;

double mean_of(const Matrix& table, std::ptrdiff_t column) {
  double sum = 0;
  for (std::ptrdiff_t n = 0; n < table.rows; ++n) sum += table.at(n, column);
  return sum / static_cast<double>(table.rows);
}

// Everything after the line of names, which only a .csv file keeps.
std::string without_header(const std::string& csv) {
  return csv.substr(csv.find('\n') + 1);
}

class SimulateData : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome simulate(const std::string& kind, Words more) const {
    more.insert(more.begin(), {"simulate", kind});
    return run(Launch{.arguments = more, .folder = folder_.path()});
  }

  [[nodiscard]] Matrix simulated(const std::string& kind, Words more) const {
    more.insert(more.end(), {"--out", "t.npy", "--force"});
    const auto outcome = simulate(kind, more);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    const NpyMatrix matrix = NpyMatrix::open(folder_ / "t.npy");
    Matrix table{matrix.view().rows, matrix.view().cols, {}};
    table.values.resize(static_cast<std::size_t>(table.rows * table.cols));
    read_rows(matrix.view(), 0, table.rows, table.values.data());
    return table;
  }

  void refused(const std::string& kind, const Words& more, const std::string& message, int code = 64) const {
    SCOPED_TRACE(kind + " " + joined(more, " "));
    const auto before = folder_.size();
    const auto outcome = simulate(kind, more);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error, "giga: error: " + message + "\n");
    EXPECT_EQ(folder_.size(), before) << "something is left";
  }

  TempDir folder_;
};

TEST_F(SimulateData, DefaultsAreThePapersSets) {
  const auto expect = [&](const std::string& kind, std::ptrdiff_t dim, const std::string& words) {
    const auto outcome = simulate(kind, {"--out", kind + ".csv"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_TRUE(outcome.out.starts_with(kind + ".csv: 10000 rows of " + words + ", seed 1, in "))
        << outcome.out;
    const auto lines = cells_of(read_file(folder_ / (kind + ".csv")));
    EXPECT_EQ(lines.size(), 10001U);
    EXPECT_EQ(lines[0], usual_names(dim + 1));
  };
  expect("logistic", 2, "2 features, bernoulli with logit link");
  expect("poisson", 1, "1 feature, poisson with softplus link");
  expect("gaussian", 2, "2 features, gaussian with identity link");
}

TEST_F(SimulateData, DefaultOneHotTableHasTwelveFactors) {
  const auto outcome = simulate("onehot", {"--out", "t.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(
      outcome.out.starts_with("t.csv: 50000 rows of 123 columns, 12 factors of 2 to 35 levels, seed 1, in "))
      << outcome.out;
  const auto lines = cells_of(read_file(folder_ / "t.csv"));
  EXPECT_EQ(lines.size(), 50001U);
  EXPECT_EQ(lines[0].size(), 124U);
  EXPECT_TRUE(joined(lines[0]).starts_with("a1,a2,b1,b2,b3,c1,c2,c3,d1,")) << joined(lines[0]);
  EXPECT_TRUE(joined(lines[0]).ends_with(",l34,l35,y")) << joined(lines[0]);
}

TEST_F(SimulateData, FormatsHoldTheSameNumbers) {
  for (const char* kind : {"logistic", "poisson", "gaussian", "onehot"}) {
    const Words some = {"--rows", "5000", "--dim", "3", "--seed", "7", "--quiet"};
    const Matrix table = simulated(kind, some);
    for (const char* file : {"t.csv", "t.svm", "t.libsvm"}) {
      Words words = some;
      words.insert(words.end(), {"--out", file, "--force"});
      EXPECT_EQ(simulate(kind, words).code, 0);
    }
    EXPECT_EQ(without_header(read_file(folder_ / "t.csv")), csv_of(table, ",", false));
    EXPECT_EQ(read_file(folder_ / "t.svm"), libsvm_of(table));
    EXPECT_EQ(read_file(folder_ / "t.libsvm"), libsvm_of(table));
  }
}

TEST_F(SimulateData, ThreadsAndOtherRowsDoNotChangeTheBytes) {
  for (const char* kind : {"logistic", "poisson", "gaussian", "onehot"}) {
    const auto made = [&](const char* rows, const char* threads) {
      EXPECT_EQ(
          simulate(kind, {"--rows", rows, "--dim", "3", "--threads", threads, "--out", "t.csv", "--force"})
              .code,
          0);
      return read_file(folder_ / "t.csv");
    };
    const std::string one = made("20001", "1");
    EXPECT_EQ(one, made("20001", "2"));
    EXPECT_EQ(one, made("20001", "3"));
    EXPECT_TRUE(one.starts_with(made("900", "2")));
  }
}

TEST_F(SimulateData, PartsMakeTheWholeTable) {
  for (const char* kind : {"logistic", "onehot"}) {
    const Matrix whole = simulated(kind, {"--rows", "9000", "--dim", "3"});
    Matrix parts = simulated(kind, {"--rows", "5000", "--dim", "3"});
    const Matrix rest = simulated(kind, {"--rows", "4000", "--dim", "3", "--after", "5000"});
    parts.values.insert(parts.values.end(), rest.values.begin(), rest.values.end());
    EXPECT_EQ(parts.values, whole.values) << kind;
  }
}

TEST_F(SimulateData, ShortNumbersAreTheNearestOfFourBytes) {
  const Matrix whole = simulated("logistic", {"--rows", "300"});
  const Matrix rounded = simulated("logistic", {"--rows", "300", "--float32"});
  EXPECT_EQ(std::filesystem::file_size(folder_ / "t.npy"), 128U + 300 * 3 * sizeof(float));
  for (std::size_t i = 0; i < whole.values.size(); ++i)
    ASSERT_EQ(rounded.values[i], static_cast<double>(static_cast<float>(whole.values[i])));
}

TEST_F(SimulateData, SeedChangesTheNumbers) {
  EXPECT_NE(simulated("logistic", {"--seed", "1"}).values, simulated("logistic", {"--seed", "2"}).values);
  EXPECT_EQ(simulated("logistic", {"--seed", "1"}).values, simulated("logistic", {}).values);
}

TEST_F(SimulateData, FeaturesAreStandardNormal) {
  const Matrix table = simulated("gaussian", {"--rows", "40000", "--dim", "3"});
  for (std::ptrdiff_t d = 0; d < 3; ++d) {
    double squares = 0;
    for (std::ptrdiff_t n = 0; n < table.rows; ++n) squares += table.at(n, d) * table.at(n, d);
    EXPECT_NEAR(mean_of(table, d), 0, 4 / 200.0);  // 4 standard errors
    EXPECT_NEAR(squares / 40000, 1, 4 * std::sqrt(2 / 40000.0));
  }
}

// Given its features each response has the mean and variance the model says: the sum of what is left is
// within 4 standard errors, alone and against each feature.
template <typename Mean, typename Variance>
void expect_responses(const Matrix& table, const std::vector<double>& theta, Mean mean, Variance variance) {
  const std::ptrdiff_t dim = table.cols - 1;
  for (std::ptrdiff_t against = 0; against <= dim; ++against) {
    double left = 0, square = 0;
    for (std::ptrdiff_t n = 0; n < table.rows; ++n) {
      double s = theta.back();
      for (std::ptrdiff_t d = 0; d < dim; ++d) s += theta[static_cast<std::size_t>(d)] * table.at(n, d);
      const double z = against < dim ? table.at(n, against) : 1;
      left += z * (table.at(n, dim) - mean(s));
      square += z * z * variance(s);
    }
    EXPECT_LT(std::abs(left), 4 * std::sqrt(square)) << "against " << against;
  }
}

TEST_F(SimulateData, ResponsesHaveTheMeansThatThetaImplies) {
  const std::vector<double> theta = {1, -0.5, 0.25};
  const Words words = {"--rows", "40000", "--theta", "1,-0.5,0.25"};
  const auto chance = [](double s) { return 1 / (1 + std::exp(-s)); };
  expect_responses(
      simulated("logistic", words), theta, [&](double s) { return 2 * chance(s) - 1; },
      [&](double s) { return 4 * chance(s) * (1 - chance(s)); });
  const auto softplus = [](double s) { return std::log1p(std::exp(s)); };
  expect_responses(simulated("poisson", words), theta, softplus, softplus);
  Words log = words;
  log.insert(log.end(), {"--link", "log"});
  const auto exponential = [](double s) { return std::exp(s); };
  expect_responses(simulated("poisson", log), theta, exponential, exponential);
  Words narrow = words;
  narrow.insert(narrow.end(), {"--noise-scale", "0.1"});
  expect_responses(
      simulated("gaussian", narrow), theta, [](double s) { return s; }, [](double) { return 0.01; });
}

TEST_F(SimulateData, LabelsAreMinusOneAndOne) {
  for (const char* kind : {"logistic", "onehot"}) {
    const Matrix table = simulated(kind, {"--rows", "500", "--dim", "2"});
    for (std::ptrdiff_t n = 0; n < table.rows; ++n) EXPECT_EQ(std::abs(table.at(n, 2)), 1);
  }
}

// One factor of three levels. Without effects the labels depend on the intercept alone: 4 standard errors.
TEST_F(SimulateData, OneHotOptionsAreTaken) {
  const Words words = {"--rows", "40000", "--dim", "3", "--power", "1", "--effect", "0", "--intercept", "1"};
  const Matrix table = simulated("onehot", words);
  for (std::ptrdiff_t d = 0; d < 3; ++d) {
    const double p = 6.0 / 11 / static_cast<double>(d + 1);  // 1 / (1 + 1/2 + 1/3) is 6/11
    EXPECT_NEAR(mean_of(table, d), p, 4 * std::sqrt(p * (1 - p) / 40000));
  }
  const double chance = 1 / (1 + std::exp(-1.0));
  EXPECT_NEAR((1 + mean_of(table, 3)) / 2, chance, 4 * std::sqrt(chance * (1 - chance) / 40000));
}

TEST_F(SimulateData, BuildTakesWhatSimulateMakes) {
  const std::vector<std::pair<std::string, Words>> kinds = {
      {"logistic", {"--family", "bernoulli"}},
      {"poisson", {"--family", "poisson", "--link", "softplus"}},
      {"gaussian", {"--family", "gaussian", "--noise-scale", "1"}},
      {"onehot", {"--family", "bernoulli"}}};
  for (const auto& [kind, family] : kinds) {
    std::string expected;
    for (const char* file : {"t.csv", "t.npy", "t.svm"}) {
      EXPECT_EQ(simulate(kind, {"--rows", "800", "--dim", "3", "--out", file, "--force"}).code, 0);
      Words words = {"build", file, "--quiet", "--projection-dim", "80", "--heldout-dim", "80"};
      words.insert(words.end(), family.begin(), family.end());
      const auto outcome = run(Launch{.arguments = words, .folder = folder_.path()});
      EXPECT_EQ(outcome.code, 0) << outcome.error;
      if (expected.empty()) expected = without_header(outcome.out);
      EXPECT_EQ(without_header(outcome.out), expected) << kind << " " << file;
    }
  }
}

TEST_F(SimulateData, WrongUsageIsRefused) {
  refused("logistic", {}, "no output; give --out FILE");
  refused("logistic", {"--theta", "1,2,3", "--dim", "3", "--out", "t.csv"},
          "--theta has 3 numbers; must have 4: 3 coefficients and the intercept");
  refused("poisson", {"--theta", "1", "--out", "t.csv"},
          "--theta has one number; must have a coefficient and the intercept at least");
  refused("logistic", {"--rows", "0", "--out", "t.csv"},
          "--rows is 0; must be a whole number from 1 to 1000000000");
  refused("logistic", {"--dim", "0", "--out", "t.csv"},
          "--dim is 0; must be a whole number from 1 to 100000");
  refused("poisson", {"--link", "logit", "--out", "t.csv"}, "--link is 'logit'; must be softplus or log");
  refused("gaussian", {"--link", "identity", "--out", "t.csv"},
          "unknown option '--link'; see --help-all for the options");
  refused("gaussian", {"--noise-scale", "0", "--out", "t.csv"},
          "--noise-scale is 0; must be a number from 1e-06 to 1e+06");
  refused("onehot", {}, "no output; give --out FILE");
  refused("onehot", {"--dim", "1", "--out", "t.csv"}, "--dim is 1; must be a whole number from 2 to 100000");
  refused("onehot", {"--power", "-1", "--out", "t.csv"}, "--power is -1; must be a number from 0 to 10");
  refused("onehot", {"--effect", "nan", "--out", "t.csv"},
          "--effect is 'nan'; must be a number from 0 to 100");
  refused("onehot", {"--intercept", "101", "--out", "t.csv"},
          "--intercept is 101; must be a number from -100 to 100");
  refused("onehot", {"--theta", "1,2", "--out", "t.csv"},
          "unknown option '--theta'; see --help-all for the options");
  refused("logistic", {"--float32", "--out", "t.csv"}, "--float32 is for .npy files; leave it out");
  refused("gaussian", {"t.csv"}, "unexpected argument 't.csv'; give the output with --out");
  for (const char* file : {"t", "t.txt", "t.npz", "t.csv.gz", "t.parquet"})
    refused("logistic", {"--out", file},
            std::string("--out is '") + file + "'; must end in .csv, .npy, .svm or .libsvm");
}

TEST_F(SimulateData, OutputsThatCannotBeMade) {
  write_file(folder_ / "t.csv", "mine");
  refused("logistic", {"--out", "t.csv"}, "t.csv exists; use --force to replace it", 73);
  EXPECT_EQ(read_file(folder_ / "t.csv"), "mine");
  refused("logistic", {"--out", "no/t.csv"}, "no/t.csv: folder no does not exist; create it first", 73);
}

// Counts beyond what can be drawn or told apart are refused, not made up.
TEST_F(SimulateData, HugePredictorsGiveReadableDataOrARefusal) {
  const auto outcome =
      simulate("poisson", {"--link", "log", "--theta", "50,700", "--rows", "100", "--out", "t.csv"});
  if (outcome.code == 0) {
    EXPECT_EQ(read_file(folder_ / "t.csv").find("inf"), std::string::npos);
    EXPECT_EQ(
        run(Launch{.arguments = {"build", "t.csv", "--family", "poisson"}, .folder = folder_.path()}).code,
        0);
  } else {
    EXPECT_EQ(count_of(outcome.error, "giga: error: "), 1) << outcome.error;
  }
}

}  // namespace
}  // namespace giga::test
