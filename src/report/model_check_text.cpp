// Sentences of a check of the model.
#include "giga/report/model_check_text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "giga/base/text.hpp"

namespace giga {

std::string checked_rows_text(const ModelCheck& check) {
  const auto all = static_cast<Index>(std::llround(std::min(check.num_observations, 0x1p60)));
  if (check.num_checked >= all) return "all " + grouped(check.num_checked) + " rows";
  return grouped(check.num_checked) + " of " + grouped(all) + " rows";
}

std::vector<std::string> model_verdict(const ModelCheck& check) {
  std::vector<std::string> out;
  for (const Finding& finding : check.findings)
    if (finding.severity == Severity::Amber) out.push_back("doubtful: " + finding.words);
  if (!out.empty()) return out;
  std::string looked_at;
  for (const CheckedStatistic& statistic : check.statistics)
    looked_at.append(looked_at.empty() ? "" : ", ").append(name(statistic.of));
  return {"nothing speaks against the model (" + looked_at + " and calibration of " +
          checked_rows_text(check) + ")"};
}

bool repeats_note(const ModelCheck& check, const std::string& note) {
  // Up to the first number, sentences of one kind are the same.
  const std::string_view words = std::string_view(note).substr(0, note.find_first_of("0123456789;"));
  constexpr std::size_t kTelling = 20;
  return words.size() >= kTelling && std::ranges::any_of(check.findings, [&](const Finding& finding) {
           return finding.words.starts_with(words);
         });
}

}  // namespace giga
