// What must not matter: repeated rows against weights, the order of the rows, the coding of labels, threads.
#include <algorithm>
#include <numeric>

#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

struct Case {
  const char* name;
  ResponseKind response;
  Words words;
};

const std::vector<Case>& families() {
  static const std::vector<Case> kAll = {
      {"bernoulli", ResponseKind::Labels, {"--family", "bernoulli"}},
      {"softplus", ResponseKind::Counts, {"--family", "poisson", "--link", "softplus"}},
      {"log", ResponseKind::Counts, {"--family", "poisson", "--link", "log"}},
      {"gaussian", ResponseKind::Reals, {"--family", "gaussian", "--noise-scale", "0.7"}}};
  return kAll;
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kSmall = {"--projection-dim", "80", "--heldout-dim", "80", "--size", "12"};

class DataLaws : public DataCommand {};

TEST_F(DataLaws, EveryRowTwiceDoublesTheWeightsUnderThePrior) {
  for (const Case& family : families()) {
    SCOPED_TRACE(family.name);
    const Matrix table = regression_table(700, 3, family.response);
    std::vector<std::ptrdiff_t> twice(1400);
    for (std::ptrdiff_t n = 0; n < 1400; ++n) twice[static_cast<std::size_t>(n)] = n % 700;
    const Words words = family.words + kSmall + Words{"--pihat", "prior"};
    const DataBuild once = built("once.csv", csv_of(table), words);
    const DataBuild both = built("both.csv", csv_of(rows_of(table, twice)), words);
    EXPECT_EQ(both.rows(), once.rows());
    ASSERT_EQ(both.weights().size(), once.weights().size());
    for (std::size_t i = 0; i < once.weights().size(); ++i)
      EXPECT_EQ(both.weights()[i], 2 * once.weights()[i]);
    EXPECT_EQ(both.record["relative_error"], once.record["relative_error"]);
    EXPECT_EQ(both.record["heldout_error"], once.record["heldout_error"]);
    EXPECT_TRUE(both.notes("700 of 1400 rows repeat earlier ones")) << both.outcome.error;
  }
}

// Rows 0, 3, 6, ... count twice: as a weight, and as a second row right after the first.
TEST_F(DataLaws, WeightTwoIsTheRowTwiceBitForBit) {
  for (const Case& family : families()) {
    SCOPED_TRACE(family.name);
    const Matrix table = regression_table(600, 2, family.response);
    std::string weighted = "x1,x2,y,w\n";
    std::vector<std::ptrdiff_t> origin;
    for (std::ptrdiff_t n = 0; n < table.rows; ++n) {
      weighted += joined(row_texts(table, n)) + (n % 3 == 0 ? ",2\n" : ",1\n");
      origin.insert(origin.end(), n % 3 == 0 ? 2 : 1, n);
    }
    const DataBuild weights = built("w.csv", weighted, family.words + kSmall + Words{"--weights", "w"});
    const DataBuild repeats = built("r.csv", csv_of(rows_of(table, origin)), family.words + kSmall);
    auto rows = repeats.rows();
    for (std::ptrdiff_t& row : rows) row = origin[static_cast<std::size_t>(row)];
    EXPECT_EQ(rows, weights.rows());
    EXPECT_EQ(repeats.weights(), weights.weights());
    EXPECT_EQ(repeats.record["coreset"]["multiplicity"], weights.record["coreset"]["multiplicity"]);
    EXPECT_EQ(repeats.record["pihat"], weights.record["pihat"]);
    EXPECT_EQ(repeats.record["standardisation"], weights.record["standardisation"]);
  }
}

// Sums run in another order: the same rows, weights up to rounding.
TEST_F(DataLaws, PermutedRowsPermuteTheCoreset) {
  for (const Case& family : families()) {
    SCOPED_TRACE(family.name);
    const Matrix table = regression_table(701, 2, family.response);
    std::vector<std::ptrdiff_t> order(701);
    for (std::ptrdiff_t n = 0; n < 701; ++n)
      order[static_cast<std::size_t>(n)] = n * 100 % 701;  // 701 is prime
    const Words words = family.words + Words{"--projection-dim", "80", "--heldout-dim", "80", "--size", "6"};
    const DataBuild plain = built("t.csv", csv_of(table), words);
    const DataBuild permuted = built("p.csv", csv_of(rows_of(table, order)), words);
    std::vector<std::pair<std::ptrdiff_t, double>> back;
    for (std::size_t i = 0; i < permuted.rows().size(); ++i)
      back.emplace_back(order[static_cast<std::size_t>(permuted.rows()[i])], permuted.weights()[i]);
    std::sort(back.begin(), back.end());
    ASSERT_EQ(back.size(), plain.rows().size());
    for (std::size_t i = 0; i < back.size(); ++i) {
      EXPECT_EQ(back[i].first, plain.rows()[i]);
      EXPECT_NEAR(back[i].second, plain.weights()[i], 1e-6 * plain.weights()[i]);
    }
  }
}

TEST_F(DataLaws, LabelsMayBeZeroOneOrMinusOneOne) {
  const Matrix table = regression_table(500, 2, ResponseKind::Labels);
  Matrix signs = table;
  for (std::ptrdiff_t n = 0; n < table.rows; ++n)
    signs.values[static_cast<std::size_t>(n * 3 + 2)] = 2 * table.at(n, 2) - 1;
  const DataBuild zero_one = built("t.csv", csv_of(table), families()[0].words + kSmall);
  const DataBuild minus_one = built("s.csv", csv_of(signs), families()[0].words + kSmall);
  EXPECT_EQ(zero_one.record["coreset"], minus_one.record["coreset"]);
  EXPECT_TRUE(zero_one.notes("giga: note: labels: 1 is success, 0 is failure\n")) << zero_one.outcome.error;
  EXPECT_TRUE(minus_one.notes("giga: note: labels: 1 is success, -1 is failure\n"))
      << minus_one.outcome.error;
}

TEST_F(DataLaws, ThreadsDoNotChangeTheBytes) {
  const std::vector<Words> ways = {
      {"--norm", "fisher"},
      {"--norm", "whitened", "--pihat", "subsample"},
      {"--norm", "l2", "--pihat", "prior"},
      {"--norm", "l2-centred"},
      {"--projection", "curvature"},
      {"--projection", "curvature", "--remainder-dim", "20", "--pihat", "subsample"}};
  for (const Case& family : families()) {
    write_file(folder_ / "t.npy", npy_of(regression_table(9001, 4, family.response)));
    for (const Words& way : ways) {
      SCOPED_TRACE(family.name + (" " + joined(way, " ")));
      Words words = family.words + way + Words{"--size", "8", "--heldout-dim", "40", "--force", "--quiet"};
      if (way[1] != "curvature") words = words + Words{"--projection-dim", "40"};
      for (const char* threads : {"1", "2"}) {
        const auto outcome =
            build("t.npy", words + Words{"--threads", threads, "--out", std::string("c") + threads + ".csv"});
        EXPECT_EQ(outcome.code, 0) << outcome.error;
      }
      EXPECT_GE(count_of(read_file(folder_ / "c1.csv"), "\n"), 5);
      EXPECT_EQ(read_file(folder_ / "c1.csv"), read_file(folder_ / "c2.csv"));
      EXPECT_EQ(read_file(folder_ / "c1.json"), read_file(folder_ / "c2.json"));
      std::filesystem::remove(folder_ / "c1.csv");
      std::filesystem::remove(folder_ / "c2.csv");
    }
  }
}

TEST_F(DataLaws, SelectorsAndMethodsAgreeOnTheirBytes) {
  write_file(folder_ / "t.npy", npy_of(regression_table(9001, 4, ResponseKind::Labels)));
  const Words words = families()[0].words + kSmall + Words{"--quiet"};
  for (const char* method : {"corrective", "giga", "frank_wolfe", "pursuit"}) {
    const std::string scan = build("t.npy", words + Words{"--method", method, "--selector", "scan"}).out;
    EXPECT_GT(count_of(scan, "\n"), 3);
    for (const char* selector : {"quantised", "cap_tree"})
      EXPECT_EQ(build("t.npy", words + Words{"--method", method, "--selector", selector}).out, scan)
          << method << " " << selector;
  }
}

}  // namespace
}  // namespace giga::test
