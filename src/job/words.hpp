// Words that several jobs say.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/job/job.hpp"
#include "giga/pipeline/fit_plan.hpp"
#include "giga/pipeline/model_check.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga::job {

/// Notes as they are said, and kept for the record.
class Notes {
 public:
  explicit Notes(const JobObserver& observer) : observer_(observer) {}
  void say(const std::string& text);
  void say(const std::vector<std::string>& texts);
  /// Said, but not kept.
  void mention(const std::string& text) const;
  [[nodiscard]] const std::vector<std::string>& kept() const { return kept_; }

 private:
  const JobObserver& observer_;
  std::vector<std::string> kept_;
};

/// The words of a check, as the front end spells them.
void spell(std::optional<ModelCheck>& check, const JobObserver& observer);

/// "17 points", "1 point"; 1,000 with a comma.
[[nodiscard]] std::string points_text(Index size);

/// "`size` 500 is more than the 7 distinct rows; using 7"
[[nodiscard]] std::string size_note(Index asked, Index rows, const char* kind);

/// Mentions what does not fit into `memory`, if anything does not.
void mention_scratch(const RowMemory& memory, const Dataset& data, const Notes& notes);

/// Which columns a coreset of standard input will lack; empty if none.
[[nodiscard]] std::string lost_columns(const std::filesystem::path& input, const Dataset& data);

/// Throws ResourceError where draws of that many columns would not fit into memory.
void require_draws_memory(Index chains, Index draws, Index num_columns);

/// What a fit will take, in a sentence; whether chains on all rows are the shorter way.
[[nodiscard]] std::string plan_text(const FitPlan& plan);

/// The file as people know it.
[[nodiscard]] std::string input_name(const std::filesystem::path& input);

}  // namespace giga::job
