// A problem from a table, or from a likelihood as it is.
//
// From a table: equal rows are found, features standardised (unless the scale is given), a design
// made of them, the response read as the family wants it, and a Regression and a prior made of these.
#include "giga/pipeline/problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/text.hpp"
#include "giga/design/rare_levels.hpp"
#include "giga/pipeline/read_table.hpp"
#include "pipeline/own_terms.hpp"
#include "pipeline/prior_units.hpp"
#include "pipeline/trials.hpp"

namespace giga {
namespace {

std::string quoted_names(const Design& design, const std::vector<Index>& columns) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t k = 0; k < columns.size() && k < kMost; ++k) {
    text += (text.empty() ? "'" : ", '") + printable(design.names()[static_cast<std::size_t>(columns[k])]);
    text += "'";
  }
  return columns.size() > kMost ? text + ", ..." : text;
}

void note_constant(const Problem::Table& table, std::vector<std::string>& notes) {
  const auto& constant = table.design->scale().constant;
  if (constant.empty()) return;
  notes.push_back((constant.size() == 1 ? "column " : std::to_string(constant.size()) + " columns ") +
                  quoted_names(*table.design, constant) +
                  (constant.size() == 1 ? " is constant; its coefficient keeps its prior"
                                        : " are constant; their coefficients keep their prior"));
}

void note_shape(const Problem& problem, std::vector<std::string>& notes) {
  const Index repeats = problem.table()->distinct.num_repeats;
  if (repeats > 0) {
    notes.push_back(std::to_string(repeats) + " of " + std::to_string(problem.num_data_rows()) +
                    (repeats == 1 ? " rows repeats an earlier one" : " rows repeat earlier ones") +
                    "; equal rows are one, with a multiplicity");
  }
  if (problem.likelihood().num_rows() < problem.likelihood().num_parameters()) {
    notes.push_back("there are fewer rows (" + std::to_string(problem.likelihood().num_rows()) +
                    ") than parameters (" + std::to_string(problem.likelihood().num_parameters()) +
                    "); the prior decides the rest");
  }
}

// How many numbers a sum of terms lets vary by group, the intercept among them unless it is taken away.
Index num_effects(const Expression& terms) {
  Index slopes = 0;
  bool intercept = true;
  const auto count = [&](const Expression& node, bool added, const auto& again) -> void {
    if (node.is_call("+") || node.is_call("(") || node.is_call("-")) {
      const bool takes = node.is_call("-");
      for (Index i = 0; i < std::ssize(node.arguments); ++i)
        again(node.argument(i), added != (takes && i + 1 == std::ssize(node.arguments)), again);
    } else if (node.kind == Expression::Kind::Number) {
      intercept = (node.number != 0) == added;
    } else if (added) {
      ++slopes;
    }
  };
  count(terms, true, count);
  return slopes + (intercept ? 1 : 0);
}

// What becomes of the groups, and what there may be too few of.
void note_groups(const FormulaTerms& made, const std::string& text, std::vector<std::string>& notes) {
  constexpr Index kFew = 5;
  std::vector<std::string> told;
  for (const auto& effect : made.groups) {
    const std::string& name = effect->group();
    if (std::ranges::find(told, name) != told.end()) continue;
    told.push_back(name);
    const Index levels = std::ssize(effect->levels());
    notes.push_back(
        printable(name) + ": " + grouped(levels) + " groups" +
        (levels < kFew ? ", too few to tell how much groups differ: the prior of their sd matters" : ""));
    if (std::ranges::find(made.categories, name, &CategorySummary::name) != made.categories.end())
      notes.push_back(printable(name) + " is a category and a group: only the priors tell the two apart");
  }
  for (const GroupTerm& group : parse_formula(text).groups) {
    if (group.correlated && num_effects(*group.terms) > 1)
      notes.push_back(std::string("(").append(printable(group.text)) +
                      "): its effects are taken as uncorrelated, as with ||");
  }
}

// The terms of the formula, or of all features. Notes say what categories became, and, of all the data, which
// levels are rare: in a coreset all are.
FormulaTerms terms_for(const Dataset& data, const ModelOptions& options, bool all_data,
                       const Executor& executor, std::vector<std::string>& notes) {
  const auto add_rare = [&](std::span<const CategorySummary> categories) {
    if (!all_data) return;
    for (std::string& note : rare_level_notes(data, categories, executor)) notes.push_back(std::move(note));
  };
  if (!options.formula) {
    notes = category_notes(data);
    add_rare(table_categories(data));
    return {Design::all_features(data), options.intercept, {}};
  }
  if (!options.design) throw std::invalid_argument("a table for a formula is to be read with read_table");
  FormulaTerms made = terms_of(*options.design, sources_of(*options.design, data, false));
  for (const CategorySummary& category : made.categories) {
    notes.push_back(printable(category.name) + ": " + plural(category.columns, "column") +
                    (category.base.empty() ? "" : ", base '" + printable(category.base) + "'"));
  }
  add_rare(made.categories);
  note_groups(made, *options.formula, notes);
  return made;
}

