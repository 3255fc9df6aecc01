// Which column is what: the response, the weights and the features of ReadOptions found among names.
#pragma once

#include <string>
#include <vector>

#include "giga/data/dataset.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga {

/// More columns than this are refused: their names alone would outweigh the file.
inline constexpr Index kMaxColumns = 1 << 18;

/// Columns in the order of the input. Throws NoSuchColumn for names in the options that are not there or that
/// have two roles, DataError if a name occurs twice or no feature is left. `name` is the file's.
[[nodiscard]] std::vector<Column> assign_roles(const std::vector<std::string>& names,
                                               const ReadOptions& options, const std::string& name);

/// x1, x2, ... and y, the last: what columns without names are called.
[[nodiscard]] std::vector<std::string> default_names(Index num_columns);

}  // namespace giga
