// Which bytes are those of mapped files, and which of their pages could not be read: what the handler of
// outlive_lost_pages() (giga/data/mapped_file.hpp) needs, and what it leaves behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace giga {

/// A file that was opened by this path is mapped there. Before a byte of it is read.
void remember_mapping(std::span<const std::byte> bytes, const std::filesystem::path& path);
/// Before it is unmapped.
void forget_mapping(std::span<const std::byte> bytes) noexcept;

/// How often pages of mapped files were lost so far.
[[nodiscard]] std::uint64_t num_losses() noexcept;
/// Whether pages of a file that was opened by this path were lost after there had been so many losses. The
/// file need not be mapped any more.
[[nodiscard]] bool lost_pages_since(std::uint64_t losses, const std::filesystem::path& path);

}  // namespace giga
