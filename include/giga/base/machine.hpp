// What the machine has and what the process used of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace giga {

/// The most memory this process ever held, in bytes, mapped pages of files included.
[[nodiscard]] std::uint64_t peak_bytes();

[[nodiscard]] std::uint64_t physical_memory_bytes();
/// That, or less where a container or a control group allows less.
[[nodiscard]] std::uint64_t available_memory_bytes();

/// Bytes an ordinary user may still write beside `file`; nothing if the system does not say.
[[nodiscard]] std::optional<std::uint64_t> free_bytes_beside(const std::filesystem::path& file);

}  // namespace giga
