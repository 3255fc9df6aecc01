// Blocks of rows: predictors at all draws by one matrix product, then row by row their expected responses,
// simulated responses and log-likelihoods, each an array of S numbers that is summed up at once.
#include "giga/pipeline/predict.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/data/unchanged.hpp"
#include "giga/pipeline/read_table.hpp"
#include "model/family_kernels.hpp"
#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"
#include "pipeline/draw_spread.hpp"
#include "pipeline/response_simulator.hpp"
#include "pipeline/trials.hpp"

namespace giga {
namespace {

constexpr Index kRowsTogether = 32;  // S predictors of each fit the second-level cache for S near 4,000

class Prediction {
 public:
  Prediction(const NewRows& rows, const WeightedDraws& draws, const PredictOptions& options)
      : rows_(rows),
        draws_(draws),
        options_(options),
        family_(describe(rows.family.family)),
        spread_(draws.weights.empty() ? std::vector<double>(at(draws.points.count()), 1.0) : draws.weights,
                options.quantiles) {
    const Index columns = rows.design->num_columns(), num_extras = family_.num_extras();
    if (draws.points.dim() != columns + num_extras)
      throw std::invalid_argument("the draws have " + std::to_string(draws.points.dim()) +
                                  " parameters, the model has " + std::to_string(columns + num_extras));
    if (std::ssize(spread_.weights()) != draws.points.count())
      throw std::invalid_argument("there must be a weight for every draw");
    if (num_extras > 0) extras_ = {draws.points.component(columns), draws.points.stride()};
    if (options.new_observations)
      simulator_ = std::make_unique<ResponseSimulator>(rows.family, draws.points, columns);
    out.num_rows = rows.data.num_rows();
    out.width = spread_.width();
    out.expected.resize(at(out.num_rows * out.width));
    if (options.new_observations) out.observations.resize(out.expected.size());
    if (options.pointwise) add_responses();
  }

  void predict(Index first, Index count) {
    const Index dim = rows_.design->num_columns(), stride = draws_.points.stride();
    const Scratch z(count * dim), s(count * stride), values(stride), observed(stride);
    FeatureRows features(rows_.data, count);
    rows_.design->write(features.from(first, count), count, z.data(), dim, 1);
    kernels::predict_many(z.data(), count, dim, draws_.points.component(0), stride, s.data());
    DrawSpread::Room room;
    for (Index i = 0; i < count; ++i) {
      double* predictors = s.data() + i * stride;
      if (!rows_.offset.empty())
        for (Index j = 0; j < draws_.points.count(); ++j) predictors[j] += rows_.offset[at(first + i)];
      add_new_groups(first + i, predictors);
      predict_row(first + i, predictors, values.data(), observed.data(), room);
    }
  }

  Predictions out;

 private:
  // log l is in terms of what the family calls a response: successes with their trials.
  void add_responses() {
    if (std::ssize(rows_.response) != out.num_rows)
      throw std::invalid_argument("the log density needs the response of every row");
    responses_ = rows_.response;
    for (std::size_t n = 0; family_.has_trials && n < responses_.size(); ++n)
      responses_[n] = with_trials(responses_[n], rows_.trials.at(n));
    constants_ = row_constants(rows_.family, responses_);
    out.log_density.resize(responses_.size());
  }

  // x_n sd_s e_s. A group has a stream of its own, by its name, and so the same e_s in all its rows.
  void add_new_groups(Index n, double* predictors) const {
    for (const NewGroups& each : rows_.new_groups) {
      const Index which = each.which[at(n)];
      if (which < 0) continue;
      Stream random = stream(options_.seed, each.groups[at(which)]);
      const double* log_sd = draws_.points.component(each.sd);
      for (Index j = 0; j < draws_.points.count(); ++j)
        predictors[j] += each.times[at(n)] * std::exp(log_sd[j]) * random.normal();
    }
  }

