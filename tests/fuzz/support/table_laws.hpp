// Laws of tables that were read, for the targets of all formats.
#pragma once

#include <string>

#include "giga/data/dataset.hpp"

namespace giga::fuzz {

/// Numbers beyond this many are not looked at one by one: a dense table may be far larger than its text.
inline constexpr Index kMostCells = 100'000;

[[nodiscard]] bool is_small(const Dataset& data);

/// Numbers are finite, weights not negative, codes of categories within their levels, levels distinct, notes
/// printable, and rows of the input ascend.
void require_sound(const Dataset& data);

/// The same columns, numbers to the bit, rows of the input and notes; and words for the places of rows, which
/// a stream may have without lines.
void require_same(const Dataset& a, const Dataset& b, const std::string& law, bool places = true);

}  // namespace giga::fuzz
