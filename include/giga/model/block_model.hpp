// A model of your own from functions of many rows at once: for languages in which a call costs more than the
// arithmetic of a row, and for models whose arithmetic is vectorised already.
//
//   BlockFunctions functions{.num_rows = N, .num_parameters = 2};
//   functions.log_likelihoods = [&](std::span<const Index> rows, std::span<const double> theta, double* out)
//       { for (Index n : rows) *out++ = ...; };
//   functions.gradients = ...;
//   const Problem problem(likelihood_of(functions), Normal::isotropic(2, 5));
//
// Second derivatives, which only the search for the mode needs, are differences of gradients.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

/// Functions of rows, which are numbered 0 .. N - 1, at one theta in R^D. They may be called from any thread
/// of the executor, and from several at once; what they throw ends the job.
struct BlockFunctions {
  using Function =
      std::function<void(std::span<const Index> rows, std::span<const double> theta, double* out)>;

  Index num_rows = 0;
  Index num_parameters = 0;
  Function log_likelihoods = {};  ///< out[i] = L_n(theta) for n = rows[i]: a number, or -infinity.
  Function gradients = {};        ///< out[i * D + d] = dL_n / dtheta_d; numbers wherever L_n is one.

  std::function<std::vector<double>()> start = {};        ///< None: that of Likelihood.
  std::function<std::string(Index)> parameter_name = {};  ///< None: that of Likelihood.
};

/// A function of a model gave NaN, or infinity where there must be a number. The message names the function,
/// row and theta.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Features of rows are made for thousands of rows at a time, and up to 256 MB of them kept: a call may cost
/// as much for one row. `multiplicity` is empty or has a positive entry for every row. All that the functions
/// give is looked at: what cannot be is a ModelError where it is first seen.
[[nodiscard]] std::unique_ptr<Likelihood> likelihood_of(BlockFunctions functions,
                                                        std::vector<double> multiplicity = {});

/// A gradient beside the difference of log-likelihoods that it should be.
struct GradientCheck {
  Index row = 0, parameter = 0;  ///< Where the two differ most.
  double given = 0, found = 0;   ///< Their values there.
  /// |given - found| over the largest gradient of the rows that were looked at. Right gradients of smooth
  /// functions have 1e-9 or so.
  double error = 0;
};

/// Compares gradients at theta with central differences of fourth order, for these rows.
[[nodiscard]] GradientCheck check_gradients(const BlockFunctions& functions, std::span<const Index> rows,
                                            std::span<const double> theta);

}  // namespace giga
