// What all jobs share. A job goes from files to files: it reads what its struct names, calls the stages,
// writes what came of it, and returns its record. Front ends fill the struct, call one function and print.
#pragma once

#include <functional>
#include <string>

#include "giga/base/observer.hpp"
#include "giga/pipeline/fit_plan.hpp"

namespace giga {

/// How a front end spells the `field` that a sentence of the library names; empty: as it is.
using Spelling = std::function<std::string(const std::string&)>;

/// Any of them may be empty.
struct JobObserver {
  Observer watch = {};  ///< How far it is; may stop the job, which then throws Stopped.
  /// Sentences without a full stop that the user should see, as soon as they are known. Options are named as
  /// `field`. From the thread that called the job.
  std::function<void(const std::string&)> note = {};
  Spelling spelling = {};                         ///< In sentences that go into records and pages.
  std::function<void(const FitPlan&)> plan = {};  ///< What a fit expects of its stages, before they begin.

  [[nodiscard]] std::string spelled(const std::string& text) const {
    return spelling ? spelling(text) : text;
  }
};

}  // namespace giga
