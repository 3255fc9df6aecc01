// The CSV reader against a slow one written plainly, on random files cut into chunks of every small size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "data/csv_reader.hpp"
#include "giga/base/threads.hpp"
#include "tables.hpp"

namespace giga {
namespace {

using namespace test;

struct Table {
  std::vector<std::vector<std::string>> rows;
  std::optional<std::size_t> malformed;  // the first row that cannot be cut into cells
};

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string trim(std::string text) {
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  while (!text.empty() && is_blank(text.front())) text.erase(0, 1);
  return text;
}

// One character at a time; a state for each place in a cell.
Table oracle_table(const std::string& text) {
  Table table;
  std::vector<std::string> row;
  std::string cell;
  enum { Start, Plain, Quoted, AfterQuote } state = Start;
  const auto end_cell = [&] {
    row.push_back(state == AfterQuote ? cell : trim(cell));
    cell.clear();
    state = Start;
  };
  const auto end_row = [&] {
    const bool blank = row.empty() && state == Start && cell.empty();
    if (!blank) {
      end_cell();
      table.rows.push_back(row);
    }
    row.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool line_end = c == '\n' || (c == '\r' && (i + 1 == text.size() || text[i + 1] == '\n'));
    if (state == Quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        cell += '"';
        ++i;
      } else if (c == '"') {
        state = AfterQuote;
      } else {
        cell += c;
      }
    } else if (line_end) {
      if (c == '\n') end_row();
    } else if (c == ',') {
      end_cell();
    } else if (state == AfterQuote) {
      if (!is_blank(c)) {
        table.malformed = table.rows.size();
        return table;
      }
    } else if (c == '"') {
      if (state == Plain || !trim(cell).empty()) {
        table.malformed = table.rows.size();
        return table;
      }
      cell.clear();
      state = Quoted;
    } else {
      cell += c;
      if (!is_blank(c)) state = Plain;
    }
  }
  if (state == Quoted) {
    table.malformed = table.rows.size();
    return table;
  }
  if (!row.empty() || state != Start || !cell.empty()) end_row();
  return table;
}

// What a column of cells is: numbers unless most cells that are not missing are something else.
bool is_text_column(const std::vector<std::vector<std::string>>& rows, std::size_t col) {
  std::size_t numbers = 0, others = 0;
  for (const auto& row : rows) {
    const std::string cell = trim(row[col]);
    if (cell.empty() || cell == "NA") continue;
    char* end = nullptr;
    (void)std::strtod(cell.c_str(), &end);
    ++(*end == '\0' ? numbers : others);
  }
  return others > numbers;
}

// The values of used columns, or the 1-based row of the first error, or the number of missing cells.
struct Expectation {
  std::vector<std::uint64_t> bits;
  std::size_t error_row = 0;
  std::size_t missing = 0;
  std::vector<std::string> notes;  // the text column
};

Expectation oracle(const std::string& text) {
  Table table = oracle_table(text);
  Expectation expected;
  // Row 0 has the names. Rows from the first one of another length on do not count.
  std::vector<std::vector<std::string>> rows(table.rows.begin() + 1, table.rows.end());
  const auto ragged = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.size() != 4; });
  if (ragged != rows.end()) table.malformed = static_cast<std::size_t>(ragged - rows.begin()) + 1;
  rows.erase(ragged, rows.end());
  std::vector<bool> is_text;
  std::vector<std::set<std::string>> levels(4);
  for (std::size_t col = 0; col < 4; ++col) {
    is_text.push_back(is_text_column(rows, col));
    for (const auto& row : rows) {
      const std::string cell = trim(row[col]);
      if (!cell.empty() && cell != "NA") levels[col].insert(cell);
    }
  }
  for (std::size_t r = 1; r <= rows.size(); ++r) {
    const auto& row = rows[r - 1];
    expected.notes.push_back(row[1]);
    for (const std::size_t col : {0U, 2U, 3U}) {
      const std::string cell = trim(row[col]);
      if (cell.empty() || cell == "NA") {
        ++expected.missing;
        continue;
      }
      if (is_text[col]) {
        const auto place = std::distance(levels[col].begin(), levels[col].find(cell));
        expected.bits.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(place)));
        continue;
      }
      char* end = nullptr;
      const double value = std::strtod(cell.c_str(), &end);
      if (*end != '\0' || !std::isfinite(value)) {
        expected.error_row = r;
        return expected;
      }
      expected.bits.push_back(std::bit_cast<std::uint64_t>(value));
    }
  }
  if (table.malformed) expected.error_row = *table.malformed;
  return expected;
}

class RandomCsv {
 public:
  /// One cell in `words` is a word, in files with faults.
  explicit RandomCsv(unsigned seed, unsigned words = 90) : random_(seed), words_(words) {}

