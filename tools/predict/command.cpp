// giga predict: what a fit says of the responses of new rows.
#include <fmt/format.h>

#include "commands.hpp"
#include "giga/base/text.hpp"
#include "predict/options.hpp"
#include "support/console.hpp"
#include "support/session.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Predict the responses of new rows from a fit";

constexpr const char* kExamples = R"(Examples:
  giga predict flights-fit new.csv --out predictions.csv
      mean, sd and quantiles of the expected response and of new observations,
      a line for each row of new.csv
  giga predict flights-fit new.csv --no-new --quantiles 0.025,0.975
      the expected response alone, with a central interval of 95%
  giga predict flights-fit held-out.csv --pointwise --out scores.csv
      the log predictive density of rows whose response is known, too
  giga predict draws new.csv
      by the draws of giga sample coreset.csv --out draws

Files:
  DIR/draws_1.csv   and so on: the draws, with DIR/weights.csv
  DIR/coreset.json  the model and its columns
  FILE              row, epred_mean, epred_sd, epred_q5, ..., new_mean, ...

DATA needs the columns that the model uses, and may have others. Draws count as
in the table of the fit. Levels that the fit did not see are refused.)";

// A line for each fact.
std::string facts(const PredictJob& job, const PredictRun& run) {
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  line("expected", run.expected);
  line("rows", std::to_string(run.predictions.num_rows));
  line("draws", fmt::format("{}{}", run.num_draws, run.weighted ? ", weighted by the certificate" : ""));
  line("seconds",
       fmt::format("{:.3f} load, {:.3f} predict, {:.3f} write", run.load_s, run.predict_s, run.write_s));
  line("written", printable_path(*job.out));
  return text;
}

void run(Arguments arguments) {
  const std::vector<std::string> words = arguments.take_words();
  arguments.read_config();
  const PredictRequest request = predict_request(arguments, words);
  const PredictJob& job = request.job;
  Session session({.resources = request.resources, .quiet = request.quiet, .input = job.input});
  const PredictRun made = session.run(
      [&](const JobObserver& observer) { return run_predict(job, session.executor(), observer); });
  if (!job.out) {
    write_predictions(made, [](std::string_view text) { write_stdout(text); });
  } else if (request.json) {
    write_stdout(predict_json(job, made));
  } else if (!request.quiet) {
    write_stderr(facts(job, made));
  }
}

}  // namespace

Verb declare_predict(CLI::App& root) {
  return declare_verb(root, "predict", kDescription, kExamples, add_predict_options, run);
}

}  // namespace giga::tool
