// Equal rows and the scale of features, against plain versions of both.
#include "giga/data/duplicates.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "data/row_hash.hpp"
#include "giga/base/text.hpp"
#include "giga/design/standardise.hpp"
#include "tables.hpp"

namespace giga {
namespace {

using namespace test;
using Rows = std::vector<std::vector<double>>;

std::string csv_of(const Rows& rows, bool weighted = false) {
  std::string text;
  const std::size_t features = rows[0].size() - (weighted ? 2 : 1);
  for (std::size_t j = 0; j < features; ++j) text += "x" + std::to_string(j) + ",";
  text += weighted ? "y,w\n" : "y\n";
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j)
      text += shortest(row[j]) + (j + 1 == row.size() ? "\n" : ",");
  }
  return text;
}

Dataset table_of(const Rows& rows, bool weighted = false) {
  ReadOptions options;
  if (weighted) options.weights = "w";
  return read("t.csv", csv_of(rows, weighted), options);
}

// Rows from a small set of values, so that many are equal.
Rows random_rows(std::size_t count, unsigned values, unsigned seed) {
  std::mt19937 random(seed);
  Rows rows(count, std::vector<double>(4));
  for (auto& row : rows) {
    for (double& value : row) value = static_cast<double>(random() % values) * (random() % 2 == 0 ? 1 : -1);
  }
  return rows;
}

struct Merged {
  std::vector<Index> rows;
  std::vector<double> multiplicity;
};

Merged oracle(const Dataset& data) {
  std::map<std::vector<double>, std::size_t> seen;  // -0 < 0 is false both ways: one key
  Merged merged;
  const bool weighted = !data.weights().empty();
  Rows rows = rows_of(data);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const double weight = data.weight(static_cast<Index>(n));
    if (weight == 0) continue;
    if (weighted) rows[n].pop_back();
    const auto [at, is_new] = seen.try_emplace(rows[n], merged.rows.size());
    if (is_new) {
      merged.rows.push_back(static_cast<Index>(n));
      merged.multiplicity.push_back(0);
    }
    merged.multiplicity[at->second] += weight;
  }
  return merged;
}

void expect_as_oracle(const Dataset& data, const DistinctRows& distinct) {
  const Merged expected = oracle(data);
  ASSERT_EQ(distinct.num_rows, static_cast<Index>(expected.rows.size()));
  for (std::size_t k = 0; k < expected.rows.size(); ++k) {
    ASSERT_EQ(distinct.row(static_cast<Index>(k)), expected.rows[k]);
    ASSERT_EQ(distinct.weight(static_cast<Index>(k)), expected.multiplicity[k]);
  }
}

TEST(DistinctRows, AreThoseOfAPlainSearch) {
  for (const unsigned values : {2U, 6U, 1000U}) {
    const Dataset data = table_of(random_rows(3000, values, values));
    const DistinctRows distinct = distinct_rows(data, two_threads());
    expect_as_oracle(data, distinct);
    EXPECT_EQ(distinct.num_repeats, data.num_rows() - distinct.num_rows);
  }
}

TEST(DistinctRows, DoNotDependOnTheHash) {
  const Dataset data = table_of(random_rows(1500, 5, 7));
  for (const std::uint64_t mask : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{0xF} << 60}) {
    expect_as_oracle(data, distinct_rows_masked(data, two_threads(), mask));
  }
}

TEST(DistinctRows, KeepNothingWhenAllRowsDiffer) {
  const DistinctRows distinct = distinct_rows(table_of({{1, 2}, {1, 3}, {2, 2}}), two_threads());
  EXPECT_TRUE(distinct.rows.empty());
  EXPECT_TRUE(distinct.multiplicity.empty());
  EXPECT_EQ(distinct.num_rows, 3);
  EXPECT_EQ(distinct.num_repeats, 0);
  EXPECT_EQ(distinct.row(2), 2);
  EXPECT_EQ(distinct.weight(2), 1.0);
}

TEST(DistinctRows, TakeAWeightOfTwoForTwoRows) {
  const Dataset twice = table_of({{1, 2, 1}, {3, 4, 0}, {1, 2, 1}, {5, 6, 0}});
  const Dataset weighted = table_of({{1, 2, 1, 2}, {3, 4, 0, 1}, {7, 8, 0, 0}, {5, 6, 0, 1}}, true);
  const DistinctRows a = distinct_rows(twice, two_threads());
  const DistinctRows b = distinct_rows(weighted, two_threads());
  ASSERT_EQ(a.num_rows, 3);
  ASSERT_EQ(b.num_rows, 3);
  for (Index k = 0; k < 3; ++k) {
    EXPECT_EQ(a.weight(k), b.weight(k));
    for (Index j = 0; j < 2; ++j) EXPECT_EQ(twice.features(a.row(k))[j], weighted.features(b.row(k))[j]);
  }
}

TEST(DistinctRows, AddWeightsAndLeaveOutZeros) {
  Rows rows = random_rows(4000, 4, 9);
  std::mt19937 random(10);
  for (auto& row : rows) row.push_back(static_cast<double>(random() % 4) / 2);
  const Dataset data = table_of(rows, true);
  expect_as_oracle(data, distinct_rows(data, two_threads()));
}

TEST(DistinctRows, TakeZeroAndMinusZeroForEqual) {
  EXPECT_EQ(distinct_rows(table_of({{0.0, 1}, {-0.0, 1}}), two_threads()).num_rows, 1);
}

