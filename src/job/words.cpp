// Notes, counts and limits in words.
#include "job/words.hpp"

#include <algorithm>
#include <cmath>

#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/text.hpp"

namespace giga::job {

void Notes::say(const std::string& text) {
  mention(text);
  kept_.push_back(observer_.spelled(text));
}

void Notes::say(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) say(text);
}

void Notes::mention(const std::string& text) const {
  if (observer_.note) observer_.note(text);
}

void spell(std::optional<ModelCheck>& check, const JobObserver& observer) {
  if (!check) return;
  for (Finding& finding : check->findings) finding.words = observer.spelled(finding.words);
}

std::string points_text(Index size) {
  return grouped(size) + (size == 1 ? " point" : " points");
}

std::string size_note(Index asked, Index rows, const char* kind) {
  return "`size` " + std::to_string(asked) + " is more than the " + plural(rows, kind) + "; using " +
         std::to_string(rows);
}

void mention_scratch(const RowMemory& memory, const Dataset& data, const Notes& notes) {
  if (data.bytes_in_place() > 0)
    notes.mention("the features stay in " + data.name() + " (" + data_size(data.bytes_in_place()) +
                  "), as `memory` allows " + data_size(memory.limit()) +
                  ": it must not change until the end; give `scratch` to have a copy used");
  if (memory.in_files() == 0) return;
  notes.mention(data_size(memory.in_files()) + " of the table are in files of " +
                printable_path(memory.scratch()) + ", as `memory` allows " + data_size(memory.limit()));
}

std::string lost_columns(const std::filesystem::path& input, const Dataset& data) {
  const auto unused = std::ranges::count(data.columns(), ColumnRole::Unused, &Column::role);
  if (input != "-" || unused == 0) return {};
  return "standard input cannot be read twice: " + plural(unused, "unused column") +
         " will be empty in the coreset";
}

void require_draws_memory(Index chains, Index draws, Index num_columns) {
  const double needed = 2.0 * static_cast<double>(chains) * static_cast<double>(draws) *
                        static_cast<double>(num_columns) * sizeof(double);
  const auto present = static_cast<double>(physical_memory_bytes());
  if (needed < present) return;
  const auto gigabytes = [](double bytes) { return std::to_string(std::lround(bytes / 1e9)); };
  throw ResourceError(std::to_string(chains) + " chains of " + std::to_string(draws) + " draws take " +
                      gigabytes(needed) + " GB, of " + gigabytes(present) +
                      " GB of memory; use a larger `thin` and fewer `draws`");
}

namespace {

// "about 12 s", "about 4 min", "about 2 h": what is said of a time that is only expected.
std::string about(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kSeconds = 99, kMinutes = 99 * kMinute;
  if (seconds < 1) return "less than a second";
  if (seconds <= kSeconds) return "about " + std::to_string(std::lround(seconds)) + " s";
  if (seconds <= kMinutes) return "about " + std::to_string(std::lround(seconds / kMinute)) + " min";
  return "about " + grouped(std::lround(seconds / kHour)) + " h";
}

}  // namespace

std::string plan_text(const FitPlan& plan) {
  const std::string coreset = "about " + points_text(plan.points) + ", " + about(plan.total());
  const std::string chains = "chains on all " + grouped(plan.num_rows) + " distinct " +
                             (plan.num_rows == 1 ? "row" : "rows") + " would take " +
                             about(plan.full_seconds);
  if (plan.pays()) return "plan: " + coreset + "; " + chains;
  return "plan: a coreset will hardly pay here, it takes " + coreset + "; " + chains +
         ": sample these instead";
}

std::string input_name(const std::filesystem::path& input) {
  std::error_code ignored;
  // Patterns and lists have no name but themselves.
  const bool itself =
      input.native().find_first_of("*?[,") == std::string::npos || std::filesystem::exists(input, ignored);
  if (input.empty() || input == "-" || !itself) return input_words(input);
  // Of a folder that is written with a slash at its end.
  return (input.has_filename() ? input : input.parent_path()).filename().string();
}

}  // namespace giga::job
