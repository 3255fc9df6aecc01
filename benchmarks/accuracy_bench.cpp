// How close the posterior of a coreset is to that of all rows, on the paper's datasets, as a Markdown table.
//
//   accuracy_bench FOLDER [SEED...]
//
// FOLDER has ds1.npz, phishing.npz, biketrips.npz and airportdelays.npz. KL is the divergence of the Laplace
// approximation of the coreset's posterior from that of all rows; "mean" and "sd" are the largest difference
// of means, in posterior standard deviations, and of standard deviations, relative. Medians over the seeds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"

namespace {

using namespace giga;

struct Set {
  const char* name;
  Family family;
  std::vector<Index> sizes;  // of corrective coresets
};

struct Outcome {
  double points, relative, heldout, kl, mean, sd, seconds;
};

Outcome measure(const Problem& problem, const CoresetOptions& options, const Normal& full,
                const Executor& executor) {
  const CoresetResult result = build_coreset(problem, options, executor);
  const Coreset& built = result.build.coreset;
  std::vector<double> weights;
  for (std::size_t i = 0; i < built.rows.size(); ++i)
    weights.push_back(built.weights[i] * problem.likelihood().multiplicity(built.rows[i]));
  const auto part = problem.likelihood().subset(built.rows, weights);
  const Normal coreset = laplace(*part, problem.prior(), executor).posterior;
  const std::vector<double> sds = full.standard_deviations(), other = coreset.standard_deviations();
  Outcome out{
      static_cast<double>(built.rows.size()),
      result.build.relative_error,
      result.heldout_error,
      kl_divergence(coreset, full),
      0,
      0,
      result.seconds.laplace + result.seconds.project + result.seconds.prepare + result.seconds.construct};
  for (std::size_t d = 0; d < sds.size(); ++d) {
    out.mean = std::max(out.mean, std::abs(coreset.mean()[d] - full.mean()[d]) / sds[d]);
    out.sd = std::max(out.sd, std::abs(other[d] / sds[d] - 1));
  }
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void print_row(const Set& set, const char* how, const std::vector<Outcome>& trials) {
  const auto middle = [&](double Outcome::*field) {
    std::vector<double> values;
    for (const Outcome& trial : trials) values.push_back(trial.*field);
    return median(values);
  };
  std::printf("| %s | %s | %.0f | %.2g | %.2g | %.2g | %.2g | %.2g | %.2f |\n", set.name, how,
              middle(&Outcome::points), middle(&Outcome::relative), middle(&Outcome::heldout),
              middle(&Outcome::kl), middle(&Outcome::mean), middle(&Outcome::sd), middle(&Outcome::seconds));
  std::fflush(stdout);
}

void run_set(const Set& set, const std::string& folder, const std::vector<std::uint64_t>& seeds,
             const Executor& executor) {
  const Dataset data = read_dataset(folder + "/" + set.name + ".npz", {}, executor);
  const Problem problem(data, {.family = {set.family}}, executor);
  const Normal full = laplace(problem.likelihood(), problem.prior(), executor).posterior;
  const auto trials = [&](CoresetOptions options) {
    std::vector<Outcome> all;
    for (const std::uint64_t seed : seeds) {
      options.seed = seed;
      all.push_back(measure(problem, options, full, executor));
    }
    return all;
  };
  print_row(set, "giga, random, 1000 steps",
            trials({.method = Method::Giga, .size = 1000, .max_steps = 1000}));
  for (const Index size : set.sizes) {
    print_row(set, "corrective, random", trials({.size = size}));
    print_row(set, "corrective, curvature (taylor)",
              trials({.projection = ProjectionKind::Curvature, .size = size}));
    print_row(
        set, "corrective, curvature (hermite)",
        trials({.projection = ProjectionKind::Curvature, .expansion = Expansion::Hermite, .size = size}));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: accuracy_bench FOLDER [SEED...]\n");
    return 64;
  }
  std::vector<std::uint64_t> seeds;
  for (int i = 2; i < argc; ++i) seeds.push_back(std::strtoull(argv[i], nullptr, 10));
  if (seeds.empty()) seeds = {1, 2, 3, 4, 5};
  const std::vector<Set> sets = {{"ds1", Family::BernoulliLogit, {50, 75, 100}},
                                 {"airportdelays", Family::PoissonSoftplus, {50, 100}},
                                 {"biketrips", Family::PoissonSoftplus, {50, 100}},
                                 {"phishing", Family::BernoulliLogit, {50, 100, 200, 300}}};
  const Threads executor;
  std::printf("| data | coreset | points | projected error | held-out error | KL | mean | sd | seconds |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|\n");
  for (const Set& set : sets) run_set(set, argv[1], seeds, executor);
}
