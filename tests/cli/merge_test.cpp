// giga merge: coresets of shards to one, in any order; what cannot be merged, and its exit code.
#include <gtest/gtest.h>

#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

class MergeCommand : public DataCommand {
 protected:
  [[nodiscard]] Outcome giga(const std::vector<std::string>& words) const {
    return run(Launch{.arguments = words, .folder = folder_.path()});
  }
  [[nodiscard]] Outcome merge(std::vector<std::string> words) const {
    words.insert(words.begin(), "merge");
    return giga(words);
  }
  void expect_done(const std::vector<std::string>& words) const {
    const Outcome outcome = giga(words);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
  }
  void expect_refusal(std::vector<std::string> words, int code, const std::string& said) const {
    const auto before = folder_.size();
    const Outcome outcome = merge(std::move(words));
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_NE(outcome.error.find(said), std::string::npos) << outcome.error << "has not: " << said;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(folder_.size(), before) << "nothing is left behind";
  }
  [[nodiscard]] std::string bytes(const std::string& name) const { return read_file(folder_ / name); }

  /// NAME.csv, and its coreset NAME-c.csv.
  void make(const std::string& name, unsigned seed,
            const std::vector<std::string>& more = {"--family", "bernoulli"}) const {
    write_file(folder_ / (name + ".csv"), csv_of(regression_table(1000, 3, ResponseKind::Labels, seed)));
    std::vector<std::string> words = {"build", name + ".csv", "--out", name + "-c.csv", "--quiet", "--force"};
    words.insert(words.end(), more.begin(), more.end());
    expect_done(words);
  }
  void make_three() const {
    make("a", 1);
    make("b", 2);
    make("c", 3);
  }
};

