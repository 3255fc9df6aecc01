// What a posterior says of the responses of rows: of their expectation, and of new observations.
//
// At a draw theta_s = (beta_s, phi_s) with weight w_s, row n has the predictor <z_n, beta_s> + o_n, the
// expected response mu_ns of the family, and a simulated response y_ns. The weighted mean, sd and quantiles
// over s of mu_ns are those of the expected response, those of y_ns are of a new observation, and
//
//     log density = log sum_s w_s exp(l_n(theta_s))        where the response of the row is known.
//
// Rows are taken in blocks: the memory is that of the draws and of the results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/design/design.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// Draws of the parameters of a model, as they were sampled.
struct WeightedDraws {
  Points points;
  std::vector<double> weights = {};  ///< One for each draw; empty: all count alike.
};

/// Groups of a group effect that the fit did not see. Their coefficients are drawn from what it learnt of
/// groups: sd_s e with e standard normal, the same for all rows of a group.
struct NewGroups {
  std::string name;                      ///< Of the group: "carrier".
  Index sd = 0;                          ///< Which of theta is the logarithm of the standard deviation.
  std::vector<double> times = {};        ///< Of each row, what the coefficient is multiplied by.
  std::vector<Index> which = {};         ///< Of each row, its place in `groups`; -1: the fit saw it.
  std::vector<std::string> groups = {};  ///< As coefficients are called: "b[(Intercept) carrier:ZZ]".
};

/// Rows to be predicted. Labels are -1 and 1; of successes, the numbers without trials.
struct NewRows {
  Dataset data;
  std::shared_ptr<const Design> design = {};  ///< That of the model, for the columns of `data`.
  FamilyParameters family = {};
  std::vector<double> offset = {};         ///< Of each row; empty: 0.
  std::vector<double> trials = {};         ///< Of each row; empty: not known.
  std::vector<double> response = {};       ///< Of each row; empty: not known.
  std::vector<NewGroups> new_groups = {};  ///< Group effects of which some row has a new group.
  std::vector<std::string> notes = {};     ///< Which groups these are.
};

/// Reads rows for a model that was learnt with `scale`. `read` is how its own table was read, with `known`
/// columns; with a formula the model has its design. Without `response` the columns of the response need not
/// be there, but trials are used if they are. Throws what read_dataset throws; DataError for rows that
/// the design cannot take.
[[nodiscard]] NewRows read_new_rows(const std::filesystem::path& path, ReadOptions read,
                                    const ModelOptions& model, const Standardisation& scale, bool response,
                                    const Executor& executor, const Observer& observer = {});

struct PredictOptions {
  std::vector<double> quantiles = {0.05, 0.5, 0.95};  ///< Each between 0 and 1.
  bool new_observations = true;                       ///< Simulate them: most of the time is spent on this.
  bool pointwise = false;                             ///< The log density; needs the response.
  std::uint64_t seed = 1;                             ///< Of the simulation; row n has a stream of its own.
};

/// Of every row: mean, sd and the quantiles, in this order. Of labels the expected response is the
/// chance of 1; of successes it is their number, or, where trials are not known, the chance of one.
struct Predictions {
  Index num_rows = 0, width = 0;
  std::vector<double> expected = {};      ///< num_rows x width
  std::vector<double> observations = {};  ///< The same of new observations, labels being 0 and 1; or empty.
  std::vector<double> log_density = {};   ///< Of each row; or empty.
};

/// The same bits under any executor. Throws std::invalid_argument for options and draws that cannot be.
[[nodiscard]] Predictions predict_rows(const NewRows& rows, const WeightedDraws& draws,
                                       const PredictOptions& options, const Executor& executor,
                                       const Observer& observer = {});

}  // namespace giga
