#include "fit_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "build_stages.hpp"
#include "data_input.hpp"
#include "displays.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/record/same_data.hpp"
#include "report_record.hpp"
#include "run_folder.hpp"
#include "sample_run.hpp"
#include "support/exit_codes.hpp"
#include "support/signals.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

// The parts that the progress display counts.
enum Part {
  kReading = 1,
  kMode,
  kProjecting,
  kBuilding,
  kSampling,
  kChecking,
  kReporting,
  kParts = kReporting
};

Part part_of(Stage stage) {
  switch (stage) {
    case Stage::Laplace: return kMode;
    case Stage::Project:
    case Stage::Prepare: return kProjecting;
    case Stage::Construct: return kBuilding;
    case Stage::Sample: return kSampling;
    case Stage::Certify: return kChecking;
    default: return kReporting;
  }
}

// One display for the whole job. A round that follows another begins with new displays of its stages.
class FitDisplay {
 public:
  FitDisplay(Progress& progress, const FitRequest& request) : progress_(progress), request_(request) {
    renew();
  }

  Answer operator()(const StageProgress& at) {
    if (at.stage == Stage::Sample) return sample(at);
    progress_.part(part_of(at.stage), kParts);
    return at.stage == Stage::Certify ? (*certificate_)(at) : (*build_)(at);
  }

  void renew() {
    build_.emplace(progress_);
    chains_.reset();
    sampling_ = std::make_unique<std::once_flag>();
    certificate_.emplace(progress_);
  }

 private:
  Answer sample(const StageProgress& at) {
    std::call_once(*sampling_, [this] {
      progress_.part(kSampling, kParts);
      chains_.emplace(progress_, request_.sample.chains, request_.sample.sample);
    });
    return (*chains_)(at);
  }

  Progress& progress_;
  const FitRequest& request_;
  std::optional<BuildDisplay> build_;
  std::unique_ptr<std::once_flag> sampling_;
  std::optional<ChainDisplay> chains_;
  std::optional<CertificateDisplay> certificate_;
};

class FitRun {
 public:
  FitRun(FitRequest& request, const std::filesystem::path& input, PartialRun* partial, const Notes& note)
      : request_(request),
        input_(input),
        partial_(partial),
        note_(note),
        executor_(request.build.threads, stop_requested),
        progress_(request.quiet) {}

  FitFiles go() {
    progress_.part(kReading, kParts);
    const Dataset data = load_data(input_, request_.build.read, executor_, progress_);
    stop_if_signalled();
    const Problem problem(data, request_.build.model, executor_);
    const std::string digest = data_digest(data, executor_);
    outcome_.load_s = total_.seconds();
    progress_.end();
    for (const std::string& text : data.notes()) say(text);
    for (const std::string& text : problem.notes()) say(text);
    prepare(problem);
    const FitState state =
        partial_ != nullptr ? partial_->load(digest, request_.sample.sample.draws) : FitState{};
    if (state.coreset || !state.rounds.empty()) note_("going on with what was done before");
    FitResult result = fitted(problem, state, digest);
    for (const std::string& text : result.coreset.notes) say(text);
    if (const auto text = missed_tolerance(result.options, result.coreset)) say(*text);
    return files_of(problem, std::move(result));
  }

 private:
  void say(const std::string& text) {
    note_(text);
    outcome_.notes.push_back(spelled(text));
  }

  // What can be said before the work.
  void prepare(const Problem& problem) {
    const Index rows = problem.model().num_rows();
    if (request_.build.asked_size && *request_.build.asked_size > rows) {
      say(fmt::format("--size {} is more than the {} distinct row{}; using {}", *request_.build.asked_size,
                      rows, rows == 1 ? "" : "s", rows));
    }
    if (request_.build.input == "-")
      note_("standard input cannot be read twice: this run cannot be resumed once it is stopped");
    note_lost_columns(request_.build.input, problem.data(), note_);
    SampleOptions& sample = request_.sample.sample;
    if (sample.draws == 0) sample.draws = affordable_draws(problem, request_.sample.chains);
    options_ = request_.options();
    check_memory(round_options(problem, options_, {}), problem);
    check_draws_memory(request_.sample, std::ssize(both_scales(problem).names()));
  }

