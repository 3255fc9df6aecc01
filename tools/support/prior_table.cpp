// Parameters that have one prior, told together.
#include "support/prior_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "giga/base/text.hpp"
#include "giga/model/scalar_prior.hpp"

namespace giga::tool {

std::string priors_text(const std::vector<PriorRecord>& priors) {
  constexpr std::size_t kMostNames = 4;
  constexpr int kDigits = 3;
  std::string text;
  std::vector<std::string> told;
  for (const PriorRecord& first : priors) {
    if (std::ranges::find(told, first.prior) != told.end()) continue;
    told.push_back(first.prior);
    std::string names;
    std::size_t count = 0;
    for (const PriorRecord& each : priors) {
      if (each.prior != first.prior) continue;
      if (++count <= kMostNames)
        names.append(names.empty() ? "" : ", ").append(printable(each.parameter, 40));
    }
    text +=
        fmt::format("{}{} of {}", text.empty() ? "" : "; ", parse_prior(first.prior).text(kDigits), names);
    if (count > kMostNames)
      text += fmt::format(" and {} other{}", count - kMostNames, count == kMostNames + 1 ? "" : "s");
  }
  return text;
}

}  // namespace giga::tool
