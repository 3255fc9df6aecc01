// Shares of an input, in order, are the rows of the whole: bits, levels, notes, places and errors, for any
// number of shares and wherever they are cut.
#include "giga/data/read_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "giga/base/text.hpp"
#include "tables.hpp"
#include "text_tables.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;
using namespace test;

// All that can be told of a table; rows of shares follow each other.
struct Told {
  std::vector<std::uint64_t> bits;
  std::vector<Index> input_rows;
  std::vector<std::string> places;
  std::vector<std::vector<std::string>> cells;
  std::vector<std::string> columns;  // names, kinds and levels
  std::vector<std::string> notes;
  std::vector<std::string> files;
};

void add(const Dataset& data, Told& told) {
  const auto append = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  append(told.bits, bits_of(data));
  append(told.cells, all_cells(data));
  for (Index n = 0; n < data.num_rows(); ++n) {
    told.input_rows.push_back(data.input_row(n));
    told.places.push_back(data.response_place(n));
  }
  told.columns.clear();
  for (const Column& column : data.columns()) {
    told.columns.push_back(column.name + ":" + std::string(name(column.kind)));
    append(told.columns, column.levels);
  }
  told.notes = data.notes();
  told.files.clear();
  for (const InputFile& file : data.files())
    told.files.push_back(file.name + " from " + std::to_string(file.first_row));
}

// The message, where reading fails.
using Outcome = std::variant<Told, std::string>;

Outcome read_whole(const fs::path& path, const ReadOptions& options) {
  try {
    Told told;
    add(read_dataset(path, options, one_thread()), told);
    return told;
  } catch (const DataError& error) {
    return error.what();
  }
}

// Facts go through their bytes, and are merged from either end: that must not matter.
ShareFacts merged_of(const std::vector<std::string>& bytes) {
  const auto facts = [&](std::size_t k) { return ShareFacts::of_bytes(bytes[k]); };
  ShareFacts left = facts(0), right = facts(bytes.size() - 1);
  for (std::size_t k = 1; k < bytes.size(); ++k) left = merge(left, facts(k));
  for (std::size_t k = bytes.size() - 1; k-- > 0;) right = merge(facts(k), right);
  EXPECT_EQ(left.bytes(), right.bytes());
  return left;
}

struct Rounds {
  int count = 0;
};

Outcome read_shares(const fs::path& path, const ReadOptions& options, Index count, Rounds& rounds) {
  std::vector<ShareReader> readers;
  try {
    for (Index k = 0; k < count; ++k)
      readers.emplace_back(path, options, TableShare{k, count}, two_threads());
  } catch (const DataError& error) {
    return error.what();
  }
  std::vector<std::string> messages;
  for (bool agreed = false; !agreed;) {
    ++rounds.count;
    EXPECT_LE(rounds.count, 12);
    std::vector<std::string> bytes;
    for (ShareReader& reader : readers) bytes.push_back(reader.read().bytes());
    const ShareFacts all = merged_of(bytes);
    std::vector<bool> answers;
    for (ShareReader& reader : readers) {
      try {
        answers.push_back(reader.agrees(all));
      } catch (const DataError& error) {
        messages.emplace_back(error.what());
      }
    }
    if (!messages.empty()) {
      EXPECT_EQ(messages.size(), readers.size()) << "every share fails";
      EXPECT_EQ(std::ranges::count(messages, messages.front()), std::ssize(messages));
      return messages.front();
    }
    EXPECT_EQ(std::ranges::count(answers, answers.front()), std::ssize(answers));
    agreed = answers.front();
  }
  Told told;
  Index rows = 0, all_rows = 0;
  for (ShareReader& reader : readers) {
    const SharePlace place = reader.place();
    all_rows = place.num_rows;
    EXPECT_EQ(place.first_row, rows);
    const Dataset data = std::move(reader).finish();
    rows += data.num_rows();
    if (data.num_rows() > 0) {
      EXPECT_GE(data.input_row(0), place.first_input_row);
    }
    add(data, told);
  }
  EXPECT_EQ(all_rows, rows);
  return told;
}