  FitResult fitted(const Problem& problem, const FitState& state, const std::string& digest) {
    FitDisplay display(progress_, request_);
    FitObserver observer;
    observer.watch = [&display](const StageProgress& at) { return display(at); };
    observer.save = [&](const FitState& now) {
      stop_if_signalled();
      if (partial_ != nullptr) partial_->save(now, request_.sample.sample, digest);
      if (now.coreset) return;
      progress_.end();
      note_(fmt::format("{} {} not certified (k-hat {:.2f}); trying {}", points_text(now.rounds.back().size),
                        now.rounds.back().size == 1 ? "is" : "are", now.rounds.back().k_hat, now.next_size));
      display.renew();
    };
    FitResult result = fit(problem, options_, executor_, observer, state);
    progress_.end();
    stop_if_signalled();
    return result;
  }

  FitFiles files_of(const Problem& problem, FitResult result) {
    const Stopwatch reporting;
    progress_.part(kReporting, kParts);
    progress_.begin("writing the report");
    request_.build.coreset = result.options;
    request_.build.size = result.options.size;
    describe(problem, result);
    for (const std::string& text : outcome_.sample.warnings) note_(text);
    if (request_.times)
      outcome_.full_data = full_data_cost(problem, result.chains, request_.sample.sample.thin, executor_);
    stop_if_signalled();
    outcome_.report_s = reporting.seconds();
    outcome_.total_s = total_.seconds() + earlier_s(result);
    FitFiles out;
    const Json record = fit_record(request_, outcome_);
    out.record = dumped(record);
    RunFacts facts = facts_of_record(record);
    ReportData page =
        report_data(problem, result.coreset, result.chains, &result.certificate, facts, executor_);
    page.notes = outcome_.notes;  // as they were said, in the order of the record
    page.spelling = [](const std::string& text) { return spelled(text); };
    std::string coreset = coreset_csv(outcome_.build);
    out.files.emplace_back("coreset.csv", std::move(coreset));
    out.files.emplace_back("coreset.json", coreset_companion(request_.build, outcome_.build));
    for (auto& file : draws_files(request_.sample, outcome_.sample)) out.files.push_back(std::move(file));
    out.files.emplace_back(kWeightsFile, weights_csv(outcome_));
    if (outcome_.certificate.safe()) out.files.emplace_back(kPosteriorFile, posterior_csv(outcome_));
    out.files.emplace_back(kReportFile, report_html(page));
    out.files.emplace_back(kRecordFile, out.record);
    out.summary = fit_summary(request_, outcome_);
    out.safe = outcome_.certificate.safe();
    progress_.end();
    return out;
  }

  // What runs before this one spent on stages that need not be done again.
  [[nodiscard]] double earlier_s(const FitResult& result) const {
    const FitSeconds& s = result.seconds;
    const double stages = s.laplace + s.project + s.prepare + s.construct + s.sample + s.certify;
    const double here = total_.seconds() - outcome_.load_s - outcome_.report_s;
    return std::max(0.0, stages - here);
  }

  void describe(const Problem& problem, const FitResult& result) {
    outcome_.sample =
        sample_outcome(request_.sample, problem, both_scales(problem), result.chains, executor_);
    outcome_.sample.num_rows = problem.data().num_rows();
    outcome_.sample.num_used = result.coreset.coreset.size();
    outcome_.sample.features = problem.data().feature_names();
    outcome_.build = build_outcome(problem, result.coreset, executor_);
    outcome_.certificate = result.certificate;
    outcome_.rounds = result.rounds;
    outcome_.seconds = result.seconds;
    if (result.coreset.laplace)
      outcome_.laplace = laplace_marginals(result.coreset.laplace->posterior, both_scales(problem));
    for (const Index row : result.coreset.coreset.rows)
      outcome_.responses.push_back(problem.data().response()[static_cast<std::size_t>(row)]);
  }

  FitRequest& request_;
  const std::filesystem::path& input_;
  PartialRun* partial_;
  const Notes& note_;
  Stopwatch total_;
  Threads executor_;
  Progress progress_;
  FitOptions options_;
  FitOutcome outcome_;
};

}  // namespace

FitFiles run_fit(FitRequest& request, const std::filesystem::path& input, PartialRun* partial,
                 const Notes& note) {
  return FitRun(request, input, partial, note).go();
}

}  // namespace giga::tool