// Of matrices of D x D numbers there are a sum in extended precision, that sum and its factor, the prior's,
// and one for each thread, wherever the mode is looked for.
void require_memory(const Dataset& data, Index num_columns, const Executor& executor) {
  const auto dim = static_cast<double>(num_columns);
  const double needed = (5.0 + executor.num_threads()) * dim * dim * sizeof(double);
  const auto present = static_cast<double>(physical_memory_bytes());
  if (needed < present) return;
  const auto gigabytes = [](double bytes) { return grouped(std::lround(bytes / 1e9)) + " GB"; };
  throw ResourceError(data.name() + ": second derivatives of " + grouped(num_columns) + " parameters take " +
                      gigabytes(needed) + ", of " + gigabytes(present) +
                      " of memory; use fewer columns, or categories with fewer levels");
}

// The scale of all columns: those of groups are taken as they are.
Standardisation scale_of(const FormulaTerms& made, const Dataset& data, const DistinctRows& distinct,
                         const ModelOptions& options, const Executor& executor) {
  Index num_columns = 0;
  for (const auto& term : made.population()) num_columns += term->num_columns();
  Standardisation scale = options.standardise
                              ? column_scale(made.population(), data, distinct, options.intercept, executor)
                              : Standardisation::identity(num_columns);
  for (const auto& effect : made.groups) {
    scale.group_sds.push_back(std::ssize(scale.mean));
    scale.mean.resize(scale.mean.size() + at(effect->num_columns()), 0.0);
    scale.scale.resize(scale.mean.size(), 1.0);
  }
  return scale;
}

}  // namespace

void require_trials(const Dataset& data, const FamilyParameters& family, bool are_there) {
  if (describe(family.family).has_trials && !are_there)
    throw DataError(data.name() + ": " + std::string(family_name(family.family)) +
                    " needs the number of trials of every row: `trials`");
}

void check_trial(const Dataset& data, const FamilyParameters& family, Index row, double successes,
                 double trials) {
  if (trials == std::floor(trials) && trials < kTrialsApart && successes <= trials) return;
  throw DataError(data.name() + ": " + data.response_place(row) + " is " + shortest(successes) + " of " +
                  shortest(trials) + " trials; " + std::string(family_name(family.family)) +
                  " needs a whole number of trials below 2^26, and no more successes");
}

void check_trials(const Dataset& data, const FamilyParameters& family, const std::vector<double>& successes,
                  const std::vector<double>& trials) {
  require_trials(data, family, !trials.empty());
  if (!describe(family.family).has_trials || trials.size() != successes.size()) return;
  for (std::size_t n = 0; n < successes.size(); ++n)
    check_trial(data, family, static_cast<Index>(n), successes[n], trials[n]);
}

std::string description(const ModelOptions& options) {
  std::string text = options.formula ? printable(*options.formula, 1000) + ", " : "";
  text.append(family_name(options.family.family));
  text.append(" with ").append(link_name(options.family.family)).append(" link");
  for (const FamilySetting& setting : describe(options.family.family).settings) {
    std::string words(setting.name);
    std::replace(words.begin(), words.end(), '_', ' ');
    text.append(", ").append(words).append(" ").append(shortest(options.family.*setting.value));
  }
  for (const ExtraParameter& extra : describe(options.family.family).extras)
    text.append(", ").append(extra.name).append(" learnt");
  const bool in_units = is_in_units(options);
  return text.append(", ")
      .append(prior_words(options.priors, options.prior_scale))
      .append(in_units ? " in units of the response" : "")
      .append(", features ")
      .append(options.standardise ? "standardised" : "as they are")
      .append(options.success ? ", success '" + printable(*options.success) + "'" : "");
}

BothScales parameter_scales(const std::vector<std::string>& columns, Standardisation scale,
                            const ModelOptions& options) {
  return {columns, std::move(scale), options.intercept, options.standardise,
          extra_names(options.family.family)};
}

Problem::Problem(const Dataset& data, const ModelOptions& options, const Executor& executor, RowTerms terms)
    : Problem(data, options, distinct_rows(data, executor), std::nullopt, executor, std::move(terms)) {}

Problem::Problem(const Dataset& data, const ModelOptions& options, Standardisation scale,
                 const Executor& executor, RowTerms terms)
    : Problem(data, options, distinct_rows(data, executor), std::move(scale), executor, std::move(terms)) {}

