// What the progress display shows of a job: one observer for all stages. It begins a stage of the display
// whenever the work has come to another one, and ends the work on a signal.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "giga/base/observer.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/pipeline/fit_plan.hpp"
#include "support/progress.hpp"

namespace giga::tool {

class JobDisplay {
 public:
  /// `input` is what is read; `chains` of the job, where it has any; `parts`: stages are counted, "[3/7]".
  JobDisplay(Progress& progress, std::filesystem::path input, Index chains, bool parts);

  /// Called often and from several threads. Chains call it after every transition: only one that comes when
  /// it is time waits for anything.
  void operator()(const StageProgress& at);

  /// What the stages are expected to take, and how many points.
  void expect(const FitPlan& plan);

  /// What comes next begins a stage of the display, even if it is the same stage.
  void renew();

 private:
  struct Shown {
    Stage stage;
    Index dim;
    CertificatePart part;
    bool counted;  ///< the total is known
    bool operator==(const Shown&) const = default;
  };

  /// Whether an input was read to its end, where the display then says what comes after that.
  bool all_is_read(const StageProgress& at);
  void begin(const StageProgress& at);
  void begin_stage(const StageProgress& at);
  void show_chains(Index transitions);

  Progress& progress_;
  std::filesystem::path input_;
  bool parts_;
  std::mutex mutex_;  // guards shown_, read_total_, expected_ and since_
  std::optional<Shown> shown_;
  Index read_total_ = 0;  // bytes of the input that was read to its end; 0: none
  std::optional<FitPlan> expected_;
  Stopwatch since_;
  std::vector<std::atomic<Index>> done_;  // transitions of each chain
  std::atomic<bool> warmup_ = true;
};

}  // namespace giga::tool
