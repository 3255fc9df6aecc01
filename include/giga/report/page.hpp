// The report of a whole job as one HTML file: no network, no other files, nothing that runs except its
// own script. Charts and, for those who cannot see them, the same numbers as tables. docs/report.md
// says how to read it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "giga/construct/build.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/chain.hpp"
#include "giga/model/scalar_prior.hpp"
#include "giga/pipeline/full_data_cost.hpp"
#include "giga/pipeline/model_check.hpp"
#include "giga/report/draws_summary.hpp"
#include "giga/report/posterior_summary.hpp"

namespace giga {

/// A row of the coreset, as the user counts rows.
struct ReportRow {
  Index row = 0;
  double weight = 0;
  double response = 0;
};

struct ReportStage {
  std::string name;
  double seconds = 0;
};

/// The prior of a coefficient on the scale of the data: `prior` is that of `unit` times the coefficient.
struct ReportPrior {
  ScalarPrior prior;
  double unit = 1;
};

/// Everything a report shows. Text may have any characters; it is shown as text. Parts that are empty are
/// left out of the page.
struct ReportData {
  std::string title = {};
  std::string data_name = {};
  Index num_rows = 0;
  Index num_distinct_rows = 0;
  Index num_parameters = 0;
  std::string model = {};  ///< in words
  std::vector<std::pair<std::string, std::string>> options = {};

  // The coreset.
  std::string method = {};       ///< "corrective"
  std::string termination = {};  ///< why the build ended, in words
  std::vector<StepRecord> trace = {};
  double relative_error = 0, heldout_error = 0;
  std::vector<ReportRow> coreset = {};

  // The posterior, on the original scale: one entry per coefficient in each of these, and in every chain.
  std::vector<Quantity> quantities = {};
  bool corrected =
      false;  ///< Those, and `standardised`, are of the weighted draws: of the posterior of all rows.
  std::vector<Chain> chains = {};
  std::vector<LaplaceMarginal> laplace = {};
  /// Drawn beside the posterior, where they are known on this scale; may be empty.
  std::vector<std::optional<ReportPrior>> priors = {};
  /// The same coefficients for features of standard deviation 1, so that they compare; may be empty.
  std::vector<Quantity> standardised = {};
  Index intercept = -1;  ///< Which of them; it is not in the plot of coefficients.
  /// The first so many are coefficients; what follows them (the intercept, the scale of the noise) is not in
  /// the plot either. -1: all are.
  Index num_coefficients = -1;
  Ratios ratios = {};  ///< Of the quantities.

  std::optional<Certificate> certificate = {};  ///< Its weights are those of the draws of `chains`, in order.
  std::optional<ModelCheck> model_check = {};
  std::vector<std::string> warnings = {};
  std::vector<std::string> notes = {};
  /// What fields in backticks become in warnings, notes and the verdict: `max_depth` is --max-depth to users
  /// of the command. None: they stay as they are.
  std::function<std::string(const std::string&)> spelling = {};

  std::vector<ReportStage> stages = {};  ///< in order, without their total
  std::optional<FullDataCost> full_data = {};

  std::string command_line = {}, version = {};
  std::uint64_t seed = 0;
};

struct ReportLimits {
  Index max_sizes = 300;     ///< of the coreset in the chart of errors; evenly spread, the last among them
  Index max_weights = 500;   ///< points in the chart of weights and its table; the largest
  Index max_densities = 12;  ///< coefficients with a density of their own, the clearest effects
  Index max_explored =
      100;                 ///< coefficients whose chains can be explored: those above, and the highest R-hat
  Index max_forest = 100;  ///< coefficients in the plot of all, the clearest effects
  Index max_priors = 6;    ///< parameters drawn with their prior, those that it decides most
  Index trace_points = 200;  ///< of a chain, every k-th draw
};

/// The page. What the limits leave out is said where it is left out. The same bytes for the same data.
/// Throws std::invalid_argument where the parts do not fit each other: names, chains, weights of different
/// numbers.
[[nodiscard]] std::string report_html(const ReportData& data, const ReportLimits& limits = {});

}  // namespace giga
