// What cannot be merged is refused, with the names of the files and what to do, and nothing is written.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "giga/base/error.hpp"
#include "job/merge_fixture.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

class MergeRefusals : public MergeJobs {
 protected:
  MergeRefusals() {
    for (const char* name : {"a", "b"}) {
      write_shard(name, {.rows = 200});
      (void)build(name, {}, "label");
    }
  }

  // Both files and the words must be in the message.
  void expect_refusal(const std::vector<std::string>& names, const std::string& words) const {
    const std::string said = message_of<DataError>([&] { (void)merge(names, "out"); });
    EXPECT_NE(said.find(words), std::string::npos) << said << "\n  has not: " << words;
    EXPECT_NE(said.find(coreset(names.back()).filename().string()), std::string::npos) << said;
    EXPECT_FALSE(std::filesystem::exists(coreset("out")));
    EXPECT_FALSE(std::filesystem::exists(companion_path(coreset("out"))));
  }

  void change(const std::string& name, const std::function<void(json&)>& how) const {
    const auto path = companion_path(coreset(name));
    json file = json::parse(read_file(path));
    how(file);
    write_file(path, file.dump());
  }
};

TEST_F(MergeRefusals, OfAnotherModelNamesBothFilesAndWhatDiffers) {
  (void)build("b", {.family = {Family::BernoulliProbit}}, "label");
  expect_refusal(
      {"a", "b"},
      "the family is bernoulli with probit link in the one and bernoulli with logit link in the other");
  (void)build("b", {.family = {Family::PoissonLog}}, "count");
  expect_refusal({"a", "b"}, "the family is poisson");
  (void)build("b", {.family = {}, .prior_scale = 2}, "label");
  expect_refusal({"a", "b"}, "the prior is ");
  (void)build("b", {.family = {}, .intercept = false}, "label");
  expect_refusal({"a", "b"}, "the intercept is ");
  (void)build("b", {.family = {}, .standardise = false}, "label");
  expect_refusal({"a", "b"}, "the scale of the features is ");
  (void)build("b", {.family = {}, .formula = "label ~ x + z"}, "");
  expect_refusal({"a", "b"}, "the formula is ");
  ModelOptions no;
  no.success = "no";
  (void)build("b", no, "label");
  expect_refusal({"a", "b"}, "`success` is ");
}

TEST_F(MergeRefusals, OfOtherColumnsNamesTheColumn) {
  BuildJob job;
  job.input = folder_ / "b.csv";
  job.coreset = fit_coreset_options();
  job.out = coreset("b");
  job.force = true;
  job.read = {.response = "label", .features = std::vector<std::string>{"x", "carrier"}};
  (void)run_build(job, executor_);
  expect_refusal({"a", "b"}, "feature 2 is carrier in the one and z in the other");
  job.read.features = {"x", "z", "count"};
  (void)run_build(job, executor_);
  expect_refusal({"a", "b"}, "feature 3 is count");
  job.read = {
      .response = "label", .features = std::vector<std::string>{"x", "z", "carrier"}, .weights = "count"};
  (void)run_build(job, executor_);
  expect_refusal({"a", "b"}, "the weights are column 'count'");
}

TEST_F(MergeRefusals, OfLabelsWhoseOrderDiffers) {
  // All are 'yes', which alone would be the first level.
  std::string text = read_file(folder_ / "b.csv");
  for (auto at = text.find(",no,"); at != std::string::npos; at = text.find(",no,"))
    text.replace(at, 4, ",yes,");
  write_file(folder_ / "b.csv", text);
  (void)build("b", {}, "label");
  expect_refusal({"a", "b"}, "build both with `success`");
  ModelOptions yes;
  yes.success = "yes";
  for (const char* name : {"a", "b"}) (void)build(name, yes, "label");
  EXPECT_EQ(merge({"a", "b"}, "out").file.num_rows, 400);
}

TEST_F(MergeRefusals, OfRowsThatWouldCountTwice) {
  expect_refusal({"a", "a"}, "both have the rows of a-coreset.csv");
  std::filesystem::copy_file(folder_ / "a.csv", folder_ / "again.csv");
  (void)build("again", {}, "label", 20);
  expect_refusal({"a", "again"}, "both have the rows of ");
  (void)merge({"a", "b"}, "ab");
  expect_refusal({"b", "ab"}, "both have the rows of b-coreset.csv");
}

