// pihat, held-out projection, projection, construction, and back to the rows of the data.
//
// Two projections with independent features: the build sees the vectors L_n of the first, and its error
// under the second, V_n, is the held-out error |V(w) - V| / |V|. A build with too few features fits their
// noise, which the second projection shows; so with projection_dim = 0 the number of features J is doubled
// until the two agree.
#include "giga/pipeline/build_coreset.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/extended.hpp"
#include "base/free_memory.hpp"
#include "base/require.hpp"
#include "giga/base/error.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/infer/row_estimate.hpp"
#include "pipeline/candidates.hpp"
#include "pipeline/heldout.hpp"
#include "pipeline/pihat.hpp"
#include "pipeline/watched_rows.hpp"

namespace giga {

Index default_size(const Problem& problem) {
  constexpr Index kLeast = 20, kMost = 1000;
  // D + D(D+1)/2 = D(D+3)/2 numbers match the gradient and the curvature of a sum: about as
  // many points can do so.
  return std::clamp(curvature_dim(problem.likelihood().num_parameters()), kLeast, kMost);
}

Index tolerance_size(const Problem& problem) {
  constexpr Index kLeast = 1000, kMost = 5000;
  return std::clamp(curvature_dim(problem.likelihood().num_parameters()), kLeast, kMost);
}

CoresetOptions resolved(CoresetOptions options, const Problem& problem) {
  options = with_projection(options, problem);
  if (options.size == 0)
    options.size = options.tolerance > 0 ? tolerance_size(problem) : default_size(problem);
  options.size = std::min(options.size, problem.likelihood().num_rows());
  return options;
}

CoresetOptions with_projection(CoresetOptions options, const Problem& problem) {
  // D = 200. Rows of that many numbers are formed only where they are needed, and held only where double
  // precision is not enough for the weights: 2000 of them then take 1 GB.
  constexpr Index kMostNumbers = 20'300;
  if (options.projection != ProjectionKind::Auto) return options;
  const bool affordable = problem.likelihood().linear_model() != nullptr &&
                          curvature_dim(problem.likelihood().num_parameters()) <= kMostNumbers;
  options.projection = affordable ? ProjectionKind::Curvature : ProjectionKind::Random;
  options.norm = Norm::Whitened;
  options.projection_dim = 0;
  return options;
}

namespace {

// Whether draws of pihat lie where the posterior has nothing: a remainder as large as the posterior is wide.
bool is_far(double remainder) {
  return remainder > 1;
}

// With projection_dim = 0: J = 500, 1000, ..., 64000.
constexpr Index kLastAutoDim = 64000;
constexpr double kAgreement = 1.5;  // of projected and held-out error

class Run {
 public:
  Run(const Problem& problem, const CoresetOptions& options, const Executor& executor,
      const Observer& observer, const LaplaceResult* known, const Quadratic* excess)
      : problem_(problem),
        options_(options),
        executor_(executor),
        observer_(observer),
        known_(known),
        excess_(excess),
        expansion_(options.expansion),
        remainder_dim_(options.remainder_dim) {}

  // The stages in their order. The clock is read between them, so that each second belongs to one stage.
  CoresetResult go() {
    Stopwatch clock;
    CoresetResult result;
    result.options = options_;
    take_pihat(result);
    return_free_memory();
    result.seconds.laplace = clock.restart();

    survey(result);
    const RandomProjection heldout_rows(problem_.likelihood(), result.pihat, heldout_options(options_));
    WatchedRows watched(heldout_rows, problem_, watcher(Stage::Project, heldout_rows.num_rows(), 0));
    Heldout heldout = make_heldout(heldout_rows, watched, result);
    result.heldout_norm = heldout.norm();
    measure_remainder(heldout_rows, heldout, result);
    watched.end_pass();
    return_free_memory();
    result.seconds.project = clock.restart();

    const bool random = options_.projection == ProjectionKind::Random;
    const bool search = random && options_.projection_dim == 0;
    Index dim = options_.projection_dim > 0 ? options_.projection_dim : kFirstAutoDim;
    // Invariant: `result` is the build with the present J, trials has one entry for each J so far. Features
    // of a smaller J are the first of a larger one.
    while (true) {
      build_with(dim, heldout, clock, result);
      add_trial(result);
      const bool agree = result.heldout_error <= kAgreement * result.build.relative_error;
      const bool stopped = result.build.termination == Termination::Stopped;
      if (!search || agree || stopped || result.zero_target || 2 * dim > kLastAutoDim) break;
      dim *= 2;
    }
    if (asks_for_remainder(result)) add_remainder(dim, heldout, clock, result);
    result.options.expansion = expansion_;
    result.options.remainder_dim = remainder_dim_;
    if (search && result.heldout_error > kAgreement * result.build.relative_error) {
      result.notes.push_back("the projection does not reach the held-out error with J = " +
                             std::to_string(result.dim) + "; more features were not tried");
    }
    for (const Extended value : heldout.residual(result.build.coreset))
      result.heldout_residual.push_back(static_cast<double>(value));
    translate(result);
    return result;
  }

