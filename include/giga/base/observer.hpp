// How far the work has come, and whether it should go on: the one convention of all stages.
//
// Every stage that may take long has an observer as its last argument and calls it now and then. The rule:
// an observer that answers Stop, or an executor that was told to stop (Threads::StopRequest), ends the
// stage. A partial result that is of use is returned and marked as stopped: a build (Termination::Stopped),
// chains (Chain::stopped), a fit (FitResult::stopped). Any other stage throws giga::Stopped. An exception
// thrown by an observer ends the stage as well, and passes through it.
//
//   build(table, method, greedy, sampling, [](const StageProgress& at) {
//     std::printf("%td of %td points\n", at.done, at.total);
//     return interrupted() ? Answer::Stop : Answer::Continue;
//   });
#pragma once

#include <functional>

#include "giga/base/error.hpp"
#include "giga/base/names.hpp"
#include "giga/base/types.hpp"

namespace giga {

/// The parts of the whole job, in its order.
enum class Stage { Load, Laplace, Project, Prepare, Construct, Sample, Certify, Report };

constexpr auto name_table(Stage) {
  using enum Stage;
  return names_are<Stage>({{Load, "load"},
                           {Laplace, "laplace"},
                           {Project, "project"},
                           {Prepare, "prepare"},
                           {Construct, "construct"},
                           {Sample, "sample"},
                           {Certify, "certify"},
                           {Report, "report"}});
}

/// What an observer answers.
enum class Answer { Continue, Stop };

/// The parts of a certificate, in their order.
enum class CertificatePart {
  Laplace,        ///< The mode of the posterior of all rows, unless it is known already.
  Ratios,         ///< All rows at the draws of the coreset's posterior.
  LaplaceRatios,  ///< All rows at the draws of the Laplace approximation.
  Gradients,      ///< The gradients of all rows at some of both.
};

struct StepRecord;  // giga/construct/build.hpp

/// What an observer is told. `done` and `total` count
///   Load                     bytes
///   Laplace                  iterations
///   Project, Prepare         rows
///   Construct                points of the coreset; draws, of the methods that sample
///   Sample                   transitions of one chain, warm-up included
///   Certify                  rows, of the present part
struct StageProgress {
  Stage stage = Stage::Load;
  Index done = 0;
  Index total = 0;  ///< 0: not known

  Index dim = 0;                                    ///< Prepare and Construct: J of the projection; else 0
  const StepRecord* step = nullptr;                 ///< Construct: the step just made
  Index chain = 0;                                  ///< Sample: the chain whose transition it was.
  bool warmup = false;                              ///< Whether it belongs to the warm-up.
  bool divergent = false;                           ///< Whether it diverged.
  CertificatePart part = CertificatePart::Laplace;  ///< Certify
};

/// May be empty. Sample, Project, Prepare and Load call it from several threads at once, the other stages
/// from the thread that called them.
using Observer = std::function<Answer(const StageProgress&)>;

/// Whether an observer, if there is one, asks to stop.
[[nodiscard]] inline bool asks_to_stop(const Observer& observer, const StageProgress& progress) {
  return observer && observer(progress) == Answer::Stop;
}

/// For stages without a partial result: throws Stopped if the observer asks to stop.
inline void tell(const Observer& observer, const StageProgress& progress) {
  if (asks_to_stop(observer, progress)) throw Stopped();
}

/// An observer for a stage within another: it is shown `progress` throughout, and may stop the inner stage.
[[nodiscard]] inline Observer seen_as(const StageProgress& progress, const Observer& observer) {
  if (!observer) return {};
  return [progress, observer](const StageProgress&) { return observer(progress); };
}

}  // namespace giga
