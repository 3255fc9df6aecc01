// Columns of shards to columns of the merged design, moments of shards to moments of all rows.
#include "pipeline/merged_design.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "pipeline/moments.hpp"
#include "pipeline/prior_units.hpp"

namespace giga {
namespace {

// A merged raw column on the rows of a shard: constant + sum of times r_k.
struct ColumnSource {
  double constant = 0;
  std::vector<std::pair<Index, double>> parts = {};
  bool is_base = false;  // 1 where the level is the base of the shard, else 0
};

// What the categories of a table became.
std::vector<CategorySummary> categories_of(const ModelOptions& model, const Dataset& data) {
  if (model.design) return terms_of(*model.design, sources_of(*model.design, data, false)).categories;
  std::vector<CategorySummary> out;
  for (Index d = 0; d < data.num_features(); ++d) {
    const Column& column = data.feature_column(d);
    if (column.kind != ColumnKind::Category) continue;
    const Index levels = std::ssize(column.levels);
    out.push_back({column.name, levels, levels - 1, column.levels.front(), column.name});
  }
  return out;
}

class ShardColumns {
 public:
  ShardColumns(const Shard& shard, const ModelOptions& model, const Dataset& data)
      : shard_(shard), categories_(categories_of(shard.problem->table()->options, *shard.data)) {
    for (Index k = 0; k < std::ssize(shard.columns); ++k) {
      if (!places_.emplace(shard.columns[at(k)], k).second)
        throw DataError(shard.name + ": two of its columns are called '" + printable(shard.columns[at(k)]) +
                        "'; rename one, and build the coreset again");
    }
    check_bases(categories_of(model, data));
  }

  [[nodiscard]] ColumnSource source(const std::string& column) const {
    if (const auto found = places_.find(column); found != places_.end()) return {0, {{found->second, 1.0}}};
    for (const CategorySummary& category : categories_) {
      if (category.base.empty() || column != category.name + category.base) continue;
      ColumnSource out{.constant = 1, .is_base = true};
      for (const std::string& level : levels_of(category)) {
        const auto found = places_.find(category.name + level);
        if (found != places_.end()) out.parts.emplace_back(found->second, -1.0);
      }
      return out;
    }
    return {};  // a level that the shard does not have
  }

 private:
  // Another base is the constant less the other levels; of an interaction it would be more than that.
  void check_bases(const std::vector<CategorySummary>& merged) const {
    for (const CategorySummary& category : categories_) {
      const auto other = std::ranges::find(merged, category.name, &CategorySummary::name);
      if (other == merged.end() || other->base == category.base) continue;
      if (category.columns == category.levels - 1) continue;
      throw DataError(shard_.name + ": cannot be merged: the base of '" + printable(category.name) +
                      "' is '" + printable(category.base) + "', since it has no row with '" +
                      printable(other->base) +
                      "', and it is part of an interaction; build the shards with one design: `design_from` "
                      "one of them, or of a sample of all");
    }
  }

  // The levels of a category, by its column of the table or as a factor learnt them.
  [[nodiscard]] std::vector<std::string> levels_of(const CategorySummary& category) const {
    const ModelOptions& model = shard_.problem->table()->options;
    if (model.design) {
      for (const LearntCall& call : model.design->learnt) {
        if (call.call != category.name) continue;
        if (!call.levels.empty()) return call.levels;
        std::vector<std::string> texts;
        for (const double value : call.values) texts.push_back(shortest(value));
        return texts;
      }
    }
    for (Index d = 0; d < shard_.data->num_features(); ++d)
      if (shard_.data->feature_column(d).name == category.column)
        return shard_.data->feature_column(d).levels;
    return {};
  }

