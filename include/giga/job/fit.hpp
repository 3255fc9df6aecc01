// The whole job: from a table or a model of the user's own to a coreset, draws, a certificate and a
// report in a folder.
//
//   const FitRun run = run_fit({.input = "flights.csv", .model = {.family = {Family::BernoulliLogit}},
//                               .out = "flights-fit"}, threads);
//
// For a model of the user's own, in place of a table:
//
//   const FitResult result = fit(problem, {}, threads);
//   write_fit("survival-fit", fit_run(problem, {}, result, threads));
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/job/job.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/record/coreset_file.hpp"
#include "giga/record/run_folder.hpp"
#include "giga/record/run_record.hpp"
#include "giga/record/stopped_fit.hpp"
#include "giga/report/posterior_summary.hpp"

namespace giga {

struct FitJob {
  std::filesystem::path input = {};  ///< "-" is CSV on standard input, which cannot be resumed.
  ReadOptions read = {};
  ModelOptions model = {};
  FitOptions fit = {};
  Protocol protocol = Protocol::Stan;      ///< For the record.
  std::filesystem::path out = {};          ///< The folder; empty: nothing is written, nor kept to go on.
  bool force = false;                      ///< Replace the files of an earlier run.
  bool timings = true;                     ///< Whether measured times are written; without them the same seed
                                           ///< gives the same bytes in every file.
  std::string command_line = {};           ///< For the record and the page.
  std::vector<Setting> settings = {};      ///< By which a run that was stopped can be asked for again.
  bool resumed = false;                    ///< Go on with what the folder has of a run that was stopped.
  std::filesystem::path opened = {};       ///< Where `input` is read from, if not by that path.
  std::string how_to_resume = "`resume`";  ///< For messages.
};

struct FitRun {
  RunRecord record;  ///< Its certificate has the weights of the draws.
  PosteriorSummary summary;
  CoresetFile coreset;
  StageSeconds seconds = {};  ///< Measured, whether or not the record has them.
  double total_s = 0;
  [[nodiscard]] bool safe() const { return record.certificate->safe(); }
};

/// Saves what it has after every stage to the folder, so that a run that is stopped or fails can go on; not
/// where the table is in memory or from standard input.
/// Throws what run_build throws.
[[nodiscard]] FitRun run_fit(const FitJob& job, const Executor& executor, const JobObserver& observer = {});

/// The record, summary and coreset of a fit that was made. Times are measured if `options.timings`.
struct FitRecordOptions {
  bool timings = true;
  std::vector<std::string> notes = {};
  ReadOptions read = {};         ///< Of a table.
  std::string data_digest = {};  ///< Of a table.
};
[[nodiscard]] FitRun fit_run(const Problem& problem, const FitOptions& options, const FitResult& result,
                             const Executor& executor, const FitRecordOptions& about = {});

/// All files of a fit, the record last: coreset.csv, coreset.json of a table, draws, summary.csv,
/// weights.csv, posterior.csv where the certificate is safe, report.html, run.json.
[[nodiscard]] RunFiles fit_files(const FitRun& run, const Spelling& spelling = {});

/// Every parameter on both scales, of the posterior of all rows. Only of a safe certificate.
[[nodiscard]] std::string posterior_csv(const FitRun& run);

/// fit_files() to a folder. Throws CannotCreate where it has files of an earlier run and `force` is false.
void write_fit(const std::filesystem::path& folder, const FitRun& run, bool force = false);

/// Whether a fit that ended is in the folder.
[[nodiscard]] bool is_complete_fit(const std::filesystem::path& folder);

}  // namespace giga
