// From the record of a run, and the files beside it, to its report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "giga/pipeline/report_data.hpp"
#include "record_parts.hpp"

namespace giga::tool {

/// What the record of giga fit or giga sample says that the results of the stages do not. Throws
/// Json::exception where something is missing.
[[nodiscard]] RunFacts facts_of_record(const Json& record);

/// The report of a folder of giga fit or giga sample; the title is its own unless one is given. Throws
/// InputMissing and DataError.
[[nodiscard]] std::string report_of_folder(const std::filesystem::path& folder,
                                           const std::optional<std::string>& title, const Executor& executor);

}  // namespace giga::tool
