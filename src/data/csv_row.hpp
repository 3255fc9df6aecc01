// One row of CSV, cut into cells with care: RFC 4180, with blanks allowed around quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace giga {

struct CsvRow {
  std::vector<std::string> cells;  ///< without quotes; unquoted ones without blanks around them
  std::string problem;             ///< Empty, or what is wrong with the quotes; the cells then end before it.
};

/// `row` is the text of one row, with or without its newline.
[[nodiscard]] CsvRow split_row(std::string_view row, char delimiter);

}  // namespace giga
