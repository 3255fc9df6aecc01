// Functions of Python as functions of blocks of rows.
//
// The GIL is held while Python is called and never while the library waits for anything, so that threads
// which wait for it cannot hold up the one that has it. A function that raises stops the work: its exception
// is kept, and the library, which has no business with it, is told that it was asked to stop.
#include "own_model.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "giga/base/text.hpp"
#include "giga/job/build.hpp"
#include "options/coreset.hpp"
#include "options/sampling.hpp"
#include "results.hpp"

namespace giga::python {
namespace {

namespace py = pybind11;

constexpr Index kCheckedRows = 64;
constexpr double kGradientError = 1e-6;  // right ones have 1e-9 or so

constexpr tool::CoresetHelp kHelp = {.size = "Points in the coreset", .tolerance = "Where it may end"};

py::array_t<double> theta_array(std::span<const double> theta) {
  return py::array_t<double>(std::ssize(theta), theta.data());
}

py::array_t<std::int64_t> rows_array(std::span<const Index> rows) {
  py::array_t<std::int64_t> out(std::ssize(rows));
  std::ranges::copy(rows, out.mutable_data());
  return out;
}

// Whether what a function gave is what is wanted already: doubles in C order.
bool is_plain(const py::object& given, Index rows, Index width) {
  if (!py::isinstance<py::array_t<double, py::array::c_style>>(given)) return false;
  const auto array = py::reinterpret_borrow<py::array>(given);
  if (width == 0) return array.ndim() == 1 && array.shape(0) == rows;
  return array.ndim() == 2 && array.shape(0) == rows && array.shape(1) == width;
}

Prior prior_of(const OwnModelOptions& options) {
  std::vector<ScalarPrior> components;
  for (const std::string& each : options.priors) components.push_back(parse_prior(each));
  if (components.size() == 1) components.resize(at(options.num_parameters), components.front());
  return Prior(std::move(components));
}

}  // namespace

void add_own_model_options(tool::Arguments& arguments) {
  add_projection_options(arguments, "Projection");
  add_construction_options(arguments, kHelp);
  add_sampling_options(arguments, "Sampling", FitOptions{}.sample);
  add_check_rows_option(arguments, "Certificate");
  add_run_options(arguments, "Run");
  arguments.add_flag("no-times", "Without measured times", "Output");
}

FitOptions own_fit_options(const tool::Arguments& arguments) {
  FitOptions fit;
  set_projection(arguments, fit.coreset);
  set_construction(arguments, fit.coreset);
  if (fit.coreset.size > 0) fit.max_rounds = 1;
  fit.check_rows = tool::row_count_of(arguments, "check-rows");
  tool::ChainOptions chains{.sample = fit.sample};
  set_sampling(arguments, chains);
  fit.sample = chains.sample;
  fit.chains = chains.chains;
  return fit;
}

OwnModel::OwnModel(py::function log_likelihood, py::function gradient, OwnModelOptions options)
    : log_likelihood_(std::move(log_likelihood)),
      gradient_(std::move(gradient)),
      options_(std::move(options)) {}

void OwnModel::call(const py::function& function, const char* name, FunctionCalls& counted, Work& work,
                    std::span<const Index> rows, std::span<const double> theta, Index width, double* out) {
  if (work.stop_requested()) throw Stopped();
  const py::gil_scoped_acquire held;
  ++counted.calls;
  counted.rows += std::ssize(rows);
  const py::module_ helpers = py::module_::import("giga.own_model");
  const py::array_t<double> at_theta = theta_array(theta);
  const py::array_t<std::int64_t> of_rows = rows_array(rows);
  try {
    py::object given = function(at_theta, of_rows);
    if (!is_plain(given, std::ssize(rows), width))
      given = helpers.attr("_numbers")(given, name, std::ssize(rows), width);
    const auto values = given.cast<py::array_t<double, py::array::c_style>>();
    std::copy_n(values.data(), values.size(), out);
  } catch (py::error_already_set& error) {
    helpers.attr("_add_note")(error.value(), name, theta_array(theta), rows_array(rows));
    if (!failure_) failure_.emplace(error);
    work.stop();
    throw Stopped();
  }
}

// Chains take NaN for a log-likelihood of -infinity, as they do with any density that fails.
void OwnModel::note_not_numbers(std::span<const Index> rows, std::span<const double> theta,
                                const double* values) {
  const double* end = values + rows.size();
  const double* found = std::find_if(values, end, [](double value) { return std::isnan(value); });
  if (found == end) return;
  const py::gil_scoped_acquire held;
  if (num_not_numbers_++ > 0) return;
  first_not_number_ = "row " + std::to_string(rows[static_cast<std::size_t>(found - values)]) +
                      " at theta = " + py::str(theta_array(theta)).cast<std::string>();
}

BlockFunctions OwnModel::functions(Work& work) {
  BlockFunctions out;
  out.num_rows = options_.num_rows;
  out.num_parameters = options_.num_parameters;
  // Nothing of Python is captured: these are copied by threads that do not hold the GIL.
  out.log_likelihoods = [this, &work](std::span<const Index> rows, std::span<const double> theta,
                                      double* to) {
    call(log_likelihood_, "log_likelihood", value_calls_, work, rows, theta, 0, to);
    note_not_numbers(rows, theta, to);
  };
  out.gradients = [this, &work](std::span<const Index> rows, std::span<const double> theta, double* to) {
    call(gradient_, "gradient", gradient_calls_, work, rows, theta, options_.num_parameters, to);
  };
  if (!options_.start.empty()) out.start = [this] { return options_.start; };
  if (!options_.names.empty()) out.parameter_name = [this](Index d) { return options_.names[at(d)]; };
  return out;
}

Problem OwnModel::problem(Work& work) {
  return {likelihood_of(functions(work), options_.multiplicity),
          prior_of(options_),
          {.name = options_.name, .description = options_.description, .parameters = options_.names}};
}

void OwnModel::check_gradient(Work& work, const Problem& problem) {
  const BlockFunctions given = functions(work);
  const Index step = std::max<Index>(1, options_.num_rows / kCheckedRows);
  std::vector<Index> rows;
  for (Index n = 0; n < options_.num_rows && std::ssize(rows) < kCheckedRows; n += step) rows.push_back(n);
  std::vector<double> theta = problem.likelihood().start(Serial());
  for (int round = 0; round < 2; ++round) {
    const GradientCheck worst = check_gradients(given, rows, theta);
    if (worst.error > kGradientError) {
      throw ModelError("gradient is not that of log_likelihood: for row " + std::to_string(worst.row) +
                       " and parameter " + problem.likelihood().parameter_name(worst.parameter) + " it is " +
                       shortest(worst.given) + ", where differences of log_likelihood give " +
                       shortest(worst.found));
    }
    // Elsewhere too: at a start of zeros much of a gradient may be missing.
    for (std::size_t d = 0; d < theta.size(); ++d)
      theta[d] += 0.1 * (1 + std::abs(theta[d])) / static_cast<double>(d % 3 + 1);
  }
}

FitRun OwnModel::fit(const FitOptions& options, bool timings, Work& work, const Executor& executor,
                     const JobObserver& observer) {
  const Problem all = problem(work);
  if (options_.check_gradient) check_gradient(work, all);
  const FitResult result = giga::fit(all, options, executor, {.watch = observer.watch});
  if (result.stopped) throw Stopped();
  FitRecordOptions about{.timings = timings, .notes = all.notes()};
  about.notes.insert(about.notes.end(), result.coreset.notes.begin(), result.coreset.notes.end());
  if (const auto text = missed_tolerance(result.coreset)) about.notes.push_back(*text);
  if (const auto text = not_numbers()) about.notes.push_back(*text);
  for (const std::string& text : about.notes) observer.note(text);
  tell(observer.watch, {.stage = Stage::Report});
  return fit_run(all, options, result, executor, about);
}

// It is not kept: its traceback has frames that hold this object, a ring that nobody would see.
void OwnModel::raise_failure() {
  if (!failure_) return;
  const py::error_already_set raised = std::move(*failure_);
  failure_.reset();
  throw py::error_already_set(raised);
}

py::dict OwnModel::calls() const {
  py::dict out;
  out["log_likelihood"] = value_calls_.calls.load();
  out["gradient"] = gradient_calls_.calls.load();
  out["log_likelihood_rows"] = value_calls_.rows.load();
  out["gradient_rows"] = gradient_calls_.rows.load();
  return out;
}

std::optional<std::string> OwnModel::not_numbers() const {
  if (num_not_numbers_ == 0) return std::nullopt;
  return "log_likelihood was NaN " + std::to_string(num_not_numbers_) +
         (num_not_numbers_ == 1 ? " time" : " times") +
         " at parameters that a chain tried and left again, first for " + first_not_number_;
}

void add_own_model(py::module_& module) {
  py::class_<OwnModel>(module, "OwnModel")
      .def(py::init([](py::function log_likelihood, py::function gradient, Index num_rows,
                       Index num_parameters, std::vector<double> start, std::vector<std::string> priors,
                       std::vector<std::string> names, std::vector<double> multiplicity, std::string name,
                       std::string description, bool check_gradient) {
        return std::make_unique<OwnModel>(
            std::move(log_likelihood), std::move(gradient),
            OwnModelOptions{num_rows, num_parameters, std::move(start), std::move(priors), std::move(names),
                            std::move(multiplicity), std::move(name), std::move(description),
                            check_gradient});
      }))
      .def_property_readonly("calls", &OwnModel::calls);
}

}  // namespace giga::python
