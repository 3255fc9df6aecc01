// Several files are one table: the same bits, levels, notes and cells as one file with all their rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "data/csv_reader.hpp"
#include "giga/base/text.hpp"
#include "tables.hpp"
#include "text_tables.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;
using namespace test;

// Ascending places at which a table of `rows` rows is cut into `parts`; parts may be empty.
std::vector<std::size_t> random_cuts(std::size_t rows, std::size_t parts, std::mt19937& random) {
  std::vector<std::size_t> cuts = {0, rows};
  while (cuts.size() <= parts) cuts.push_back(random() % (rows + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

std::vector<std::string> notes_but_empty_files(const Dataset& data) {
  std::vector<std::string> notes = data.notes();
  std::erase_if(notes, [](const std::string& note) { return note.ends_with(" has no rows"); });
  return notes;
}

void expect_same_table(const Dataset& parts, const Dataset& whole) {
  EXPECT_EQ(bits_of(parts), bits_of(whole));
  ASSERT_EQ(parts.columns().size(), whole.columns().size());
  for (std::size_t j = 0; j < whole.columns().size(); ++j) {
    EXPECT_EQ(parts.columns()[j].name, whole.columns()[j].name);
    EXPECT_EQ(parts.columns()[j].role, whole.columns()[j].role);
    EXPECT_EQ(parts.columns()[j].kind, whole.columns()[j].kind);
    EXPECT_EQ(parts.columns()[j].levels, whole.columns()[j].levels);
  }
  EXPECT_EQ(notes_but_empty_files(parts), whole.notes());
  for (Index n = 0; n < whole.num_rows(); ++n) ASSERT_EQ(parts.input_row(n), whole.input_row(n));
  EXPECT_EQ(all_cells(parts), all_cells(whole));
}

TEST(SeveralFiles, OfTextAreTheTableOfOneFile) {
  std::mt19937 random(7);
  int read = 0;
  for (unsigned round = 0; round < 60; ++round) {
    const std::size_t rows = 1 + random() % 200;
    const bool missing = round % 2 == 0;
    const TextTable table = text_table(rows, round, missing);
    const TempDir dir;
    write_file(dir / "whole.csv", part_of(table, 0, rows));
    const std::vector<std::size_t> cuts = random_cuts(rows, 1 + random() % 7, random);
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      const std::string text = part_of(table, cuts[k], cuts[k + 1]);
      const bool packed = random() % 3 == 0;
      const std::string name = "part-" + std::to_string(k) + (packed ? ".csv.gz" : ".csv");
      write_file(dir / name, packed ? gzipped(text) : text);
    }
    ReadOptions options;
    options.unused = {"remark"};
    options.weights = "n";
    options.missing = missing ? Missing::Drop : Missing::Refuse;
    const CsvSizes sizes{.chunk_bytes = 1 + random() % 300, .block_bytes = 40 + random() % 400};
    const std::vector<fs::path> files = [&] {
      std::vector<fs::path> all;
      for (const auto& entry : fs::directory_iterator(dir.path()))
        if (entry.path().filename() != "whole.csv") all.push_back(entry.path());
      std::sort(all.begin(), all.end());
      return all;
    }();
    const Executor& executor = round % 3 == 0 ? one_thread() : two_threads();
    const auto read_parts = [&] { return read_csv_files(files, "parts", options, executor, {}, sizes); };
    std::optional<Dataset> whole;
    try {
      whole.emplace(read_csv(dir / "whole.csv", options, one_thread(), {}));
    } catch (const DataError&) {  // most words may be numbers, or a hole be in every row
      EXPECT_THROW((void)read_parts(), DataError);
      continue;
    }
    ++read;
    expect_same_table(read_parts(), *whole);
    if (files.size() > 1) expect_same_table(read_dataset(dir / "part-*", options, executor), *whole);
  }
  EXPECT_GT(read, 40);
}

// Kinds are those of all cells: numbers in one file and words in another are a category.
TEST(SeveralFiles, KindsOfColumnsAreThoseOfAllCells) {
  const TempDir dir;
  write_file(dir / "a.csv", "x,y\n1,0\n2,1\n");
  write_file(dir / "b.csv", "x,y\nred,0\nblue,1\nred,1\n");
  write_file(dir / "c.csv", "x,y\n2024-01-01,0\n");
  const Dataset data = read_dataset(dir / "*.csv", {}, two_threads());
  EXPECT_EQ(data.columns()[0].kind, ColumnKind::Category);
  EXPECT_EQ(data.columns()[0].levels, (std::vector<std::string>{"1", "2", "2024-01-01", "blue", "red"}));
  EXPECT_EQ(data.features(4)[0], 4);
  // One word among numbers is an error of that row, in whichever file it is.
  write_file(dir / "b.csv", "x,y\n3,0\n4,1\nred,1\n");
  EXPECT_NE(message_of<DataError>([&] {
              (void)read_dataset(dir / "a.csv,b.csv", {}, two_threads());
            }).find("no such file"),
            std::string::npos);
  const std::string both = (dir / "a.csv").string() + "," + (dir / "b.csv").string();
  EXPECT_NE(message_of<DataError>([&] {
              (void)read_dataset(both, {}, two_threads());
            }).find("b.csv: row 3 (line 4), column 'x': 'red' is not a number"),
            std::string::npos);
}

TEST(SeveralFiles, MessagesNameTheFileAndTheRowInIt) {
  const TempDir dir;
  const auto refused = [&](const std::string& first, const std::string& second, const ReadOptions& options) {
    write_file(dir / "a.csv", first);
    write_file(dir / "b.csv", second);
    std::string message =
        message_of<DataError>([&] { (void)read_dataset(dir / "?.csv", options, two_threads()); });
    const std::string folder = dir.path().string() + "/";
    for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder))
      message.erase(at, folder.size());
    return message;
  };
  EXPECT_EQ(refused("x,y\n1,2\n", "x,y\n1,2\n\n3,4,5\n", {}),
            "b.csv: row 2 (line 4) has 3 fields, expected 2; check its delimiters and quotes");
  EXPECT_EQ(refused("x,y\n1,\n", "x,y\n1,2\n,4\n", {}),
            "?.csv: 2 missing values (NaN, NA or empty): 1 in 'x', 1 in 'y'; the first are row 1 (line 2) of "
            "a.csv, column 'y'; row 2 (line 3) of b.csv, column 'x'; fill them in, or drop such rows with "
            "`missing = drop`");
  ReadOptions weighted;
  weighted.weights = "w";
  EXPECT_EQ(refused("x,w,y\n1,1,2\n", "x,w,y\n1,1,2\n1,-1,2\n", weighted),
            "?.csv: row 2 (line 3) of b.csv, column 'w': '-1' is negative; a weight must be 0 or more");
  EXPECT_EQ(refused("x,y\n", "x,y\n", {}), "?.csv: 0 data rows after the headers");
}

