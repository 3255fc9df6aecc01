// Options that hold several values: "a,b,c".
#pragma once

#include <string>
#include <vector>

namespace giga::tool {

/// The names in a comma-separated list, without blanks around them; one with a comma or such blanks in it
/// stands in double quotes, as in a CSV file. Throws UsageError for an empty or repeated name.
[[nodiscard]] std::vector<std::string> names_in_list(const std::string& option, const std::string& list);

/// The numbers in such a list. Throws UsageError for anything else.
[[nodiscard]] std::vector<double> numbers_in_list(const std::string& option, const std::string& list);

}  // namespace giga::tool
