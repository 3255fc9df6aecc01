// Folders and the names in them. What the system cannot tell is an error here, and never a "no": a file that
// is taken for missing would be replaced.
#pragma once

#include <filesystem>
#include <vector>

namespace giga {

/// What is under that name, a link not followed; `not_found` if nothing is. Throws IoError if the disk
/// fails, ResourceError out of memory and CannotCreate otherwise (no permission, a name too long), if that
/// cannot be told.
[[nodiscard]] std::filesystem::file_type type_of(const std::filesystem::path& path);

/// Whether there is something of that name, be it a link that leads nowhere. Throws as type_of does.
[[nodiscard]] bool is_present(const std::filesystem::path& path);

/// Whether it is a folder or leads to one. Throws as type_of does.
[[nodiscard]] bool is_folder(const std::filesystem::path& path);

/// Throws as type_of does if the user may not make files in the folder.
void require_writable(const std::filesystem::path& folder);

/// What is in a folder, in no order; nothing if there is no such folder. Throws as type_of does.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Makes a folder unless it is there, and returns whether it was not. Throws CannotCreate, or IoError where
/// the disk is full or fails.
bool make_folder(const std::filesystem::path& folder);

/// Removes a file or an empty folder, if it is there. Throws as type_of does.
void remove_present(const std::filesystem::path& path);

/// Removes a folder with all that is in it, if it is there. Throws as type_of does.
void remove_folder(const std::filesystem::path& folder);

}  // namespace giga
