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
  const Index num_rows = problem.data().num_rows();
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

}  // namespace

std::unique_ptr<Regression> coreset_model(const Problem& problem, const Coreset& coreset) {
  check(problem, coreset);
  const Standardisation& scale = problem.scale();
  const std::vector<double> response =
      describe(problem.options().family.family).read_response(problem.data()).values;
  std::vector<double> z, y, weights;
  for (std::size_t k = 0; k < coreset.rows.size(); ++k) {
    if (coreset.weights[k] == 0) continue;
    const double* x = problem.data().features(coreset.rows[k]);
    for (std::size_t d = 0; d < scale.mean.size(); ++d) {
      const double inverse = 1 / scale.scale[d];  // as the design of all rows has it
      z.push_back((x[d] - scale.mean[d]) * inverse);
    }
    if (problem.options().intercept) z.push_back(1);
    y.push_back(response[static_cast<std::size_t>(coreset.rows[k])]);
    weights.push_back(coreset.weights[k]);
  }
  if (y.empty()) return nullptr;
  return std::make_unique<Regression>(std::move(z), std::move(y), std::move(weights),
                                      problem.options().family);
}

Certificate certify_coreset(const Problem& problem, const Coreset& coreset, std::span<const Chain> chains,
                            const Executor& executor, const CertificateOptions& options,
                            const CertificateObserver& observer) {
  const auto part = coreset_model(problem, coreset);
  Certificate out =
      certify(problem.model(), part.get(), problem.prior(), chains, executor, options, observer);
  out.num_data_rows = problem.data().num_rows();
  return out;
}

LinearQuantities original_quantities(const BothScales& scales, bool standardised) {
  if (!standardised) return {};
  const auto count = static_cast<std::size_t>(scales.num_original());
  return {scales.num_original(), [&scales, count](const double* theta) {
            std::vector<double> values = scales.values(theta);
            values.resize(count);
            return values;
          }};
}

}  // namespace giga