void expect_same(const fs::path& path, const ReadOptions& options, const std::string& about) {
  const Outcome whole = read_whole(path, options);
  for (const Index count : {1, 2, 3, 7}) {
    Rounds rounds;
    const Outcome shares = read_shares(path, options, count, rounds);
    const std::string where = about + ", " + std::to_string(count) + " shares";
    ASSERT_EQ(shares.index(), whole.index())
        << where << ": " << (whole.index() == 1 ? std::get<1>(whole) : std::get<1>(shares));
    if (whole.index() == 1) {
      EXPECT_EQ(std::get<1>(shares), std::get<1>(whole)) << where;
      continue;
    }
    const Told &one = std::get<0>(whole), &many = std::get<0>(shares);
    EXPECT_EQ(many.bits, one.bits) << where;
    EXPECT_EQ(many.input_rows, one.input_rows) << where;
    EXPECT_EQ(many.places, one.places) << where;
    EXPECT_EQ(many.cells, one.cells) << where;
    EXPECT_EQ(many.columns, one.columns) << where;
    EXPECT_EQ(many.notes, one.notes) << where;
    EXPECT_EQ(many.files, one.files) << where;
  }
}

ReadOptions flight_options(bool missing) {
  ReadOptions options;
  options.unused = {"remark"};
  options.weights = "n";
  options.missing = missing ? Missing::Drop : Missing::Refuse;
  return options;
}

TEST(ReadShare, OfOneTextIsTheWholeInOrder) {
  std::mt19937 random(17);
  for (unsigned round = 0; round < 60; ++round) {
    const std::size_t rows = 1 + random() % 120;
    const TempDir dir;
    write_file(dir / "t.csv", part_of(text_table(rows, round, round % 3 != 0), 0, rows));
    // Missing cells are dropped, or refused with their places.
    expect_same(dir / "t.csv", flight_options(round % 3 == 1), "round " + std::to_string(round));
  }
}

TEST(ReadShare, OfSeveralFilesIsTheWholeInOrder) {
  std::mt19937 random(19);
  for (unsigned round = 0; round < 40; ++round) {
    const std::size_t rows = 30 + random() % 150;
    const TextTable table = text_table(rows, 100 + round, round % 2 == 0);
    const TempDir dir;
    std::size_t begin = 0;
    for (int k = 0; k < 4; ++k) {
      const std::size_t end = k == 3 ? rows : std::min(rows, begin + random() % (rows / 2));
      const std::string text = part_of(table, begin, end);
      const bool packed = random() % 3 == 0;
      write_file(dir / (std::to_string(k) + (packed ? ".csv.gz" : ".csv")), packed ? gzipped(text) : text);
      begin = end;
    }
    expect_same(dir / "*", flight_options(round % 4 == 0), "round " + std::to_string(round));
  }
}