TEST_F(MergeCommand, MakesOneCoresetAndTellsItsError) {
  make_three();
  const Outcome outcome = merge({"a-c.csv", "b-c.csv", "c-c.csv", "--out", "m.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* words :
       {"3 coresets of 3 shards: N = 3000 rows, D = 4 parameters, ", "\nerror            at most 0",
        " posterior standard deviations per parameter\n", "\nwritten          m.csv\n"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << outcome.out << "has not: " << words;
  EXPECT_TRUE(bytes("m.csv").starts_with("row,weight,shard,x1,x2,x3,y\n")) << bytes("m.csv").substr(0, 60);
  const json file = json::parse(bytes("m.json"));
  EXPECT_EQ(file["format"], 3);
  EXPECT_EQ(file["N"], 3000);
  EXPECT_EQ(file["sums"]["shards"].size(), 3U);
  expect_done({"sample", "m.csv", "--draws", "100", "--warmup", "100", "--out", "draws", "--quiet"});
  expect_done({"summary", "draws"});
}

TEST_F(MergeCommand, TheRecordIsThatOfTheSameMerge) {
  make_three();
  const Outcome outcome = merge({"a-c.csv", "b-c.csv", "c-c.csv", "--size", "12", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const json record = json::parse(outcome.out);
  EXPECT_EQ(record["command"], "merge");
  EXPECT_EQ(record["inputs"].size(), 3U);
  EXPECT_EQ(record["size"], 12);
  EXPECT_EQ(record["options"]["size"], 12);
  EXPECT_GE(record["error_bound"], record["usual_error"]);
  expect_finite_numbers(record);
}

TEST_F(MergeCommand, HasTheSameBytesInAnyOrder) {
  make_three();
  expect_done({"merge", "a-c.csv", "b-c.csv", "c-c.csv", "--out", "m.csv", "--quiet"});
  expect_done({"merge", "c-c.csv", "a-c.csv", "b-c.csv", "--out", "n.csv", "--quiet", "--threads", "1"});
  EXPECT_EQ(bytes("m.csv"), bytes("n.csv"));
  EXPECT_EQ(bytes("m.json"), bytes("n.json"));
  EXPECT_EQ(merge({"b-c.csv", "a-c.csv", "c-c.csv", "--quiet"}).out, bytes("m.csv")) << "on stdout";
}

TEST_F(MergeCommand, TakesFoldersOfFitsAndMergedCoresets) {
  make_three();
  expect_done({"fit", "c.csv", "--family", "bernoulli", "--out", "c-fit", "--quiet", "--draws", "100"});
  expect_done({"merge", "a-c.csv", "b-c.csv", "--out", "ab.csv", "--quiet"});
  expect_done({"merge", "ab.csv", "c-fit", "--out", "m.csv", "--quiet"});
  EXPECT_EQ(json::parse(bytes("m.json"))["sums"]["shards"].size(), 3U);
  EXPECT_EQ(json::parse(bytes("m.json"))["sums"]["reductions"].size(), 2U);
}

TEST_F(MergeCommand, IsCheckedAgainstTheRowsInAnyOrderOrWithoutThem) {
  make_three();
  expect_done({"merge", "a-c.csv", "b-c.csv", "c-c.csv", "--out", "m.csv", "--quiet"});
  const auto rows = [&](const char* name) {
    const std::string text = bytes(name);
    return text.substr(text.find('\n') + 1);
  };
  write_file(folder_ / "all.csv", bytes("b.csv") + rows("c.csv") + rows("a.csv"));
  EXPECT_TRUE(giga({"check", "all.csv", "m.csv", "--quiet"}).out.ends_with(", safe to use\n"));
  const Outcome refused = giga({"check", "a.csv", "m.csv"});
  EXPECT_EQ(refused.code, 65);
  EXPECT_NE(refused.error.find("it has 1000 rows, not 3000"), std::string::npos) << refused.error;

  const Outcome alone = giga({"check", "m.csv"});
  EXPECT_EQ(alone.code, 0) << alone.error;
  EXPECT_NE(alone.out.find("its error is at most 0"), std::string::npos) << alone.out;
  EXPECT_NE(alone.out.find("not certified"), std::string::npos) << alone.out;
  EXPECT_EQ(giga({"check", "m.csv", "--strict"}).code, 1);
  const json record = json::parse(giga({"check", "m.csv", "--json"}).out);
  EXPECT_EQ(record["certified"], false);
  EXPECT_GT(record["error_bound"], 0);
  EXPECT_EQ(giga({"check", "a-c.csv"}).code, 64) << "a coreset of one table is checked against it";
}

TEST_F(MergeCommand, RefusesWhatDoesNotBelongTogether) {
  make_three();
  expect_refusal({"a-c.csv", "--out", "m.csv"}, 64, "at least 2 coresets");
  expect_refusal({"a-c.csv", "a-c.csv", "--out", "m.csv"}, 65, "both have the rows of a-c.csv");
  expect_refusal({"a-c.csv", "none.csv", "--out", "m.csv"}, 66, "none.csv");
  expect_refusal({"a-c.csv", "b.csv", "--out", "m.csv"}, 65, "b.csv: is not a coreset");
  expect_refusal({"a-c.csv", "b-c.csv", "--out", "b-c.csv", "--force"}, 64,
                 "--out would replace the input b-c.csv");
  expect_refusal({"a-c.csv", "b-c.csv", "--out", "c-c.csv"}, 73, "--force");
  expect_refusal({"a-c.csv", "b-c.csv", "--out", "no/m.csv"}, 73, "no");
  expect_refusal({"a-c.csv", "b-c.csv", "--union", "--size", "9"}, 64, "--size has no effect with --union");
  expect_refusal({"a-c.csv", "b-c.csv", "--sise", "9"}, 64, "did you mean --size");
  expect_refusal({"a-c.csv", "b-c.csv", "--size", "0"}, 64, "--size");
  make("p", 4, {"--family", "bernoulli", "--link", "probit"});
  expect_refusal({"a-c.csv", "p-c.csv", "--out", "m.csv"}, 65,
                 "the family is bernoulli with probit link in the one");
  write_file(folder_ / "v.npy", npy_of(std::vector<double>{1, 2, 3, 4, 5, 7}, "(3, 2)"));
  expect_done({"build", "--vectors", "v.npy", "--size", "2", "--out", "v.csv", "--quiet"});
  expect_refusal({"a-c.csv", "v.csv", "--out", "m.csv"}, 65, "a coreset of vectors has none");
  const std::string whole = bytes("b-c.json");
  write_file(folder_ / "b-c.json", whole.substr(0, 1000));
  expect_refusal({"a-c.csv", "b-c.csv", "--out", "m.csv"}, 65, "b-c.json: is not JSON");
}

TEST_F(MergeCommand, ShardsShareADesignThatOneOfThemLearnt) {
  const std::vector<std::string> spline = {"--formula", "y ~ ns(x1, df = 3) + x2", "--family", "bernoulli"};
  make("a", 1, spline);
  make("b", 2, spline);
  expect_refusal({"a-c.csv", "b-c.csv"}, 65, "ns(x1, df = 3) learnt other numbers");
  make("b", 2, {"--design-from", "a-c.csv", "--family", "bernoulli"});
  expect_done({"merge", "a-c.csv", "b-c.csv", "--out", "m.csv", "--quiet"});
  EXPECT_EQ(json::parse(bytes("m.json"))["model"]["design"],
            json::parse(bytes("a-c.json"))["model"]["design"]);
  const Outcome other =
      giga({"build", "b.csv", "y ~ x2", "--design-from", "a-c.csv", "--family", "bernoulli"});
  EXPECT_EQ(other.code, 64);
  EXPECT_NE(other.error.find("--design-from: the formula of a-c.csv is y ~ ns(x1, df = 3) + x2"),
            std::string::npos)
      << other.error;
  const Outcome none = giga({"build", "b.csv", "--design-from", "b.csv", "--family", "bernoulli"});
  EXPECT_EQ(none.code, 65) << none.error;
}

}  // namespace
}  // namespace giga::test