 private:
  static void add_trial(CoresetResult& result) {
    result.trials.push_back(
        {result.dim, result.build.relative_error, result.heldout_error, result.build.coreset.size()});
  }

  // Whether gradient and curvature were matched as far as they go, and the held-out error asks for more.
  // Where the remainder is as large as the posterior is wide, draws of pihat lie where the posterior has
  // nothing, and what they see is of no use: the certificate, whose draws are of the coreset's posterior,
  // will tell.
  bool asks_for_remainder(CoresetResult& result) const {
    if (options_.projection != ProjectionKind::Curvature || result.zero_target) return false;
    // The remainder is orthogonal to a Hermite expansion, which families with extra parameters lack.
    const LinearModel* linear = problem_.likelihood().linear_model();
    if (linear->num_all() > linear->num_columns()) return false;
    if (!options_.add_remainder || remainder_dim_ > 0 || options_.tolerance == 0 ||
        result.heldout_error <= result.tolerance || result.build.termination == Termination::Stopped ||
        result.heldout_error <= kAgreement * result.build.relative_error)
      return false;
    if (!is_far(result.remainder)) return true;
    result.notes.emplace_back(
        "the posterior is far from normal: the held-out error, taken under the Laplace approximation, says "
        "little");
    return false;
  }

  // The same build with features of the remainder, if that lowers the held-out error.
  void add_remainder(Index dim, Heldout& heldout, Stopwatch& clock, CoresetResult& result) {
    constexpr Index kFeatures = 500;
    const CoresetResult before = result;
    expansion_ = Expansion::Hermite;
    remainder_dim_ = kFeatures;
    build_with(dim, heldout, clock, result);
    add_trial(result);
    if (result.heldout_error < before.heldout_error || result.build.termination == Termination::Stopped)
      return;
    const StageSeconds seconds = result.seconds;
    const StagePasses passes = result.passes;
    const std::vector<ProjectionTrial> trials = result.trials;
    result = before;
    result.seconds = seconds;
    result.passes = passes;
    result.trials = trials;
    expansion_ = options_.expansion;
    remainder_dim_ = options_.remainder_dim;
  }

  [[nodiscard]] std::function<void(Index)> watcher(Stage stage, Index total, Index dim) const {
    if (!observer_) return {};
    return [this, stage, total, dim](Index done) {
      tell(observer_, {.stage = stage, .done = std::min(done, total), .total = total, .dim = dim});
    };
  }

  void take_pihat(CoresetResult& result) const {
    Pihat found = find_pihat(problem_, options_, known_, excess_ == nullptr, executor_, observer_);
    result.pihat = std::move(found.distribution);
    result.laplace = std::move(found.laplace);
    result.separable = found.separable;
    result.passes.laplace += found.passes;
    result.notes = std::move(found.notes);
  }

