// Predictions of the rows of a file, by the draws of a fit.
//
//   const PredictRun run = run_predict({.fit = "flights-fit", .input = "new.csv",
//                                       .out = "predictions.csv"}, threads);
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/job/job.hpp"
#include "giga/pipeline/predict.hpp"

namespace giga {

struct PredictJob {
  std::filesystem::path fit = {};                     ///< A folder of run_fit, or of run_sample of a coreset.
  std::optional<std::filesystem::path> coreset = {};  ///< coreset.csv; default: that which was sampled.
  std::filesystem::path input = {};                   ///< "-" is CSV on standard input.
  std::optional<std::string> sql = {};                ///< As in ReadOptions; that of the fit is not used.
  std::shared_ptr<const MemoryTable> memory = {};     ///< As in ReadOptions: in place of the input.
  Missing missing = Missing::Refuse;
  std::optional<char> delimiter = {};  ///< Default: as the table of the fit was read.
  std::optional<bool> header = {};     ///< Default: as the table of the fit was read.
  PredictOptions predict = {};
  Index max_draws = 4000;                         ///< More are thinned to as many, evenly spaced. >= 1
  std::optional<std::filesystem::path> out = {};  ///< The CSV file; without it none is written.
  bool force = false;                             ///< Replace a file that exists.
};

struct PredictRun {
  Predictions predictions;
  std::vector<Index> rows;        ///< Of the input, of each prediction.
  std::vector<double> quantiles;  ///< As in the predictions.
  std::string expected;           ///< What the expected response is: "the probability that state is 'late'".
  bool weighted = false;          ///< By the weights of the certificate, as the table of the fit is.
  Index num_draws = 0, all_draws = 0;
  std::vector<std::string> notes;
  double load_s = 0, predict_s = 0, write_s = 0;
};

/// Throws what run_build throws; InputMissing and DataError where the folder is not of a fit.
[[nodiscard]] PredictRun run_predict(const PredictJob& job, const Executor& executor,
                                     const JobObserver& observer = {});

/// row,epred_mean,epred_sd,epred_q5,...,new_mean,... and log_density, in pieces.
void write_predictions(const PredictRun& run, const std::function<void(std::string_view)>& write);

/// The record of it, as JSON.
[[nodiscard]] std::string predict_json(const PredictJob& job, const PredictRun& run);

}  // namespace giga
