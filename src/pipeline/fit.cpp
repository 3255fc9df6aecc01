// Rounds of build, sample and certify, each of which may be left and taken up again.
//
// A round ends with a certificate. Where that fails for lack of points, the next round has
// certificate.suggested_size points (twice as many, or those that match gradient and curvature) and no
// tolerance. Where it is safe, the model is checked by the last draws. Every stage reads only the problem,
// the options and FitState, so a fit that goes on from a saved state has the same bits.
#include "giga/pipeline/fit.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/free_memory.hpp"
#include "giga/base/error.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/pipeline/model_check.hpp"
#include "giga/pipeline/posterior_mode.hpp"
#include "giga/pipeline/sample_posterior.hpp"

namespace giga {
namespace {

constexpr Index kRemainderDim = 500;  // of the coresets after the first

// The most points of the first coreset: as many as match gradient and curvature, which its tolerance hardly
// ever takes.
Index fit_size(const Problem& problem) {
  constexpr Index kLeast = 20, kMost = 5000;
  return std::clamp(curvature_dim(problem.likelihood().num_parameters()), kLeast, kMost);
}

class Fit {
 public:
  Fit(const Problem& problem, const FitOptions& options, const Executor& executor,
      const FitObserver& observer, FitState state)
      : problem_(problem),
        options_(options),
        executor_(executor),
        observer_(observer),
        state_(std::move(state)) {}

  FitResult go() {
    // Invariant: state_ holds what the present round has finished: nothing, a coreset, or a
    // coreset and chains.
    if (state_.coreset) take_up(*state_.coreset);
    try {
      while (true) {
        if (!state_.coreset && !build()) return stopped();
        if (state_.chains.empty() && !draw()) return stopped();
        const Certificate certificate = certify();
        if (!extend(certificate)) return ended(certificate);
      }
    } catch (const Stopped&) {
      return stopped();
    }
  }

 private:
  static FitResult stopped() {
    FitResult result;
    result.stopped = true;
    return result;
  }

  // What a state on disk does not repeat of its coreset, since options and problem tell it.
  void take_up(CoresetResult& coreset) const {
    const CoresetOptions found = coreset.options;  // what the build decided by itself
    coreset.options = round_options(problem_, options_, state_);
    coreset.options.expansion = found.expansion;
    coreset.options.remainder_dim = found.remainder_dim;
    if (!coreset.laplace) coreset.pihat = problem_.prior().normal_stand_in();
  }

  void save() const {
    if (observer_.save) observer_.save(state_);
  }

  bool build() {
    CoresetResult coreset = build_coreset(problem_, round_options(problem_, options_, state_), executor_,
                                          observer_.watch, found_ ? &*found_ : nullptr);
    if (coreset.build.termination == Termination::Stopped) return false;
    if (coreset.coreset.size() == 0)
      throw DataError(
          problem_.name() +
          ": the log-likelihoods of its rows cancel but for rounding, so the coreset is empty and "
          "there is nothing to sample; look at the data");
    state_.seconds.laplace += coreset.seconds.laplace;
    state_.seconds.project += coreset.seconds.project;
    state_.seconds.prepare += coreset.seconds.prepare;
    state_.seconds.construct += coreset.seconds.construct;
    // Found once for all rounds, whether or not the fit was stopped in between.
    if (state_.rounds.empty()) state_.passes.laplace += coreset.passes.laplace;
    state_.passes.project += coreset.passes.project;
    state_.passes.prepare += coreset.passes.prepare;
    state_.coreset = std::move(coreset);
    return_free_memory();
    save();
    return true;
  }

