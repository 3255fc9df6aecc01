// What several files of one table have in common, for readers of any format.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/dataset_parts.hpp"
#include "data/table.hpp"

namespace giga {

/// Throws DataError unless `names`, of the columns of `file`, are those of the first file, in their order.
void require_same_columns(const std::vector<std::string>& names, const std::string& file,
                          const std::vector<std::string>& expected, const std::string& first);

/// The same for files whose columns have no names.
void require_same_width(Index columns, const std::string& file, Index expected, const std::string& first);

/// What finds the rows of all files: origins[i] those of the i-th, as it counts them, and counts[i] is how
/// many there are; the rows of the first begin with `first_row`. That of the only file is itself.
[[nodiscard]] std::unique_ptr<Dataset::Origin> joined_origin(
    std::vector<std::unique_ptr<Dataset::Origin>> origins, const std::vector<Index>& counts,
    Index first_row = 0);

/// Notes files without rows: nothing is wrong with them, but they may not be what was meant.
void note_empty_files(Table& table, Index num_rows);

/// Slots of the rows from `first_row` on.
[[nodiscard]] std::vector<Slot> slots_from(Table& table, Index first_row);

}  // namespace giga
