// From the record of a run, and the files beside it, to its report.
#pragma once

#include <filesystem>

#include "giga/pipeline/report_data.hpp"
#include "record_parts.hpp"

namespace giga::tool {

/// What the record of giga fit or giga sample says that the results of the stages do not. Throws
/// Json::exception where something is missing.
[[nodiscard]] RunFacts facts_of_record(const Json& record);

/// All that a report shows, from a folder of giga fit or giga sample. Throws InputMissing and DataError.
[[nodiscard]] ReportData report_of_folder(const std::filesystem::path& folder, const ThreadPool& pool);

}  // namespace giga::tool
