#include "displays.hpp"

#include <fmt/format.h>

#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr double kRefresh_s = 0.05;
constexpr std::size_t kMostShown = 8;  // chains
constexpr Index kLookEvery = 4;        // transitions

Answer answer() {
  return signal_received() != 0 ? Answer::Stop : Answer::Continue;
}

std::string errors_of(const StepRecord* record) {
  if (record == nullptr) return "";
  return fmt::format("relative error {:.2e}, held-out {:.2e}", record->relative_error, record->heldout_error);
}

}  // namespace

Answer BuildDisplay::operator()(const StageProgress& at) {
  const std::lock_guard lock(mutex_);
  if (at.stage != stage_ || at.dim != dim_) {
    stage_ = at.stage;
    dim_ = at.dim;
    begin(at);
  }
  progress_.update(at.done, at.step != nullptr ? at.step->step : 0, errors_of(at.step));
  return answer();
}

void BuildDisplay::begin(const StageProgress& at) {
  switch (at.stage) {
    case Stage::Laplace: return progress_.begin("finding the posterior mode");
    case Stage::Project: return progress_.begin("held-out projection", at.total, "rows");
    case Stage::Prepare:
      return progress_.begin(fmt::format("projecting to J = {}", at.dim), at.total, "rows");
    case Stage::Construct: return progress_.begin("building", at.total, "points");
    default: return;  // no stage of a build
  }
}

ChainDisplay::ChainDisplay(Progress& progress, Index chains, const SampleOptions& options)
    : progress_(progress),
      done_(static_cast<std::size_t>(chains)),
      spans_(static_cast<std::size_t>(chains)),
      transitions_(options.warmup + options.draws * options.thin) {
  progress.begin("sampling", chains * transitions_, "transitions");
}

Answer ChainDisplay::operator()(const StageProgress& at) {
  done_[static_cast<std::size_t>(at.chain)].store(at.done, std::memory_order_relaxed);
  Span& span = spans_[static_cast<std::size_t>(at.chain)];
  span.last_s = begun_.seconds();
  if (at.done == 1 && span.first_s == 0) span.first_s = span.last_s;
  warmup_.store(at.warmup, std::memory_order_relaxed);
  if (at.done % kLookEvery == 0) {
    const std::lock_guard lock(mutex_);
    if (since_.seconds() > kRefresh_s) {
      since_.restart();
      show();
    }
  }
  return answer();
}

std::vector<double> ChainDisplay::seconds() const {
  std::vector<double> out;
  for (const Span& span : spans_) out.push_back(span.last_s - span.first_s);
  return out;
}

void ChainDisplay::show() {
  Index sum = 0;
  std::string detail = "chain";
  for (std::size_t c = 0; c < done_.size(); ++c) {
    const Index done = done_[c].load(std::memory_order_relaxed);
    sum += done;
    if (c < kMostShown)
      detail += fmt::format("{} {} {}%", c == 0 ? "" : ",", c + 1, 100 * done / transitions_);
  }
  if (done_.size() > kMostShown) detail += ", ...";
  progress_.update(sum, 0, detail + (warmup_ ? ", warm-up" : ", drawing"));
}

Answer CertificateDisplay::operator()(const StageProgress& at) {
  if (at.part != part_) {
    part_ = at.part;
    begin(at);
  }
  progress_.update(at.done, 0, "");
  return answer();
}

void CertificateDisplay::begin(const StageProgress& at) {
  switch (at.part) {
    case CertificatePart::Laplace: return progress_.begin("finding the posterior mode");
    case CertificatePart::Ratios: return progress_.begin("all rows at the draws", at.total, "rows");
    case CertificatePart::LaplaceRatios:
      return progress_.begin("all rows at draws of Laplace", at.total, "rows");
    case CertificatePart::Gradients: return progress_.begin("gradients of all rows", at.total, "rows");
  }
}

}  // namespace giga::tool
