// A certificate as a part of run records, and back.
#pragma once

#include <string>
#include <vector>

#include "giga/infer/certificate.hpp"
#include "record_parts.hpp"

namespace giga::tool {

/// `names` are those of certificate_text; the first `num_original` are on the scale of the data.
[[nodiscard]] Json certificate_json(const Certificate& certificate, const std::vector<std::string>& names,
                                    Index num_original);

/// What a report shows of it; the moments of parameters and the weights of draws are left out. Throws
/// Json::exception or DataError where something is missing.
[[nodiscard]] Certificate certificate_of(const Json& json);

}  // namespace giga::tool
