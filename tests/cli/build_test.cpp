// What a build gives: the coreset of odd but ordinary inputs, and the same bytes wherever it runs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/npy_files.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

struct Built {
  Outcome outcome;
  json record;
};

Built build(const Matrix& matrix, std::vector<std::string> more = {}, const std::string& kind = "--vectors") {
  const TempDir folder;
  write_file(folder / "in.npy", npy_of(matrix));
  std::vector<std::string> all = {"build", kind, (folder / "in.npy").string(), "--json"};
  all.insert(all.end(), more.begin(), more.end());
  Built built{run(all), {}};
  EXPECT_EQ(built.outcome.code, 0) << built.outcome.error;
  built.record = json::parse(built.outcome.out, nullptr, false);
  EXPECT_FALSE(built.record.is_discarded()) << built.outcome.out;
  return built;
}

TEST(Build, OneRowIsItsOwnCoreset) {
  const auto [outcome, record] = build({1, 3, {1, -2, 4}});
  EXPECT_EQ(record["coreset"]["rows"], json::array({0}));
  EXPECT_EQ(record["coreset"]["weights"], json::array({1.0}));
  EXPECT_LE(record["relative_error"], 1e-14);
}

TEST(Build, OneColumnIsAnOrdinaryInput) {
  const auto [outcome, record] = build({4, 1, {1, 2, -1, 3}});
  EXPECT_LE(record["relative_error"], 1e-14);
  EXPECT_EQ(record["size"], 1);
}

TEST(Build, DuplicateRowsAreMetByTheLowestOfThem) {
  const auto [outcome, record] = build({6, 2, {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}});
  EXPECT_EQ(record["coreset"]["rows"], json({0, 1}));
  for (const double weight : record["coreset"]["weights"]) EXPECT_NEAR(weight, 3, 1e-12);
  EXPECT_LE(record["relative_error"], 1e-13);
}

TEST(Build, ZeroRowsAreNotedAndNeverChosen) {
  const auto [outcome, record] = build({4, 2, {0, 0, 1, 2, 0, 0, 3, 1}}, {"--method", "uniform"});
  EXPECT_EQ(record["zero_rows"], 2);
  for (const int row : record["coreset"]["rows"]) EXPECT_EQ(row % 2, 1);
  EXPECT_NE(outcome.error.find("2 of 4 rows are zero vectors; they are never chosen"), std::string::npos)
      << outcome.error;
}

TEST(Build, VectorsThatSumToZeroGiveAnEmptyCoreset) {
  for (const char* method : {"giga", "corrective", "frank_wolfe", "importance", "uniform", "pursuit"}) {
    for (const char* selector : {"scan", "quantised", "cap_tree"}) {
      const auto [outcome, record] =
          build({4, 2, {1, 2, -1, -2, 3, 4, -3, -4}}, {"--method", method, "--selector", selector});
      EXPECT_EQ(record["termination"], "zero_target");
      EXPECT_EQ(record["coreset"]["rows"], json::array());
      EXPECT_EQ(record["selector"], nullptr);
      EXPECT_NE(outcome.error.find("sum to zero"), std::string::npos);
    }
  }
}

