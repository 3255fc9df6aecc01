// Categories as columns of 0 and 1, and the scale of raw columns that are not features.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/design/design.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

using Texts = std::vector<std::string>;

Dataset table_of(const std::string& text, const ReadOptions& options = {}) {
  const TempDir folder;
  write_file(folder / "t.csv", text);
  return read_dataset(folder / "t.csv", options, Threads(2));
}

// A table of numbers, a category of three levels in between, a date and a category of one level.
std::string mixed(int rows) {
  std::mt19937 random(9);
  std::string text = "a,c,b,d,one,y\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(random() % 100) + "," + "uvw"[random() % 3] + "," + std::to_string(random() % 7) +
            ".5,2024-01-0" + std::to_string(1 + random() % 9) + ",same," + std::to_string(random() % 2) +
            "\n";
  return text;
}

TEST(CategoryTerm, MakesAColumnForEveryLevelButTheFirst) {
  const Dataset data = table_of("c,x,y\nu,1,0\nw,2,0\nv,3,1\nu,4,1\n");
  const Design design(Design::all_features(data), {{0.25, 0.5, 2}, {2, 4, 1}, {}}, {});
  EXPECT_EQ(design.names(), (Texts{"cv", "cw", "x", "(intercept)"}));
  EXPECT_EQ(design.raw_names(), (Texts{"cv", "cw", "x"}));
  const double v[][2] = {{0, 0}, {0, 1}, {1, 0}, {0, 0}};
  for (Index n = 0; n < 4; ++n) {
    const double* x = data.features(n);
    double z[4];
    design.write(&x, 1, z, 4, 1);
    EXPECT_EQ(z[0], (v[n][0] - 0.25) / 2);
    EXPECT_EQ(z[1], (v[n][1] - 0.5) / 4);
    EXPECT_EQ(z[2], x[1] - 2);
    EXPECT_EQ(z[3], 1);
  }
}

TEST(CategoryTerm, HasTheSameBitsInBothLayouts) {
  const Dataset data = table_of(mixed(40));
  const Terms terms = Design::all_features(data);
  const DistinctRows rows = distinct_rows(data, Threads(1));
  const Design design(terms, standardise(terms, data, rows, Threads(1)), {});
  EXPECT_EQ(design.names(), (Texts{"a", "cv", "cw", "b", "d", "(intercept)"}));
  std::vector<const double*> x;
  for (Index n = 0; n < 40; ++n) x.push_back(data.features(n));
  const Index width = design.num_columns();
  std::vector<double> by_row(static_cast<std::size_t>(40 * width)), by_column(by_row.size());
  design.write(x.data(), 40, by_row.data(), width, 1);
  design.write(x.data(), 40, by_column.data(), 1, 40);
  for (Index n = 0; n < 40; ++n) {
    for (Index c = 0; c < width; ++c)
      ASSERT_EQ(by_row[static_cast<std::size_t>(n * width + c)],
                by_column[static_cast<std::size_t>(c * 40 + n)]);
  }
}

TEST(CategoryTerm, IsSaidWithItsColumnsAndItsBase) {
  EXPECT_EQ(category_notes(table_of(mixed(40))),
            (Texts{"c: 2 columns, base 'u'", "one: one level, 'same'; it makes no column"}));
  EXPECT_EQ(category_notes(table_of("c,y\nu,1\nv,2\n")), Texts{"c: 1 column, base 'u'"});
  EXPECT_TRUE(category_notes(table_of("c,y\n1,1\n")).empty());
}

// Against the same columns written by hand as numbers.
TEST(StandardiseTerms, HasTheBitsOfColumnsOfZerosAndOnes) {
  const std::string text = mixed(20000);
  const Dataset data = table_of(text);
  std::string coded = "a,cv,cw,b,d,y\n";
  for (Index n = 0; n < data.num_rows(); ++n) {
    const double* x = data.features(n);
    coded += std::to_string(static_cast<int>(x[0])) + "," + (x[1] == 1 ? "1" : "0") + "," +
             (x[1] == 2 ? "1" : "0") + "," + std::to_string(static_cast<int>(x[2])) + ".5," +
             std::to_string(static_cast<int>(x[3])) + ",1\n";
  }
  const Dataset numbers = table_of(coded);
  DistinctRows all;
  all.num_rows = data.num_rows();
  const Standardisation expected = standardise(numbers, all, Threads(1));
  for (const int threads : {1, 2, 3}) {
    const Standardisation scale = standardise(data, all, Threads(threads));
    EXPECT_EQ(scale.mean, expected.mean);
    EXPECT_EQ(scale.scale, expected.scale);
    EXPECT_EQ(scale.constant, expected.constant);
  }
}

TEST(StandardiseTerms, LevelsWithoutARowAreConstant) {
  const Dataset data =
      table_of("c,y\nu,1\nw,2\nu,3\n", {.known = {{"c", ColumnKind::Category, {"u", "v", "w"}}}});
  const Standardisation scale = standardise(data, distinct_rows(data, Threads(1)), Threads(1));
  EXPECT_EQ(scale.constant, std::vector<Index>{0});
  EXPECT_EQ(scale.mean[0], 0);
  EXPECT_EQ(scale.scale[0], 1);
  EXPECT_NEAR(scale.mean[1], 1.0 / 3, 1e-16);
}

TEST(StandardiseTerms, ATableWithoutAResponseHasAScale) {
  const Dataset data = table_of("c,y\nu,1\nw,2\nu,3\n", {.has_response = false});
  const Standardisation scale = standardise(data, distinct_rows(data, Threads(1)), Threads(1));
  ASSERT_EQ(scale.mean.size(), 2U);
  EXPECT_EQ(scale.mean[1], 2);
}

}  // namespace
}  // namespace giga::test