  // Chains start about the Laplace approximation of the coreset's own posterior, as those of any other table.
  bool draw() {
    const Stopwatch clock;
    fetch_rows(problem_, state_.coreset->coreset.rows, executor_);
    const auto model = coreset_model(problem_, state_.coreset->coreset);
    const LaplaceResult about =
        posterior_mode(problem_, *model, executor_, {}, seen_as({.stage = Stage::Sample}, observer_.watch));
    PosteriorSample drawn = sample_posterior(*model, problem_.prior(), about.posterior, options_.chains,
                                             sampling(), executor_, observer_.watch);
    if (drawn.stopped()) return false;
    state_.chains = std::move(drawn.chains);
    return_free_memory();
    state_.seconds.sample += clock.seconds();
    save();
    return true;
  }

  Certificate certify() {
    const Stopwatch clock;
    const CoresetResult& coreset = *state_.coreset;
    CertificateOptions options;
    options.seed = options_.sample.seed;
    options.laplace_draws = options_.laplace_draws;
    options.check_rows = options_.check_rows;
    const bool all_rows = options_.coreset.pihat == PihatKind::Laplace;
    // Unless it came from a subsample or the prior, pihat is the Laplace approximation of all rows, which
    // then need not be found again.
    options.laplace = all_rows && coreset.laplace ? &*coreset.laplace : nullptr;
    options.remainder_scores = options.laplace != nullptr ? coreset.remainder_scores.get() : nullptr;
    Certificate certificate =
        certify_coreset(problem_, coreset.coreset, state_.chains, executor_, options, observer_.watch);
    return_free_memory();
    state_.seconds.certify += clock.seconds();
    // Where the build of this fit drew candidates, it found the scores that rows are drawn by. A fit that was
    // stopped in between finds them once more: that pass is not counted again.
    const bool scored = all_rows && coreset.num_candidates < problem_.likelihood().num_rows();
    const Index again = scored && certificate.checked.found_scores ? 1 : 0;
    state_.passes.certify += certificate.checked.passes - again;
    state_.rounds.push_back({coreset.coreset.size(), coreset.build.relative_error, coreset.heldout_error,
                             certificate.coreset.k_hat, certificate.coreset.effective_size,
                             certificate.doubt});
    return certificate;
  }

  // Whether there is another round. Points that cannot lower the error are not asked for, unless the next
  // round sees more than this one.
  bool extend(const Certificate& certificate) {
    // A larger coreset is worth a round if the verdict suggests one and rounds are left.
    const bool more = !certificate.safe() && std::ssize(state_.rounds) < options_.max_rounds &&
                      certificate.suggested_size > state_.coreset->coreset.size();
    if (!more) return false;
    const Termination end = state_.coreset->build.termination;
    const bool at_its_end = end == Termination::NoProgress || end == Termination::NumericLimit;
    const bool sees_more = options_.coreset.projection == ProjectionKind::Auto && state_.next_size == 0 &&
                           state_.coreset->options.projection == ProjectionKind::Curvature;
    if (at_its_end && !sees_more) return false;
    state_.next_size = certificate.suggested_size;
    // The next round need not find the mode again. One from an older file has not all that it takes.
    if (state_.coreset->laplace && state_.coreset->laplace->at_mode) found_ = state_.coreset->laplace;
    state_.coreset.reset();
    state_.chains.clear();
    save();
    return true;
  }

  // Draws that are not those of the posterior of all rows say nothing of the model.
  std::optional<ModelCheck> check_of(const Certificate& certificate) {
    if (!certificate.safe()) return std::nullopt;
    const Stopwatch clock;
    const CoresetResult& coreset = *state_.coreset;
    const bool all_rows = options_.coreset.pihat == PihatKind::Laplace && coreset.laplace.has_value();
    const std::span<const double> weights =
        certificate.coreset.pays() ? std::span(certificate.coreset.weights) : std::span<const double>();
    auto checked = check_model(problem_, state_.chains, weights, executor_,
                               {.seed = options_.sample.seed, .mode = all_rows ? &*coreset.laplace : nullptr},
                               observer_.watch);
    return_free_memory();
    state_.seconds.certify += clock.seconds();
    return checked;
  }

