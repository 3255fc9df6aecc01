// What came of one run of `giga sample`, and the forms it is told in.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "giga/infer/chain.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/report/draws_summary.hpp"
#include "giga/design/both_scales.hpp"
#include "record_parts.hpp"
#include "sample_request.hpp"

namespace giga::tool {

struct SampleOutcome {
  Index num_rows = 0;        ///< N, of the data, or of those that a coreset stands for
  Index num_used = 0;        ///< rows that a gradient visits
  Index num_parameters = 0;  ///< D
  std::string response;
  std::vector<std::string> features;
  Standardisation scale;
  LaplaceResult laplace{Normal::isotropic(1)};

  std::vector<Chain> chains;         ///< on both scales
  std::vector<std::string> names;    ///< of the parameters, as people know them
  std::vector<std::string> columns;  ///< the same in the files
  Index num_original = 0;            ///< how many come first that are on the scale of the features

  std::vector<Quantity> quantities;  ///< lp__, then names
  SamplerHealth health;
  std::vector<std::string> warnings;
  std::vector<double> chain_s;  ///< from the first transition of each chain to its last
  double load_s = 0, laplace_s = 0, sample_s = 0, total_s = 0;
};

/// The table on the scale of the features.
[[nodiscard]] std::string sample_table(const SampleOutcome& outcome);

/// Facts of the run, a line each.
[[nodiscard]] std::string sample_facts(const SampleRequest& request, const SampleOutcome& outcome);

/// Chains as they were sampled; names, both scales, summary and warnings follow from the problem. Times,
/// Laplace and the response are not set.
[[nodiscard]] SampleOutcome sample_outcome(const SampleRequest& request, const Problem& problem,
                                           const BothScales& scales, std::span<const Chain> chains,
                                           const Executor& executor);

/// How the draws were made.
[[nodiscard]] Json sampling_json(const SampleRequest& request);
/// The columns of the files: what they are called there, their names, and on which scale they are.
[[nodiscard]] Json parameters_json(const SampleOutcome& outcome);
[[nodiscard]] Json chains_json(const SampleOutcome& outcome);

[[nodiscard]] std::string sample_record(const SampleRequest& request, const SampleOutcome& outcome);

/// Names and contents of the draws and their summary.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> draws_files(const SampleRequest& request,
                                                                           const SampleOutcome& outcome);
/// The same with the record, which comes last: all that goes to DIR.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> sample_files(const SampleRequest& request,
                                                                            const SampleOutcome& outcome);

}  // namespace giga::tool