  std::string file(bool with_faults) {
    std::string text = "a,note,b,y" + line_end();
    for (auto rows = 1 + random_() % 30; rows > 0; --rows) {
      if (one_in(12)) text += line_end();
      const auto cells = with_faults && one_in(40) ? 1 + random_() % 6 : 4;
      for (std::size_t col = 0; col < cells; ++col) {
        if (col > 0) text += ',';
        text += col == 1 ? note() : number(with_faults);
      }
      if (with_faults && one_in(60)) text.insert(text.size() - random_() % 3, 1, '"');
      text += rows == 1 && one_in(3) ? "" : line_end();
    }
    return text;
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }
  std::string line_end() { return one_in(4) ? "\r\n" : "\n"; }
  std::string padded(const std::string& text) {
    return (one_in(6) ? " " : "") + text + (one_in(6) ? "\t" : "");
  }

  std::string number(bool with_faults) {
    if (with_faults && one_in(60)) return one_in(2) ? "NA" : "";
    if (with_faults && one_in(words_)) return one_in(2) ? "1.5abc" : "inf";
    std::string text;
    switch (random_() % 5) {
      case 0: text = std::to_string(random_() % 1000); break;
      case 1: text = shortest_of(std::ldexp(static_cast<double>(random_()), -40)); break;
      case 2: text = "-" + std::to_string(random_() % 10) + ".5e" + std::to_string(random_() % 20); break;
      case 3: text = "0." + std::to_string(random_()) + std::to_string(random_()); break;
      default: text = std::to_string(random_()) + std::to_string(random_()) + "e-9"; break;
    }
    if (one_in(5)) return padded("\"" + text + "\"");
    return padded(text);
  }

  static std::string shortest_of(double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    return buffer;
  }

  std::string note() {
    if (one_in(3)) return padded("plain text");
    std::string text;
    for (auto length = random_() % 12; length > 0; --length) text += "ab,\n\r \"1"[random_() % 8];
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return padded(quoted + "\"");
  }

  std::mt19937 random_;
  unsigned words_;
};

void expect_as_oracle(const std::string& text, const CsvSizes& sizes, const Executor& executor) {
  const Expectation expected = oracle(text);
  const ReadOptions options{.features = {{"a", "b"}}};
  for (const bool packed : {false, true}) {
    const DataFile file(packed ? "t.csv.gz" : "t.csv", packed ? gzipped(text) : text);
    try {
      const Dataset data = packed ? read_gzip_csv(file.path(), options, executor, {}, sizes)
                                  : read_csv(file.path(), options, executor, {}, sizes);
      ASSERT_EQ(expected.error_row, 0U) << text;
      ASSERT_EQ(expected.missing, 0U) << text;
      ASSERT_EQ(bits_of(data), expected.bits) << text;
      std::vector<Index> all;
      for (Index n = 0; n < data.num_rows(); ++n) all.push_back(n);
      const auto cells = data.cells(all);
      for (std::size_t n = 0; n < cells.size(); ++n) ASSERT_EQ(cells[n][1], expected.notes[n]) << text;
    } catch (const DataError& error) {
      const std::string message = error.what();
      const std::string words = expected.error_row > 0
                                    ? ": row " + std::to_string(expected.error_row) + " (line "
                                    : ": " + std::to_string(expected.missing) + " missing";
      ASSERT_NE(message.find(words), std::string::npos) << message << "\n lacks " << words << " in\n" << text;
    }
  }
}

void expect_as_oracle(int count, bool bad, unsigned seed, unsigned words = 90) {
  RandomCsv random(seed, words);
  std::mt19937 sizes(seed + 1);
  for (int i = 0; i < count; ++i) {
    const CsvSizes small{.chunk_bytes = 1 + sizes() % 70, .block_bytes = 1 + sizes() % 300};
    expect_as_oracle(random.file(bad), small, i % 20 > 0 ? one_thread() : two_threads());
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(CsvDifferential, AgreesWithThePlainReaderOnGoodFiles) {
  expect_as_oracle(250, false, 11);
}

TEST(CsvDifferential, AgreesWithThePlainReaderOnTheFirstErrorOfBadFiles) {
  expect_as_oracle(500, true, 13);
}

// About half of the cells are words: columns are of either kind.
TEST(CsvDifferential, AgreesWithThePlainReaderOnWhatIsText) {
  expect_as_oracle(500, true, 17, 2);
}

TEST(CsvDifferential, GivesTheSameBitsOnAnyNumberOfThreads) {
  std::mt19937_64 random(15);
  std::string text = "a,b,y\n";
  for (int i = 0; i < 20000; ++i) {
    for (int j = 0; j < 3; ++j) {
      char buffer[40];
      std::snprintf(buffer, sizeof buffer, "%.17g", std::ldexp(static_cast<double>(random() >> 11), -60));
      text += std::string(buffer) + (j == 2 ? '\n' : ',');
    }
  }
  const DataFile file("t.csv", text);
  const auto expected = bits_of(read_csv(file.path(), {}, one_thread(), {}, {}));
  for (const int threads : {2, 3}) {
    const Threads executor(threads);
    EXPECT_EQ(bits_of(read_csv(file.path(), {}, executor, {}, {.chunk_bytes = 1000})), expected);
  }
}

}  // namespace
}  // namespace giga