Problem::Problem(const Dataset& data, const ModelOptions& options, DistinctRows distinct,
                 std::optional<Standardisation> known, const Executor& executor, RowTerms row_terms)
    : prior_(Normal::isotropic(1)), words_{data.name(), giga::description(options), {}} {
  data.hold(distinct, executor);
  if (distinct.num_rows < 1)
    throw DataError(data.name() + ": every row has weight 0; there is nothing to learn from");
  FormulaTerms made = terms_for(data, options, !known, executor, notes_);
  Index num_columns = 0;
  for (const auto& term : made.terms) num_columns += term->num_columns();
  if (num_columns + (options.intercept ? 1 : 0) == 0)
    throw DataError(data.name() + ": no feature varies and there is no intercept; there is nothing to learn");
  require_memory(data, num_columns + (options.intercept ? 1 : 0), executor);
  Standardisation scale = known ? std::move(*known) : scale_of(made, data, distinct, options, executor);
  const auto design = std::make_shared<const Design>(
      std::move(made.terms), std::move(scale),
      DesignOptions{options.intercept, options.standardise, options.prior_scale});
  // The family reads the response: labels become -1 and 1, counts are checked. What it
  // changed is in the notes.
  Response response;
  data.check_together(executor,
                      [&] { response = read_response(data, options.family.family, options.success); });
  if (options.design && !data.is_shared())
    row_terms = {formula_offsets(*options.design, data, executor),
                 formula_trials(*options.design, data, executor)};
  if (!data.is_shared()) check_trials(data, options.family, response.values, row_terms.trials);
  // Rows of the likelihood are distinct rows of the data, in the order of their first occurrence.
  notes_.insert(notes_.begin(), response.notes.begin(), response.notes.end());
  RowTerms kept = distinct.rows.empty() ? RowTerms{} : row_terms;
  if (data.is_shared()) {
    if (!row_terms.offset.empty() || !row_terms.trials.empty())
      throw std::invalid_argument("offsets and trials of a table that ranks share are made by a formula");
    OwnTerms own = own_terms(data, distinct, response, options, executor);
    likelihood_ = std::make_unique<Regression>(data, distinct, design, std::move(own.response),
                                               std::move(own.offset), options.family, executor);
  } else {
    likelihood_ = std::make_unique<Regression>(data, distinct, design, std::move(response.values),
                                               options.family, std::move(row_terms));
  }
  table_ = Table{&data, options, std::move(distinct), design, std::move(kept)};
  std::vector<ScalarPrior> priors = options.priors.found;
  if (priors.empty()) {
    // Columns that are taken as they are may be what scales are in units of.
    ColumnMoments columns;
    if (options.priors.autoscale && !options.standardise) {
      const Standardisation raw =
          column_scale(design->terms(), data, table_->distinct, options.intercept, executor);
      columns = moments_of(raw, std::ssize(raw.mean));
    }
    priors = priors_in_units(options, *design,
                             prior_units(unit_moments(*this, made.groups, executor), columns, made.groups));
  }
  if (std::ssize(priors) != likelihood_->num_parameters())
    throw std::invalid_argument("there are " + std::to_string(priors.size()) + " priors for " +
                                std::to_string(likelihood_->num_parameters()) + " parameters");
  if (!tells_priors(options, made.groups)) table_->options.priors.found = priors;
  prior_ = Prior(std::move(priors), group_columns(design->scale()));
  // Parameters that are not coefficients come after them, and have the same value on both scales.
  scales_ = design->both_scales(extra_names(options.family.family));
  note_constant(*table_, notes_);
  note_shape(*this, notes_);
}

Problem::Problem(std::unique_ptr<const Likelihood> likelihood, Prior prior, ModelWords words)
    : likelihood_(std::move(likelihood)), prior_(std::move(prior)), words_(std::move(words)) {
  const Index dim = likelihood_->num_parameters();
  if (prior_.dim() != dim)
    throw std::invalid_argument("the prior has " + std::to_string(prior_.dim()) +
                                " dimensions, the likelihood has " + std::to_string(dim) + " parameters");
  // Names that the caller does not give are those of the likelihood.
  if (words_.parameters.empty()) {
    for (Index d = 0; d < dim; ++d) words_.parameters.push_back(likelihood_->parameter_name(d));
  }
  if (std::ssize(words_.parameters) != dim)
    throw std::invalid_argument("there are " + std::to_string(words_.parameters.size()) + " names for " +
                                std::to_string(dim) + " parameters");
  scales_ = BothScales::plain(words_.parameters);
}

Index Problem::num_data_rows() const {
  return table_ ? table_->data->num_rows() : likelihood_->num_rows();
}

Index Problem::data_row(Index n) const {
  return table_ ? table_->distinct.row(n) : n;
}

Index Problem::input_row(Index data_row) const {
  return table_ ? table_->data->input_row(data_row) : data_row;
}

std::string Problem::place(Index n) const {
  return table_ ? table_->data->place(data_row(n)) : "row " + std::to_string(n);
}

}  // namespace giga