  // `values` and `observed` are room for S numbers each.
  void predict_row(Index n, const double* s, double* values, double* observed, DrawSpread::Room& room) {
    const Index count = draws_.points.count();
    const double trials = rows_.trials.empty() ? 1.0 : rows_.trials[at(n)];
    if (options_.pointwise) {
      kernels::log_likelihoods(rows_.family, responses_[at(n)], constants_.empty() ? 0.0 : constants_[at(n)],
                               s, count, values, extras_);
      out.log_density[at(n)] = log_mean(values);
    }
    kernels::expected_responses(rows_.family, s, count, values);
    if (options_.new_observations) {
      simulate(n, s, values, trials, observed);
      spread_.write(observed, room, out.observations.data() + n * out.width);
    }
    for (Index j = 0; !rows_.trials.empty() && j < count; ++j) values[j] *= trials;
    spread_.write(values, room, out.expected.data() + n * out.width);
  }

  // One response for each draw. Rows have streams of their own, by their number in the input.
  void simulate(Index n, const double* s, const double* mean, double trials, double* y) const {
    Stream random = stream(options_.seed, "predict", rows_.data.input_row(n));
    simulator_->draw(s, mean, trials, random, y);
  }

  // log sum_s w_s exp(l_s).
  [[nodiscard]] double log_mean(const double* l) const {
    const std::vector<double>& w = spread_.weights();
    const double most = *std::max_element(l, l + w.size());
    if (!std::isfinite(most)) return most;
    double sum = 0;
    for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * std::exp(l[j] - most);
    return most + std::log(sum);
  }