TEST(SeveralFiles, HeadersMustAgree) {
  const TempDir dir;
  write_file(dir / "a.csv", "x,z,y\n1,2,3\n");
  const auto refused = [&](const std::string& second) {
    write_file(dir / "b.csv", second);
    std::string message =
        message_of<DataError>([&] { (void)read_dataset(dir / "*.csv", {}, two_threads()); });
    const std::string folder = dir.path().string() + "/";
    for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder))
      message.erase(at, folder.size());
    return message.substr(0, message.find("; the files of one table must have"));
  };
  EXPECT_EQ(refused("x,y\n1,3\n"), "b.csv: lacks the column 'z' of a.csv");
  EXPECT_EQ(refused("x,z,y,q\n1,2,3,4\n"), "b.csv: has a column 'q', which a.csv lacks");
  EXPECT_EQ(refused("z,x,y\n1,2,3\n"),
            "b.csv: column 1 is 'z', but 'x' in a.csv, which has the same columns in another order");
  EXPECT_EQ(refused("x,q,y\n1,2,3\n"), "b.csv: column 2 is 'q', but 'z' in a.csv");
  EXPECT_EQ(refused("4,word,6\n7,word,9\n"), "b.csv: column 1 is '4', but 'x' in a.csv: has it no header?");
  EXPECT_EQ(refused("4,5,6\n7,8,9\n"),
            "b.csv: line 1 has numbers where names are expected ('4,5,6'); if the file has no header use "
            "`header = false`");
  EXPECT_EQ(refused("x;z;y\n1;2;3\n"),
            "b.csv: found 1 column; is the delimiter ';'? Set it with `delimiter = ';'`");
  EXPECT_EQ(refused(""), "b.csv: file is empty");
  ReadOptions bare;
  bare.header = false;
  write_file(dir / "a.csv", "1,2,3\n");
  write_file(dir / "b.csv", "1,2\n");
  EXPECT_NE(message_of<DataError>([&] {
              (void)read_dataset(dir / "*.csv", bare, two_threads());
            }).find("b.csv: lacks the column"),
            std::string::npos);
  write_file(dir / "b.csv", "4,5,6\n7,8,9\n");
  EXPECT_EQ(rows_of(read_dataset(dir / "*.csv", bare, two_threads())).size(), 3U);
}

