#include "displays.hpp"

#include <fmt/format.h>

#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr double kRefresh_s = 0.05;
constexpr std::size_t kMostShown = 8;  // chains
constexpr Index kLookEvery = 4;        // transitions

Verdict verdict() {
  return signal_received() != 0 ? Verdict::Stop : Verdict::Continue;
}

std::string errors_of(const StepRecord* record) {
  if (record == nullptr) return "";
  return fmt::format("relative error {:.2e}, held-out {:.2e}", record->relative_error, record->heldout_error);
}

}  // namespace

Verdict BuildDisplay::operator()(const StageProgress& at) {
  const std::lock_guard lock(mutex_);
  if (at.stage != stage_ || at.dim != dim_) {
    stage_ = at.stage;
    dim_ = at.dim;
    begin(at);
  }
  progress_.update(at.done, at.record != nullptr ? at.record->step : 0, errors_of(at.record));
  return verdict();
}

void BuildDisplay::begin(const StageProgress& at) {
  switch (at.stage) {
    case Stage::Laplace: return progress_.begin("finding the posterior mode");
    case Stage::Project: return progress_.begin("held-out projection", at.total, "rows");
    case Stage::Prepare:
      return progress_.begin(fmt::format("projecting to J = {}", at.dim), at.total, "rows");
    case Stage::Construct: return progress_.begin("building", at.total, "points");
  }
}

ChainDisplay::ChainDisplay(Progress& progress, Index chains, const SampleOptions& options)
    : progress_(progress),
      done_(static_cast<std::size_t>(chains)),
      spans_(static_cast<std::size_t>(chains)),
      transitions_(options.warmup + options.draws * options.thin) {
  progress.begin("sampling", chains * transitions_, "transitions");
}

Verdict ChainDisplay::operator()(const ChainProgress& at) {
  done_[static_cast<std::size_t>(at.chain)].store(at.iteration, std::memory_order_relaxed);
  Span& span = spans_[static_cast<std::size_t>(at.chain)];
  span.last_s = begun_.seconds();
  if (at.iteration == 1 && span.first_s == 0) span.first_s = span.last_s;
  warmup_.store(at.warmup, std::memory_order_relaxed);
  if (at.iteration % kLookEvery == 0) {
    const std::lock_guard lock(mutex_);
    if (since_.seconds() > kRefresh_s) {
      since_.restart();
      show();
    }
  }
  return verdict();
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

void CertificateDisplay::operator()(const CertificateProgress& at) {
  stop_if_signalled();
  if (at.stage != stage_) {
    stage_ = at.stage;
    begin(at.stage);
  }
  progress_.update(static_cast<Index>(static_cast<double>(num_rows_) * at.share), 0, "");
}

void CertificateDisplay::begin(CertificateStage stage) {
  switch (stage) {
    case CertificateStage::Laplace: return progress_.begin("finding the posterior mode");
    case CertificateStage::Ratios: return progress_.begin("all rows at the draws", num_rows_, "rows");
    case CertificateStage::LaplaceRatios:
      return progress_.begin("all rows at draws of Laplace", num_rows_, "rows");
    case CertificateStage::Gradients: return progress_.begin("gradients of all rows", num_rows_, "rows");
  }
}

}  // namespace giga::tool
