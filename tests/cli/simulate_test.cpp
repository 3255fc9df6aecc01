// Made-up vectors: the file is what was asked for, and the same for any number of threads.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/command.hpp"
#include "cli/npy_files.hpp"
#include "giga/data/npy.hpp"

namespace giga::test {
namespace {

class Simulate : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome vectors(std::vector<std::string> more) const {
    more.insert(more.begin(), {"simulate", "vectors"});
    return run(Launch{.arguments = more, .folder = folder_.path()});
  }

  void expect_refused(const Outcome& outcome, int code, const std::string& message) const {
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.error.starts_with("giga: error: " + message)) << outcome.error;
    EXPECT_EQ(count_of(outcome.error, "\n"), 1);
    EXPECT_EQ(folder_.size(), 0) << "something is left";
  }

  TempDir folder_;
};

TEST_F(Simulate, DefaultIsTenThousandGaussianRowsOfFifty) {
  const auto outcome = vectors({"--out", "V.npy"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(outcome.out.starts_with("V.npy: 10000 x 50 gaussian vectors, seed 1, in ")) << outcome.out;
  const NpyMatrix matrix = NpyMatrix::open(folder_ / "V.npy");
  EXPECT_EQ(matrix.view().rows, 10000);
  EXPECT_EQ(matrix.view().cols, 50);
  double sum = 0, squares = 0;
  const double* x = contiguous_rows(matrix.view());
  for (int i = 0; i < 500000; ++i) sum += x[i], squares += x[i] * x[i];
  EXPECT_NEAR(sum / 500000, 0, 4 / std::sqrt(500000.0));  // 4 standard errors
  EXPECT_NEAR(squares / 500000, 1, 4 * std::sqrt(2.0 / 500000.0));
}

TEST_F(Simulate, ThreadsAndOtherRowsDoNotChangeTheNumbers) {
  for (const char* kind : {"gaussian", "axis", "lowrank", "likelihood"}) {
    const auto made = [&](const char* rows, const char* threads) {
      EXPECT_EQ(vectors({"--rows", rows, "--dim", "7", "--kind", kind, "--threads", threads, "--seed", "9",
                         "--out", "V.npy", "--force", "--quiet"})
                    .code,
                0);
      return read_file(folder_ / "V.npy");
    };
    const std::string one = made("20001", "1");
    EXPECT_EQ(one, made("20001", "2"));
    EXPECT_EQ(one, made("20001", "3"));
    const std::string fewer = made("9000", "2");  // a row depends on its number alone
    EXPECT_EQ(fewer.substr(fewer.size() - 9000 * 56), one.substr(one.size() - 20001 * 56, 9000 * 56));
  }
}

TEST_F(Simulate, AxisRowsAreUnitVectors) {
  EXPECT_EQ(vectors({"--rows", "5", "--dim", "3", "--kind", "axis", "--out", "V.npy"}).code, 0);
  Matrix expected{5, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0}};
  const NpyMatrix matrix = NpyMatrix::open(folder_ / "V.npy");
  std::vector<double> values(15);
  read_rows(matrix.view(), 0, 5, values.data());
  EXPECT_EQ(values, expected.values);
}

TEST_F(Simulate, RowsLongerThanABlockAreWrittenWhole) {
  EXPECT_EQ(vectors({"--rows", "5", "--dim", "1100000", "--kind", "axis", "--out", "V.npy"}).code, 0);
  const NpyMatrix matrix = NpyMatrix::open(folder_ / "V.npy");
  const double* x = contiguous_rows(matrix.view());
  double sum = 0;
  for (std::ptrdiff_t i = 0; i < 5 * 1100000; ++i) sum += x[i];
  EXPECT_EQ(sum, 5);
  for (std::ptrdiff_t n = 0; n < 5; ++n) EXPECT_EQ(x[n * 1100000 + n], 1);
}

TEST_F(Simulate, SeedChangesTheNumbers) {
  EXPECT_EQ(vectors({"--rows", "9", "--seed", "1", "--out", "a.npy"}).code, 0);
  EXPECT_EQ(vectors({"--rows", "9", "--seed", "2", "--out", "b.npy"}).code, 0);
  EXPECT_NE(read_file(folder_ / "a.npy"), read_file(folder_ / "b.npy"));
}

TEST_F(Simulate, WrongUsageIsRefused) {
  expect_refused(vectors({}), 64, "no output; give --out FILE.npy");
  expect_refused(vectors({"--rows", "0", "--out", "V.npy"}), 64,
                 "--rows is 0; must be a whole number from 1 to 1000000000");
  expect_refused(vectors({"--dim", "1e3", "--out", "V.npy"}), 64,
                 "--dim is 1e3; must be a whole number from 1 to 1000000000");
  expect_refused(vectors({"--kind", "gausian", "--out", "V.npy"}), 64,
                 "--kind is 'gausian'; must be one of gaussian, ");
  expect_refused(vectors({"--rank", "3", "--out", "V.npy"}), 64, "--rank has no effect with --kind gaussian");
  expect_refused(vectors({"--kind", "lowrank", "--rank", "51", "--out", "V.npy"}), 64,
                 "--rank is 51; must be a whole number from 1 to 50");
  expect_refused(vectors({"--row", "3", "--out", "V.npy"}), 64,
                 "unknown option '--row'; did you mean --rows?");
  expect_refused(vectors({"V.npy"}), 64, "unexpected argument 'V.npy'; give the output with --out");
}

TEST_F(Simulate, MoreThanTheDiskHoldsIsRefusedAtOnce) {
  const auto outcome = vectors({"--rows", "1000000000", "--dim", "1000000", "--out", "V.npy"});
  expect_refused(outcome, 74, "V.npy: needs 8,000,000 GB and ");
  expect_refused(vectors({"--rows", "1000000000", "--dim", "1000000000", "--out", "V.npy"}), 74,
                 "V.npy: needs ");
}

TEST_F(Simulate, FullDeviceIsAnIoError) {
  expect_refused(vectors({"--out", "/dev/full"}), 74, "/dev/full: cannot write: ");
}

TEST_F(Simulate, ExistingFileIsKeptUnlessForced) {
  write_file(folder_ / "V.npy", "mine");
  EXPECT_EQ(vectors({"--out", "V.npy"}).code, 73);
  EXPECT_EQ(read_file(folder_ / "V.npy"), "mine");
  EXPECT_EQ(vectors({"--rows", "5", "--out", "V.npy", "--force"}).code, 0);
  EXPECT_EQ(folder_.size(), 1);
}

}  // namespace
}  // namespace giga::test
