// What came of one run of `giga build`, and the forms it is told in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "build_request.hpp"
#include "giga/construct/build.hpp"
#include "giga/data/dataset.hpp"
#include "giga/design/standardise.hpp"
#include "giga/infer/laplace.hpp"
#include "record_parts.hpp"

namespace giga::tool {

/// What there is to say of a table beyond its vectors.
struct DataFacts {
  Index distinct_rows = 0;
  Index num_parameters = 0;
  std::vector<std::string> parameter_names;
  std::vector<std::string> feature_names;
  std::string response_name;
  Standardisation scale;
  double heldout_error = 0;
  std::vector<double> pihat_mean, pihat_sd;
  std::optional<LaplaceResult> laplace;
  bool separable = false;
  std::vector<ProjectionTrial> trials;
  std::vector<double> multiplicity;             ///< of each row of the coreset
  std::vector<std::string> columns;             ///< of the input
  std::string digest;                           ///< of the input
  std::vector<std::vector<std::string>> cells;  ///< of each row of the coreset
};

struct BuildOutcome {
  Index num_rows = 0;
  Index dim = 0;
  Index zero_rows = 0;
  bool zero_target = false;
  double target_norm = 0;
  double norm_sum = 0;
  std::optional<SelectorKind> selector;  ///< the one used, if any was
  std::size_t selector_bytes = 0;
  double prepare_bytes_read = 0;
  Coreset coreset;  ///< rows of the input
  BuildResult result;
  std::optional<DataFacts> data;
  double load_s = 0, laplace_s = 0, project_s = 0, prepare_s = 0, construct_s = 0, total_s = 0;
};

/// row,weight and, for data, the columns of the input. Names that a spreadsheet would take for a formula get
/// an apostrophe; columns of the input that are called row or weight get `input_` before their name.
[[nodiscard]] std::string coreset_csv(const BuildOutcome& outcome);

/// What must travel with a coreset of data, as JSON: model, prior, scale of the features, multiplicities. The
/// same bytes for the same input and options.
[[nodiscard]] std::string coreset_companion(const BuildRequest& request, const BuildOutcome& outcome);

/// The table a person reads, a line for each fact.
[[nodiscard]] std::string summary(const BuildRequest& request, const BuildOutcome& outcome);

/// The run record, and its text. Numbers that are not finite are null.
[[nodiscard]] Json build_record(const BuildRequest& request, const BuildOutcome& outcome);
[[nodiscard]] std::string run_record(const BuildRequest& request, const BuildOutcome& outcome);

}  // namespace giga::tool