  // Where points are chosen from some of the rows: what is known of all of them. Methods that solve for their
  // weights never choose idle rows (candidates.hpp), and so choose from some of them wherever there are any.
  void survey(CoresetResult& result) {
    const Likelihood& model = problem_.likelihood();
    const bool curvature = options_.projection == ProjectionKind::Curvature;
    const Index dim = curvature ? curvature_dim(model.num_parameters()) + remainder_dim_
                                : std::max(options_.projection_dim, kFirstAutoDim);
    num_candidates_ = giga::num_candidates(options_, model.num_rows(), dim);
    const bool solves = options_.method == Method::Corrective || options_.method == Method::Pursuit;
    if (num_candidates_ == model.num_rows() && !(solves && curvature)) return;
    tell(observer_, {.stage = Stage::Project, .done = 0, .total = model.num_rows()});
    survey_ = survey_rows(model, result.pihat, options_, executor_);
    skips_idle_ = solves && curvature;
    if (num_candidates_ == model.num_rows() && survey_->num_busy(executor_) == model.num_rows()) {
      survey_.reset();
      return;
    }
    result.passes.project += survey_->passes;
    if (!laplace_of_all(result)) ++result.passes.project;
    result.remainder_scores = survey_->scores;
    at_mean_ = laplace_of_all(result) ? *result.laplace->at_mode
                                      : model.evaluate(result.pihat.mean(), Order::Hessian, executor_);
  }

  // The rows that a build may choose from; empty: all.
  [[nodiscard]] std::vector<Index> candidates() const {
    const Index num_rows = problem_.likelihood().num_rows();
    if (!survey_) return {};
    std::vector<Index> drawn;
    if (num_candidates_ == num_rows) {
      drawn.resize(at(num_rows));
      std::iota(drawn.begin(), drawn.end(), Index{0});
    } else {
      drawn = draw_candidates(*survey_, num_candidates_, options_.seed, executor_);
    }
    if (!skips_idle_) return drawn;
    std::vector<Index> busy = survey_->busy_of(drawn, executor_);
    return busy.empty() ? drawn : busy;
  }

  // The held-out sum is that of all rows: estimated where points are chosen from some of them, if it can be.
  Heldout make_heldout(const RandomProjection& projection, const RowSource& rows,
                       CoresetResult& result) const {
    result.heldout_rows = rows.num_rows();
    if (survey_ && num_candidates_ < rows.num_rows()) {
      CoresetOptions options = options_;
      options.norm = heldout_options(options_).norm;
      auto estimated = estimated_heldout(projection, problem_.likelihood(), result.pihat, *at_mean_, *survey_,
                                         options, executor_);
      if (estimated) {
        result.heldout_rows = estimated->num_rows;
        result.heldout_noise = estimated->noise / static_cast<double>(norm(estimated->sum));
        return {rows, std::move(estimated->sum), estimated->noise};
      }
    }
    ++result.passes.project;
    problem_.likelihood().complete(executor_);
    Heldout heldout(rows, executor_);
    if (excess_ == nullptr) return heldout;
    return {rows, less_excess(heldout.sum(), projection), 0};
  }

  // The sum of random features of all rows, less that of the excess.
  [[nodiscard]] ExtendedVector less_excess(ExtendedVector sum, const RandomProjection& projection) const {
    add_scaled(sum, -1, projection.sum_from(gradients(*excess_, projection.points())));
    return sum;
  }

  // Of an expansion at points, one after the other.
  [[nodiscard]] ExtendedVector gradients(const Quadratic& expansion,
                                         const std::vector<double>& points) const {
    const Index dim = std::ssize(expansion.centre);
    ExtendedVector out(points.size(), 0);
    executor_.for_each(std::ssize(points) / dim, [&](Index s) {
      expansion.add_gradient(std::span(points).subspan(at(s * dim), at(dim)), out.data() + s * dim);
    });
    return out;
  }

  // The vectors of all rows, or of candidates.
  // `all_rows` and `like` as in CurvatureProjectionOptions.
  [[nodiscard]] std::unique_ptr<RowSource> random_or_curvature(const Likelihood& rows, const Normal& pihat,
                                                               Index dim, const Derivatives* all_rows,
                                                               const RowSource* like, bool hold_rows) const {
    if (options_.projection == ProjectionKind::Curvature) {
      return std::make_unique<CurvatureProjection>(
          *rows.linear_model(), pihat, executor_,
          CurvatureProjectionOptions{expansion_, remainder_dim_, options_.seed, "remainder", all_rows,
                                     static_cast<const CurvatureProjection*>(like), hold_rows});
    }
    return std::make_unique<RandomProjection>(
        rows, pihat, RandomProjectionOptions{options_.norm, dim, options_.seed, "projection"});
  }

