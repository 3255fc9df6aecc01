#include "giga/record/same_data.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/read_dataset.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

struct Row {
  double x, z, y, w;
};

class SameData : public ::testing::Test {
 protected:
  SameData() {
    for (int n = 0; n < 9000; ++n)
      rows_.push_back({0.25 * (n % 97), 3.0 - 0.5 * (n % 13), static_cast<double>(n % 3 == 0), 1});
  }

  [[nodiscard]] std::string csv(const std::string& head = "x,z,y,w") const {
    std::string text = head + "\n";
    for (const Row& row : rows_)
      text += shortest(row.x) + "," + shortest(row.z) + "," + shortest(row.y) + "," + shortest(row.w) + "\n";
    return text;
  }

  [[nodiscard]] Dataset data(const std::string& text) const {
    write_file(folder_ / "t.csv", text);
    ReadOptions options;
    options.response = "y";
    options.weights = "w";
    options.missing = Missing::Drop;
    return read_dataset(folder_ / "t.csv", options, executor_);
  }

  // A coreset of rows 5 and 8000, as of what rows_ is now.
  void write_coreset(bool standardise, bool digest) {
    const Dataset all = data(csv());
    const ModelOptions model{.family = {Family::BernoulliLogit}, .standardise = standardise};
    const Standardisation scale = Problem(all, model, executor_).table()->design->scale();
    json beside = {
        {"giga", "coreset"}, {"N", all.num_rows()}, {"response", "y"}, {"columns", {"x", "z", "y", "w"}}};
    beside["model"] = {{"family", "bernoulli"}, {"link", "logit"},   {"noise_scale", 1.0},
                       {"prior_scale", 1.0},    {"intercept", true}, {"standardise", standardise}};
    beside["standardisation"] = {{"features", {"x", "z"}}, {"mean", scale.mean}, {"scale", scale.scale}};
    beside["coreset"] = {{"rows", {5, 8000}}, {"weights", {4000.5, 4999.5}}};
    beside["read"] = {{"weights", "w"}, {"missing", "drop"}, {"delimiter", ","}, {"header", true}};
    if (digest) beside["data_digest"] = data_digest(all, executor_);
    write_file(folder_ / "c.json", beside.dump());
    std::string text = "row,weight,x,z,y,w\n";
    for (const int n : {5, 8000}) {
      const Row& row = rows_[static_cast<std::size_t>(n)];
      text += std::to_string(n) + (n == 5 ? ",4000.5," : ",4999.5,") + shortest(row.x) + "," +
              shortest(row.z) + "," + shortest(row.y) + "," + shortest(row.w) + "\n";
    }
    write_file(folder_ / "c.csv", text);
  }

  [[nodiscard]] CoresetFile companion() const { return find_coreset(folder_ / "c.csv").value(); }

  [[nodiscard]] Coreset within(const std::string& text) const {
    const CoresetFile beside = companion();
    const WeightedProblem coreset = read_coreset(folder_ / "c.csv", beside, executor_);
    const Dataset all = data(text);
    const Problem problem(all, beside.model, beside.scale, executor_);
    return coreset_within(problem, coreset, beside, executor_);
  }

  [[nodiscard]] std::string refusal() const {
    return message_of<DataError>([&] { (void)within(csv()); });
  }

  TempDir folder_;
  Threads executor_{2};
  std::vector<Row> rows_;
};

TEST_F(SameData, TheDigestChangesWithAnyValueAndWithNothingElse) {
  const std::string digest = data_digest(data(csv()), executor_);
  EXPECT_EQ(digest.size(), 16U);
  EXPECT_EQ(data_digest(data(csv()), Threads(1)), digest);
  EXPECT_EQ(data_digest(data(csv("a,b,y,w")), executor_), digest);
  std::set<std::string> seen = {digest};
  for (double Row::*field : {&Row::x, &Row::z, &Row::y, &Row::w}) {
    for (const std::size_t n : {0U, 4095U, 4096U, 8999U}) {
      const std::vector<Row> before = rows_;
      rows_[n].*field = rows_[n].*field == 1 ? 0.5 : 1;
      EXPECT_TRUE(seen.insert(data_digest(data(csv()), executor_)).second) << n;
      rows_ = before;
    }
  }
  std::swap(rows_[7], rows_[8]);
  EXPECT_TRUE(seen.insert(data_digest(data(csv()), executor_)).second);
}

TEST_F(SameData, TheTableOfTheCoresetIsTakenAndRowsThatWereDroppedAreCounted) {
  rows_[3].x = std::nan("");  // row 5 of the input is row 4 of the dataset
  write_coreset(true, true);
  EXPECT_EQ(companion().num_rows, 8999);
  EXPECT_EQ(companion().read.weights, "w");
  EXPECT_EQ(companion().read.missing, Missing::Drop);
  const Coreset found = within(csv());
  EXPECT_EQ(found.rows, (std::vector<Index>{4, 7999}));
  EXPECT_EQ(found.weights, (std::vector<double>{4000.5, 4999.5}));
}

