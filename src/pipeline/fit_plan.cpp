// A model of the time that a fit takes. With c the seconds of one multiplication and addition, read off a
// timed gradient (2 N D of them), N rows, D parameters, M points, J = D(D+3)/2, T threads:
//
//   mode       passes (N D^2 c / T + r)
//   survey     passes (N D^2 c / T + r), where points are chosen from some of the rows
//   held out   500 N_c D c / T
//   search     N_c D^2 c / T per search over N_c candidates, or their J bytes of codes; about 90 searches
//              where one chooses several rows, 1.3 M where it chooses one
//   weights    2 M^3 c for the factor, and M J c per step for the point itself
//   chains     gradients of M rows
//   check      draws N_c D c / T, and r for the model check
//
// r is the time in which all rows are read from where they are, memory or disk, as some blocks of them took.
#include "giga/pipeline/fit_plan.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "giga/base/stopwatch.hpp"
#include "giga/model/linear_model.hpp"
#include "giga/pipeline/full_data_cost.hpp"

namespace giga {
namespace {

constexpr double kGradients = 15;      // per transition
constexpr double kTransitions = 2000;  // of a chain on all rows

// r: blocks that are spread over the rows. Those of a rank, where ranks share the rows. 0 where they are few,
// or where the model is one's own, each of whose calls may cost more than reading.
double reading_seconds(const Likelihood& all, const Executor& executor) {
  constexpr Index kBlocks = 32;
  const LinearModel* linear = all.linear_model();
  const RowRange held = all.held();
  const Index blocks = num_blocks(held.size());
  if (blocks < 2 * kBlocks || linear == nullptr) return 0;
  const Stopwatch clock;
  executor.for_each(kBlocks, [&](Index i) {
    std::vector<double> z(at(kBlockRows * linear->num_columns()));
    const Index first = held.begin + i * blocks / kBlocks * kBlockRows;
    linear->design(first, std::min(kBlockRows, held.end - first), z.data());
  });
  return clock.seconds() * static_cast<double>(blocks) / kBlocks;
}

// Whether all rows are looked at before points are chosen from some of them.
bool is_surveyed(const CoresetOptions& options) {
  return options.projection == ProjectionKind::Curvature &&
         (options.method == Method::Corrective || options.method == Method::Pursuit);
}

}  // namespace

Index likely_points(Index num_parameters) {
  // Measured: 135 points for J = 252, 380 for 819, 567 for 1484, 1564 for 6440.
  constexpr double kFactor = 2.2, kPower = 0.75;
  return std::lround(kFactor * std::pow(static_cast<double>(curvature_dim(num_parameters)), kPower));
}

double FitPlan::total() const {
  return seconds.laplace + seconds.project + seconds.prepare + seconds.construct + seconds.sample +
         seconds.certify;
}

FitPlan plan_fit(const Problem& problem, const FitOptions& options, const Executor& executor) {
  const Likelihood& all = problem.likelihood();
  FitPlan plan;
  plan.num_rows = all.num_rows();
  if (options.chains < 1 || options.coreset.size < 0) return plan;  // fit() will say what is wrong
  const CoresetOptions round = round_options(problem, options, {});
  const Index asked = options.coreset.size;
  plan.most_points = round.size;
  plan.points = std::min(asked > 0 ? asked : likely_points(all.num_parameters()), all.num_rows());

  const auto rows = static_cast<double>(all.num_rows()), dim = static_cast<double>(all.num_parameters()),
             points = static_cast<double>(plan.points), chains = static_cast<double>(options.chains);
  // Random features are doubled until they are enough: some thousands where parameters are many.
  constexpr double kRandomFeatures = 2000;
  const bool curvature = round.projection == ProjectionKind::Curvature;
  const double numbers =
      curvature ? static_cast<double>(curvature_dim(all.num_parameters())) : kRandomFeatures;
  const auto threads = static_cast<double>(executor.num_threads());
  const double together = std::min(threads, chains);
  constexpr Index kTimedRows = 50'000;
  const double full_gradient = gradient_seconds(problem, all.num_rows(), executor, kTimedRows);
  const double gradient = gradient_seconds(problem, plan.points, executor);
  const double each = gradient / (2 * points * dim);  // c

  constexpr double kPasses = 8, kReadings = 5, kSurveyPasses = 7, kSurveyReadings = 3, kCheckReadings = 2;
  constexpr double kHeldout = 500, kFewSearches = 90, kPerPoint = 1.3, kSome = 50'000;
  const bool several = curvature && numbers >= CurvatureProjection::kFewestForProducts;
  const double candidates = std::min(rows, kSome), searches = several ? kFewSearches : kPerPoint * points;
  const double per_search = several ? dim * dim : numbers / 8;
  const SampleOptions sample = resolved_sampling(problem, options, plan.points);
  const double transitions =
      static_cast<double>(sample.warmup) + static_cast<double>(sample.draws * sample.thin);
  const double weighed =
      static_cast<double>(sample.draws) * chains + static_cast<double>(options.laplace_draws);

  const double pass = rows * dim * dim * each / threads, reading = reading_seconds(all, executor);

  plan.seconds.laplace = kPasses * pass + kReadings * reading;
  plan.seconds.project = kHeldout * candidates * dim * each / threads +
                         (is_surveyed(round) ? kSurveyPasses * pass + kSurveyReadings * reading : 0);
  plan.seconds.construct = (searches * candidates * per_search / threads + 2 * points * points * points +
                            searches * points * numbers / 2) *
                           each;
  plan.seconds.sample = chains * transitions * kGradients * gradient / together;
  plan.seconds.certify = weighed * candidates * dim * each / threads + kCheckReadings * reading;
  plan.full_seconds = chains * kTransitions * kGradients * full_gradient / together;
  return plan;
}

}  // namespace giga
