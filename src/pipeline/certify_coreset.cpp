// The likelihood of a coreset, and its certificate. The coreset names rows of the data, not of the likelihood
// (in which equal rows are one), and its weights say how often each counts; so a table's rows are designed
// anew from the data, on the scale of all rows.
#include "giga/pipeline/certify_coreset.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "giga/base/text.hpp"

namespace giga {
namespace {

void check(const Problem& problem, const Coreset& coreset) {
  if (coreset.rows.size() != coreset.weights.size())
    throw std::invalid_argument("there must be a weight for every row of the coreset");
  const Index num_rows = problem.num_data_rows();
  for (const Index row : coreset.rows) {
    if (row < 0 || row >= num_rows)
      throw std::invalid_argument("row " + std::to_string(row) + " of the coreset is not one of the " +
                                  std::to_string(num_rows) + " rows of the data");
  }
  for (const double weight : coreset.weights) {
    if (!(weight >= 0 && std::isfinite(weight)))
      throw std::invalid_argument("a weight of the coreset is " + shortest(weight) +
                                  ", must be finite and not negative");
  }
}

// Rows that count, and how often.
Coreset weighted_rows(const Coreset& coreset) {
  Coreset out;
  for (std::size_t k = 0; k < coreset.rows.size(); ++k) {
    if (coreset.weights[k] == 0) continue;
    out.rows.push_back(coreset.rows[k]);
    out.weights.push_back(coreset.weights[k]);
  }
  return out;
}

// The row of the likelihood that a row of the data is, if it is the first of equal ones; else -1.
Index likelihood_row(const DistinctRows& distinct, Index row) {
  if (distinct.rows.empty()) return row;
  const auto found = std::ranges::lower_bound(distinct.rows, row);
  return found != distinct.rows.end() && *found == row ? found - distinct.rows.begin() : -1;
}

// Responses of some rows of the data as the family has them. The likelihood knows those of distinct rows;
// only for others are all read again.
std::vector<double> responses_of(const Problem& problem, const std::vector<Index>& rows) {
  const Problem::Table& table = *problem.table();
  const LinearModel& model = *problem.likelihood().linear_model();
  const bool trials = describe(table.options.family.family).has_trials;
  std::vector<double> out;
  for (const Index row : rows) {
    const Index n = likelihood_row(table.distinct, row);
    if (n < 0) break;
    out.push_back(trials ? successes_of(model.response(n)) : model.response(n));
  }
  if (out.size() == rows.size()) return out;
  const Response all = read_response(*table.data, table.options.family.family, table.options.success);
  out.clear();
  for (const Index row : rows) out.push_back(all.value_of(table.data->response(row)));
  return out;
}

RowTerms terms_of(const Problem& problem, const std::vector<Index>& rows) {
  const Problem::Table& table = *problem.table();
  const LinearModel& model = *problem.likelihood().linear_model();
  const bool has_trials = describe(table.options.family.family).has_trials;
  RowTerms out;
  for (const Index row : rows) {
    const Index n = likelihood_row(table.distinct, row);  // the likelihood has the first of equal ones
    if (model.has_offset()) out.offset.push_back(n >= 0 ? model.offset(n) : table.terms.offset[at(row)]);
    if (has_trials) out.trials.push_back(n >= 0 ? trials_of(model.response(n)) : table.terms.trials[at(row)]);
  }
  return out;
}

// The rows of a table go through its design, with the weights as multiplicities.
std::unique_ptr<Likelihood> regression_of(const Problem& problem, Coreset chosen) {
  const Problem::Table& table = *problem.table();
  const Index columns = table.design->num_columns();
  std::vector<double> y = responses_of(problem, chosen.rows);
  RowTerms terms = terms_of(problem, chosen.rows);
  const Index count = std::ssize(chosen.rows);
  FeatureRows features(*table.data, count);
  std::vector<double> z(at(count * columns));
  table.design->write(features.of(count, [&](Index i) { return chosen.rows[at(i)]; }), count, z.data(),
                      columns, 1);
  return std::make_unique<Regression>(std::move(z), std::move(y), std::move(chosen.weights),
                                      table.options.family, std::move(terms));
}

}  // namespace

void fetch_rows(const Problem& problem, std::span<const Index> rows, const Executor& executor) {
  const Problem::Table* table = problem.table();
  if (table == nullptr) return problem.likelihood().fetch(rows, executor);
  table->data->fetch(rows, executor);
  std::vector<Index> of_likelihood;
  for (const Index row : rows)
    if (const Index n = likelihood_row(table->distinct, row); n >= 0) of_likelihood.push_back(n);
  problem.likelihood().fetch(of_likelihood, executor);
}

std::unique_ptr<Likelihood> coreset_model(const Problem& problem, const Coreset& coreset) {
  check(problem, coreset);
  Coreset chosen = weighted_rows(coreset);
  if (chosen.rows.empty()) return nullptr;
  if (problem.table() != nullptr) return regression_of(problem, std::move(chosen));
  return problem.likelihood().subset(chosen.rows, chosen.weights);
}

LinearQuantities original_quantities(const BothScales& scales) {
  if (!scales.standardised()) return {};
  const auto count = static_cast<std::size_t>(scales.num_original());
  // LinearQuantities must have no constant term: the values on the original scale are linear
  // combinations of theta, but for those that theta has the logarithms of.
  LinearQuantities out{scales.num_original(),
                       [&scales, count](const double* theta) {
                         std::vector<double> values = scales.values(theta);
                         values.resize(count);
                         return values;
                       },
                       {}};
  if (scales.has_logs())
    out.moments = [&scales](const Normal& normal) { return original_moments(normal, scales); };
  return out;
}

// The values of BothScales are affine in theta, A theta + b: with C C' the covariance of theta the marginal
// of value k has the variance |A_k C|^2. Those that theta has the logarithm of are lognormal: with m and v
// its mean and variance, the mean is exp(m + v / 2), and the sd that times sqrt(exp(v) - 1).
std::vector<Estimate> original_moments(const Normal& normal, const BothScales& scales) {
  const auto dim = static_cast<std::size_t>(normal.dim());
  const std::vector<double> centre = scales.values(normal.mean().data());
  std::vector<double> variance(centre.size(), 0.0), theta(dim);
  for (std::size_t column = 0; column < dim; ++column) {
    for (std::size_t d = 0; d < dim; ++d)
      // A (mean + c) + b less A mean + b is A c, for each column c of C.
      theta[d] = normal.mean()[d] + normal.factor()[d * dim + column];
    const std::vector<double> moved = scales.values(theta.data());
    for (std::size_t k = 0; k < centre.size(); ++k)
      variance[k] += (moved[k] - centre[k]) * (moved[k] - centre[k]);
  }
  const std::vector<double> sds = normal.standard_deviations();
  std::vector<Estimate> all;
  for (Index k = 0; k < scales.num_original(); ++k) {
    const Index sampled = scales.log_of(k);
    if (sampled < 0) {
      all.push_back({centre[at(k)], std::sqrt(variance[at(k)]), 0, 0});
    } else {
      const double v = sds[at(sampled)] * sds[at(sampled)],
                   mean = std::exp(normal.mean()[at(sampled)] + v / 2);
      all.push_back({mean, mean * std::sqrt(std::expm1(v)), 0, 0});
    }
  }
  return all;
}

Certificate certify_coreset(const Problem& problem, const Coreset& coreset, std::span<const Chain> chains,
                            const Executor& executor, CertificateOptions options, const Observer& observer) {
  if (options.quantities.count == 0) options.quantities = original_quantities(problem.scales());
  check(problem, coreset);
  fetch_rows(problem, coreset.rows, executor);
  const auto part = coreset_model(problem, coreset);
  Certificate out =
      certify(problem.likelihood(), part.get(), problem.prior(), chains, executor, options, observer);
  // certify knows distinct rows only.
  out.num_data_rows = problem.num_data_rows();
  return out;
}

}  // namespace giga
