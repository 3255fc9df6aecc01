// Arrays in binary files as Datasets.
#pragma once

#include <filesystem>

#include "giga/data/read_dataset.hpp"

namespace giga {

/// A matrix: features in all columns but the last, which is y.
[[nodiscard]] Dataset read_npy_dataset(const std::filesystem::path& path, const ReadOptions& options,
                                       const Executor& executor, const Observer& observer);

/// The members X (N x D), y (N or N x 1) and, if options.weights is "w", w (like y) of a zip archive.
[[nodiscard]] Dataset read_npz_dataset(const std::filesystem::path& path, const ReadOptions& options,
                                       const Executor& executor, const Observer& observer);

}  // namespace giga