// Damage of any kind gives the message of the whole, whichever share it is in.
TEST(ReadShare, OfDamagedTextFailsAsTheWholeDoes) {
  std::mt19937 random(23);
  constexpr std::string_view kTelling = "0123456789,,\"\n\"\r.-eNAx \xff";
  int refused = 0;
  for (unsigned round = 0; round < 250; ++round) {
    const std::size_t rows = 20 + random() % 40;
    std::string text = part_of(text_table(rows, 300 + round, round % 2 == 0), 0, rows);
    for (auto edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = 30 + random() % (text.size() - 30);
      if (random() % 2 == 0) {
        text[at] = kTelling[random() % kTelling.size()];
      } else {
        text.insert(at, 1, kTelling[random() % kTelling.size()]);
      }
    }
    const TempDir dir;
    write_file(dir / "t.csv", text);
    const ReadOptions options = flight_options(round % 2 == 0);
    if (read_whole(dir / "t.csv", options).index() == 1) ++refused;
    expect_same(dir / "t.csv", options, "round " + std::to_string(round));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GT(refused, 100);
}

// A row in which shares begin, and none of them finds its end.
TEST(ReadShare, OfARowThatIsTooLongFailsAsTheWholeDoes) {
  const TempDir dir;
  std::string word;
  word.resize(90'000'000, 'a');
  for (const std::string& cell : {word, '"' + word + '"'}) {
    write_file(dir / "t.csv", "x,note,y\n1,a,0\n2," + cell + ",1\n3,b,0\n4,\"c\",1\n");
    ReadOptions options;
    options.unused = {"note"};
    EXPECT_EQ(read_whole(dir / "t.csv", options).index(), 1U);
    expect_same(dir / "t.csv", options, "a long cell");
  }
  write_file(dir / "t.svm", "1 1:2\n0 1:" + word + "\n1 1:3\n");
  EXPECT_EQ(read_whole(dir / "t.svm", {}).index(), 1U);
  expect_same(dir / "t.svm", {}, "a long line");
}

// Words after more numbers than the guess at kinds looks at: every share learns of them.
TEST(ReadShare, KindsAreThoseOfAllShares) {
  const TempDir dir;
  std::string text = "x,d,y\n";
  for (int i = 0; i < 4000; ++i) text += std::to_string(i % 7) + ",2024-01-01,1\n";
  for (int i = 0; i < 6000; ++i) text += std::string(i % 2 == 0 ? "red" : "blue") + ",2024-01-02T10:00,0\n";
  write_file(dir / "t.csv", text);
  expect_same(dir / "t.csv", {}, "words after numbers");
  Rounds rounds;
  (void)read_shares(dir / "t.csv", {}, 7, rounds);
  EXPECT_EQ(rounds.count, 2) << "one more round for the column that is no number";
  Rounds plain;
  write_file(dir / "p.csv", "x,y\n1,2\n3,4\n5,6\n");
  (void)read_shares(dir / "p.csv", {}, 3, plain);
  EXPECT_EQ(plain.count, 1) << "one exchange is enough";
}

// Quotes that span many lines, so that shares begin inside them.
TEST(ReadShare, BeginsWhereARowDoesThoughQuotesSpanLines) {
  std::mt19937 random(29);
  int again = 0;
  for (unsigned round = 0; round < 40; ++round) {
    std::string text = "x,note,y\n";
    for (int i = 0; i < 8; ++i) {
      text += std::to_string(i) + ",\"";
      for (auto lines = random() % 40; lines > 0; --lines)
        text += random() % 3 == 0 ? "1,2,3\n" : random() % 2 == 0 ? "\"\"\n" : "\n";
      text += "\"," + std::to_string(i % 2) + "\n";
    }
    const TempDir dir;
    write_file(dir / "t.csv", text);
    ReadOptions options;
    options.unused = {"note"};
    expect_same(dir / "t.csv", options, "round " + std::to_string(round));
    Rounds rounds;
    (void)read_shares(dir / "t.csv", options, 3, rounds);
    if (rounds.count > 1) ++again;
  }
  EXPECT_GT(again, 10) << "shares that began inside quotes have to read again";
}

TEST(ReadShare, OfNumbersIsTheWholeInOrder) {
  std::mt19937 random(31);
  for (unsigned round = 0; round < 30; ++round) {
    const TempDir dir;
    ReadOptions options;
    options.missing = round % 2 == 0 ? Missing::Drop : Missing::Refuse;
    options.features = {{"x1"}};
    for (int k = 0; k < 3; ++k) {
      const std::size_t rows = 1 + random() % 40;
      std::vector<double> values, y;
      std::string svm;
      for (std::size_t i = 0; i < rows; ++i) {
        for (int j = 0; j < 2; ++j) {
          const bool hole = random() % 60 == 0, endless = round % 5 == 4 && random() % 60 == 0;
          values.push_back(hole      ? std::numeric_limits<double>::quiet_NaN()
                           : endless ? std::numeric_limits<double>::infinity()
                                     : static_cast<double>(random() % 100) / 8);
        }
        y.push_back(static_cast<double>(random() % 2));
        svm += std::to_string(random() % 2) + " " + std::to_string(1 + random() % 4) + ":" +
               (random() % 60 == 0   ? "NA"
                : random() % 99 == 0 ? "oops"
                                     : "2.5") +
               "\n";
        if (random() % 4 == 0) svm += "# a remark\n\n";
      }
      const std::string name = std::to_string(k), count = std::to_string(rows);
      std::vector<double> joined;
      for (std::size_t i = 0; i < rows; ++i)
        joined.insert(joined.end(), {values[2 * i], values[2 * i + 1], y[i]});
      write_file(dir / (name + ".npy"), npy_of(joined, "(" + count + ", 3)"));
      write_file(dir / (name + ".npz"), zip_of({{"X.npy", npy_of(values, "(" + count + ", 2)")},
                                                {"y.npy", npy_of(y, "(" + count + ",)")}}));
      write_file(dir / (name + ".svm"), svm);
    }
    for (const char* kind : {"npy", "npz", "svm"}) {
      const std::string about = std::string(kind) + " round " + std::to_string(round);
      expect_same(dir / (std::string("*.") + kind), options, about);
      expect_same(dir / (std::string("1.") + kind), options, about + " one file");
    }
  }
}

// A stream that is damaged far from its beginning, after a bad row and before one.
TEST(ReadShare, OfADamagedStreamFailsAsTheWholeDoes) {
  std::mt19937 random(37);
  std::string text = "x,y\n";
  for (int i = 0; i < 30000; ++i) text += std::to_string(random() % 1000000) + ",1\n";
  const std::string packed = gzipped(text), good = "x,y\n1,2\n", bad = "x,y\n1,2\n3\n";
  const TempDir dir;
  write_file(dir / "b.csv.gz", packed.substr(0, packed.size() * 4 / 5));
  for (const auto& [first, last] : {std::pair(good, bad), std::pair(bad, good)}) {
    write_file(dir / "a.csv", first);
    write_file(dir / "c.csv", last);
    expect_same(dir / "*", {}, "a damaged stream");
  }
  EXPECT_NE(std::get<1>(read_whole(dir / "b*", {})).find("ends early"), std::string::npos);
}

TEST(ReadShare, JudgesWeightsOfAllRows) {
  const TempDir dir;
  ReadOptions options;
  options.weights = "w";
  std::string rows = "x,w,y\n";
  for (int i = 0; i < 30; ++i) rows += std::to_string(i) + ",0,1\n";
  write_file(dir / "t.csv", rows);
  expect_same(dir / "t.csv", options, "no weight");
  write_file(dir / "t.csv", rows + "1,-2,1\n1,-3,1\n");
  expect_same(dir / "t.csv", options, "a negative weight");
  write_file(dir / "t.csv", rows + "1,3,1\n");
  expect_same(dir / "t.csv", options, "one weight");
}

TEST(ReadShare, OfALevelThatIsKnownKeepsItsNumber) {
  const TempDir dir;
  ReadOptions options;
  options.known = {{"c", ColumnKind::Category, {"z", "b", "a"}}};
  write_file(dir / "t.csv", "c,y\na,1\nb,0\nb,1\nz,0\n");
  expect_same(dir / "t.csv", options, "known levels");
  write_file(dir / "t.csv", "c,y\na,1\nb,0\nq,1\nz,0\n");
  expect_same(dir / "t.csv", options, "an unknown level");
}

TEST(ReadShare, RefusesWhatCannotBeCut) {
  const TempDir dir;
  EXPECT_NE(message_of<OptionError>([] {
              ShareReader reader("-", {}, {0, 2}, one_thread());
            }).find("cannot be read in shares"),
            std::string::npos);
  EXPECT_THROW(ShareReader(dir / "t.csv", {}, {2, 2}, one_thread()), std::invalid_argument);
  EXPECT_THROW((void)ShareFacts::of_bytes("no facts"), std::invalid_argument);
}

}  // namespace
}  // namespace giga
