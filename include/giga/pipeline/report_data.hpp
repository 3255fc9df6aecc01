// From the results of the stages to what a report shows.
//
//   ReportData data = report_data(problem, coreset, chains, &certificate, facts, executor);
//   file.write(report_html(data));
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "giga/infer/certificate.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/report/page.hpp"

namespace giga {

/// What a report says of a run that is not in the results of its stages.
struct RunFacts {
  std::string title, data_name;
  std::string model;  ///< in words
  std::vector<std::pair<std::string, std::string>> options = {};
  std::vector<std::string> notes = {};  ///< besides those of the problem and the coreset
  SamplerKind sampler = SamplerKind::Nuts;
  Index max_depth = 10;
  std::vector<ReportStage> stages = {};
  std::optional<FullDataCost> full_data = {};
  std::string command_line = {}, version = {};
  std::uint64_t seed = 1;
};

/// `chains` are of the posterior of the coreset, with the parameters of problem.model(); their draws, the
/// Laplace approximation and the certificate's weights are shown on the scale of the data. Without a
/// certificate (null) the page has none.
[[nodiscard]] ReportData report_data(const Problem& problem, const CoresetResult& coreset,
                                     std::span<const Chain> chains, const Certificate* certificate,
                                     const RunFacts& facts, const Executor& executor);

/// What is to be known of chains besides their draws.
struct SampledPosterior {
  BothScales scales;
  bool intercept = true;
  SamplerKind sampler = SamplerKind::Nuts;
  Index max_depth = 10;
};

/// The parts of report_data, for those who have the rest from elsewhere: draws, their summary and warnings.
/// Where the data have a certificate that is safe, with weights, the summary is that of the weighted draws.
void add_posterior(ReportData& data, const SampledPosterior& posterior, std::span<const Chain> chains,
                   const Executor& executor);
/// what the Laplace approximation says of the coefficients on the scale of the data,
[[nodiscard]] std::vector<LaplaceMarginal> laplace_marginals(const Normal& posterior,
                                                             const BothScales& scales);
/// and what the facts say, but for the notes.
void add_facts(ReportData& data, const RunFacts& facts);

/// What the chains would have cost on all rows of the data without thinning, which is for the sake of the
/// certificate, from the time of a gradient (the fastest of
/// three) on at most `max_rows` of them, one thread a chain and as many chains side by side as `executor` has
/// threads.
[[nodiscard]] FullDataCost full_data_cost(const Problem& problem, std::span<const Chain> chains, Index thin,
                                          const Executor& executor, Index max_rows = 200000);

}  // namespace giga
