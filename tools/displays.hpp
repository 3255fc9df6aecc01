// What the progress display shows of each stage of the work. Each begins a stage of the display whenever the
// work has come to another one, and ends the work on a signal.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "giga/base/observer.hpp"
#include "giga/infer/sample.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "support/progress.hpp"
#include "support/resources.hpp"

namespace giga::tool {

class BuildDisplay {
 public:
  explicit BuildDisplay(Progress& progress) : progress_(progress) {}
  Answer operator()(const StageProgress& at);

 private:
  void begin(const StageProgress& at);

  Progress& progress_;
  std::mutex mutex_;
  std::optional<Stage> stage_;
  Index dim_ = -1;
};

/// All chains, with a percentage each.
class ChainDisplay {
 public:
  ChainDisplay(Progress& progress, Index chains, const SampleOptions& options);

  /// Called after every transition by all chains: only one that comes when it is time waits for anything.
  Answer operator()(const StageProgress& at);

  /// What each chain took, from its first transition to its last.
  [[nodiscard]] std::vector<double> seconds() const;

 private:
  struct Span {
    double first_s = 0, last_s = 0;
  };

  void show();

  Progress& progress_;
  std::mutex mutex_;  // guards since_
  std::vector<std::atomic<Index>> done_;
  std::vector<Span> spans_;  // each written by its chain alone
  Stopwatch begun_;
  Index transitions_;
  std::atomic<bool> warmup_ = true;
  Stopwatch since_;
};

class CertificateDisplay {
 public:
  explicit CertificateDisplay(Progress& progress) : progress_(progress) {}
  Answer operator()(const StageProgress& at);

 private:
  void begin(const StageProgress& at);

  Progress& progress_;
  std::optional<CertificatePart> part_;
};

}  // namespace giga::tool