  // Candidates are added while the build stalls short of the tolerance, until they are all rows.
  void build_with(Index dim, Heldout& heldout, Stopwatch& clock, CoresetResult& result) {
    constexpr Index kGrowth = 4;
    while (true) {
      build_from_candidates(dim, heldout, clock, result);
      const Termination end = result.build.termination;
      const bool stalled = end == Termination::NoProgress || end == Termination::NumericLimit;
      const Index num_rows = problem_.likelihood().num_rows();
      if (num_candidates_ == num_rows || !stalled || !(result.heldout_error > result.tolerance) ||
          options_.candidates.kind != RowCount::Kind::Auto || options_.tolerance == 0)
        return;
      num_candidates_ = kGrowth * num_candidates_ < num_rows / 2 ? kGrowth * num_candidates_ : num_rows;
    }
  }

  void build_from_candidates(Index dim, Heldout& heldout, Stopwatch& clock, CoresetResult& result) const {
    const Likelihood& all = problem_.likelihood();
    const std::vector<Index> candidates = this->candidates();
    std::unique_ptr<Likelihood> some;
    KnownSum known;
    if (candidates.empty()) {
      all.complete(executor_);
    } else {
      all.fetch(candidates, executor_);
      std::vector<double> counts;
      for (const Index row : candidates) counts.push_back(all.multiplicity(row));
      some = all.subset(candidates, counts);
    }
    // The derivatives at the mode are all that the sum of curvature vectors is made of; they need not be
    // summed where forming every row would take long.
    const Derivatives* at_mean = nullptr;
    if (options_.projection == ProjectionKind::Curvature && expansion_ == Expansion::Taylor) {
      const bool long_rows = curvature_dim(all.num_parameters()) >= CurvatureProjection::kFewestForProducts &&
                             laplace_of_all(result);
      if (some) at_mean = &*at_mean_;
      if (!some && (long_rows || excess_ != nullptr)) at_mean = &*result.laplace->at_mode;
    }
    // Else the sum is that of all rows, formed one after the other, in the frame of the candidates.
    std::unique_ptr<RowSource> every;
    if (some && at_mean == nullptr) {
      all.complete(executor_);
      every = random_or_curvature(all, result.pihat, dim, nullptr, nullptr, false);
      const WatchedRows seen(*every, problem_, watcher(Stage::Project, every->num_rows(), every->dim()));
      const VectorTable table(seen, executor_.local(), {.selector = SelectorKind::Scan});
      known = {table.sum(), table.norm_sum()};
      ++result.passes.project;
    }
    const auto rows = random_or_curvature(some ? *some : all, result.pihat, dim, at_mean, every.get(), true);
    result.dim = rows->dim();
    result.num_candidates = rows->num_rows();
    if (at_mean != nullptr && (some || rows->products() != nullptr))
      known = {static_cast<const CurvatureProjection&>(*rows).target(),
               some ? survey_->norm_sum : norm_sum_of(*rows)};
    if (excess_ != nullptr && known.sum.empty()) known = known_less_excess(*rows, at_mean != nullptr);
    // Of all rows: a_n, b_n and the frame of the curvature.
    constexpr Index kOfCurvature = 2;
    if (options_.projection == ProjectionKind::Curvature && (!some || every))
      result.passes.project += kOfCurvature;
    WatchedRows watched(*rows, problem_, watcher(Stage::Prepare, 2 * rows->num_rows(), rows->dim()),
                        some ? &candidates : nullptr);
    const bool greedy = is_greedy(options_.method);
    const VectorTable table(watched, executor_.local(),
                            {.selector = greedy ? options_.selector : SelectorKind::Scan,
                             .known = known.sum.empty() ? nullptr : &known});
    result.seconds.project += clock.restart();
    // The selector is made now, so that its time counts as preparation and not as part of the first step.
    const bool searches = greedy && !table.zero_target();
    if (searches) (void)table.selector();
    watched.end_pass();
    if (!some) {  // the sum of all rows and their codes, in one pass or two; none where products do
      const double once =
          static_cast<double>(rows->num_rows()) * static_cast<double>(rows->dim()) * sizeof(double);
      result.passes.prepare += std::lround(table.prepare_bytes_read() / once);
    }
    return_free_memory();
    result.seconds.prepare += clock.restart();

    result.tolerance = relative_tolerance(heldout);
    result.build = construct(table, candidates, result.tolerance, result.remainder, heldout);
    if (some) {
      result.build.coreset = of_all_rows(std::move(result.build.coreset), candidates);
      for (StepRecord& step : result.build.trace) step.row = candidates[at(step.row)];
    }
    result.heldout_error = heldout.error(result.build.coreset);
    result.seconds.construct += clock.restart();

    result.norm_sum = table.norm_sum();
    result.target_norm = static_cast<double>(table.target_norm());
    result.num_zero_rows = some ? survey_->num_zero_rows : table.num_zero_rows();
    result.zero_target = table.zero_target();
    result.selector = searches ? std::optional(table.selector_kind()) : std::nullopt;
    result.selector_bytes = table.selector_bytes();
    result.prepare_bytes_read = table.prepare_bytes_read();
  }

