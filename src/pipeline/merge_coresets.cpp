// Order the shards, make one design, find the mode of what is known of all rows, reduce, and account for it.
#include "giga/pipeline/merge_coresets.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/require.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/stack.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/project/smoothed_derivatives.hpp"
#include "pipeline/corrected_likelihood.hpp"
#include "pipeline/merged_design.hpp"

namespace giga {
namespace {

// By the digests of their data: the order in which shards arrive does not matter.
std::vector<Index> order_of(std::span<const Shard> shards) {
  const auto digests = [](const Shard& shard) {
    std::vector<std::string> out;
    for (const ShardPart& part : shard.sums->shards) out.push_back(part.digest);
    return out;
  };
  std::vector<Index> order(shards.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index s) { return digests(shards[at(s)]); });
  return order;
}

// Rows that are in two of the shards would count twice.
void require_apart(std::span<const Shard> shards) {
  std::map<std::string, const Shard*> seen;
  for (const Shard& shard : shards) {
    for (const ShardPart& part : shard.sums->shards) {
      if (part.digest.empty()) continue;
      const auto [found, is_new] = seen.emplace(part.digest, &shard);
      if (is_new) continue;
      throw DataError(shard.name + " and " + found->second->name + ": both have the rows of " +
                      printable(part.name, 200) + ", which would count twice; leave one of them out");
    }
  }
}

// What the coreset of a shard is known to have too much, about a point of the merged model.
Derivatives excess_of(const Shard& shard, const ShardMap& map, std::span<const double> theta) {
  const Quadratic own{shard.sums->point, shard.sums->excess};
  return map.pulled_back(recentred(own, map.times(theta)).at_centre);
}

// sqrt(d'(-H)d / D) with d the way from the mode of the shard to `theta`, H the Hessian of its rows there.
double distance(const Shard& shard, const ShardMap& map, std::span<const double> theta) {
  const std::vector<double> there = map.times(theta);
  const std::size_t dim = there.size();
  Extended square = 0;
  for (std::size_t i = 0; i < dim; ++i)
    for (std::size_t j = 0; j < dim; ++j)
      square -= Extended{shard.sums->at_point.hessian[i * dim + j]} * (there[i] - shard.sums->point[i]) *
                (there[j] - shard.sums->point[j]);
  return static_cast<double>(std::sqrt(std::max(Extended{0}, square) / static_cast<Extended>(dim)));
}

std::string two_digits(double value) {
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 2);
  return {buffer.data(), end.ptr};
}

// In an order that does not depend on who was merged with whom first.
void put_in_order(ShardSums& sums) {
  std::ranges::stable_sort(sums.shards, {}, &ShardPart::digest);
  std::ranges::stable_sort(sums.reductions, {},
                           [](const ErrorPart& part) { return std::pair(part.weight, part.error); });
}

class Merge {
 public:
  Merge(std::vector<Shard> shards, const MergeOptions& options, const Executor& executor,
        const Observer& observer)
      : shards_(std::move(shards)), options_(options), executor_(executor), observer_(observer) {}

  MergeResult go() {
    MergeResult out;
    std::vector<const Dataset*> tables;
    for (const Shard& shard : shards_) tables.push_back(shard.data);
    ModelOptions model = merged_model(shards_);
    out.data =
        std::make_unique<Dataset>(stacked(tables, "the points of " + plural(std::ssize(shards_), "coreset")));
    MergedDesign design = merged_design(shards_, std::move(model), *out.data);
    out.problem = std::make_unique<Problem>(*out.data, design.model, design.scale, executor_);
    out.sums = std::move(design.sums);
    const LaplaceResult mode = find_mode(*out.problem, design.maps);
    out.sums.point = mode.posterior.mean();
    out.sums.at_point = *mode.at_mode;
    for (std::size_t s = 0; s < shards_.size(); ++s)
      out.distances.push_back(distance(shards_[s], design.maps[s], out.sums.point));
    note_distances(out);
    for (const Shard& shard : shards_) {
      const ShardSums& sums = *shard.sums;
      out.sums.shards.insert(out.sums.shards.end(), sums.shards.begin(), sums.shards.end());
      out.sums.reductions.insert(out.sums.reductions.end(), sums.reductions.begin(), sums.reductions.end());
    }
    options_.reduce ? reduce(mode, out) : keep_all(mode, out);
    out.sums.excess_error = second_order_error(out.sums.excess, mode.posterior);
    put_in_order(out.sums);
    return out;
  }

 private:
  // The mode of T and the prior. The excess is left about it, for the reduction.
  LaplaceResult find_mode(const Problem& problem, const std::vector<ShardMap>& maps) {
    tell(observer_, {.stage = Stage::Laplace});
    try {
      const LaplaceResult rough = laplace(problem.likelihood(), problem.prior(), executor_, {}, observer_);
      excess_.centre = rough.posterior.mean();
      excess_.at_centre = {};
      for (std::size_t s = 0; s < shards_.size(); ++s)
        add_to(excess_.at_centre, excess_of(shards_[s], maps[s], excess_.centre));
      const CorrectedLikelihood corrected(problem.likelihood(), excess_);
      LaplaceResult mode =
          laplace(corrected, problem.prior(), executor_, {.start = rough.posterior.mean()}, observer_);
      excess_ = recentred(excess_, mode.posterior.mean());
      return mode;
    } catch (const OptionError&) {  // a flat prior, and a likelihood that does not make up for it
      throw;
    } catch (const std::invalid_argument&) {
      throw DataError(
          problem.name() +
          ": the posterior of all of them has no mode that can be found; build the coresets again, "
          "with more points");
    }
  }

