// Levels of categories that few rows have. The data say little about their coefficients; and where the base
// is such a level, they say little about any coefficient of its category.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/design/design_state.hpp"

namespace giga {

/// The categories of a table without a formula: every feature that is one, its first level the base.
[[nodiscard]] std::vector<CategorySummary> table_categories(const Dataset& data);

/// Notes about the levels that fewer than 5 rows have, whose weights add up to less than 5; rows of weight 0
/// do not count. Of categories that are columns of the table, each once. The same for any executor.
[[nodiscard]] std::vector<std::string> rare_level_notes(const Dataset& data,
                                                        std::span<const CategorySummary> categories,
                                                        const Executor& executor);

}  // namespace giga
