// SHA-256 (FIPS 180-4), for the hashes by which a Content-Security-Policy knows the page's own script.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace giga::page {

using Digest = std::array<std::uint8_t, 32>;

[[nodiscard]] Digest sha256(std::string_view bytes);
/// With padding (RFC 4648, section 4).
[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);
/// 'sha256-...', quotes and all, as a source of a Content-Security-Policy.
[[nodiscard]] std::string csp_hash(std::string_view text);

}  // namespace giga::page
