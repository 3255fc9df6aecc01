// Which data files the trials of a folder were made with: data.json, beside settings.json. Settings do not
// name the data, and a run must not go on with another file of the same name.
#pragma once

#include <filesystem>

#include "experiments/regression_sets.hpp"
#include "experiments/trial_store.hpp"

namespace giga::experiments {

/// What data.json says of a set that was read from `file`: rows, parameters and a digest of the file's bytes.
[[nodiscard]] Json data_entry(const RegressionSet& set, const std::filesystem::path& file);

/// What data.json is to say: the entries, by names of sets, and those in the folder of other sets. Throws
/// CannotCreate if the folder has another entry of a set, and DataError if its data.json cannot be read.
/// Changes nothing.
[[nodiscard]] Json data_record(const std::filesystem::path& folder, const Json& entries, Earlier earlier);

}  // namespace giga::experiments
