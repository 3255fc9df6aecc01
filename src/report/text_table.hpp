// Tables of text for a terminal.
#pragma once

#include <string>
#include <vector>

namespace giga {

/// Rows of equal length as lines, the first column to the left and the others to the right, two blanks
/// between them. Widths are of characters of UTF-8, not of bytes.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace giga