TEST_F(MergeRefusals, OfWhatIsNotACoresetWithItsCompanion) {
  write_file(coreset("rows"), "x,y\n1,2\n");
  expect_refusal({"a", "rows"}, "is not a coreset");
  write_file(coreset("vectors"), "row,weight\n1,2\n");
  expect_refusal({"a", "vectors"}, "there is no vectors-coreset.json beside it");
  EXPECT_NE(message_of<InputMissing>([&] {
              (void)merge({"a", "nothing"}, "out");
            }).find("nothing-coreset.csv"),
            std::string::npos);
}

TEST_F(MergeRefusals, OfAnOlderFileSaysToBuildItAgain) {
  change("b", [](json& file) { file.erase("sums"); });
  expect_refusal({"a", "b"}, "build it again from its data");
}

TEST_F(MergeRefusals, OfADamagedFileNamesTheField) {
  const std::string whole = read_file(companion_path(coreset("b")));
  const auto expect_damage = [&](const char* pointer, const json& value, const std::string& field) {
    change("b", [&](json& file) { file[json::json_pointer(pointer)] = value; });
    const std::string said = message_of<DataError>([&] { (void)merge({"a", "b"}, "out"); });
    EXPECT_NE(said.find("b-coreset.json: '" + field + "'"), std::string::npos) << said;
    write_file(companion_path(coreset("b")), whole);
  };
  expect_damage("/sums/weight", "many", "sums/weight");
  expect_damage("/sums/point", json::array({1.0}), "sums/point");
  expect_damage("/sums/gradient", json::array({1.0, 2.0}), "sums/gradient");
  expect_damage("/sums/hessian", json::array({nullptr}), "sums/hessian");
  expect_damage("/sums/hessian", json::array({1.0}), "sums/hessian");
  expect_damage("/sums/excess/gradient", json::array({1.0}), "sums/excess/gradient");
  expect_damage("/sums/columns/sd/0", -1.0, "sums/columns/sd");
  expect_damage("/sums/columns", json{{"mean", {1.0}}, {"sd", {1.0}}}, "sums/columns");
  expect_damage("/sums/shards", json::array(), "sums/shards");
  expect_damage("/sums/shards/0/weight", 0.0, "sums/shards/weight");
  expect_damage("/coreset/shards", json::array({7}), "coreset/shards");
  write_file(companion_path(coreset("b")), whole.substr(0, whole.size() / 2));
  EXPECT_NE(message_of<DataError>([&] {
              (void)merge({"a", "b"}, "out");
            }).find("b-coreset.json: is not JSON"),
            std::string::npos);
}

TEST_F(MergeRefusals, OfAnOutputThatIsAnInput) {
  for (const auto& out : {coreset("a"), companion_path(coreset("b"))}) {
    MergeJob job = merge_job({"a", "b"}, "out");
    job.out = out;
    const std::string before = read_file(out);
    const std::string said = message_of<OptionError>([&] { (void)run_merge(job, executor_); });
    EXPECT_NE(said.find("`out` would replace the input "), std::string::npos) << said;
    EXPECT_EQ(read_file(out), before);
  }
  MergeJob job = merge_job({"a"}, "out");
  EXPECT_NE(message_of<OptionError>([&] { (void)run_merge(job, executor_); }).find("at least 2"),
            std::string::npos);
}

TEST_F(MergeRefusals, OfDesignsThatCannotBeOne) {
  for (const char* formula : {"label ~ poly(x, 2)", "label ~ ns(x, df = 3)"}) {
    for (const char* name : {"a", "b"}) (void)build(name, {.family = {}, .formula = formula}, "");
    expect_refusal({"a", "b"}, "learnt other numbers in the one than in the other");
  }
  // The base of an interaction.
  write_shard("c", {.rows = 200, .carriers = {"DL", "UA"}});
  for (const char* name : {"a", "c"}) (void)build(name, {.family = {}, .formula = "label ~ x * carrier"}, "");
  expect_refusal({"a", "c"}, "the base of 'carrier' is 'DL'");
  // Without an intercept there is nothing to take up another base, nor what means differ by, which only
  // files of version 0.1 have.
  for (const char* name : {"a", "b", "c"}) (void)build(name, {.family = {}, .intercept = false}, "label");
  expect_refusal({"a", "c"}, "without an intercept a category whose base differs between shards");
  change("b", [](json& file) { file["standardisation"]["mean"][0] = 0.25; });
  expect_refusal({"a", "b"}, "without an intercept columns that are centred by the rows of each shard");
}

}  // namespace
}  // namespace giga::test