  const Shard& shard_;
  std::vector<CategorySummary> categories_;
  std::map<std::string, Index> places_;
};

// The moments of a merged column over the rows of a shard.
Moments moments_in(const ColumnSource& source, const ShardSums& sums) {
  double mean = source.constant, variance = 0;
  for (const auto& [k, times] : source.parts) {
    mean += times * sums.columns.mean[at(k)];
    if (!source.is_base) variance = sums.columns.sd[at(k)] * sums.columns.sd[at(k)];
  }
  if (source.is_base) variance = std::max(0.0, mean * (1 - mean));
  return {sums.weight, mean, variance * sums.weight};
}

void add_moments(const Moments& all, ColumnMoments& out) {
  out.mean.push_back(all.mean);
  out.sd.push_back(all.squares > 0 ? std::sqrt(all.squares / all.weight) : 0);
}

Standardisation scale_of(const ColumnMoments& columns, const GroupEffects& groups, Index num_population,
                         bool standardised) {
  Standardisation scale = Standardisation::identity(num_population);
  for (Index u = 0; standardised && u < num_population; ++u) {
    scale.mean[at(u)] = columns.mean[at(u)];
    if (columns.sd[at(u)] > 0)
      scale.scale[at(u)] = columns.sd[at(u)];
    else
      scale.constant.push_back(u);
  }
  for (const auto& effect : groups) {
    scale.group_sds.push_back(std::ssize(scale.mean));
    scale.mean.resize(scale.mean.size() + at(effect->num_columns()), 0.0);
    scale.scale.resize(scale.mean.size(), 1.0);
  }
  return scale;
}

// A_s; theta has the columns, the intercept if there is one, and the extra parameters.
ShardMap map_of(const Shard& shard, const std::vector<ColumnSource>& sources, const Standardisation& scale,
                const ModelOptions& model) {
  const Standardisation& own = shard.problem->table()->design->scale();
  const Index num_own = std::ssize(own.mean), num_all = std::ssize(scale.mean);
  const Index rest = shard.problem->likelihood().num_parameters() - num_own;
  ShardMap map(num_own + rest, num_all + rest);
  for (Index i = 0; i < rest; ++i) map.entry(num_own + i, num_all + i) = 1;
  for (Index u = 0; u < num_all; ++u) {
    const ColumnSource& source = sources[at(u)];
    double shift = source.constant - scale.mean[at(u)];
    for (const auto& [k, times] : source.parts) {
      map.entry(k, u) += times * own.scale[at(k)] / scale.scale[at(u)];
      shift += times * own.mean[at(k)];
    }
    if (model.intercept) {
      map.entry(num_own, u) = shift / scale.scale[at(u)];
    } else if (shift != 0) {
      throw DataError(shard.name + ": cannot be merged: without an intercept " +
                      (source.is_base ? "a category whose base differs between shards"
                                      : "columns that are centred by the rows of each shard, as version 0.1 "
                                        "did,") +
                      " makes a model of its own for each");
    }
  }
  return map;
}

// Counts, and the moments that priors may be in units of.
ShardSums pooled(std::span<const Shard> shards) {
  ShardSums out;
  std::vector<Moments> slopes(shards.front().sums->slopes.mean.size());
  Moments response;
  for (const Shard& shard : shards) {
    const ShardSums& sums = *shard.sums;
    out.weight += sums.weight;
    out.num_zero_rows += sums.num_zero_rows;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      const double sd = sums.slopes.sd[k];
      slopes[k].join({sums.weight, sums.slopes.mean[k], sd * sd * sums.weight});
    }
    response.join({sums.weight, sums.response_mean, sums.response_sd * sums.response_sd * sums.weight});
  }
  for (const Moments& all : slopes) add_moments(all, out.slopes);
  out.response_mean = response.mean;
  if (response.squares > 0) out.response_sd = std::sqrt(response.squares / response.weight);
  return out;
}

}  // namespace