TEST(Build, AllZeroRowsGiveAnEmptyCoresetAsCsv) {
  const TempDir folder;
  write_file(folder / "in.npy", npy_of({3, 2, {0, 0, 0, 0, 0, 0}}));
  const auto outcome = run({"build", "--vectors", (folder / "in.npy").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.out, "row,weight\n");
  EXPECT_EQ(outcome.error.find("nan"), std::string::npos) << outcome.error;
}

TEST(Build, DrawsThatAreWorseThanNothingAreNoted) {
  const Matrix nearly_opposed{4, 1, {1000, -999, 1000, -1000.5}};
  const auto [outcome, record] = build(nearly_opposed, {"--method", "uniform", "--size", "1"});
  EXPECT_GT(record["relative_error"], 1);
  EXPECT_NE(outcome.error.find("worse than no rows at all"), std::string::npos) << outcome.error;
}

TEST(Build, SizeAboveTheRowsIsCappedWithANote) {
  const auto [outcome, record] = build(whole_numbers(5, 20, -9, 9), {"--size", "1000000000"});
  EXPECT_EQ(record["options"]["size"], 5);
  EXPECT_EQ(outcome.error, "giga: note: --size 1000000000 is more than the 5 rows; using 5\n");
}

TEST(Build, ToleranceWithoutSizeMayTakeAThousandPoints) {
  const Matrix matrix = whole_numbers(1500, 4, -9, 9);
  const auto [outcome, record] = build(matrix, {"--tolerance", "0.25"});
  EXPECT_EQ(record["options"]["size"], 1000);
  EXPECT_EQ(record["termination"], "tolerance_met");
  EXPECT_LE(record["relative_error"], 0.25);
  EXPECT_EQ(build(matrix).record["options"]["size"], 100);
  EXPECT_EQ(build(matrix, {"--tolerance", "0.25", "--size", "2"}).record["options"]["size"], 2);
}

TEST(Build, MaxStepsEndsTheBuild) {
  const auto [outcome, record] =
      build(whole_numbers(60, 20, -9, 9), {"--method", "giga", "--max-steps", "3", "--size", "50"});
  EXPECT_EQ(record["steps"], 3);
  EXPECT_EQ(record["termination"], "size_reached");
}

TEST(Build, ThreadsDoNotChangeTheBytes) {
  const Matrix matrix = whole_numbers(9000, 30, -99, 99);
  const TempDir folder;
  write_file(folder / "in.npy", npy_of(matrix));
  for (const char* method : {"giga", "corrective", "frank_wolfe", "importance", "uniform", "pursuit"}) {
    std::vector<std::string> outputs;
    for (const char* threads : {"1", "2"}) {
      const auto outcome = run({"build", "--vectors", (folder / "in.npy").string(), "--method", method,
                                "--size", "40", "--threads", threads, "--quiet"});
      EXPECT_EQ(outcome.code, 0) << outcome.error;
      EXPECT_GT(count_of(outcome.out, "\n"), 20);
      outputs.push_back(outcome.out);
    }
    EXPECT_EQ(outputs[0], outputs[1]) << method;
  }
}

TEST(Build, SelectorsDoNotChangeTheBytes) {
  const TempDir folder;
  write_file(folder / "in.npy", npy_of(whole_numbers(9000, 30, -99, 99)));
  std::vector<std::string> outputs;
  for (const char* selector : {"scan", "quantised", "cap_tree", "auto"}) {
    outputs.push_back(run({"build", "--vectors", (folder / "in.npy").string(), "--selector", selector,
                           "--size", "25", "--quiet"})
                          .out);
    EXPECT_EQ(count_of(outputs.back(), "\n"), 26);
    EXPECT_EQ(outputs.back(), outputs.front()) << selector;
  }
}

TEST(Build, SeedChangesTheDrawsAndNothingElse) {
  const Matrix matrix = whole_numbers(200, 10, -9, 9);
  const auto drawn = [&](const char* method, const char* seed) {
    return build(matrix, {"--method", method, "--seed", seed, "--size", "20"}).record["coreset"];
  };
  EXPECT_EQ(drawn("importance", "5"), drawn("importance", "5"));
  EXPECT_NE(drawn("importance", "5"), drawn("importance", "6"));
  EXPECT_NE(drawn("uniform", "5"), drawn("uniform", "6"));
  EXPECT_EQ(drawn("giga", "5"), drawn("giga", "6"));
}

// 8 draws whose columns sum to multiples of 8, so that centring is exact.
TEST(Build, LoglikIsVectorsOfTheTransposedCentredMatrix) {
  constexpr std::ptrdiff_t kDraws = 8, kRows = 40;
  Matrix loglik = whole_numbers(kDraws, kRows, -60, -1);
  Matrix vectors{kRows, kDraws, std::vector<double>(static_cast<std::size_t>(kDraws * kRows))};
  for (std::ptrdiff_t n = 0; n < kRows; ++n) {
    double sum = 0;
    for (std::ptrdiff_t s = 0; s < kDraws; ++s) sum += loglik.at(s, n);
    loglik.values[static_cast<std::size_t>(n)] -= std::fmod(sum, kDraws);
    sum -= std::fmod(sum, kDraws);
    for (std::ptrdiff_t s = 0; s < kDraws; ++s)
      vectors.values[static_cast<std::size_t>(n * kDraws + s)] = loglik.at(s, n) - sum / kDraws;
  }
  const auto from_loglik = build(loglik, {"--size", "6"}, "--loglik").record;
  const auto from_vectors = build(vectors, {"--size", "6"}).record;
  EXPECT_EQ(from_loglik["N"], kRows);
  EXPECT_EQ(from_loglik["J"], kDraws);
  EXPECT_EQ(from_loglik["size"], 6);
  EXPECT_EQ(from_loglik["coreset"], from_vectors["coreset"]);
  EXPECT_EQ(from_loglik["relative_error"], from_vectors["relative_error"]);

  const TempDir folder;
  write_file(folder / "in.npy", npy_as<float>(loglik, "<f4", true));
  const auto fortran =
      run({"build", "--loglik", (folder / "in.npy").string(), "--size", "6", "--json", "--quiet"});
  EXPECT_EQ(json::parse(fortran.out)["coreset"], from_vectors["coreset"]);
}

TEST(Build, OneDrawOfLoglikelihoodsSaysWhyTheCoresetIsEmpty) {
  const auto [outcome, record] = build(whole_numbers(1, 9, -9, -1), {}, "--loglik");
  EXPECT_EQ(record["termination"], "zero_target");
  EXPECT_NE(outcome.error.find("one draw only"), std::string::npos) << outcome.error;
}

TEST(Build, DecimalCommaLocaleChangesNoByte) {
  const TempDir folder;
  write_file(folder / "in.npy", npy_of(whole_numbers(60, 20, -9, 9)));
  const std::string make =
      "localedef -i de_DE -f UTF-8 " + (folder / "de_DE.UTF-8").string() + " 2>/dev/null";
  if (std::system(make.c_str()) != 0 && !std::filesystem::exists(folder / "de_DE.UTF-8"))
    GTEST_SKIP() << "no decimal-comma locale can be made here";
  const std::vector<std::string> arguments = {
      "build", "--vectors", (folder / "in.npy").string(), "--size", "5", "--tolerance", "0.001", "--quiet"};
  const std::vector<std::string> german = {"LC_ALL=de_DE.UTF-8", "LOCPATH=" + folder.path().string()};
  const auto plain = run(arguments);
  const auto comma = run(Launch{.arguments = arguments, .environment = german});
  EXPECT_EQ(plain.code, 0) << plain.error;
  EXPECT_EQ(comma.code, 0) << comma.error;
  EXPECT_EQ(count_of(plain.out, "."), 5);
  EXPECT_EQ(comma.out, plain.out);
}

}  // namespace
}  // namespace giga::test