  // Whether the derivatives of all rows at the mean of pihat are there.
  [[nodiscard]] bool laplace_of_all(const CoresetResult& result) const {
    return options_.pihat == PihatKind::Laplace && result.laplace && result.laplace->at_mode.has_value();
  }

  // What the vectors of all rows are to approximate where that is less than their sum: from the derivatives
  // at the mode, or by random features.
  [[nodiscard]] KnownSum known_less_excess(const RowSource& rows, bool curvature) const {
    const VectorTable table(rows, executor_, {.selector = SelectorKind::Scan});
    if (curvature) return {static_cast<const CurvatureProjection&>(rows).target(), table.norm_sum()};
    return {less_excess(table.sum(), static_cast<const RandomProjection&>(rows)), table.norm_sum()};
  }

  // sigma, of rows that are known by their products.
  [[nodiscard]] double norm_sum_of(const RowSource& rows) const {
    const ExtendedVector sum =
        sum_blocks(executor_, rows.num_rows(), 1, [&](Index first, Index count, double* part) {
          std::vector<double> norms(at(count));
          rows.products()->norms(first, count, norms.data());
          for (const double norm : norms) *part += norm;
        });
    return static_cast<double>(sum[0]);
  }

  // From rows among the candidates to rows of the likelihood.
  static Coreset of_all_rows(Coreset coreset, const std::vector<Index>& candidates) {
    for (Index& row : coreset.rows) row = candidates[at(row)];
    return coreset;
  }

  // The tolerance as a bound of the relative error.
  [[nodiscard]] double relative_tolerance(const Heldout& heldout) const {
    const bool whitened = options_.projection == ProjectionKind::Curvature || options_.norm == Norm::Whitened;
    if (!options_.posterior_units || !whitened || heldout.norm() == 0) return options_.tolerance;
    const auto dim = static_cast<double>(problem_.likelihood().num_parameters());
    return std::min(1.0, options_.tolerance * std::sqrt(dim) / heldout.norm());
  }

  [[nodiscard]] BuildResult construct(const VectorTable& table, const std::vector<Index>& candidates,
                                      double tolerance, double remainder, Heldout& heldout) const {
    const ErrorMeasure measure = [&](const Coreset& coreset) {
      return heldout.error(candidates.empty() ? coreset : of_all_rows(coreset, candidates));
    };
    // A coreset cannot have more points than there are rows; draws with replacement may be more.
    const Index size = std::min(options_.size, table.num_rows());
    const GreedyOptions greedy{.size = size,
                               .max_steps = options_.max_steps,
                               .tolerance = tolerance,
                               .heldout = measure,
                               .enough = enough(table, tolerance, is_far(remainder)),
                               .resumable = false};
    const SubsampleOptions sampling{options_.size, options_.seed, measure};
    return build(table, options_.method, greedy, sampling, observer_);
  }

