// A coreset of a file: of a table of observations, of vectors, or of pointwise log-likelihoods.
//
//   const BuildRun run = run_build({.input = "flights.csv", .model = {.family = {Family::BernoulliLogit}},
//                                   .out = "coreset.csv"}, threads);
#pragma once

#include <filesystem>
#include <optional>

#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/job/job.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/record/coreset_file.hpp"
#include "giga/record/run_record.hpp"

namespace giga {

enum class InputKind {
  Data,     ///< A table of observations.
  Vectors,  ///< A .npy matrix, one vector per row.
  Loglik,   ///< A .npy matrix of log-likelihoods, S draws x N observations: centred columns are the vectors.
};
constexpr auto name_table(InputKind) {
  return names_are<InputKind>(
      {{InputKind::Data, "data"}, {InputKind::Vectors, "vectors"}, {InputKind::Loglik, "loglik"}});
}

struct BuildJob {
  std::filesystem::path input = {};  ///< "-" is CSV on standard input, for a table.
  InputKind kind = InputKind::Data;
  ReadOptions read = {};    ///< Of a table only.
  ModelOptions model = {};  ///< Of a table only.
  /// A coreset whose design is taken, its levels, knots and polynomials, so that the two can be merged
  /// (merge.hpp) whatever the rows of this table have. For a table only.
  std::optional<std::filesystem::path> design_from = {};
  /// For vectors only method, selector, size (0: 100, or 1000 with a tolerance), max_steps, tolerance
  /// and seed are used.
  CoresetOptions coreset = {};
  std::optional<std::filesystem::path> out = {};  ///< coreset.csv; its companion goes beside it.
  bool force = false;                             ///< Replace files that exist.
};

struct BuildRun {
  RunRecord record;
  CoresetFile file;
};

/// Throws OptionError, DataError, InputMissing, CannotCreate, IoError, ResourceError; Stopped where it was
/// asked to stop, and then nothing is written.
[[nodiscard]] BuildRun run_build(const BuildJob& job, const Executor& executor,
                                 const JobObserver& observer = {});

/// A note where the held-out error did not come down to the tolerance.
[[nodiscard]] std::optional<std::string> missed_tolerance(const CoresetResult& result);

/// Throws ResourceError where the codes of the rows would not fit into memory.
void require_memory(const CoresetOptions& options, const Problem& problem);

}  // namespace giga
