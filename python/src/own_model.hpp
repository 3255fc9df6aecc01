// A model whose functions are Python's: log_likelihood(theta, rows) and gradient(theta, rows), which are
// called from threads of the job, one at a time, with the GIL held.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "call.hpp"
#include "giga/job/fit.hpp"
#include "giga/model/block_model.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/problem.hpp"
#include "support/arguments.hpp"

namespace giga::python {

/// The options of giga.coreset: those of a fit that speak of no table.
void add_own_model_options(tool::Arguments& arguments);
[[nodiscard]] FitOptions own_fit_options(const tool::Arguments& arguments);

/// What python/giga/own_model.py has made of the arguments of a call.
struct OwnModelOptions {
  Index num_rows = 0, num_parameters = 0;
  std::vector<double> start = {};         ///< Empty: that of the prior.
  std::vector<std::string> priors = {};   ///< One text for each parameter, or one for all.
  std::vector<std::string> names = {};    ///< Of the parameters; empty: theta1, theta2, ...
  std::vector<double> multiplicity = {};  ///< Of the rows; empty: 1.
  std::string name = "the data", description = {};
  bool check_gradient = false;  ///< Before anything else.
};

/// Calls of one function, and what it was asked for in all.
struct FunctionCalls {
  std::atomic<std::int64_t> calls = 0, rows = 0;
};

class OwnModel {
 public:
  OwnModel(pybind11::function log_likelihood, pybind11::function gradient, OwnModelOptions options);

  /// The whole job. What a function raises stops it, and raise_failure() raises that again; ModelError where
  /// numbers are not what they must be.
  [[nodiscard]] FitRun fit(const FitOptions& options, bool timings, Work& work, const Executor& executor,
                           const JobObserver& observer);
  /// With the GIL.
  void raise_failure();
  [[nodiscard]] pybind11::dict calls() const;

 private:
  /// The functions, for as long as this object and `work` live.
  [[nodiscard]] BlockFunctions functions(Work& work);
  /// The same as a problem. Throws OptionError for a text that is not a prior.
  [[nodiscard]] Problem problem(Work& work);
  /// Throws ModelError where the gradient is not that of the log-likelihood, at the start and near it.
  void check_gradient(Work& work, const Problem& problem);

  /// Where log_likelihood was NaN at parameters that a chain tried, which then counted as impossible.
  [[nodiscard]] std::optional<std::string> not_numbers() const;
  void call(const pybind11::function& function, const char* name, FunctionCalls& counted, Work& work,
            std::span<const Index> rows, std::span<const double> theta, Index width, double* out);
  void note_not_numbers(std::span<const Index> rows, std::span<const double> theta, const double* values);

  pybind11::function log_likelihood_, gradient_;
  OwnModelOptions options_;
  FunctionCalls value_calls_, gradient_calls_;
  std::optional<pybind11::error_already_set> failure_;  // the first
  std::int64_t num_not_numbers_ = 0;
  std::string first_not_number_;
};

void add_own_model(pybind11::module_& module);

}  // namespace giga::python
