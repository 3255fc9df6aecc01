// A design that was learnt before, for other rows: shards that are to be merged can share one.
#pragma once

#include <filesystem>

#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga::job {

/// What the companion of a coreset says of columns, levels, knots and polynomials, put where options say
/// nothing of them. Throws InputMissing or DataError where there is no such companion, OptionError where the
/// options say otherwise.
void take_design(const std::filesystem::path& coreset, ReadOptions& read, ModelOptions& model);

/// The coreset of a folder of giga fit; other paths are as they are.
[[nodiscard]] std::filesystem::path coreset_in(const std::filesystem::path& path);

}  // namespace giga::job