TEST_F(SameData, SaysWhatDiffers) {
  write_coreset(true, true);
  const std::vector<Row> before = rows_;
  rows_.pop_back();
  EXPECT_NE(refusal().find("it has 8999 rows, not 9000"), std::string::npos) << refusal();
  rows_ = before;
  rows_[5].z += 0.5;
  EXPECT_NE(refusal().find("column 'z' of row 6 (line 7) is 1, but the coreset has 0.5"), std::string::npos)
      << refusal();
  rows_ = before;
  rows_[8000].y = 1 - rows_[8000].y;
  EXPECT_NE(refusal().find("column 'y'"), std::string::npos) << refusal();
  rows_ = before;
  rows_[6000].x += 1000;
  EXPECT_NE(refusal().find("the mean of column 'x' is"), std::string::npos) << refusal();
  rows_ = before;
  rows_[6000].y = 1 - rows_[6000].y;  // no mean of a feature knows
  EXPECT_NE(refusal().find("not in the coreset"), std::string::npos) << refusal();
  rows_ = before;
  rows_[5].x = std::nan("");
  rows_.push_back(rows_[0]);
  EXPECT_NE(refusal().find("row 5, which is missing from this table"), std::string::npos) << refusal();
}

// A mean may differ by rounding, as where a table was read by another version.
TEST_F(SameData, WithoutADigestRowsAndScaleDecide) {
  write_coreset(true, false);
  EXPECT_EQ(companion().data_digest, "");
  rows_[6000].y = 1 - rows_[6000].y;
  EXPECT_EQ(within(csv()).rows.size(), 2U);
  rows_[6000].x *= 1 + 1e-8;  // moves the mean by 1e-12
  EXPECT_EQ(within(csv()).rows.size(), 2U);
  rows_[6000].x += 0.25;
  EXPECT_NE(refusal().find("of column 'x'"), std::string::npos) << refusal();
}

TEST_F(SameData, FeaturesThatWereTakenAsTheyAreHaveNoScaleToCompare) {
  write_coreset(false, true);
  EXPECT_EQ(within(csv()).rows, (std::vector<Index>{5, 8000}));
  rows_[6000].x += 1000;
  EXPECT_NE(refusal().find("not in the coreset"), std::string::npos) << refusal();
}

TEST_F(SameData, TheDigestOfAPosteriorChangesWithAllThatItDependsOn) {
  write_coreset(true, true);
  const CoresetFile as_is = companion();
  std::set<std::string> seen = {posterior_digest(as_is)};
  EXPECT_EQ(posterior_digest(companion()), *seen.begin());
  const auto expect_another = [&](const char* what, const auto& change) {
    CoresetFile other = companion();
    change(other);
    EXPECT_TRUE(seen.insert(posterior_digest(other)).second) << what;
  };
  expect_another("weight", [](auto& c) { c.coreset.weights[1] += 1; });
  expect_another("row", [](auto& c) { c.coreset.rows[0] += 1; });
  expect_another("family", [](auto& c) { c.model.family.family = Family::PoissonLog; });
  expect_another("link", [](auto& c) { c.model.family.family = Family::PoissonSoftplus; });
  expect_another("prior", [](auto& c) { c.model.prior_scale = 3; });
  expect_another("noise", [](auto& c) { c.model.family.noise_scale = 3; });
  expect_another("intercept", [](auto& c) { c.model.intercept = false; });
  expect_another("standardise", [](auto& c) { c.model.standardise = false; });
  expect_another("mean", [](auto& c) { c.scale.mean[0] += 1; });
  expect_another("scale", [](auto& c) { c.scale.scale[1] *= 2; });
  expect_another("name", [](auto& c) { c.features[1] = "u"; });
  expect_another("response", [](auto& c) { c.response = "u"; });
  expect_another("data", [](auto& c) { c.data_digest[0] = c.data_digest[0] == '0' ? '1' : '0'; });
}

TEST(TextDigest, ChangesWithAnyByte) {
  const std::string text("weights: 1.5, 2.5\n\0x", 20);
  const std::string digest = text_digest(text);
  EXPECT_EQ(digest.size(), 16U);
  EXPECT_EQ(digest, text_digest(std::string(text)));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_NE(text_digest(other), digest) << i;
    EXPECT_NE(text_digest(text.substr(0, i)), digest) << i;
  }
}

TEST_F(SameData, AWayOfReadingThatCannotBeIsRefused) {
  write_coreset(true, true);
  json beside = json::parse(read_file(folder_ / "c.json"));
  for (const char* bad : {"", ";;", "\"", "5", "\n"}) {
    beside["read"]["delimiter"] = bad;
    write_file(folder_ / "c.json", beside.dump());
    EXPECT_NE(message_of<DataError>([&] { (void)companion(); }).find("'read/delimiter'"), std::string::npos);
  }
}

}  // namespace
}  // namespace giga::test