  // The relative error by which the features of the build are used up: well below the tolerance, which the
  // held-out error reaches as well unless it sees what they do not. Where it says nothing (is_far), somewhat
  // above the tolerance: what is left the weights of the certificate correct.
  [[nodiscard]] double enough(const VectorTable& table, double tolerance, bool far) const {
    constexpr double kUsual = 0.25, kFar = 1.5;
    const bool curvature = options_.projection == ProjectionKind::Curvature && remainder_dim_ == 0;
    if (!curvature || !options_.posterior_units) return kUsual * tolerance;
    const auto matched = static_cast<double>(table.target_norm());
    if (matched == 0) return 0;
    const double share = far ? kFar : kUsual;
    const auto dim = static_cast<double>(problem_.likelihood().num_parameters());
    return share * options_.tolerance * std::sqrt(dim) / matched;
  }

  // What gradient and curvature leave out, per square root of D: the held-out features of all rows less those
  // of their expansion at the mode. 0 where that is not known.
  void measure_remainder(const RandomProjection& projection, const Heldout& heldout,
                         CoresetResult& result) const {
    if (options_.projection != ProjectionKind::Curvature || !laplace_of_all(result) || remainder_dim_ > 0)
      return;
    const Quadratic expansion{result.pihat.mean(), *result.laplace->at_mode};
    const Index dim = result.pihat.dim();
    ExtendedVector rest = heldout.sum();
    add_scaled(rest, -1, projection.sum_from(gradients(expansion, projection.points())));
    const auto length = static_cast<double>(norm(rest)), noise = heldout.noise();
    result.remainder = std::sqrt(std::max(0.0, length * length - noise * noise) / static_cast<double>(dim));
  }

  // From rows of the likelihood to rows of the data, and from weights of vectors, which count a row
  // `multiplicity` times, to weights of rows.
  void translate(CoresetResult& result) const {
    const Coreset& built = result.build.coreset;
    for (std::size_t i = 0; i < built.rows.size(); ++i) {
      const double times = problem_.likelihood().multiplicity(built.rows[i]);
      result.coreset.rows.push_back(problem_.data_row(built.rows[i]));
      result.coreset.weights.push_back(built.weights[i] * times);
      result.multiplicity.push_back(times);
    }
  }

  const Problem& problem_;
  const CoresetOptions options_;
  const Executor& executor_;
  const Observer& observer_;
  const LaplaceResult* known_;  // may be null,
  const Quadratic* excess_;     // as may this
  Expansion expansion_;         // as the options say, until the held-out error asks for the remainder;
  Index remainder_dim_;         // likewise
  Index num_candidates_ = 0;
  std::optional<RowSurvey> survey_;     // where points are chosen from some of the rows,
  std::optional<Derivatives> at_mean_;  // as is this: of all rows at the mean of pihat
  bool skips_idle_ = false;             // whether idle rows are never chosen
};

}  // namespace

bool far_from_normal(const CoresetResult& result) {
  return is_far(result.remainder) && result.options.remainder_dim == 0;
}

CoresetResult build_coreset(const Problem& problem, const CoresetOptions& options, const Executor& executor,
                            const Observer& observer, const LaplaceResult* known, const Quadratic* excess) {
  require(options.size >= 0, "size must be at least 0");
  require(options.projection_dim >= 0, "projection_dim must be at least 0");
  require(options.heldout_dim >= 2, "heldout_dim must be at least 2");
  require(options.subsample_rows >= 0, "subsample_rows must be at least 0");
  const CoresetOptions all = resolved(options, problem);
  require(all.projection != ProjectionKind::Curvature || problem.likelihood().linear_model() != nullptr,
          "the curvature projection needs a linear predictor that all parameters enter by; use "
          "ProjectionKind::Random");
  require(excess == nullptr || (known != nullptr && known->at_mode && all.pihat == PihatKind::Laplace &&
                                all.candidates.kind == RowCount::Kind::All &&
                                all.expansion == Expansion::Taylor && !all.add_remainder &&
                                (all.projection == ProjectionKind::Curvature || all.norm == Norm::Whitened)),
          "an excess needs the mode, all rows, the whitened norm and no remainder");
  return Run(problem, all, executor, observer, known, excess).go();
}

}  // namespace giga
