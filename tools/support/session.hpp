// What a verb needs to run a job: threads that stop on a signal, the progress display, notes on stderr.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "giga/base/threads.hpp"
#include "giga/job/job.hpp"
#include "options/resources.hpp"
#include "support/console.hpp"
#include "support/job_display.hpp"
#include "support/process.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"
#include "support/spelling.hpp"

namespace giga::tool {

struct SessionOptions {
  Resources resources = {};
  bool quiet = false;
  std::filesystem::path input = {};  ///< For the display, as are
  Index chains = 0;                  ///< these.
  bool parts = false;                ///< Stages are counted: "[3/7]".
  bool all_ranks = false;            ///< All ranks run the job, and share its work.
};

class Session {
 public:
  explicit Session(const SessionOptions& options)
      : memory_(options.resources.memory, options.resources.scratch, options.resources.scratch_given),
        executor_(executor_for(options, memory_)),
        progress_(options.quiet || !this_process().leads()),
        display_(progress_, options.input, options.chains, options.parts),
        notes_(options.quiet) {
    const int asked = options.resources.threads;
    if (executor_->num_threads() < asked && this_process().leads())
      notes_("only " + std::to_string(executor_->num_threads()) + " of " + std::to_string(asked) +
             " threads could be started");
  }

  [[nodiscard]] const Executor& executor() const { return *executor_; }

  /// Calls a job with an observer, and removes the display when it has ended.
  template <typename Job>
  auto run(const Job& job) {
    const JobObserver observer{[this](const StageProgress& at) { return shown(at); },
                               [this](const std::string& text) { note(text); },
                               [](const std::string& text) { return spelled(text); },
                               [this](const FitPlan& plan) { display_.expect(plan); }};
    auto result = job(observer);
    progress_.end();
    if (executor_->stop_requested()) throw Stopped();
    return result;
  }

 private:
  static std::unique_ptr<Executor> executor_for(const SessionOptions& options, RowMemory& memory) {
    if (const auto& make = this_process().make_executor; make && options.all_ranks)
      return make(options.resources.threads, memory);
    return std::make_unique<Threads>(options.resources.threads, stop_requested, memory);
  }

  // It is the executor that knows of signals: ranks must stop at the same place.
  Answer shown(const StageProgress& at) {
    display_(at);
    return executor_->stop_requested() ? Answer::Stop : Answer::Continue;
  }

  void note(const std::string& text) {
    progress_.end();
    notes_(text);
    display_.renew();
  }

  RowMemory memory_;
  std::unique_ptr<Executor> executor_;
  Progress progress_;
  JobDisplay display_;
  Notes notes_;
};

}  // namespace giga::tool
