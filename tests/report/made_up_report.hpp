// Reports made up without a run, for tests of the page.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/report/page.hpp"
#include "report/chains.hpp"

namespace giga::test {

/// Names that must stay text wherever they appear.
inline std::vector<std::string> hostile_names() {
  return {"<script>alert(1)</script>",
          "</script><img src=x onerror=alert(2)>",
          "=cmd()|' /C calc'!A0",
          "\"quoted\" & 'single' <b>bold</b>",
          std::string(5000, 'x'),
          std::string(5000, 'x') + "y",  // equal to the one before when cut
          "\xF0\x9F\x9A\x80 emoji \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC",
          "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xE2\x80\xAE"
          "reversed",
          "line\nbreak\ttab",
          "\xE2\x80\xA8line separator",
          "not UTF-8 \xFF\xC0",
          "]]><!-- --!>",
          "__proto__",
          "datum['x']",
          "{{constructor.constructor('alert(3)')()}}"};
}

inline std::vector<std::string> plain_names(Index count) {
  std::vector<std::string> names;
  for (Index k = 1; k < count; ++k) names.push_back(std::string("feature_").append(std::to_string(k)));
  names.emplace_back("(intercept)");
  return names;
}

inline std::vector<StepRecord> made_up_trace(Index steps) {
  std::vector<StepRecord> trace;
  for (Index t = 1; t <= steps; ++t) {
    const auto x = static_cast<double>(t);
    trace.push_back({t, t * 7, t, 0.1, 0.2, std::exp(-x / 12), 1 / std::sqrt(x), 1.5 * std::exp(-x / 14)});
  }
  return trace;
}

inline Certificate made_up_certificate(Index parameters, Index chains, Index draws) {
  Certificate certificate;
  certificate.num_rows = certificate.num_data_rows = 26733;
  certificate.coreset_size = 60;
  certificate.num_parameters = parameters;
  certificate.num_chains = chains;
  certificate.max_rhat = 1.0023;
  certificate.min_ess = 2345;
  certificate.coreset.num_draws = certificate.laplace.num_draws = chains * draws;
  certificate.coreset.k_hat = 0.2134;
  certificate.laplace.k_hat = 0.4321;
  certificate.coreset.k_limit = certificate.laplace.k_limit = 0.7;
  certificate.coreset.effective_size = 3456.7;
  certificate.laplace.effective_size = 3210.9;
  certificate.coreset.usable = certificate.laplace.usable = true;
  Stream random = stream(9, "made up weights");
  double total = 0;
  for (Index s = 0; s < chains * draws; ++s)
    total += certificate.coreset.weights.emplace_back(std::exp(0.1 * random.normal()));
  for (double& weight : certificate.coreset.weights) weight /= total;
  return certificate;
}

/// Coefficient k has the draws k + 1 + N(0, 1), the last of `names` is the intercept.
inline ReportData made_up_report(const std::vector<std::string>& names, Index draws, Index num_chains = 4) {
  const auto dim = std::ssize(names);
  ReportData data{.title = "A made-up report",
                  .data_name = "made_up.csv",
                  .num_rows = 26733,
                  .num_distinct_rows = 20000,
                  .num_parameters = dim,
                  .model = "bernoulli with logit link, prior N(0, 1)",
                  .method = "corrective",
                  .termination = "it ended with the size asked for"};
  data.trace = made_up_trace(60);
  data.relative_error = data.trace.back().relative_error;
  data.heldout_error = data.trace.back().heldout_error;
  for (Index i = 0; i < 60; ++i)
    data.coreset.push_back({i * 101, 900.0 / static_cast<double>(1 + i), i % 2 == 0 ? 1.0 : 0.0});
  for (Index c = 0; c < num_chains; ++c) {
    Chain chain = made_up_chain(draws, dim, static_cast<std::uint64_t>(c + 1));
    for (Index s = 0; s < draws; ++s) {
      for (Index k = 0; k < dim; ++k)
        chain.draws[static_cast<std::size_t>(s * dim + k)] += static_cast<double>(k + 1);
    }
    data.chains.push_back(std::move(chain));
  }
  data.quantities = summarise_chains(data.chains, names, false, Threads(1));
  for (Index k = 0; k < dim; ++k) data.laplace.push_back({static_cast<double>(k + 1), 1});
  data.intercept = dim - 1;
  data.certificate = made_up_certificate(dim, num_chains, draws);
  data.stages = {{"load", 0.123}, {"construct", 1.5}, {"sample", 0.25}};
  data.full_data = FullDataCost{.gradients = 123456, .gradient_seconds = 0.0011, .parallel_chains = 2};
  data.options = {{"method", "corrective"}, {"size", "60"}};
  data.command_line = "giga fit made_up.csv --size 60";
  data.version = "0.1.0";
  data.seed = 42;
  return data;
}

/// Everything that is text, hostile.
inline ReportData hostile_report(Index draws) {
  ReportData data = made_up_report(hostile_names(), draws);
  const std::string evil = hostile_names()[0] + hostile_names()[1];
  data.title = data.data_name = data.model = data.method = data.termination = data.command_line =
      data.version = evil;
  data.options.emplace_back(evil, evil);
  data.warnings = {evil, "a <b>warning</b>"};
  data.notes = {evil};
  data.stages.push_back({evil, 1});
  return data;
}

}  // namespace giga::test
