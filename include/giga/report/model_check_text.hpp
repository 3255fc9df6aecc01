// The verdict on a model in words.
#pragma once

#include <string>
#include <vector>

#include "giga/pipeline/model_check.hpp"

namespace giga {

/// What speaks against the model and matters, a sentence each; where nothing does, one that says so. Without
/// full stops.
[[nodiscard]] std::vector<std::string> model_verdict(const ModelCheck& check);

/// "all 26,733 rows", or "20,000 of 1,000,000 rows".
[[nodiscard]] std::string checked_rows_text(const ModelCheck& check);

/// Whether a finding of the check says what a note says, if perhaps with other numbers.
[[nodiscard]] bool repeats_note(const ModelCheck& check, const std::string& note);

}  // namespace giga
