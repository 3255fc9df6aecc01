// The words of each stage, and the share that is done. Chains report after every transition from their own
// threads: they only add to a counter, and one of them in a while takes the lock and updates the display.
#include "support/job_display.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "giga/construct/build.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga::tool {
namespace {

constexpr double kRefresh_s = 0.05;
constexpr std::size_t kMostShown = 8;  // chains
constexpr Index kLookEvery = 4;        // transitions
constexpr Index kMegabyte = 1'000'000;

// The parts of a whole fit.
int part_of(Stage stage) {
  switch (stage) {
    case Stage::Load: return 1;
    case Stage::Laplace: return 2;
    case Stage::Project:
    case Stage::Prepare: return 3;
    case Stage::Construct: return 4;
    case Stage::Sample: return 5;
    case Stage::Certify: return 6;
    case Stage::Report: return 7;
  }
  return 7;
}
constexpr int kParts = 7;

std::string errors_of(const StepRecord* step) {
  if (step == nullptr) return "";
  std::string text = fmt::format("relative error {:.2e}", step->relative_error);
  if (std::isfinite(step->heldout_error)) text += fmt::format(", held-out {:.2e}", step->heldout_error);
  return text;
}

}  // namespace

JobDisplay::JobDisplay(Progress& progress, std::filesystem::path input, Index chains, bool parts)
    : progress_(progress),
      input_(std::move(input)),
      parts_(parts),
      done_(static_cast<std::size_t>(std::max<Index>(chains, 1))) {}

void JobDisplay::renew() {
  const std::lock_guard lock(mutex_);
  shown_.reset();
  read_total_ = 0;
}

void JobDisplay::operator()(const StageProgress& at) {
  if (at.stage == Stage::Sample && at.total > 0) {
    done_[static_cast<std::size_t>(at.chain)].store(at.done, std::memory_order_relaxed);
    warmup_.store(at.warmup, std::memory_order_relaxed);
    if (at.done % kLookEvery != 0) return;
  }
  const std::lock_guard lock(mutex_);
  if (at.stage == Stage::Load && all_is_read(at)) return;
  const Shown now{at.stage, at.dim, at.part, at.total > 0};
  const bool fresh = shown_ != now;
  if (fresh) begin(at);
  shown_ = now;
  if (!fresh && since_.seconds() < kRefresh_s) return;
  since_.restart();
  switch (at.stage) {
    case Stage::Load: progress_.update(at.done / kMegabyte, 0, ""); break;
    case Stage::Sample:
      if (at.total > 0) show_chains(at.total);
      break;
    default: progress_.update(at.done, at.step != nullptr ? at.step->step : 0, errors_of(at.step));
  }
}

// Once the last byte of an input is there, rows are compared, scaled and counted, which takes as long again
// where there are many. Threads tell what they have read in any order.
bool JobDisplay::all_is_read(const StageProgress& at) {
  if (at.total == 0) read_total_ = 0;
  if (at.total == 0 || (at.done < at.total && at.total != read_total_)) return false;
  if (at.total == std::exchange(read_total_, at.total)) return true;
  shown_.reset();
  if (parts_) progress_.part(part_of(at.stage), kParts);
  progress_.begin("preparing the rows of " + input_words(input_));
  return true;
}

void JobDisplay::expect(const FitPlan& plan) {
  const std::lock_guard lock(mutex_);
  expected_ = plan;
}

void JobDisplay::begin(const StageProgress& at) {
  if (parts_) progress_.part(part_of(at.stage), kParts);
  begin_stage(at);
  if (!expected_) return;
  const StageSeconds& s = expected_->seconds;
  // In the order of the stages; what comes after a stage is the sum of the rest.
  const double later_than_build = s.sample + s.certify;
  switch (at.stage) {
    case Stage::Load:
    case Stage::Report: return;
    case Stage::Laplace: return progress_.expect(s.laplace, s.project + s.construct + later_than_build);
    case Stage::Project: return progress_.expect(s.project, s.construct + later_than_build);
    case Stage::Prepare: return progress_.expect(0, s.construct + later_than_build);
    case Stage::Construct: return progress_.expect(s.construct, later_than_build);
    case Stage::Sample: return progress_.expect(s.sample, s.certify);
    case Stage::Certify: return progress_.expect(s.certify, 0);
  }
}

void JobDisplay::begin_stage(const StageProgress& at) {
  const auto rows = [&](const std::string& what) { progress_.begin(what, at.total, "rows"); };
  switch (at.stage) {
    case Stage::Load: {
      const std::string what = "reading " + input_words(input_);
      return at.total > 0 ? progress_.begin(what, at.total / kMegabyte, "MB") : progress_.begin(what);
    }
    case Stage::Laplace: return progress_.begin("finding the posterior mode");
    case Stage::Project: return rows("held-out projection");
    case Stage::Prepare:
      if (at.total == 0) return progress_.begin(fmt::format("preparing vectors of J = {}", at.dim));
      return rows(fmt::format("projecting to J = {}", at.dim));
    case Stage::Construct: {
      const bool draws = at.step != nullptr && std::isnan(at.step->alignment);  // of a method that samples
      // A tolerance ends most builds long before the size does: the plan knows better how many points there
      // will be.
      const Index total = expected_ ? std::min(at.total, std::max(expected_->points, at.done)) : at.total;
      return progress_.begin("building", total, draws ? "draws" : "points");
    }
    case Stage::Sample:
      if (at.total == 0) return progress_.begin("finding the coreset's mode");
      for (auto& done : done_) done.store(0, std::memory_order_relaxed);
      return progress_.begin("sampling", std::ssize(done_) * at.total, "transitions");
    case Stage::Certify:
      switch (at.part) {
        case CertificatePart::Laplace: return progress_.begin("finding the posterior mode");
        case CertificatePart::Ratios: return rows("all rows at the draws");
        case CertificatePart::LaplaceRatios: return rows("all rows at draws of Laplace");
        case CertificatePart::Gradients: return rows("gradients of all rows");
      }
      return;
    case Stage::Report: return progress_.begin(parts_ ? "writing the report" : "summarising");
  }
}

void JobDisplay::show_chains(Index transitions) {
  Index sum = 0;
  std::string detail = "chain";
  for (std::size_t c = 0; c < done_.size(); ++c) {
    const Index done = done_[c].load(std::memory_order_relaxed);
    sum += done;
    if (c < kMostShown)
      detail += fmt::format("{} {} {}%", c == 0 ? "" : ",", c + 1, 100 * done / transitions);
  }
  if (done_.size() > kMostShown) detail += ", ...";
  progress_.update(sum, 0, detail + (warmup_ ? ", warm-up" : ", drawing"));
}

}  // namespace giga::tool