TEST(SeveralFiles, TabsCommasAndOldLineEndsGoTogether) {
  const TempDir dir;
  write_file(dir / "a.csv", "x,y\n1,2\n");
  write_file(dir / "b.tsv", "x\ty\n3\t4\n");
  write_file(dir / "c.txt", "x,y\r5,6\r7,8\r");
  write_file(dir / "d.tsv.gz", gzipped("x\ty\n9\t10\n"));
  const Dataset data = read_dataset(dir.path(), {}, two_threads());
  EXPECT_EQ(rows_of(data), (std::vector<std::vector<double>>{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}));
  EXPECT_EQ(data.place(3), "row 2 (line 3) of " + (dir / "c.txt").string());
  // The first file decides nothing but the names: a stream may come first.
  fs::rename(dir / "d.tsv.gz", dir / "0.tsv.gz");
  EXPECT_EQ(rows_of(read_dataset(dir.path(), {}, two_threads()))[0], (std::vector<double>{9, 10}));
}

TEST(SeveralFiles, FilesWithoutRowsAreNoted) {
  const TempDir dir;
  write_file(dir / "a.csv", "x,y\n");
  write_file(dir / "b.csv", "x,y\n1,2\n");
  write_file(dir / "c.csv.gz", gzipped("x,y\n"));
  write_file(dir / "d.csv", "x,y\n3,4\n");
  const Dataset data = read_dataset(dir / "*", {}, two_threads());
  EXPECT_EQ(data.notes(), (std::vector<std::string>{(dir / "a.csv").string() + " has no rows",
                                                    (dir / "c.csv.gz").string() + " has no rows"}));
  ASSERT_EQ(data.files().size(), 4U);
  EXPECT_EQ(data.files()[3].first_row, 1);
  EXPECT_EQ(data.place(1), "row 1 (line 2) of " + (dir / "d.csv").string());
}

