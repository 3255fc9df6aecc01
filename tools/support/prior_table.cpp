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
  // Those of the groups of one effect are told together as well: normal(0, 1) times its standard deviation.
  const auto key = [](const PriorRecord& each) { return each.prior + " " + each.times; };
  for (const PriorRecord& first : priors) {
    if (std::ranges::find(told, key(first)) != told.end()) continue;
    told.push_back(key(first));
    std::string names;
    std::size_t count = 0;
    for (const PriorRecord& each : priors) {
      if (key(each) != key(first)) continue;
      if (++count <= kMostNames)
        names.append(names.empty() ? "" : ", ").append(printable(each.parameter, 40));
    }
    text += fmt::format("{}{} of {}", text.empty() ? "" : "; ",
                        first.times.empty() ? parse_prior(first.prior).text(kDigits)
                                            : "normal(0, " + printable(first.times, 40) + ")",
                        names);
    if (count > kMostNames)
      text += fmt::format(" and {} other{}", count - kMostNames, count == kMostNames + 1 ? "" : "s");
  }
  return text;
}

}  // namespace giga::tool
