// Means and standard deviations of the posterior of a logistic regression on all rows of a dataset, by a long
// run of NUTS: 4 chains of 1000 + 25,000 transitions from dispersed starts, seed 2.
//
//   posterior_reference ds1.npz > tests/pipeline/reference/ds1_posterior.csv
//
// It is built on request: cmake --build --preset release --target posterior_reference.
#include <cstdio>
#include <string>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/diagnostics.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/infer/sample.hpp"
#include "giga/pipeline/problem.hpp"

int main(int argc, char** argv) {
  using namespace giga;
  if (argc != 2) {
    std::fputs("usage: posterior_reference DATA\n", stderr);
    return 64;
  }
  const Threads executor;
  const Dataset data = read_dataset(argv[1], {}, executor);
  const Problem problem(data, {.family = {Family::BernoulliLogit}}, executor);
  const RegressionPosterior posterior(*problem.likelihood().linear_model(), problem.prior());
  const Normal about = laplace(problem.likelihood(), problem.prior(), executor).posterior;
  const std::vector<Chain> chains = sample_about(
      posterior, about, 4, {.draws = 25'000, .metric = MetricKind::Diagonal, .seed = 2}, executor);
  std::puts("# Made by tests/pipeline/posterior_reference.cpp; parameters of the standardised features.");
  std::puts("name,mean,sd,mcse_mean,mcse_sd,rhat");
  for (Index d = 0; d < posterior.dim(); ++d) {
    std::vector<std::vector<double>> draws;
    for (const Chain& chain : chains) {
      draws.emplace_back();
      for (Index s = 0; s < chain.num_draws(); ++s) draws.back().push_back(chain.draw(s)[d]);
    }
    const QuantitySummary one = summarise(draws);
    std::printf("%s,%.17g,%.17g,%.3g,%.3g,%.5f\n", problem.likelihood().parameter_name(d).c_str(), one.mean,
                one.sd, one.mcse_mean, one.mcse_sd, one.rhat);
  }
}
