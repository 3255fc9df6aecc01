// A table read for a model: the columns that its formula needs, and the response that the formula computes.
//
//   const ModelTable table = read_table("flights.csv", {}, {.family = {Family::BernoulliLogit},
//                                       .formula = "late ~ hour + carrier * distance"}, threads);
//   const Problem problem(table.data, table.model, threads);
//
// A left side that is one column is read as the response. Any other (log(y), cbind(k, n - k)) is computed
// once the table is read; its columns are then features that no term need use, so that equal rows have equal
// responses.
#pragma once

#include <filesystem>

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

struct ModelTable {
  Dataset data;
  ModelOptions model;  ///< As given; with a formula, `design` and `intercept` are what it makes of the data.
};

/// With a formula, or a design that was learnt from one, `response` and `features` are not to be given.
/// Throws what read_dataset throws, and FormulaError.
[[nodiscard]] ModelTable read_table(const std::filesystem::path& path, ReadOptions read, ModelOptions model,
                                    const Executor& executor, const Observer& observer = {});

/// Computes the response by the left side of the formula, where the table was read without one.
void add_response(const DesignState& design, Dataset& data, const Executor& executor);

/// The trials of cbind(successes, failures), one for each row of the data; empty where there are none.
[[nodiscard]] std::vector<double> formula_trials(const DesignState& design, const Dataset& data,
                                                 const Executor& executor);

/// The sum of the offsets, for each row of the data; empty where the formula has none.
[[nodiscard]] std::vector<double> formula_offsets(const DesignState& design, const Dataset& data,
                                                  const Executor& executor);

}  // namespace giga