TEST(DistinctRows, CountTheRepeatsOfPhishing) {
  const std::filesystem::path path = std::filesystem::path(GIGA_SHARED_DATA) / "phishing.npz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Dataset data = read_dataset(path, {}, two_threads());
  EXPECT_EQ(data.num_rows(), 11055);
  EXPECT_EQ(data.num_features(), 68);
  EXPECT_EQ(distinct_rows(data, two_threads()).num_repeats, 5206);
}

Standardisation scale_of(const Dataset& data, const Executor& executor = two_threads()) {
  return standardise(data, distinct_rows(data, executor), executor);
}

TEST(Standardise, FindsMeanAndPopulationDeviation) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  Rows rows(10000, std::vector<double>(4));
  for (auto& row : rows) {
    row = {normal(random), 1e8 + normal(random), 1e-200 * normal(random), 0};
  }
  const Standardisation scale = scale_of(table_of(rows));
  for (std::size_t j = 0; j < 3; ++j) {
    long double sum = 0;
    long double squares = 0;
    for (const auto& row : rows) sum += row[j];
    const long double mean = sum / 10000;
    for (const auto& row : rows) squares += (row[j] - mean) * (row[j] - mean);
    EXPECT_NEAR(scale.mean[j] / static_cast<double>(mean), 1, 1e-14);
    EXPECT_NEAR(scale.scale[j] / static_cast<double>(std::sqrt(squares / 10000)), 1, 1e-14);
  }
  EXPECT_TRUE(scale.constant.empty());
}

TEST(Standardise, GivesTheSameBitsForRowsDoubledAndForAnyThreads) {
  const Rows rows = random_rows(9000, 1000, 12);
  Rows doubled = rows;
  doubled.insert(doubled.end(), rows.begin(), rows.end());
  const Threads one(1);
  const Standardisation a = scale_of(table_of(rows), one);
  const Standardisation b = scale_of(table_of(doubled));
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.scale, b.scale);
}

TEST(Standardise, GivesConstantFeaturesTheirValueAndScaleOne) {
  Rows rows;
  for (int i = 0; i < 7; ++i) rows.push_back({0.1, static_cast<double>(i), 0, 1e300, -0.0 * i, 1});
  const Standardisation scale = scale_of(table_of(rows));
  EXPECT_EQ(scale.constant, (std::vector<Index>{0, 2, 3, 4}));
  EXPECT_EQ(scale.mean, (std::vector<double>{0.1, 3, 0, 1e300, 0}));
  EXPECT_EQ(scale.scale, (std::vector<double>{1, 2, 1, 1, 1}));
  const Standardisation single = scale_of(table_of({{3, 1}}));
  EXPECT_EQ(single.constant, std::vector<Index>{0});
}

TEST(Standardise, IsNeverZeroOrInfiniteAtTheEndsOfTheRange) {
  const Standardisation scale = scale_of(table_of({{1e308, 5e-324, 1 + 0x1p-52, 0}, {-1e308, 0, 1, 0}}));
  EXPECT_EQ(scale.scale[0], 1e308);
  EXPECT_GT(scale.scale[1], 0);
  EXPECT_EQ(scale.scale[2], 0x1p-53);
  EXPECT_TRUE(scale.constant.empty());
}

// The numbers after "key": [ in the reference file's entry of a dataset.
std::vector<double> reference_values(const std::string& text, const std::string& dataset,
                                     const std::string& key) {
  std::size_t at = text.find("\"dataset\": \"" + dataset + "\"");
  at = text.find('[', text.find("\"" + key + "\"", at)) + 1;
  std::vector<double> values;
  for (const std::size_t end = text.find(']', at); at < end;) {
    const std::size_t next = std::min(text.find(',', at), end);
    const std::size_t first = text.find_first_not_of(" \n", at);
    values.push_back(std::strtod(text.substr(first, next - first).c_str(), nullptr));
    at = next + 1;
  }
  return values;
}

TEST(Standardise, AgreesWithTheReferenceOfTheRealDatasets) {
  const std::filesystem::path folder(GIGA_SHARED_DATA);
  if (!std::filesystem::exists(folder / "map_reference.json"))
    GTEST_SKIP() << folder << " has no map_reference.json";
  const std::string reference = read_file(folder / "map_reference.json");
  for (const std::string name : {"phishing", "ds1", "biketrips", "airportdelays"}) {
    const Standardisation scale = scale_of(read_dataset(folder / (name + ".npz"), {}, two_threads()));
    const auto mean = reference_values(reference, name, "x_mean");
    const auto deviation = reference_values(reference, name, "x_std");
    ASSERT_EQ(mean.size(), scale.mean.size()) << name;
    for (std::size_t j = 0; j < mean.size(); ++j) {
      EXPECT_NEAR(scale.mean[j], mean[j], 1e-12 * deviation[j]) << name << j;
      EXPECT_NEAR(scale.scale[j], deviation[j], 1e-12 * deviation[j]) << name << j;
    }
  }
  const auto bits = bits_of(read_dataset(folder / "airportdelays.csv", {}, two_threads()));
  EXPECT_EQ(bits, bits_of(read_dataset(folder / "airportdelays.npz", {}, two_threads())));
}

}  // namespace
}  // namespace giga
