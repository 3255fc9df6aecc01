// What a certificate costs, stage by stage.
//
//   certify_bench --data ds1.npz                          a coreset of 100 points, 4 chains of 1000 draws
//   certify_bench --rows 1000000 --dim 20 --size 300      made-up logistic rows; every 3333rd is the coreset
//
// Prints seconds and, for ratios and gradients, nanoseconds a row and draw. --data is a logistic regression.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/infer/sample.hpp"
#include "giga/model/simulate_data.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/report/certificate_text.hpp"

namespace {

using namespace giga;
using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

struct Request {
  std::string data;
  Index rows = 1'000'000, dim = 20, size = 100, draws = 4000;
  int threads = 0;
};

// Standard normal features and an intercept.
Regression made_up(Index rows, Index dim) {
  const SimulatedData data(
      {{Family::BernoulliLogit}, rows, std::vector<double>(static_cast<std::size_t>(dim), 0.3), 1});
  std::vector<double> values(static_cast<std::size_t>(rows * dim)), y;
  data.read(0, rows, values.data());
  for (Index n = 0; n < rows; ++n) {  // the response lies where the intercept's column is to be
    double& last = values[static_cast<std::size_t>(n * dim + dim - 1)];
    y.push_back(last);
    last = 1;
  }
  return {std::move(values), std::move(y), {}, {Family::BernoulliLogit}};
}

void measure(const Likelihood& full, const Likelihood& coreset, const Prior& prior, const Request& request,
             Index data_rows, const Executor& executor) {
  const Normal about = laplace(coreset, prior, executor).posterior;
  const Posterior posterior(coreset, prior);
  const std::vector<Chain> chains = sample_about(posterior, about, 4, {.draws = request.draws / 4}, executor);

  std::map<CertificatePart, double> spent;
  const auto start = Clock::now();
  auto last = start;
  const Observer observer = [&](const StageProgress& at) {
    const auto now = Clock::now();
    spent[at.part] += seconds(last, now);
    last = now;
    return Answer::Continue;
  };
  Certificate out = certify(full, &coreset, prior, chains, executor, {}, observer);
  const double total = seconds(start, Clock::now());
  out.num_data_rows = data_rows;

  std::vector<std::string> names;
  for (Index d = 0; d < full.num_parameters(); ++d) names.push_back(full.parameter_name(d));
  std::cout << certificate_text(out, names) << '\n';
  const auto rows = static_cast<double>(full.num_rows());
  const auto line = [&](const char* what, CertificatePart part, double draws) {
    std::printf("%-16s %8.3f s  %5.1f %%", what, spent[part], 100 * spent[part] / total);
    if (draws > 0) std::printf("  %6.3f ns a row and draw", 1e9 * spent[part] / (rows * draws));
    std::printf("\n");
  };
  line("laplace", CertificatePart::Laplace, 0);
  line("ratios", CertificatePart::Ratios, static_cast<double>(out.coreset.num_draws));
  line("laplace ratios", CertificatePart::LaplaceRatios, static_cast<double>(out.laplace.num_draws));
  line("gradients", CertificatePart::Gradients, 2 * static_cast<double>(out.num_gradient_draws));
  std::printf("%-16s %8.3f s, %d threads\n", "total", total, executor.num_threads());
}

void run(const Request& request) {
  const Threads executor(request.threads);
  if (!request.data.empty()) {
    const Dataset data = read_dataset(request.data, {}, executor);
    const Problem problem(data, {.family = {Family::BernoulliLogit}}, executor);
    const Coreset coreset = build_coreset(problem, {.size = request.size}, executor).coreset;
    measure(problem.likelihood(), *coreset_model(problem, coreset), problem.prior(), request, data.num_rows(),
            executor);
    return;
  }
  const Regression full = made_up(request.rows, request.dim);
  std::vector<Index> rows;
  for (Index k = 0; k < request.size; ++k) rows.push_back(k * request.rows / request.size);
  const std::vector<double> weights(rows.size(),
                                    static_cast<double>(request.rows) / static_cast<double>(request.size));
  const auto part = full.subset(rows, weights);
  measure(full, *part, Normal::isotropic(request.dim), request, request.rows, executor);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a benchmark may end by what it could not do
int main(int argc, char** argv) {
  Request request;
  CLI::App app("What a certificate costs");
  app.add_option("--data", request.data, "a dataset for a logistic regression");
  app.add_option("--rows", request.rows, "made-up rows");
  app.add_option("--dim", request.dim, "parameters of made-up rows");
  app.add_option("--size", request.size, "points of the coreset");
  app.add_option("--draws", request.draws, "draws of the coreset's posterior, all chains together");
  app.add_option("--threads", request.threads, "0: one a core");
  CLI11_PARSE(app, argc, argv);
  run(request);
}
