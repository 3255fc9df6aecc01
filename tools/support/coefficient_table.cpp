// Of hundreds of groups a terminal shows how much they differ, not each of them.
#include "support/coefficient_table.hpp"

#include <fmt/format.h>

#include <vector>

#include "giga/base/text.hpp"
#include "support/console.hpp"

namespace giga::tool {

std::string coefficient_table(std::span<const Quantity> original, const RunRecord& record,
                              const std::string& where) {
  const BothScales scales = record.scales();
  std::vector<Quantity> shown, sds;
  Index of_groups = 0;
  for (Index k = 0; k < std::ssize(original); ++k) {
    const Quantity& quantity = original[static_cast<std::size_t>(k)];
    if (scales.is_of_group(k)) {
      ++of_groups;
    } else if (k + 1 < std::ssize(original) && scales.is_of_group(k + 1)) {
      sds.push_back(quantity);  // each is followed by its groups
    } else {
      shown.push_back(quantity);
    }
  }
  shown.insert(shown.end(), sds.begin(), sds.end());
  std::string text = summary_text(shown);
  if (of_groups > 0)
    text += fmt::format("and {}: {}\n", plural(of_groups, "coefficient") + " of groups", where);
  return text + after_blank(ratios_text(shown, record.ratios()));
}

}  // namespace giga::tool