  FitResult ended(const Certificate& certificate) {
    const SampleOptions sample = sampling();
    std::optional<ModelCheck> checked = check_of(certificate);
    return {std::move(*state_.coreset),
            sample,
            std::move(state_.chains),
            certificate,
            std::move(state_.rounds),
            state_.seconds,
            state_.passes,
            std::move(checked)};
  }

  [[nodiscard]] SampleOptions sampling() const {
    return resolved_sampling(problem_, options_, state_.coreset->coreset.size());
  }

  const Problem& problem_;
  const FitOptions& options_;
  const Executor& executor_;
  const FitObserver& observer_;
  FitState state_;
  std::optional<LaplaceResult> found_;  // of all rows, in an earlier round of this run
};

}  // namespace

CoresetOptions fit_coreset_options() {
  CoresetOptions options;
  // In the whitened norm, which does not depend on the units of the features, with a tolerance of 0.05.
  options.projection = ProjectionKind::Auto;
  options.norm = Norm::Whitened;
  options.projection_dim = 0;
  options.size = 0;
  options.tolerance = 0.05;
  options.posterior_units = true;
  options.add_remainder = true;
  return options;
}

CoresetOptions round_options(const Problem& problem, const FitOptions& options, const FitState& state) {
  CoresetOptions round = with_projection(options.coreset, problem);
  if (round.size == 0) round.size = fit_size(problem);
  if (state.next_size > 0) {
    // A larger coreset was asked for because the last was not good enough; a tolerance would
    // end it early again.
    round.size = state.next_size;
    round.tolerance = 0;
    // Gradient and curvature were not enough: what is missing is the rest.
    if (options.coreset.projection == ProjectionKind::Auto && round.projection == ProjectionKind::Curvature) {
      round.expansion = Expansion::Hermite;
      round.remainder_dim = kRemainderDim;
    }
  }
  return resolved(round, problem);
}

SampleOptions resolved_sampling(const Problem& problem, const FitOptions& options, Index points) {
  // Transitions times the numbers that a gradient reads: some seconds of chains whose trajectories are not
  // long. 8000 transitions on 200 points of 125 parameters, and never fewer than 1000.
  constexpr double kAffordable = 2e8;
  constexpr Index kFewest = 1000, kMost = 4000, kUsualThin = 2;
  SampleOptions out = options.sample;
  const double numbers =
      std::max(1.0, static_cast<double>(points)) * static_cast<double>(problem.likelihood().num_parameters());
  const auto transitions =
      static_cast<Index>(std::clamp(kAffordable / numbers, double{kFewest}, double{kMost * kUsualThin}));
  if (out.thin == 0) out.thin = std::clamp<Index>(transitions / kMost, 1, kUsualThin);
  if (out.draws != 0) return out;
  out.draws = std::clamp(transitions / out.thin, kFewest, kMost);
  if (options.check_rows.kind == RowCount::Kind::All) {
    // draws * chains * rows log-likelihoods are what the certificate costs then.
    constexpr double kLogLikelihoods = 3e8;  // a second or two
    const double rows =
        static_cast<double>(problem.likelihood().num_rows()) * static_cast<double>(options.chains);
    const auto weighed = static_cast<Index>(std::min(double{kMost}, kLogLikelihoods / rows));
    out.draws = std::min(out.draws, std::max(kFewest, weighed));
  }
  return out;
}

FitResult fit(const Problem& problem, const FitOptions& options, const Executor& executor,
              const FitObserver& observer, FitState state) {
  if (options.max_rounds < 1) throw std::invalid_argument("max_rounds must be at least 1");
  if (options.chains < 1) throw std::invalid_argument("chains must be at least 1");
  if (options.coreset.size < 0) throw std::invalid_argument("size must be at least 0");
  return Fit(problem, options, executor, observer, std::move(state)).go();
}

}  // namespace giga
