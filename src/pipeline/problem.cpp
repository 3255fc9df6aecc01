// A problem from a table, or from a likelihood as it is.
//
// From a table: equal rows are found, features standardised (unless the scale is given), a design
// made of them, the response read as the family wants it, and a Regression and an isotropic normal
// prior made of these.
#include "giga/pipeline/problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

std::string quoted_names(const Dataset& data, const std::vector<Index>& features) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t k = 0; k < features.size() && k < kMost; ++k) {
    text +=
        (text.empty() ? "'" : ", '") + printable(data.feature_names()[static_cast<std::size_t>(features[k])]);
    text += "'";
  }
  return features.size() > kMost ? text + ", ..." : text;
}

// Every row of a binomial family has successes among trials.
void check_trials(const Dataset& data, const FamilyParameters& family, const std::vector<double>& successes,
                  const std::vector<double>& trials) {
  if (!describe(family.family).has_trials) return;
  const std::string name(family_name(family.family));
  if (trials.empty())
    throw DataError(data.name() + ": " + name + " needs the number of trials of every row: `trials`");
  for (std::size_t n = 0; n < successes.size() && trials.size() == successes.size(); ++n) {
    const double m = trials[n];
    if (m == std::floor(m) && m < kTrialsApart && successes[n] <= m) continue;
    throw DataError(data.name() + ": " + data.response_place(static_cast<Index>(n)) + " is " +
                    shortest(successes[n]) + " of " + shortest(m) + " trials; " + name +
                    " needs a whole number of trials below 2^26, and no more successes");
  }
}

void note_constant(const Problem::Table& table, std::vector<std::string>& notes) {
  const auto& constant = table.design->scale().constant;
  if (constant.empty()) return;
  notes.push_back((constant.size() == 1 ? "column " : std::to_string(constant.size()) + " columns ") +
                  quoted_names(*table.data, constant) +
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

}  // namespace

std::string description(const ModelOptions& options) {
  std::string text(family_name(options.family.family));
  text.append(" with ").append(link_name(options.family.family)).append(" link");
  for (const FamilySetting& setting : describe(options.family.family).settings) {
    std::string words(setting.name);
    std::replace(words.begin(), words.end(), '_', ' ');
    text.append(", ").append(words).append(" ").append(shortest(options.family.*setting.value));
  }
  for (const ExtraParameter& extra : describe(options.family.family).extras)
    text.append(", ").append(extra.name).append(" learnt");
  return text.append(", prior N(0, ")
      .append(shortest(options.prior_scale))
      .append("^2), features ")
      .append(options.standardise ? "standardised" : "as they are");
}

BothScales parameter_scales(const std::vector<std::string>& features, Standardisation scale,
                            const ModelOptions& options) {
  return {features, std::move(scale), options.intercept, options.standardise,
          extra_names(options.family.family)};
}

Problem::Problem(const Dataset& data, const ModelOptions& options, const Executor& executor, RowTerms terms)
    : Problem(data, options, distinct_rows(data, executor), std::nullopt, executor, std::move(terms)) {}

Problem::Problem(const Dataset& data, const ModelOptions& options, Standardisation scale,
                 const Executor& executor, RowTerms terms)
    : Problem(data, options, distinct_rows(data, executor), std::move(scale), executor, std::move(terms)) {}

Problem::Problem(const Dataset& data, const ModelOptions& options, DistinctRows distinct,
                 std::optional<Standardisation> known, const Executor& executor, RowTerms terms)
    : prior_(Normal::isotropic(1, options.prior_scale)), words_{data.name(), giga::description(options), {}} {
  if (distinct.num_rows < 1)
    throw DataError(data.name() + ": every row has weight 0; there is nothing to learn from");
  Standardisation scale = known                 ? std::move(*known)
                          : options.standardise ? standardise(data, distinct, executor)
                                                : Standardisation::identity(data.num_features());
  const auto design = std::make_shared<const Design>(
      Design::all_features(data), std::move(scale),
      DesignOptions{options.intercept, options.standardise, options.prior_scale});
  // The family reads the response: labels become -1 and 1, counts are checked. What it
  // changed is in the notes.
  Response response = describe(options.family.family).read_response(data);
  check_trials(data, options.family, response.values, terms.trials);
  // Rows of the likelihood are distinct rows of the data, in the order of their first occurrence.
  notes_ = std::move(response.notes);
  likelihood_ = std::make_unique<Regression>(data, distinct, design, response.values, options.family, terms);
  std::vector<double> prior_scales = design->prior_scales();
  prior_scales.resize(static_cast<std::size_t>(likelihood_->num_parameters()), options.prior_scale);
  prior_ = Normal::independent(prior_scales);
  // Parameters that are not coefficients come after them, and have the same value on both scales.
  scales_ = design->both_scales(extra_names(options.family.family));
  table_ = Table{&data, options, std::move(distinct), design, std::move(terms)};
  note_constant(*table_, notes_);
  note_shape(*this, notes_);
}

Problem::Problem(std::unique_ptr<const Likelihood> likelihood, Normal prior, ModelWords words)
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
