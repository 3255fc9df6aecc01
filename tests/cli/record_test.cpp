// The run record: scripts depend on its keys.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/npy_files.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

class Record : public ::testing::Test {
 protected:
  Record() { write_file(folder_ / "V.npy", npy_of(whole_numbers(60, 20, -9, 9))); }

  [[nodiscard]] json record(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"build", "--vectors", "V.npy", "--size", "7", "--json"};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = run(Launch{.arguments = all, .folder = folder_.path()});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(outcome.error, "");
    return json::parse(outcome.out);
  }

  TempDir folder_;
};

std::vector<std::string> keys(const json& object) {
  std::vector<std::string> all;
  for (const auto& [key, value] : object.items()) all.push_back(key);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> sorted(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  return words;
}

TEST_F(Record, HasExactlyTheKeysOfTheContract) {
  const json all = record();
  EXPECT_EQ(keys(all), sorted({"command",       "version",     "format",      "options",
                               "seed",          "N",           "J",           "D",
                               "selector",      "size",        "steps",       "relative_error",
                               "heldout_error", "termination", "bound",       "tau",
                               "target_norm",   "norm_sum",    "zero_rows",   "coreset",
                               "trace",         "search",      "certificate", "diagnostics",
                               "seconds",       "peak_bytes"}));
  EXPECT_EQ(keys(all["options"]), sorted({"input", "path", "method", "selector", "size", "max_steps",
                                          "tolerance", "seed", "threads", "out"}));
  EXPECT_EQ(keys(all["search"]),
            sorted({"prepare_bytes_read", "bytes_read", "rows_touched", "rows_rescored", "selector_bytes"}));
  EXPECT_EQ(keys(all["seconds"]),
            sorted({"load", "laplace", "project", "prepare", "construct", "sample", "certify", "total"}));
  EXPECT_EQ(keys(all["trace"][0]), sorted({"step", "row", "size", "gamma", "alignment", "relative_error",
                                           "heldout_error", "bound"}));
}

TEST_F(Record, NumbersAgreeWithEachOther) {
  const json all = record();
  EXPECT_EQ(all["command"], "build");
  EXPECT_EQ(all["N"], 60);
  EXPECT_EQ(all["J"], 20);
  EXPECT_EQ(all["D"], nullptr);
  EXPECT_EQ(all["size"], 7);
  EXPECT_EQ(all["size"], all["coreset"]["rows"].size());
  EXPECT_EQ(all["size"], all["coreset"]["weights"].size());
  EXPECT_EQ(all["steps"], all["trace"].size());
  EXPECT_EQ(all["relative_error"], all["trace"].back()["relative_error"]);
  EXPECT_EQ(all["bound"], all["trace"].back()["bound"]);
  EXPECT_LE(all["relative_error"], all["bound"]);
  EXPECT_DOUBLE_EQ(all["tau"].get<double>(),
                   all["target_norm"].get<double>() / all["norm_sum"].get<double>());
  EXPECT_EQ(all["search"]["prepare_bytes_read"], 60 * 20 * 8);
  EXPECT_GE(all["seconds"]["total"].get<double>(),
            all["seconds"]["prepare"].get<double>() + all["seconds"]["construct"].get<double>());
  EXPECT_GT(all["peak_bytes"], 1'000'000);
}

TEST_F(Record, OptionsAreAsResolved) {
  const json options =
      record({"--method", "frank-wolfe", "--selector", "cap-tree", "--seed", "18446744073709551615",
              "--threads", "1", "--tolerance", "0.5", "--max-steps", "9"})["options"];
  EXPECT_EQ(options, json({{"input", "vectors"},
                           {"path", "V.npy"},
                           {"method", "frank_wolfe"},
                           {"selector", "cap_tree"},
                           {"size", 7},
                           {"max_steps", 9},
                           {"tolerance", 0.5},
                           {"seed", 18446744073709551615U},
                           {"threads", 1},
                           {"out", nullptr}}));
}

TEST_F(Record, WhatAMethodDoesNotHaveIsNull) {
  const json all = record({"--method", "importance", "--quiet"});
  EXPECT_EQ(all["bound"], nullptr);
  EXPECT_EQ(all["selector"], nullptr);
  EXPECT_EQ(all["trace"][0]["gamma"], nullptr);
  EXPECT_EQ(all["steps"], 7);
}

TEST_F(Record, WeightsAreThoseOfTheFile) {
  const json all = record({"--out", "c.csv"});
  const std::string csv = read_file(folder_ / "c.csv");
  std::size_t at = csv.find('\n') + 1;
  for (std::size_t i = 0; i < all["coreset"]["rows"].size(); ++i) {
    std::size_t used = 0;
    EXPECT_EQ(std::stoi(csv.substr(at), &used), all["coreset"]["rows"][i]);
    EXPECT_EQ(std::stod(csv.substr(at + used + 1)), all["coreset"]["weights"][i]);
    at = csv.find('\n', at) + 1;
  }
  EXPECT_EQ(at, csv.size());
}

TEST_F(Record, PathNeedNotBeUtf8) {
  std::filesystem::copy_file(folder_ / "V.npy", folder_ / "V\xff.npy");
  const auto outcome = run(Launch{.arguments = {"build", "--vectors", "V\xff.npy", "--json", "--quiet"},
                                  .folder = folder_.path()});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(json::parse(outcome.out)["options"]["path"], "V\xef\xbf\xbd.npy");
}

}  // namespace
}  // namespace giga::test
