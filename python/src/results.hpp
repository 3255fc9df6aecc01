// What jobs give back to Python.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "giga/job/fit.hpp"
#include "giga/job/predict.hpp"
#include "giga/record/run_folder.hpp"

namespace giga::python {

/// Text of the library as str, whatever its bytes.
[[nodiscard]] pybind11::str text(const std::string& utf8);
[[nodiscard]] pybind11::list texts(const std::vector<std::string>& all);

/// A run of any verb, as far as the verb has it: of a fit all, of a build the record and the coreset.
struct Result {
  std::shared_ptr<FitRun> run = std::make_shared<FitRun>();
  bool has_coreset = false, has_draws = false;
  // What takes a moment is made when it is asked for.
  std::function<std::string()> json = {};   ///< The record.
  std::function<std::string()> words = {};  ///< What the command tells of it.
  std::vector<std::string> notes = {};      ///< As Python spells them.
  std::function<RunFiles()> files = {};     ///< What is, or would be, in its folder.
};

/// Data that were in memory are the caller's: nothing of them is kept.
void forget_memory(Result& result);

void add_result(pybind11::module_& module);

[[nodiscard]] pybind11::dict predictions(const PredictRun& run, const std::string& json,
                                         const std::vector<std::string>& notes);

}  // namespace giga::python