std::vector<double> ShardMap::times(std::span<const double> theta) const {
  std::vector<double> out;
  for (Index i = 0; i < rows_; ++i) {
    Extended sum = 0;
    for (Index j = 0; j < columns_; ++j) sum += Extended{entry(i, j)} * theta[at(j)];
    out.push_back(static_cast<double>(sum));
  }
  return out;
}

Derivatives ShardMap::pulled_back(const Derivatives& of_shard) const {
  Derivatives out{of_shard.value, std::vector<double>(at(columns_)),
                  std::vector<double>(at(columns_ * columns_))};
  for (Index j = 0; j < columns_; ++j) {
    Extended sum = 0;
    for (Index i = 0; i < rows_; ++i) sum += Extended{entry(i, j)} * of_shard.gradient[at(i)];
    out.gradient[at(j)] = static_cast<double>(sum);
  }
  ExtendedVector turned(at(rows_ * columns_), 0);  // H A
  for (Index i = 0; i < rows_; ++i) {
    for (Index k = 0; k < rows_; ++k) {
      const Extended h = of_shard.hessian[at(i * rows_ + k)];
      for (Index j = 0; j < columns_ && h != 0; ++j) turned[at(i * columns_ + j)] += h * entry(k, j);
    }
  }
  ExtendedVector full(at(columns_ * columns_), 0);
  for (Index i = 0; i < rows_; ++i) {
    for (Index j = 0; j < columns_; ++j) {
      const Extended a = entry(i, j);
      for (Index k = 0; k < columns_ && a != 0; ++k)
        full[at(j * columns_ + k)] += a * turned[at(i * columns_ + k)];
    }
  }
  // Symmetric to the bit.
  for (Index j = 0; j < columns_; ++j)
    for (Index k = 0; k < columns_; ++k)
      out.hessian[at(j * columns_ + k)] =
          static_cast<double>((full[at(j * columns_ + k)] + full[at(k * columns_ + j)]) / 2);
  return out;
}

MergedDesign merged_design(std::span<const Shard> shards, ModelOptions model, const Dataset& data) {
  FormulaTerms made;
  if (model.design) {
    made = terms_of(*model.design, sources_of(*model.design, data, false));
  } else {
    made = {Design::all_features(data), model.intercept, {}};
  }
  std::vector<std::string> names;
  Index num_population = 0;
  for (const auto& term : made.population()) num_population += term->num_columns();
  for (const auto& term : made.terms)
    for (Index c = 0; c < term->num_columns(); ++c) names.push_back(term->column_name(c));

  MergedDesign out{.model = std::move(model), .scale = {}, .maps = {}, .sums = pooled(shards)};
  std::vector<std::vector<ColumnSource>> sources;
  for (const Shard& shard : shards) {
    const ShardColumns columns(shard, out.model, data);
    sources.emplace_back();
    for (const std::string& name : names) sources.back().push_back(columns.source(name));
  }
  if (out.model.standardise || out.model.priors.autoscale) {
    for (Index u = 0; u < num_population; ++u) {
      Moments all;
      for (std::size_t s = 0; s < shards.size(); ++s)
        all.join(moments_in(sources[s][at(u)], *shards[s].sums));
      add_moments(all, out.sums.columns);
    }
  }
  out.scale = scale_of(out.sums.columns, made.groups, num_population, out.model.standardise);
  for (std::size_t s = 0; s < shards.size(); ++s)
    out.maps.push_back(map_of(shards[s], sources[s], out.scale, out.model));
  if (!tells_priors(out.model, made.groups)) {
    const Design design(made.terms, out.scale,
                        {out.model.intercept, out.model.standardise, out.model.prior_scale});
    const UnitMoments units{out.sums.slopes, out.sums.response_mean, out.sums.response_sd};
    const bool as_they_are = out.model.priors.autoscale && !out.model.standardise;
    out.model.priors.found = priors_in_units(
        out.model, design, prior_units(units, as_they_are ? out.sums.columns : ColumnMoments{}, made.groups));
  }
  return out;
}

}  // namespace giga
