// Random tables of text with all that CSV can have.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "giga/base/text.hpp"
#include "giga/data/dataset.hpp"

namespace giga::test {

// Rows of a table with all that CSV can have: numbers, words, dates, weights, missing cells, quotes around
// line ends, blank lines, and rows that occur several times.
struct TextTable {
  std::string header = "x,carrier,day,remark,n,y\n";
  std::vector<std::string> rows;
};

inline TextTable text_table(std::size_t rows, unsigned seed, bool missing) {
  std::mt19937 random(seed);
  const auto among = [&random](std::vector<std::string> words) { return words[random() % words.size()]; };
  TextTable table;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i > 0 && random() % 5 == 0) {
      table.rows.push_back(table.rows[random() % i]);
      continue;
    }
    std::string row =
        missing && random() % 11 == 0 ? "NA" : shortest((static_cast<int>(random() % 4001) - 2000) / 128.0);
    row += "," + (missing && random() % 13 == 0 ? "" : among({"UA", "AA", "\"B,6\"", " DL ", "10", "2"}));
    row += ",2024-0" + std::to_string(1 + random() % 9) + "-1" + std::to_string(random() % 10);
    row += "," + among({"none of it", "\"two\nlines\"", "", "\"a \"\"quote\"\"\""});
    row += "," + std::to_string(random() % 4 + 1) + "," + std::to_string(random() % 2);
    table.rows.push_back(row + (random() % 6 == 0 ? "\n\n" : "\n"));
  }
  return table;
}

// Rows [begin, end) as a file.
inline std::string part_of(const TextTable& table, std::size_t begin, std::size_t end) {
  std::string text = table.header;
  for (std::size_t i = begin; i < end; ++i) text += table.rows[i];
  return text;
}

inline std::vector<std::vector<std::string>> all_cells(const Dataset& data) {
  std::vector<Index> rows;
  for (Index n = 0; n < data.num_rows(); ++n) rows.push_back(n);
  return data.cells(rows);
}

}  // namespace giga::test