  const NewRows& rows_;
  const WeightedDraws& draws_;
  const PredictOptions& options_;
  const FamilyDescription& family_;
  DrawSpread spread_;
  PointExtras extras_;
  std::unique_ptr<ResponseSimulator> simulator_;  // where new observations are asked for
  std::vector<double> responses_, constants_;
};

// The columns that the right side was learnt from; those of the left side if the response is asked for, or
// if they tell trials and are there.
ColumnChoice choice_of(const DesignState& design, const std::vector<std::string>& names, bool tells_trials,
                       bool& has_response) {
  ColumnChoice choice;
  std::vector<std::string> left;
  for (const DesignVariable& variable : design.variables)
    (variable.response_only ? left : choice.features).push_back(variable.name);
  const bool all_there = std::ranges::all_of(
      left, [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
  has_response = has_response || (tells_trials && all_there);
  if (!has_response) return choice;
  const Formula formula = parse_formula(design.formula);
  if (left.size() == 1 && formula.response->kind == Expression::Kind::Name) {
    choice.response = left.front();
  } else {
    choice.features.insert(choice.features.end(), left.begin(), left.end());
  }
  return choice;
}

void add_names(const Expression& node, std::vector<std::string>& names) {
  if (node.kind == Expression::Kind::Name) names.push_back(node.text);
  for (const Expression::Argument& argument : node.arguments) add_names(*argument.value, names);
}

// Columns that tell groups apart may have other levels than those of the fit.
void allow_new_groups(const DesignState& design, ReadOptions& read) {
  std::vector<std::string> names;
  for (const GroupTerm& group : parse_formula(design.formula).groups) add_names(*group.group, names);
  for (KnownColumn& known : read.known)
    if (std::ranges::find(names, known.name) != names.end()) known.levels.clear();
}

// "carrier: 2 groups in 17 rows that the fit did not see; b[(Intercept) carrier:ZZ], ... are drawn ..."
std::string new_groups_note(const NewGroups& found) {
  constexpr std::size_t kMost = 5;
  std::string names;
  for (std::size_t k = 0; k < found.groups.size() && k < kMost; ++k)
    names.append(k == 0 ? "" : ", ").append(printable(found.groups[k], 60));
  if (found.groups.size() > kMost) names += ", ...";
  const auto num_rows = std::ranges::count_if(found.which, [](Index k) { return k >= 0; });
  return printable(found.name) + ": " + plural(std::ssize(found.groups), "group") + " in " +
         plural(num_rows, "row") + " that the fit did not see; " + names +
         (found.groups.size() == 1 ? " is" : " are") + " drawn from what it learnt of groups";
}

// Rows of groups that the fit did not see, of every effect. New groups are numbered by their first rows.
void find_new_groups(const GroupEffects& effects, const Standardisation& scale, const Executor& executor,
                     NewRows& rows) {
  const Index num_rows = rows.data.num_rows();
  for (std::size_t k = 0; k < effects.size() && k < scale.group_sds.size(); ++k) {
    const GroupEffect& effect = *effects[k];
    NewGroups found{effect.group(),
                    scale.group_sds[k],
                    std::vector<double>(at(num_rows)),
                    std::vector<Index>(at(num_rows)),
                    {}};
    for_each_block(executor, num_rows, [&](Index first, Index count) {
      FeatureRows features(rows.data, count);
      effect.read(features.from(first, count), count, found.which.data() + first, found.times.data() + first);
    });
    std::map<std::string, Index> places;
    FeatureRows features(rows.data, 1);
    for (Index n = 0; n < num_rows; ++n) {
      Index& which = found.which[at(n)];
      if (which >= 0) {
        which = -1;
        continue;
      }
      const auto [place, added] =
          places.emplace(effect.coefficient_name(features.row(n)), std::ssize(found.groups));
      if (added) found.groups.push_back(place->first);
      which = place->second;
    }
    if (found.groups.empty()) continue;
    if (!effect.has_slope() || k == 0 || effects[k - 1]->group() != effect.group())
      rows.notes.push_back(new_groups_note(found));
    rows.new_groups.push_back(std::move(found));
  }
}

// What the model makes of rows that were read: terms, trials, offsets, new groups, the response.
void find_columns(const ModelOptions& model, const Standardisation& scale, bool response, bool has_response,
                  const Executor& executor, NewRows& rows) {
  Design::Terms terms;
  if (model.design) {
    check_rows(*model.design, rows.data, executor, has_response, true);
    if (has_response) {
      add_response(*model.design, rows.data, executor);
      rows.trials = formula_trials(*model.design, rows.data, executor);
    }
    rows.offset = formula_offsets(*model.design, rows.data, executor);
    FormulaTerms made = terms_of(*model.design, sources_of(*model.design, rows.data, false));
    terms = std::move(made.terms);
    find_new_groups(made.groups, scale, executor, rows);
  } else {
    terms = Design::all_features(rows.data);
  }
  rows.design = std::make_shared<const Design>(
      std::move(terms), scale, DesignOptions{model.intercept, model.standardise, model.prior_scale});
  if (response || !rows.trials.empty()) {
    Response values = read_response(rows.data, model.family.family, model.success);
    check_trials(rows.data, model.family, values.values, rows.trials);
    if (response) rows.response = std::move(values.values);
  }
}

}  // namespace

NewRows read_new_rows(const std::filesystem::path& path, ReadOptions read, const ModelOptions& model,
                      const Standardisation& scale, bool response, const Executor& executor,
                      const Observer& observer) {
  read.weights.reset();
  bool has_response = response;
  if (model.design) {
    allow_new_groups(*model.design, read);
    read.choose = [&](const std::vector<std::string>& names) {
      return choice_of(*model.design, names, describe(model.family.family).has_trials, has_response);
    };
  } else if (!response) {
    read.response.reset();
    read.has_response = false;
  }
  NewRows rows{.data = read_dataset(path, read, executor, observer), .family = model.family};
  of_unchanged(rows.data, [&] { find_columns(model, scale, response, has_response, executor, rows); });
  return rows;
}

Predictions predict_rows(const NewRows& rows, const WeightedDraws& draws, const PredictOptions& options,
                         const Executor& executor, const Observer& observer) {
  constexpr Index kBetween = 256;  // blocks between two calls of the observer
  if (draws.points.count() < 1) throw std::invalid_argument("there are no draws");
  Prediction prediction(rows, draws, options);
  const Index num_rows = rows.data.num_rows(), blocks = num_blocks(num_rows, kRowsTogether);
  for (Index begin = 0; begin < blocks; begin += kBetween) {
    tell(observer, {.stage = Stage::Report, .done = begin, .total = blocks});
    executor.for_each(std::min(kBetween, blocks - begin), [&](Index block) {
      const Index first = (begin + block) * kRowsTogether;
      prediction.predict(first, std::min(kRowsTogether, num_rows - first));
    });
  }
  return std::move(prediction.out);
}

}  // namespace giga
