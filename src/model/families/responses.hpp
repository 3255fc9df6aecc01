// How the responses of a table are read: the kinds that families share. Each throws DataError naming what is
// wrong; `family` is for the message.
#pragma once

#include <string_view>

#include "giga/data/dataset.hpp"
#include "giga/model/family.hpp"

namespace giga::families {

/// 0 and 1, or -1 and 1; as -1 and +1, with a note of which is which.
[[nodiscard]] Response labels(const Dataset& data, std::string_view family);

/// Whole numbers from 0 to 2^53.
[[nodiscard]] Response counts(const Dataset& data, std::string_view family);

/// Any number.
[[nodiscard]] Response reals(const Dataset& data);

}  // namespace giga::families
