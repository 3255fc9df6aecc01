// What a file is, by its extension alone, letters in either case: content is not guessed at.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "giga/data/read_dataset.hpp"

namespace giga {

enum class FileKind { Text, Parquet, Npy, Npz, Libsvm, Other };

/// A folder is Parquet: one of such files.
[[nodiscard]] FileKind file_kind(const std::filesystem::path& path);

/// The kind of the files of a table. Throws DataError where they are of several, or of none that is read, and
/// OptionError where the options ask for categories of files that have numbers only.
[[nodiscard]] FileKind require_one_kind(const std::vector<std::filesystem::path>& files,
                                        const ReadOptions& options);

/// The name without its folder, in small letters.
[[nodiscard]] std::string lower_name(const std::filesystem::path& path);

/// Of a text: whether it is compressed, and whether it has tabs by default.
[[nodiscard]] bool is_packed(const std::filesystem::path& path);
[[nodiscard]] bool is_tabbed(const std::filesystem::path& path);

}  // namespace giga
