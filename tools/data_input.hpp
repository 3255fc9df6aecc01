// Reading a table while the progress of it is shown.
#pragma once

#include <filesystem>
#include <functional>

#include "giga/data/read_dataset.hpp"
#include "support/console.hpp"
#include "support/progress.hpp"

namespace giga::tool {

/// Calls `read` with what shows how far it is.
void while_shown(const std::filesystem::path& input, Progress& progress,
                 const std::function<void(const Observer&)>& read);

/// Columns that are not there are a UsageError.
[[nodiscard]] Dataset load_data(const std::filesystem::path& input, const ReadOptions& read,
                                const Executor& executor, Progress& progress);

/// Says which columns a coreset of standard input will lack.
void note_lost_columns(const std::filesystem::path& input, const Dataset& data, const Notes& note);

}  // namespace giga::tool
