#include "giga/pipeline/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "giga/base/stopwatch.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/report/draws_summary.hpp"
#include "giga/report/original_scale.hpp"

namespace giga {
namespace {

// The first or the last `count` columns of a chain; what was adapted is not carried along.
Chain columns(const Chain& chain, Index first, Index count) {
  Chain part;
  part.dim = count;
  part.stats = chain.stats;
  part.draws.reserve(at(chain.num_draws() * count));
  for (Index s = 0; s < chain.num_draws(); ++s)
    part.draws.insert(part.draws.end(), chain.draw(s) + first, chain.draw(s) + first + count);
  return part;
}

void add_coreset(ReportData& data, const Problem& problem, const CoresetResult& coreset) {
  data.method = name(coreset.build.method);
  data.termination = termination_words(coreset.build.termination);
  data.trace = coreset.build.trace;
  data.relative_error = coreset.build.relative_error;
  data.heldout_error = coreset.heldout_error;
  for (std::size_t i = 0; i < coreset.coreset.rows.size(); ++i) {
    const Index row = coreset.coreset.rows[i];
    data.coreset.push_back(
        {problem.data().input_row(row), coreset.coreset.weights[i], problem.data().response()[at(row)]});
  }
}

double gradient_seconds(const RegressionPosterior& posterior, const std::vector<double>& theta) {
  std::vector<double> gradient(theta.size());
  double fastest = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Stopwatch clock;
    posterior.log_density(theta.data(), gradient.data());
    fastest = std::min(fastest, clock.seconds());
  }
  return fastest;
}

}  // namespace

std::string termination_words(Termination termination) {
  switch (termination) {
    case Termination::SizeReached: return "it ended with the size asked for";
    case Termination::ToleranceMet: return "it ended when the error was as small as asked for";
    case Termination::NumericLimit: return "it ended where rounding hides any further progress";
    case Termination::NoProgress: return "it ended because no row lowered the error any further";
    case Termination::ZeroTarget: return "the vectors of all rows sum to zero, so there is nothing to match";
    case Termination::Stopped: return "it was stopped";
  }
  return "it ended";
}

// The values of BothScales are affine in theta: A theta + b. With C C' the covariance of theta the marginal
// of value k has the variance |A_k C|^2.
std::vector<LaplaceMarginal> laplace_marginals(const Normal& posterior, const BothScales& scales) {
  const Index dim = posterior.dim();
  const std::vector<double> centre = scales.values(posterior.mean().data());
  std::vector<double> variance(centre.size(), 0.0);
  std::vector<double> theta(at(dim));
  for (Index column = 0; column < dim; ++column) {
    for (Index d = 0; d < dim; ++d)
      theta[at(d)] = posterior.mean()[at(d)] + posterior.factor()[at(d * dim + column)];
    const std::vector<double> moved = scales.values(theta.data());
    for (std::size_t k = 0; k < centre.size(); ++k)
      variance[k] += (moved[k] - centre[k]) * (moved[k] - centre[k]);
  }
  std::vector<LaplaceMarginal> all;
  for (Index k = 0; k < scales.num_original(); ++k)
    all.push_back({centre[at(k)], std::sqrt(variance[at(k)])});
  return all;
}

void add_posterior(ReportData& data, const SampledPosterior& posterior, std::span<const Chain> chains,
                   const Executor& executor) {
  const BothScales& scales = posterior.scales;
  const Index count = scales.num_original();
  const auto num_names = std::ssize(scales.names());
  const std::vector<std::string> names(scales.names().begin(), scales.names().begin() + count);
  std::vector<Chain> standardised;
  for (const Chain& chain : chains) {
    const Chain both = scales.apply(chain);
    data.chains.push_back(columns(both, 0, count));
    // Without an intercept the standardised scale has no column for the offset: then there is none to
    // compare.
    if (num_names == 2 * count) standardised.push_back(columns(both, count, count));
  }
  data.quantities = summarise_chains(data.chains, names, false, executor);
  if (!standardised.empty()) data.standardised = summarise_chains(standardised, names, false, executor);
  data.warnings = warnings(data.quantities, health_of(chains, posterior.sampler, posterior.max_depth));
  data.corrected = data.certificate && data.certificate->safe() && !data.certificate->coreset.weights.empty();
  if (data.corrected) {
    const std::vector<double>& weights = data.certificate->coreset.weights;
    data.quantities = weighted_quantities(std::move(data.quantities), data.chains, weights);
    if (!standardised.empty())
      data.standardised = weighted_quantities(std::move(data.standardised), standardised, weights);
  }
  if (posterior.intercept || count > chains[0].dim) data.intercept = count - 1;
}

void add_facts(ReportData& data, const RunFacts& facts) {
  data.title = facts.title;
  data.data_name = facts.data_name;
  data.model = facts.model;
  data.options = facts.options;
  data.stages = facts.stages;
  data.full_data = facts.full_data;
  data.command_line = facts.command_line;
  data.version = facts.version;
  data.seed = facts.seed;
}

ReportData report_data(const Problem& problem, const CoresetResult& coreset, std::span<const Chain> chains,
                       const Certificate* certificate, const RunFacts& facts, const Executor& executor) {
  ReportData data;
  data.num_rows = problem.data().num_rows();
  data.num_distinct_rows = problem.model().num_rows();
  data.num_parameters = problem.model().num_parameters();
  add_coreset(data, problem, coreset);
  if (certificate != nullptr) data.certificate = *certificate;
  if (!chains.empty()) {
    add_posterior(data, {both_scales(problem), problem.options().intercept, facts.sampler, facts.max_depth},
                  chains, executor);
  }
  if (coreset.laplace && !chains.empty())
    data.laplace = laplace_marginals(coreset.laplace->posterior, both_scales(problem));
  for (const auto& notes : {problem.notes(), coreset.notes, facts.notes})
    data.notes.insert(data.notes.end(), notes.begin(), notes.end());

  add_facts(data, facts);
  return data;
}

FullDataCost full_data_cost(const Problem& problem, std::span<const Chain> chains, Index thin,
                            const Executor& executor, Index max_rows) {
  const Index num_rows = problem.data().num_rows();
  const Index step = std::max<Index>(1, (num_rows + max_rows - 1) / max_rows);
  Coreset some;
  for (Index row = 0; row < num_rows; row += step) {
    some.rows.push_back(row);
    some.weights.push_back(1);
  }
  const auto model = coreset_model(problem, some);
  const RegressionPosterior posterior(*model, problem.prior());
  FullDataCost cost;
  cost.gradient_seconds = gradient_seconds(posterior, problem.model().start(executor)) *
                          static_cast<double>(num_rows) / static_cast<double>(some.size());
  for (const Chain& chain : chains) {
    Index gradients = chain.num_gradients;
    for (const DrawStats& stats : chain.stats) gradients -= (thin - 1) * stats.num_leapfrog;
    cost.gradients += static_cast<double>(std::max<Index>(gradients, 0));
  }
  cost.parallel_chains = static_cast<double>(
      std::clamp<Index>(executor.num_threads(), 1, std::max<Index>(1, std::ssize(chains))));
  return cost;
}

}  // namespace giga
