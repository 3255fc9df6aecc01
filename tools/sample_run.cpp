#include "sample_run.hpp"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "data_input.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/report/draws_csv.hpp"
#include "giga/report/original_scale.hpp"
#include "support/exit_codes.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

WeightedProblem load_coreset(const SampleRequest& request, const ThreadPool& pool, Progress& progress) {
  WeightedProblem loaded;
  while_shown(request.input, progress, [&](const ReadProgress& shown) {
    loaded = read_coreset(request.input, *request.companion, pool, shown);
  });
  return loaded;
}

WeightedProblem load_table(const SampleRequest& request, const ThreadPool& pool, Progress& progress) {
  WeightedProblem loaded;
  loaded.data = std::make_unique<Dataset>(load_data(request.input, request.read, pool, progress));
  stop_if_signalled();
  loaded.problem = std::make_unique<Problem>(*loaded.data, request.model, pool);
  loaded.features = loaded.data->feature_names();
  loaded.num_rows = loaded.data->num_rows();
  return loaded;
}

void tell(const SampleRequest& request, const WeightedProblem& loaded, const Notes& note) {
  for (const std::string& text : loaded.data->notes()) note(text);
  for (const std::string& text : loaded.problem->notes()) note(text);
  if (!request.bare_coreset) return;
  note(fmt::format(
      "the columns are those of a coreset, but there is no {} beside it: 'row' is left out and the rows "
      "count by '{}'{}",
      companion_path(request.input).filename().native(), *request.read.weights,
      request.model.standardise
          ? "; features are standardised by the coreset's rows, which is not the scale of all the "
            "data, so the prior is another"
          : ""));
}

// Shows all chains, with a percentage each.
class ChainDisplay {
 public:
  ChainDisplay(Progress& progress, Index chains, Index transitions)
      : progress_(progress),
        done_(static_cast<std::size_t>(chains)),
        spans_(static_cast<std::size_t>(chains)),
        transitions_(transitions) {
    progress.begin("sampling", chains * transitions, "transitions");
  }

  // Called after every transition by all chains: only one that comes when it is time waits for anything.
  Verdict operator()(const ChainProgress& at) {
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
    return signal_received() != 0 ? Verdict::Stop : Verdict::Continue;
  }

  /// What each chain took, from its first transition to its last.
  [[nodiscard]] std::vector<double> seconds() const {
    std::vector<double> out;
    for (const Span& span : spans_) out.push_back(span.last_s - span.first_s);
    return out;
  }

 private:
  struct Span {
    double first_s = 0, last_s = 0;
  };

  static constexpr double kRefresh_s = 0.05;
  static constexpr std::size_t kMostShown = 8;
  static constexpr Index kLookEvery = 4;

  void show() {
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

  Progress& progress_;
  std::mutex mutex_;  // guards since_
  std::vector<std::atomic<Index>> done_;
  std::vector<Span> spans_;  // each written by its chain alone
  Stopwatch begun_;
  Index transitions_;
  std::atomic<bool> warmup_ = true;
  Stopwatch since_;
};

// Chains run side by side, one a thread. Where there are more threads than chains and rows enough to share,
// chains follow each other and the threads share the rows instead: the draws are the same.
bool share_rows(const SampleRequest& request, Index num_rows, int threads) {
  constexpr Index kBlocksPerThread = 2;
  return request.chains < threads && num_blocks(num_rows) >= kBlocksPerThread * threads;
}

void check_memory(const SampleRequest& request, Index num_columns) {
  const double needed = 2.0 * static_cast<double>(request.chains) *
                        static_cast<double>(request.sample.draws) * static_cast<double>(num_columns) *
                        sizeof(double);
  const auto present = static_cast<double>(physical_memory_bytes());
  if (needed < present) return;
  throw ResourceError(
      fmt::format("{} chains of {} draws take {:.0f} GB, of {:.0f} GB of memory; use a larger "
                  "--thin and fewer --draws",
                  request.chains, request.sample.draws, needed / 1e9, present / 1e9));
}

std::vector<Chain> run_chains(const SampleRequest& request, const Problem& problem, const Normal& about,
                              const ThreadPool& pool, Progress& progress, std::vector<double>& seconds) {
  SampleOptions options = request.sample;
  const bool rows = share_rows(request, problem.model().num_rows(), pool.num_threads());
  options.threads = rows ? 1 : pool.num_threads();
  const RegressionPosterior posterior(problem.model(), problem.prior(), rows ? &pool : nullptr);
  ChainDisplay display(progress, request.chains, options.warmup + options.draws * options.thin);
  auto chains = sample(posterior, options, dispersed_starts(about, request.chains, options.seed),
                       [&display](const ChainProgress& at) { return display(at); });
  seconds = display.seconds();
  progress.end();
  stop_if_signalled();
  return chains;
}

void summarise(const SampleRequest& request, const ThreadPool& pool, SampleOutcome& outcome) {
  outcome.quantities = summarise_chains(outcome.chains, outcome.names, true, pool);
  const Index depth = request.sample.sampler == SamplerKind::Nuts ? request.sample.max_depth : 0;
  outcome.health = health_of(outcome.chains, request.sample.sampler, depth);
  // What is wrong with a coefficient is wrong with it on both scales: it is said once.
  outcome.warnings =
      warnings(std::span(outcome.quantities).first(1 + static_cast<std::size_t>(outcome.num_original)),
               outcome.health);
}

}  // namespace

SampleOutcome sample_posterior(const SampleRequest& request, const Notes& note) {
  const Stopwatch total;
  Stopwatch stage;
  const ThreadPool pool(request.threads);
  Progress progress(request.quiet);
  const WeightedProblem loaded =
      request.companion ? load_coreset(request, pool, progress) : load_table(request, pool, progress);
  const Problem& problem = *loaded.problem;
  const BothScales scales(loaded.features, problem.scale(), request.model.intercept,
                          request.model.standardise);
  SampleOutcome outcome;
  outcome.load_s = stage.restart();
  progress.end();
  stop_if_signalled();
  tell(request, loaded, note);
  check_memory(request, std::ssize(scales.names()));

  progress.begin("finding the posterior mode");
  outcome.laplace = laplace(problem.model(), problem.prior(), pool);
  outcome.laplace_s = stage.restart();
  stop_if_signalled();
  if (outcome.laplace.end != LaplaceEnd::Converged)
    note("the search for the posterior mode did not converge; chains start where it ended");
  for (const Chain& chain :
       run_chains(request, problem, outcome.laplace.posterior, pool, progress, outcome.chain_s))
    outcome.chains.push_back(scales.apply(chain));
  outcome.sample_s = stage.restart();

  outcome.num_rows = loaded.num_rows;
  outcome.num_used = problem.model().num_rows();
  outcome.num_parameters = problem.model().num_parameters();
  outcome.response = request.companion ? request.companion->response : loaded.data->response_name();
  outcome.features = loaded.features;
  outcome.scale = problem.scale();
  outcome.names = scales.names();
  outcome.columns = safe_columns(outcome.names);
  outcome.num_original = scales.num_original();
  progress.begin("summarising");
  summarise(request, pool, outcome);
  progress.end();
  stop_if_signalled();
  for (const std::string& text : outcome.warnings) note(text);
  outcome.total_s = total.seconds();
  return outcome;
}

}  // namespace giga::tool
