// Tables with the same columns as one: their rows one below the other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "giga/data/dataset.hpp"

namespace giga {

/// The levels of a category that several tables have: those of the first where all have the same, in the same
/// order; else all that occur, sorted by their bytes.
[[nodiscard]] std::vector<std::string> joined_levels(std::span<const std::vector<std::string>> lists);

/// The rows of all tables in their order. Features, response and weights only; the other columns are left
/// out. Categories have the joined levels. Throws std::invalid_argument unless there is a table and all have
/// the same features, of the same kinds, and a response of the same kind.
[[nodiscard]] Dataset stacked(std::span<const Dataset* const> tables, const std::string& name);

}  // namespace giga
