// The likelihood of a coreset, and its certificate. The coreset names rows of the data, not of the likelihood
// (in which equal rows are one), and its weights say how often each counts; so a table's rows are designed
// anew from the data, on the scale of all rows.
#include "giga/pipeline/certify_coreset.hpp"

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

// The rows of a table go through its design, with the weights as multiplicities.
std::unique_ptr<Likelihood> regression_of(const Problem::Table& table, Coreset chosen) {
  const std::vector<double> response =
      describe(table.options.family.family).read_response(*table.data).values;
  const Index columns = table.design->num_columns();
  std::vector<const double*> x;
  std::vector<double> y;
  for (const Index row : chosen.rows) {
    x.push_back(table.data->features(row));
    y.push_back(response[static_cast<std::size_t>(row)]);
  }
  std::vector<double> z(x.size() * static_cast<std::size_t>(columns));
  table.design->write(x.data(), std::ssize(x), z.data(), columns, 1);
  return std::make_unique<Regression>(std::move(z), std::move(y), std::move(chosen.weights),
                                      table.options.family);
}

}  // namespace

std::unique_ptr<Likelihood> coreset_model(const Problem& problem, const Coreset& coreset) {
  check(problem, coreset);
  Coreset chosen = weighted_rows(coreset);
  if (chosen.rows.empty()) return nullptr;
  if (problem.table() != nullptr) return regression_of(*problem.table(), std::move(chosen));
  return problem.likelihood().subset(chosen.rows, chosen.weights);
}

LinearQuantities original_quantities(const BothScales& scales) {
  if (!scales.standardised()) return {};
  const auto count = static_cast<std::size_t>(scales.num_original());
  // LinearQuantities must have no constant term: the values on the original scale are linear
  // combinations of theta.
  return {scales.num_original(), [&scales, count](const double* theta) {
            std::vector<double> values = scales.values(theta);
            values.resize(count);
            return values;
          }};
}

Certificate certify_coreset(const Problem& problem, const Coreset& coreset, std::span<const Chain> chains,
                            const Executor& executor, CertificateOptions options, const Observer& observer) {
  if (options.quantities.count == 0) options.quantities = original_quantities(problem.scales());
  const auto part = coreset_model(problem, coreset);
  Certificate out =
      certify(problem.likelihood(), part.get(), problem.prior(), chains, executor, options, observer);
  // certify knows distinct rows only.
  out.num_data_rows = problem.num_data_rows();
  return out;
}

}  // namespace giga
