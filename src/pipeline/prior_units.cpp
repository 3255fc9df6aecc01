// Units of priors: the response where its link is the identity, columns that are taken as they are, and what
// the coefficients of groups are multiplied by. A constant has no unit and leaves the scale as it is.
#include "pipeline/prior_units.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline/moments.hpp"

namespace giga {
namespace {

// Whether the family learns a parameter of the size of the response, such as the sd of its noise.
bool learns_noise(const FamilyParameters& family) {
  return std::ranges::any_of(describe(family.family).extras,
                             [](const ExtraParameter& extra) { return extra.prior.autoscale; });
}

double or_one(double sd) {
  return sd > 0 ? sd : 1;
}

// Mean and sum of squares of the response less its offset.
Moments response_moments(const LinearModel& rows, const Executor& executor) {
  Moments all;
  fold_blocks<Moments>(
      executor, rows.num_rows(), 1, std::span(&all, 1),
      [&rows](Index first, Index count, Index /*piece*/, Moments* part) {
        for (Index n = first; n < first + count; ++n)
          part->join({rows.multiplicity(n), rows.response(n) - rows.offset(n), 0});
      },
      [](const Moments* part, Moments* total) { total->join(*part); });
  return all;
}

}  // namespace

bool is_in_units(const ModelOptions& options) {
  return !options.priors.autoscale && !options.priors.coefficients && learns_noise(options.family);
}

GroupEffects groups_of(const Problem& problem) {
  const Problem::Table& table = *problem.table();
  if (!table.options.design) return {};
  return terms_of(*table.options.design, sources_of(*table.options.design, *table.data, false)).groups;
}

Standardisation column_scale(std::span<const std::shared_ptr<const Term>> terms, const Dataset& data,
                             const DistinctRows& rows, bool intercept, const Executor& executor) {
  Standardisation scale = standardise(terms, data, rows, executor);
  return intercept ? scale : about_zero(std::move(scale));
}

ColumnMoments moments_of(const Standardisation& scale, Index count) {
  ColumnMoments out{{scale.mean.begin(), scale.mean.begin() + count},
                    {scale.scale.begin(), scale.scale.begin() + count}};
  for (const Index column : scale.constant)
    if (column < count) out.sd[at(column)] = 0;
  return out;
}

UnitMoments unit_moments(const Problem& problem, const Executor& executor) {
  return unit_moments(problem, groups_of(problem), executor);
}

UnitMoments unit_moments(const Problem& problem, const GroupEffects& groups, const Executor& executor) {
  const Problem::Table& table = *problem.table();
  UnitMoments out;
  Terms slopes;
  for (const auto& effect : groups)
    if (effect->has_slope()) slopes.push_back(effect->slope());
  if (!slopes.empty()) {
    const Standardisation scale = standardise(slopes, *table.data, table.distinct, executor);
    out.slopes = moments_of(scale, std::ssize(scale.mean));
  }
  if (!table.options.priors.autoscale && !learns_noise(table.options.family)) return out;
  const LinearModel& rows = *problem.likelihood().linear_model();
  if (describe(rows.family().family).link != "identity") return out;
  const Moments all = response_moments(rows, executor);
  out.response_mean = all.mean;
  if (all.squares > 0) out.response_sd = std::sqrt(all.squares / all.weight);
  return out;
}

PriorUnits prior_units(const UnitMoments& moments, const ColumnMoments& columns, const GroupEffects& groups) {
  PriorUnits units;
  auto next = moments.slopes.sd.begin();
  for (const auto& effect : groups) units.group_sds.push_back(effect->has_slope() ? or_one(*next++) : 1.0);
  for (const double sd : columns.sd) units.column_sds.push_back(or_one(sd));
  units.response_mean = moments.response_mean;
  units.response_sd = or_one(moments.response_sd);
  return units;
}

std::vector<ScalarPrior> priors_in_units(const ModelOptions& options, const Design& design,
                                         const PriorUnits& units) {
  PriorOptions chosen = options.priors;
  if (is_in_units(options)) {
    // Without an intercept the coefficients make the mean of the response too.
    const double unit =
        options.intercept ? units.response_sd : std::hypot(units.response_sd, units.response_mean);
    const double sd = options.prior_scale * unit;
    chosen.coefficients = ScalarPrior::normal(0, sd);
    if (!chosen.intercept) chosen.intercept = ScalarPrior::normal(units.response_mean, sd);
  }
  return find_priors(chosen, options.prior_scale, design, describe(options.family.family).extras, units);
}

bool tells_priors(const ModelOptions& options, const GroupEffects& groups) {
  return options.priors.is_default() && describe(options.family.family).extras.empty() && groups.empty();
}

}  // namespace giga
