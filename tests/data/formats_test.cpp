// The same table in every format, and binary and sparse files that cannot be used.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../support/parquet.hpp"
#include "data/libsvm.hpp"
#include "giga/base/text.hpp"
#include "tables.hpp"

namespace giga {
namespace {

using namespace test;
using namespace std::string_literals;
using Rows = std::vector<std::vector<double>>;

struct RandomTable {
  Index rows;
  Index cols;  // of X
  std::vector<double> x;
  std::vector<double> y;
};

RandomTable random_table(Index rows, Index cols, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  RandomTable table{rows, cols, {}, {}};
  for (Index i = 0; i < rows * cols; ++i) table.x.push_back(random() % 4 == 0 ? 0.0 : normal(random));
  table.x.back() = 1.5;  // the last column must show in libsvm
  for (Index i = 0; i < rows; ++i) table.y.push_back(static_cast<double>(random() % 5) - 2);
  return table;
}

std::string csv_of(const RandomTable& table) {
  std::string text;
  for (Index j = 1; j <= table.cols; ++j) text += "x" + std::to_string(j) + ",";
  text += "y\n";
  for (Index i = 0; i < table.rows; ++i) {
    for (Index j = 0; j < table.cols; ++j) {
      text += shortest(table.x[static_cast<std::size_t>(i * table.cols + j)]) + ",";
    }
    text += shortest(table.y[static_cast<std::size_t>(i)]) + "\n";
  }
  return text;
}

std::string libsvm_of(const RandomTable& table) {
  std::string text;
  for (Index i = 0; i < table.rows; ++i) {
    text += shortest(table.y[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < table.cols; ++j) {
      const double value = table.x[static_cast<std::size_t>(i * table.cols + j)];
      if (value != 0) text += " " + std::to_string(j + 1) + ":" + shortest(value);
    }
    text += i % 5 == 0 ? " # remark: 7:8\n" : "\n";
    if (i % 7 == 0) text += "\n# only a remark\n";
  }
  return text;
}

std::string shape(Index rows, Index cols) {
  return "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
}

std::vector<double> with_y(const RandomTable& table) {
  std::vector<double> values;
  for (Index i = 0; i < table.rows; ++i) {
    const auto first = table.x.begin() + i * table.cols;
    values.insert(values.end(), first, first + table.cols);
    values.push_back(table.y[static_cast<std::size_t>(i)]);
  }
  return values;
}

std::vector<double> by_column(const std::vector<double>& values, Index rows, Index cols) {
  std::vector<double> turned;
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) turned.push_back(values[static_cast<std::size_t>(i * cols + j)]);
  }
  return turned;
}

std::string npz_of(const RandomTable& table, bool deflate, bool fortran) {
  const auto x = fortran ? by_column(table.x, table.rows, table.cols) : table.x;
  return zip_of({{"X.npy", npy_of(x, shape(table.rows, table.cols), fortran), deflate},
                 {"y.npy", npy_of(table.y, "(" + std::to_string(table.rows) + ",)"), deflate}});
}

std::string parquet_of(const RandomTable& table) {
  const DataFile csv("t.csv", csv_of(table));
  const TempDir folder;
  write_parquet(folder / "t.parquet",
                "SELECT COLUMNS(*)::DOUBLE FROM read_csv(" + duck::quoted(csv.path().string()) + ")");
  return read_file(folder / "t.parquet");
}

std::vector<std::pair<std::string, std::string>> all_formats(const RandomTable& table) {
  const Index cols = table.cols + 1;
  std::vector<std::pair<std::string, std::string>> formats = {
      {"t.csv", csv_of(table)},
      {"t.csv.gz", gzipped(csv_of(table))},
      {"t.npy", npy_of(with_y(table), shape(table.rows, cols))},
      {"t.npy", npy_of(by_column(with_y(table), table.rows, cols), shape(table.rows, cols), true)},
      {"t.npz", npz_of(table, true, false)},
      {"t.npz", npz_of(table, false, true)},
      {"t.svm", libsvm_of(table)},
      {"T.LIBSVM", libsvm_of(table)}};
  if (duck::is_installed()) formats.emplace_back("T.Parquet", parquet_of(table));
  return formats;
}

TEST(Formats, HoldTheSameTable) {
  for (const Index rows : {1, 100, 30000}) {
    const RandomTable table = random_table(rows, 5, 21);
    const auto formats = all_formats(table);
    const Dataset expected = read(formats[0].first, formats[0].second);
    EXPECT_EQ(expected.num_features(), 5);
    for (const auto& [name, content] : formats) {
      const Dataset data = read(name, content);
      EXPECT_EQ(bits_of(data), bits_of(expected)) << name;
      EXPECT_EQ(data.feature_names(), expected.feature_names()) << name;
      EXPECT_EQ(data.response_name(), "y") << name;
      EXPECT_TRUE(data.notes().empty()) << name;
    }
  }
}

TEST(Formats, GiveBackTheSameCells) {
  const RandomTable table = random_table(10000, 4, 22);
  const ReadOptions options{.response = "x2", .features = {{"x3", "y"}}};
  const std::vector<Index> rows{9999, 0, 4096, 17, 17};
  std::vector<std::vector<std::string>> expected;
  for (const auto& [name, content] : all_formats(table)) {
    const DataFile file(name, content);
    const Dataset data = read_dataset(file.path(), options, two_threads());
    EXPECT_EQ(data.response_name(), "x2");
    EXPECT_EQ(data.columns()[0].role, ColumnRole::Unused);
    const auto cells = data.cells(rows);
    if (expected.empty()) expected = cells;
    EXPECT_EQ(cells, expected) << name;
  }
}

TEST(Formats, TreatMissingAndInfiniteValuesAlike) {
  RandomTable table = random_table(50, 3, 23);
  table.x[7] = std::numeric_limits<double>::quiet_NaN();
  table.x[100] = std::numeric_limits<double>::quiet_NaN();
  table.y[9] = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::uint64_t> kept;
  for (const auto& [name, content] : all_formats(table)) {
    const std::string message = refusal(name, content);
    EXPECT_NE(message.find("3 missing values (NaN, NA or empty): 2 in 'x2', 1 in 'y'; the first are row 3"),
              std::string::npos)
        << message;
    EXPECT_LT(message.find("column 'x2'; row 10"), message.find("column 'y'; row 34")) << message;
    const Dataset data = read(name, content, {.missing = Missing::Drop});
    EXPECT_EQ(data.num_rows(), 47);
    EXPECT_EQ(data.input_row(2), 3);
    EXPECT_EQ(data.notes(),
              std::vector<std::string>{"dropped 3 rows of 50 with missing values: 2 in 'x2', 1 in 'y'"});
    if (kept.empty()) kept = bits_of(data);
    EXPECT_EQ(bits_of(data), kept) << name;
  }
  table.x[5] = std::numeric_limits<double>::infinity();
  for (const auto& [name, content] : all_formats(table)) {
    const std::string message = refusal(name, content, {.missing = Missing::Drop});
    EXPECT_NE(message.find("row 2"), std::string::npos) << message;
    EXPECT_NE(message.find("column 'x3': 'inf' is infinite"), std::string::npos) << message;
  }
}

TEST(Npz, TakesWeightsOnlyWhenAskedAndNotesWhatItLeaves) {
  const std::string file = zip_of({{"X.npy", npy_of({1, 2, 3, 4}, "(2, 2)")},
                                   {"y.npy", npy_of({5, 6}, "(2, 1)")},
                                   {"w.npy", npy_of({1, 2}, "(2,)")},
                                   {"names.npy", "no array at all"}});
  const Dataset plain = read("t.npz", file);
  EXPECT_TRUE(plain.weights().empty());
  EXPECT_EQ(plain.notes().size(), 2U);
  const Dataset weighted = read("t.npz", file, {.weights = "w"});
  EXPECT_EQ(rows_of(weighted), (Rows{{1, 2, 5, 1}, {3, 4, 6, 2}}));
  EXPECT_EQ(weighted.notes(), std::vector<std::string>{"member 'names.npy' of the archive was not used"});
}

TEST(Npz, IsBelievedOnlyAsFarAsItsBytesGo) {
  const std::string x = npy_of({1, 2, 3, 4}, "(2, 2)");
  const std::string y = npy_of({5, 6}, "(2,)");
  const auto expect = [](const std::vector<ZipEntry>& entries, const std::string& words) {
    const std::string message = refusal("t.npz", zip_of(entries));
    EXPECT_EQ(message.find("t.npz: "), 0U) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message << "\n lacks: " << words;
  };
  expect({{"X.npy", x, true, ~0ULL, 1}, {"y.npy", y}}, "CRC");
  expect({{"X.npy", x, false, ~0ULL, 1}, {"y.npy", y}}, "CRC");
  expect({{"X.npy", x}, {"y.npy", y, true, ~0ULL, 0x80000000}}, "CRC");
  expect({{"X.npy", x + std::string(1 << 20, '\0'), true, x.size()}, {"y.npy", y}}, "member 'X.npy'");
  expect({{"X.npy", x, true, x.size() + 8}, {"y.npy", y}}, "member 'X.npy'");
  expect({{"X.npy", x, true, 0xF0000000}, {"y.npy", y}}, "can bear");
  expect({{"X.npy", x, false, 0xF0000000}, {"y.npy", y}}, "t.npz");
  expect({{"X.npy", npy_of({1, 2, 3, 4}, "(1000000, 1000000)")}, {"y.npy", y}}, "its header promises");
  expect({{"X.npy", npy_of({1, 2, 3, 4}, "(-1, 2)")}, {"y.npy", y}}, "negative length");
  expect({{"X.npy", npy_of({1, 2, 3, 4}, "(4611686018427387904, 4)")}, {"y.npy", y}}, "overflows");
  expect({{"X.npy", x}, {"y.npy", npy_of({5, 6, 7}, "(3,)")}}, "X has 2 rows, y has 3");
  expect({{"X.npy", x}, {"y.npy", npy_of({5, 6}, "(1, 2)")}}, "must be a vector");
  expect({{"X.npy", npy_of({5, 6}, "(2,)")}, {"y.npy", y}}, "must have 2");
  expect({{"X.npy", npy_of({}, "(0, 2)")}, {"y.npy", npy_of({}, "(0,)")}}, "0 data rows");
  expect({{"X.npy", x}}, "no member 'y.npy'; have: 'X.npy'");
  expect({{"X.npy", x}, {"X.npy", x}, {"y.npy", y}}, "");
  expect({{"../../x.npy", x}, {"y.npy", y}}, "member '../../x.npy'");
  expect({{"/X.npy", x}, {"y.npy", y}, {"X.npy", x}}, "member '/X.npy'");
  expect({{"X.npy", "PK"}, {"y.npy", y}}, "not a .npy file");
  expect({}, "");
  EXPECT_NE(refusal("t.npz", "no zip at all").find("not a readable .npz"), std::string::npos);
}

bool refuses(const std::filesystem::path& path, const std::string& bytes) {
  write_file(path, bytes);
  try {
    (void)read_dataset(path, {}, one_thread());
  } catch (const DataError&) {
    return true;
  }
  return false;
}

TEST(Npz, LoadsOrThrowsDataErrorWhateverTheBytes) {
  const std::vector<std::string> seeds{npz_of(random_table(20, 3, 24), true, false),
                                       npz_of(random_table(20, 3, 25), false, true)};
  std::mt19937 random(26);
  const TempDir dir;
  int refused = 0;
  for (int round = 0; round < 1200; ++round) {
    std::string file = seeds[random() % seeds.size()];
    for (auto edits = 1 + random() % 3; edits > 0; --edits) {
      // Half of the edits hit the directory at the end, where the sizes are.
      const std::size_t tail = std::min<std::size_t>(file.size(), 130);
      const std::size_t at = random() % 2 == 0 ? random() % file.size() : file.size() - 1 - random() % tail;
      switch (random() % 4) {
        case 0: file[at] = static_cast<char>(file[at] ^ (1 << random() % 8)); break;
        case 1: file[at] = static_cast<char>(random() % 2 == 0 ? 0xFF : 0); break;
        case 2: file.erase(at, 1 + random() % 4); break;
        default: file.insert(at, 1, static_cast<char>(random())); break;
      }
    }
    if (refuses(dir / "t.npz", file)) ++refused;
  }
  EXPECT_GT(refused, 800);
  EXPECT_EQ(dir.size(), 1);
}

TEST(Gzip, LoadsOrThrowsDataErrorWhateverTheBytes) {
  const std::string seed = gzipped(csv_of(random_table(200, 3, 27)));
  std::mt19937 random(28);
  const TempDir dir;
  int refused = 0;
  for (int round = 0; round < 800; ++round) {
    std::string file = seed;
    const std::size_t at = random() % file.size();
    if (random() % 4 == 0) {
      file.resize(at);
      if (file.empty()) continue;
    } else {
      file[at] = static_cast<char>(random());
    }
    if (refuses(dir / "t.csv.gz", file)) ++refused;
  }
  EXPECT_GT(refused, 600);
}

TEST(Libsvm, NamesTheLineAndTheToken) {
  const auto expect = [](const std::string& content, const std::string& words) {
    const std::string message = refusal("t.svm", content);
    EXPECT_EQ(message.find("t.svm: "), 0U) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message << "\n lacks: " << words;
  };
  expect("1 1:2\n# remark\n1 0:5\n", "row 2 (line 3), token '0:5': index 0");
  expect("1 1:2 3:4 2:5\n", "row 1 (line 1), token '2:5': not ascending after index 3");
  expect("1 9:2 3:4\n", "token '3:4': not ascending");
  expect("1 1:2 1:3\n", "token '1:3': index 1 is repeated");
  expect("1 1:2 3:\n", "token '3:': no value");
  expect("1 1:2 3\n", "token '3': expected index:value");
  expect("1 1:2 x:3\n", "token 'x:3': the index is not a whole number");
  expect("1 -1:2\n", "token '-1:2'");
  expect("1 1:2 3:4:5\n", "token '3:4:5'");
  expect("1:2 2:3\n", "begins with its label");
  expect("yes 1:2\n", "column 'y': 'yes' is not a number");
  expect("1 1:abc\n", "column 'x1': 'abc' is not a number");
  expect("1 1:1e999\n", "overflows");
  expect("1 1000000000:1\n", "dense needs 8 GB");
  expect("1 99999999999999999999999:1\n", "dense needs");
  expect("1\n2\n", "no features");
  expect("1 1:2\n\0 2:2\n"s, "row 2 (line 2)");
}

TEST(Libsvm, ReadsLinesAcrossChunks) {
  const RandomTable table = random_table(500, 7, 29);
  const DataFile file("t.svm", libsvm_of(table));
  const auto expected = bits_of(read("t.csv", csv_of(table)));
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{64}, std::size_t{1000}}) {
    const Dataset data = read_libsvm({&file.path(), 1}, "t.svm", {}, two_threads(), {}, chunk);
    EXPECT_EQ(bits_of(data), expected);
    EXPECT_EQ(data.place(499), data.place(499));
    EXPECT_EQ(data.place(7), "row 8 (line 10)");
  }
  EXPECT_EQ(rows_of(read("t.svm", "\xEF\xBB\xBF+1 2:3 \r\n-1\t1:+2e0  3:1")),
            (Rows{{0, 3, 0, 1}, {2, 0, 1, -1}}));
}

TEST(Libsvm, LoadsOrThrowsDataErrorWhateverTheBytes) {
  const std::string seed = libsvm_of(random_table(12, 4, 30));
  constexpr std::string_view kTelling = "0123456789:: \n#-+.e\0\xff";
  std::mt19937 random(31);
  const TempDir dir;
  int refused = 0;
  int loaded = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string file = seed;
    for (auto edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % file.size();
      if (random() % 2 == 0) {
        file[at] = kTelling[random() % kTelling.size()];
      } else {
        file.insert(at, 1, kTelling[random() % kTelling.size()]);
      }
    }
    const std::filesystem::path path = dir / "t.svm";
    write_file(path, file);
    try {
      (void)read_libsvm({&path, 1}, "t.svm", {}, one_thread(), {}, 1 + random() % 100);
      ++loaded;
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 400);
  EXPECT_GT(loaded, 100);
}

}  // namespace
}  // namespace giga
