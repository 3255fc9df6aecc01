// weights.csv: how much each draw counts, so that the draws of a coreset's posterior become draws of that of
// all rows.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/infer/chain.hpp"

namespace giga {

/// chain,draw,weight: one weight for each draw of the chains, in their order.
[[nodiscard]] std::string weights_csv(std::span<const Chain> chains, std::span<const double> weights);

/// The weights in the order of the file; empty if there is no such file. Throws DataError if it is something
/// else.
[[nodiscard]] std::vector<double> read_weights(const std::filesystem::path& path);
/// Those of the text of a file; `path` is for messages.
[[nodiscard]] std::vector<double> parse_weights(std::string_view text, const std::filesystem::path& path);

}  // namespace giga