  // Errors were measured where the posterior of a shard has its mass: about one standard deviation per
  // parameter from its mode.
  void note_distances(MergeResult& out) const {
    constexpr double kFar = 3;
    const auto farthest = std::ranges::max_element(out.distances);
    if (*farthest <= kFar) return;
    const auto count = std::ranges::count_if(out.distances, [](double d) { return d > kFar; });
    out.notes.push_back((count == 1 ? "one shard differs" : std::to_string(count) + " shards differ") +
                        std::string(" from the others: the mode of all is up to ") + two_digits(*farthest) +
                        " posterior standard deviations per parameter from that of " +
                        shards_[at(farthest - out.distances.begin())].name +
                        ", where its error was measured; the error may be larger than is told");
  }

  // The options of a build of these rows, with what a known target asks for.
  [[nodiscard]] CoresetOptions build_options(const Problem& problem) const {
    CoresetOptions options = options_.coreset;
    options.pihat = PihatKind::Laplace;
    options.projection = ProjectionKind::Auto;
    options.norm = Norm::Whitened;
    options.expansion = Expansion::Taylor;
    options.remainder_dim = 0;
    options.add_remainder = false;
    options.candidates = RowCount::all();
    if (!options.posterior_units) return resolved(options, problem);
    FitOptions fit;
    fit.coreset = options;
    return round_options(problem, fit, {});
  }

  void reduce(const LaplaceResult& mode, MergeResult& out) const {
    const Problem& problem = *out.problem;
    out.coreset = build_coreset(problem, build_options(problem), executor_, observer_, &mode, &excess_);
    if (out.coreset.build.termination == Termination::Stopped) throw Stopped();
    const auto points =
        problem.likelihood().subset(out.coreset.build.coreset.rows, out.coreset.coreset.weights);
    // What was known exactly of the parts is put right; the reduction has an error of its own.
    for (ShardPart& part : out.sums.shards) part.corrected = true;
    for (ErrorPart& part : out.sums.reductions) part.corrected = true;
    // Over T, which is the union less its own excess.
    out.sums.excess =
        difference(points->evaluate(out.sums.point, Order::Hessian, executor_), out.sums.at_point);
    Derivatives smooth =
        difference(smoothed_derivatives(*points->linear_model(), mode.posterior, executor_),
                   smoothed_derivatives(*problem.likelihood().linear_model(), mode.posterior, executor_));
    add_to(smooth, excess_.at_centre);
    take_smoothed(smooth, out.sums.excess);
    out.sums.reductions.push_back(error_part(out.coreset, problem.likelihood(), out.sums.weight,
                                             out.sums.point, out.sums.excess, executor_));
  }

  // The union as it is; its errors are those of the shards.
  void keep_all(const LaplaceResult& mode, MergeResult& out) const {
    const Problem& problem = *out.problem;
    CoresetResult& result = out.coreset;
    result.options = build_options(problem);
    result.options.size = problem.likelihood().num_rows();
    result.laplace = mode;
    result.pihat = mode.posterior;
    result.build.method = result.options.method;
    for (Index n = 0; n < problem.likelihood().num_rows(); ++n) {
      const double weight = problem.likelihood().multiplicity(n);
      result.coreset.rows.push_back(problem.data_row(n));
      result.coreset.weights.push_back(weight);
      result.multiplicity.push_back(weight);
      result.build.coreset.rows.push_back(n);
      result.build.coreset.weights.push_back(1);
    }
    out.sums.excess = excess_.at_centre;
    result.build.relative_error = second_order_error(out.sums.excess, mode.posterior) /
                                  second_order_error(out.sums.at_point, mode.posterior);
    result.heldout_error = std::nan("");
  }

  const std::vector<Shard> shards_;
  const MergeOptions& options_;
  const Executor& executor_;
  const Observer& observer_;
  Quadratic excess_;  // of the union over T
};

}  // namespace

MergeResult merge_coresets(std::span<const Shard> shards, const MergeOptions& options,
                           const Executor& executor, const Observer& observer) {
  require(shards.size() >= 2, "there must be 2 shards");
  require_one_model(shards);
  require_apart(shards);
  const std::vector<Index> order = order_of(shards);
  std::vector<Shard> sorted;
  for (const Index s : order) sorted.push_back(shards[at(s)]);
  MergeResult out = Merge(std::move(sorted), options, executor, observer).go();
  // Back to the shards as they were given.
  const std::vector<double> distances = std::exchange(out.distances, std::vector<double>(shards.size()));
  for (std::size_t k = 0; k < order.size(); ++k) {
    out.distances[at(order[k])] = distances[k];
    for (Index n = 0; n < shards[at(order[k])].data->num_rows(); ++n) out.origin.push_back({order[k], n});
  }
  return out;
}

}  // namespace giga