TEST(SeveralFiles, OfNumbersAreTheTableOfOneFile) {
  std::mt19937 random(3);
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) values.push_back(static_cast<double>(random() % 1000) / 8);
  values[7] = std::numeric_limits<double>::quiet_NaN();
  values[200] = values[7];
  const std::string svm = "1 1:2 3:4\n# nothing\n-1 2:1\n1\n1 5:1 # five\n";
  ReadOptions options;
  options.missing = Missing::Drop;
  const TempDir dir;
  write_file(dir / "whole.npy", npy_of(values, "(100, 3)"));
  fs::create_directory(dir / "npy");
  write_file(dir / "npy/a.npy", npy_of({values.begin(), values.begin() + 90}, "(30, 3)"));
  std::vector<double> turned;
  for (std::size_t j = 0; j < 3; ++j) turned.push_back(values[90 + j]);
  write_file(dir / "npy/b.npy", npy_of(turned, "(1, 3)", true));
  write_file(dir / "npy/c.npy", npy_of({values.begin() + 93, values.end()}, "(69, 3)"));
  expect_same_table(read_dataset(dir / "npy", options, two_threads()),
                    read_dataset(dir / "whole.npy", options, two_threads()));

  const auto archive = [&](std::size_t begin, std::size_t end) {
    std::vector<double> x, y;
    for (std::size_t i = begin; i < end; ++i) {
      x.insert(x.end(), {values[3 * i], values[3 * i + 1]});
      y.push_back(values[3 * i + 2]);
    }
    const std::string rows = std::to_string(end - begin);
    return zip_of({{"X.npy", npy_of(x, "(" + rows + ", 2)")},
                   {"y.npy", npy_of(y, "(" + rows + ",)")},
                   {"w.npy", npy_of(y, "(" + rows + ",)")}});
  };
  write_file(dir / "whole.npz", archive(0, 100));
  fs::create_directory(dir / "npz");
  write_file(dir / "npz/a.npz", archive(0, 60));
  write_file(dir / "npz/b.npz", archive(60, 61));
  write_file(dir / "npz/c.npz", archive(61, 100));
  expect_same_table(read_dataset(dir / "npz", options, two_threads()),
                    read_dataset(dir / "whole.npz", options, two_threads()));

  write_file(dir / "whole.svm", svm + svm + svm);
  fs::create_directory(dir / "svm");
  write_file(dir / "svm/a.svm", svm);
  write_file(dir / "svm/b.libsvm", "# empty\n");
  write_file(dir / "svm/c.svm", svm + svm);
  const Dataset sparse = read_dataset(dir / "svm", options, two_threads());
  expect_same_table(sparse, read_dataset(dir / "whole.svm", options, two_threads()));
  EXPECT_EQ(sparse.place(5), "row 2 (line 3) of " + (dir / "svm/c.svm").string());
  write_file(dir / "svm/b.libsvm", "1 1:1\n1 1:x\n");
  EXPECT_NE(message_of<DataError>([&] {
              (void)read_dataset(dir / "svm", {}, two_threads());
            }).find("b.libsvm: row 2 (line 2), column 'x1': 'x' is not a number"),
            std::string::npos);
  write_file(dir / "npy/b.npy", npy_of({1, 2}, "(1, 2)"));
  EXPECT_NE(message_of<DataError>([&] {
              (void)read_dataset(dir / "npy", {}, two_threads());
            }).find("b.npy: has 2 columns, but"),
            std::string::npos);
  write_file(dir / "npy/b.npy", npy_of({1, 2, std::numeric_limits<double>::infinity()}, "(1, 3)"));
  EXPECT_NE(message_of<DataError>([&] {
              (void)read_dataset(dir / "npy", options, two_threads());
            }).find("b.npy: row 1, column 'y': 'inf' is infinite"),
            std::string::npos);
}

TEST(SeveralFiles, MustBeOfOneFormat) {
  const TempDir dir;
  write_file(dir / "a.csv", "x,y\n1,2\n");
  write_file(dir / "b.npy", npy_of({1, 2}, "(1, 2)"));
  EXPECT_NE(message_of<DataError>([&] {
              (void)read_dataset(dir / "*", {}, two_threads());
            }).find("b.npy: is not of the format of"),
            std::string::npos);
}

// Progress is that of all files.
TEST(SeveralFiles, ProgressIsOfAllBytes) {
  const TempDir dir;
  write_file(dir / "a.csv", "x,y\n1,2\n");
  write_file(dir / "b.csv.gz", gzipped("x,y\n3,4\n"));
  write_file(dir / "c.csv", "x,y\n5,6\n");
  Index done = 0, total = 0;
  (void)read_dataset(dir / "*", {}, one_thread(), [&](const StageProgress& at) {
    EXPECT_GE(at.done, done);
    done = at.done;
    total = at.total;
    return Answer::Continue;
  });
  EXPECT_EQ(done, total);
  EXPECT_EQ(total, static_cast<Index>(16 + fs::file_size(dir / "b.csv.gz")));
}

}  // namespace
}  // namespace giga
