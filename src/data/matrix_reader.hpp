// Arrays in binary files as Datasets.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "giga/data/read_dataset.hpp"

namespace giga {

/// Matrices, whose rows one after the other are the table: features in all columns but the last, which is y.
/// `name` stands for all files in messages.
[[nodiscard]] Dataset read_npy_dataset(std::span<const std::filesystem::path> paths, const std::string& name,
                                       const ReadOptions& options, const Executor& executor,
                                       const Observer& observer);

/// The members X (N x D), y (N or N x 1) and, if options.weights is "w", w (like y) of zip archives.
[[nodiscard]] Dataset read_npz_dataset(std::span<const std::filesystem::path> paths, const std::string& name,
                                       const ReadOptions& options, const Executor& executor,
                                       const Observer& observer);

}  // namespace giga
