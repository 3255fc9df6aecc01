// Tables in memory against the same tables as CSV: the same numbers, levels, cells and messages.
#include "giga/data/memory_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/tables.hpp"
#include "support/executors.hpp"

namespace giga {
namespace {

using test::message_of;
using test::two_threads;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
MemoryPiece piece_of(const std::vector<T>& values) {
  return {.count = std::ssize(values),
          .data = reinterpret_cast<const std::byte*>(values.data()),
          .stride = sizeof(T)};
}

MemoryPiece codes_of(const std::vector<std::int32_t>& codes, const std::vector<std::string>& levels) {
  MemoryPiece piece = piece_of(codes);
  piece.levels = std::make_shared<const std::vector<std::string>>(levels);
  return piece;
}

std::shared_ptr<MemoryTable> table_of(std::vector<MemoryColumn> columns) {
  auto table = std::make_shared<MemoryTable>();
  table->name = "<frame>";
  for (const MemoryPiece& piece : columns.front().pieces) table->num_rows += piece.count;
  table->columns = std::move(columns);
  return table;
}

Dataset read_table(const std::shared_ptr<MemoryTable>& table, ReadOptions options = {},
                   const Executor& executor = two_threads()) {
  options.memory = table;
  return read_dataset("<frame>", options, executor);
}

std::string refusal_of(const std::shared_ptr<MemoryTable>& table, const ReadOptions& options = {}) {
  return message_of<DataError>([&] { (void)read_table(table, options); });
}

void expect_same(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.num_rows(), b.num_rows());
  ASSERT_EQ(a.feature_names(), b.feature_names());
  EXPECT_EQ(a.response_name(), b.response_name());
  EXPECT_EQ(a.notes(), b.notes());
  for (Index d = 0; d < a.num_features(); ++d) {
    EXPECT_EQ(a.feature_column(d).kind, b.feature_column(d).kind) << a.feature_names()[at(d)];
    EXPECT_EQ(a.feature_column(d).levels, b.feature_column(d).levels) << a.feature_names()[at(d)];
  }
  std::vector<Index> rows;
  for (Index n = 0; n < a.num_rows(); ++n) {
    rows.push_back(n);
    EXPECT_EQ(a.input_row(n), b.input_row(n));
    EXPECT_EQ(a.response()[at(n)], b.response()[at(n)]) << "row " << n;
    for (Index d = 0; d < a.num_features(); ++d)
      EXPECT_EQ(a.features(n)[d], b.features(n)[d]) << "row " << n << ", feature " << d;
  }
  EXPECT_EQ(a.cells(rows), b.cells(rows));
}

struct Typed {
  std::vector<double> x = {1.5, -2, 1e-300, 0.1};
  std::vector<std::int64_t> big = {9007199254740993, -4, 0, 7};
  std::vector<std::uint8_t> small = {0, 255, 3, 4};
  std::vector<std::int32_t> kind = {1, 0, 1, 2};
  std::vector<std::int32_t> day = {0, -1, 19783, 19784};
  std::vector<std::int64_t> moment = {52'200'500, 0, -1'000, 86'400'000};  // ms
  std::vector<float> y = {0.5F, 1.25F, -3, 4};
  std::vector<MemoryColumn> columns() const {
    return {{"x", MemoryType::Float64, 0, {piece_of(x)}},
            {"big", MemoryType::Int64, 0, {piece_of(big)}},
            {"small", MemoryType::UInt8, 0, {piece_of(small)}},
            {"kind", MemoryType::Code, 0, {codes_of(kind, {"b", "a", "ü"})}},
            {"day", MemoryType::Day, 0, {piece_of(day)}},
            {"moment", MemoryType::Moment, 86'400'000, {piece_of(moment)}},
            {"y", MemoryType::Float32, 0, {piece_of(y)}}};
  }
};

constexpr const char* kTypedCsv =
    "x,big,small,kind,day,moment,y\n"
    "1.5,9007199254740993,0,a,1970-01-01,1970-01-01T14:30:00.5,0.5\n"
    "-2,-4,255,b,1969-12-31,1970-01-01T00:00:00,1.25\n"
    "1e-300,0,3,a,2024-03-01,1969-12-31T23:59:59,-3\n"
    "0.1,7,4,ü,2024-03-02,1970-01-02T00:00:00,4\n";

TEST(MemoryTable, ReadsAllTypesAsCsvHasThem) {
  expect_same(read_table(table_of(Typed().columns())), test::read("t.csv", kTypedCsv));
}

TEST(MemoryTable, UnusedColumnsKeepTheirTexts) {
  const Typed typed;
  ReadOptions options;
  options.features = {"x"};
  expect_same(read_table(table_of(typed.columns()), options), test::read("t.csv", kTypedCsv, options));
}

TEST(MemoryTable, NumbersAreCategoriesWhereTheOptionsAsk) {
  const Typed typed;
  ReadOptions options;
  options.categories = {"big", "small", "day"};
  expect_same(read_table(table_of(typed.columns()), options), test::read("t.csv", kTypedCsv, options));
}

TEST(MemoryTable, TextsAreNumbersAndDatesWhereTheyAreKnownToBe) {
  const std::vector<std::int32_t> codes = {0, 1};
  const std::vector<double> y = {1, 2};
  const auto table = table_of({{"a", MemoryType::Code, 0, {codes_of(codes, {" 2.5", "1e400"})}},
                               {"y", MemoryType::Float64, 0, {piece_of(y)}}});
  ReadOptions options;
  options.known = {{"a", ColumnKind::Number}};
  EXPECT_EQ(refusal_of(table, options).substr(0, 30), "<frame>: row 2, column 'a': '1");
  const auto dates = table_of({{"a", MemoryType::Code, 0, {codes_of(codes, {"1970-01-03", "1970-01-01"})}},
                               {"y", MemoryType::Float64, 0, {piece_of(y)}}});
  options.known = {{"a", ColumnKind::Date}};
  EXPECT_EQ(read_table(dates, options).features(0)[0], 2);
}

TEST(MemoryTable, PiecesStridesAndBitmapsAreOneColumn) {
  // Every second number, backwards; then three of a bitmap that begins at its second bit.
  const std::vector<double> even = {3, -1, 2, -1, 1};
  const std::vector<double> rest = {4, 99, 6};
  const std::uint8_t bits = 0b1010;  // of bits 1, 2, 3: there, not there, there
  MemoryPiece backwards{
      .count = 3, .data = reinterpret_cast<const std::byte*>(even.data() + 4), .stride = -16};
  MemoryPiece valid = piece_of(rest);
  valid.valid = &bits;
  valid.first_bit = 1;
  const std::vector<double> y = {1, 2, 3, 4, 5, 6};
  const std::string text = "aabbbc";
  const std::vector<std::int32_t> offsets = {0, 1, 2, 3, 4, 5, 6};
  const MemoryPiece texts{
      .count = 6, .data = reinterpret_cast<const std::byte*>(text.data()), .offsets = offsets.data()};
  const auto table = table_of({{"x", MemoryType::Float64, 0, {backwards, valid}},
                               {"t", MemoryType::Text, 0, {texts}},
                               {"y", MemoryType::Float64, 0, {piece_of(y)}}});
  ReadOptions options;
  options.missing = Missing::Drop;
  expect_same(read_table(table, options),
              test::read("t.csv", "x,t,y\n1,a,1\n2,a,2\n3,b,3\n4,b,4\n,b,5\n6,c,6\n", options));
}

TEST(MemoryTable, FeaturesThatLieAsTheyAreWantedAreNotCopied) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const std::vector<double> y = {0, 1, 0};
  const auto column = [&](std::size_t j) {
    return MemoryPiece{.count = 3, .data = reinterpret_cast<const std::byte*>(x.data() + j), .stride = 16};
  };
  const auto table = table_of({{"x1", MemoryType::Float64, 0, {column(0)}},
                               {"x2", MemoryType::Float64, 0, {column(1)}},
                               {"y", MemoryType::Float64, 0, {piece_of(y)}}});
  const Dataset in_place = read_table(table);
  EXPECT_EQ(in_place.features(0), x.data());
  EXPECT_EQ(in_place.all_features(), x.data());
  ReadOptions other_order;
  other_order.features = {"x2", "x1"};
  const Dataset copied = read_table(table, other_order);
  EXPECT_EQ(copied.features(2)[0], 6);
  EXPECT_EQ(copied.features(2)[1], 5);
}

TEST(MemoryTable, DroppingRowsLeavesTheMemoryOfTheCallerAlone) {
  const std::vector<double> x = {1, kNan, 3, 4}, y = {0, 1, 0, 1};
  const auto table =
      table_of({{"x", MemoryType::Float64, 0, {piece_of(x)}}, {"y", MemoryType::Float64, 0, {piece_of(y)}}});
  ReadOptions options;
  options.missing = Missing::Drop;
  const Dataset data = read_table(table, options);
  ASSERT_EQ(data.num_rows(), 3);
  EXPECT_EQ(data.features(1)[0], 3);
  EXPECT_EQ(data.input_row(1), 2);
  EXPECT_EQ(x[0], 1);
  EXPECT_TRUE(std::isnan(x[1]));
  EXPECT_EQ(x[2], 3);
  EXPECT_EQ(x[3], 4);
}

TEST(MemoryTable, MessagesNameRowAndColumn) {
  std::vector<double> x = {1, kNan, 3}, y = {0, 1, 0};
  const auto table =
      table_of({{"x", MemoryType::Float64, 0, {piece_of(x)}}, {"y", MemoryType::Float64, 0, {piece_of(y)}}});
  EXPECT_EQ(refusal_of(table),
            "<frame>: 1 missing value (NaN, NA or empty): row 2, column 'x'; fill them in, or drop such rows "
            "with `missing = drop`");
  x[1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal_of(table).substr(0, 31), "<frame>: row 2, column 'x': 'in");
  const auto empty = table_of({{"x", MemoryType::Float64, 0, {}}, {"y", MemoryType::Float64, 0, {}}});
  EXPECT_EQ(refusal_of(empty), "<frame>: 0 data rows; at least one is needed");
  EXPECT_EQ(refusal_of(std::make_shared<MemoryTable>(MemoryTable{.name = "<frame>"})),
            "<frame>: has no columns");
}

TEST(MemoryTable, TablesThatContradictThemselvesAreRefused) {
  const std::vector<double> x = {1, 2}, y = {1};
  const auto table =
      table_of({{"x", MemoryType::Float64, 0, {piece_of(x)}}, {"y", MemoryType::Float64, 0, {piece_of(y)}}});
  EXPECT_THROW((void)read_table(table), std::invalid_argument);
  const std::vector<std::int32_t> codes = {0, 5};
  const auto beyond = table_of(
      {{"x", MemoryType::Code, 0, {codes_of(codes, {"a"})}}, {"y", MemoryType::Float64, 0, {piece_of(x)}}});
  EXPECT_THROW((void)read_table(beyond), std::invalid_argument);
  ReadOptions query;
  query.sql = "SELECT 1";
  EXPECT_THROW((void)read_table(table, query), OptionError);
}

TEST(MemoryTable, ManyBlocksGiveTheSameOnAnyNumberOfThreads) {
  constexpr Index kRows = 200'000;
  std::vector<double> x(at(kRows)), y(at(kRows));
  std::vector<std::int32_t> codes(at(kRows));
  for (Index n = 0; n < kRows; ++n) {
    x[at(n)] = static_cast<double>(n);
    y[at(n)] = static_cast<double>(n % 2);
    codes[at(n)] = static_cast<std::int32_t>((n * 7919) % 101) - 1;
  }
  std::vector<std::string> levels;
  for (int k = 0; k < 100; ++k) levels.push_back("level " + std::to_string(k));
  const auto table = table_of({{"x", MemoryType::Float64, 0, {piece_of(x)}},
                               {"c", MemoryType::Code, 0, {codes_of(codes, levels)}},
                               {"y", MemoryType::Float64, 0, {piece_of(y)}}});
  ReadOptions options;
  options.missing = Missing::Drop;
  const Dataset one = read_table(table, options, test::one_thread()), two = read_table(table, options);
  ASSERT_EQ(one.num_rows(), two.num_rows());
  EXPECT_EQ(one.feature_column(1).levels, two.feature_column(1).levels);
  for (Index n = 0; n < one.num_rows(); ++n) {
    ASSERT_EQ(one.features(n)[0], two.features(n)[0]);
    ASSERT_EQ(one.features(n)[1], two.features(n)[1]);
    const auto row = static_cast<std::size_t>(one.features(n)[0]);
    ASSERT_EQ(one.feature_column(1).levels[static_cast<std::size_t>(one.features(n)[1])],
              levels[at(codes[row])]);
  }
}

}  // namespace
}  // namespace giga
