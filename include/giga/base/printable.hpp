// Whole texts in printable form: what goes to a terminal or is read by people, whatever was put into it. For
// a name or a value in a message there is printable() of text.hpp.
#pragma once

#include <string>
#include <string_view>

namespace giga {

/// printable() of each line, uncut; ends of lines and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// JSON that says the same and shows all it says: what printable() would change becomes `\uNNNN`.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace giga
