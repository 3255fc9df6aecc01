// The draws of a folder, the model of its coreset and the rows of a file to predictions.
//
// Draws count as in the table of the fit: with the weights of the certificate where it is safe and they pay
// (Correction::pays), else alike.
#include "giga/job/predict.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/output_file.hpp"
#include "giga/data/unchanged.hpp"
#include "giga/record/coreset_file.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/record/run_folder.hpp"
#include "giga/record/run_record.hpp"
#include "giga/record/same_data.hpp"
#include "giga/record/weights_file.hpp"
#include "job/words.hpp"
#include "record/forms.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

RunRecord record_of_fit(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InputMissing(printable_path(folder) + ": no such folder; give that of giga fit, or of giga sample");
  const fs::path path = folder / kRecordFile;
  const std::string command = read_run_head(path).command;
  if (command != "fit" && command != "sample")
    throw DataError(printable_path(path) + ": is not a record of giga fit or giga sample");
  return read_run(path);
}

// The coreset that was sampled: in the folder of a fit, else where the record says, or beside the folder.
fs::path coreset_path(const PredictJob& job, const RunRecord& record) {
  if (job.coreset) return *job.coreset;
  if (record.command == "fit") return job.fit / kCoresetFiles[0];
  const fs::path& sampled = record.options.path;
  const fs::path beside = fs::absolute(job.fit).lexically_normal().parent_path() / sampled.filename();
  return is_present(companion_path(sampled)) ? sampled : beside;
}

CoresetFile model_of_fit(const PredictJob& job, const RunRecord& record) {
  const std::string folder = printable_path(job.fit);
  if (!record.coreset_digest)
    throw DataError(folder +
                    ": its draws are not of a coreset, which would tell what the columns of the model " +
                    "are; predict from giga fit, or build and sample a coreset");
  const fs::path path = coreset_path(job, record);
  std::optional<CoresetFile> file = find_coreset(path);
  if (!file)
    throw InputMissing(printable_path(companion_path(path)) +
                       ": no such file, or not of a coreset: it has the model of the draws in " + folder +
                       "; say where `coreset` is");
  if (*record.coreset_digest != posterior_digest(*file))
    throw DataError(folder + ": its draws are of another coreset or model than " +
                    printable_path(file->path) + "; sample again, or say where `coreset` is");
  return std::move(*file);
}

// The draws of a folder, chain after chain.
struct FolderDraws {
  std::vector<std::vector<double>> thetas;
  std::vector<double> weights;  // empty: alike
};

void add_draws(const fs::path& path, const RunRecord& record, FolderDraws& out) {
  const DrawsFile file = read_draws(path);
  const Index dim = record.scales().num_parameters();
  const bool same = std::ranges::equal(file.names, record.parameters, {}, {}, &ParameterRecord::column);
  if (!same || file.chain.dim < dim)
    throw DataError(printable_path(path) + ": is not a file of the run that run.json describes");
  for (Index s = 0; s < file.chain.num_draws(); ++s) {
    // The sampled parameters are the last of those on both scales.
    const double* end = file.chain.draw(s) + file.chain.dim;
    out.thetas.emplace_back(end - dim, end);
    if (!std::ranges::all_of(out.thetas.back(), [](double x) { return std::isfinite(x); }))
      throw DataError(printable_path(path) + ": draw " + std::to_string(s + 1) +
                      " is not finite; sample again");
  }
}

FolderDraws draws_of(const PredictJob& job, const RunRecord& record, const Observer& watch) {
  FolderDraws out;
  const std::vector<fs::path> paths = draws_in(job.fit);
  for (const fs::path& path : paths) {
    tell(watch, {.stage = Stage::Load});
    add_draws(path, record, out);
  }
  if (out.thetas.empty()) throw InputMissing(printable_path(job.fit) + ": has no draws_*.csv; run again");
  if (paths.size() != record.chains.size())
    throw DataError(printable_path(job.fit) + ": has " + std::to_string(paths.size()) +
                    " files of draws, and run.json speaks of " + std::to_string(record.chains.size()) +
                    "; run again");
  if (!record.certificate || !record.certificate->safe() || !record.certificate->coreset.pays()) return out;
  out.weights = read_weights(job.fit / kWeightsFile);
  if (!out.weights.empty() && out.weights.size() != out.thetas.size())
    throw DataError(printable_path(job.fit / kWeightsFile) + ": has " +
                    plural(std::ssize(out.weights), "weight") + " for " +
                    plural(std::ssize(out.thetas), "draw") + "; run again");
  return out;
}

// Draws 0, S / most, 2 S / most, ... of S.
WeightedDraws thinned(const FolderDraws& all, Index most) {
  const Index count = std::ssize(all.thetas), kept = std::min(count, most);
  WeightedDraws out{Points(std::ssize(all.thetas[0]), kept)};
  for (Index k = 0; k < kept; ++k) {
    const Index s = k * count / kept;
    out.points.set(k, all.thetas[at(s)]);
    if (!all.weights.empty()) out.weights.push_back(all.weights[at(s)]);
  }
  return out;
}

// "the probability that late is 'yes'".
std::string expected_words(const CoresetFile& file, bool has_trials) {
  const FamilyDescription& family = describe(file.model.family.family);
  const std::string response = printable(file.response);
  if (family.has_trials)
    return (has_trials ? "successes of " : "the probability of a success of ") + response;
  if (!family.is_binary) return "the mean of " + response;
  std::string label = "1";
  const auto found = std::ranges::find(file.kinds, file.response, &KnownColumn::name);
  if (file.model.success) {
    label = *file.model.success;
  } else if (found != file.kinds.end() && !found->levels.empty()) {
    label = std::ranges::max(found->levels);
  } else if (file.computes_response()) {
    label = "TRUE";
  }
  return "the probability that " + response + " is '" + printable(label) + "'";
}

// Columns that are not there are a matter of the data: it is the model that names them.
NewRows rows_of(const PredictJob& job, const CoresetFile& file, const Executor& executor,
                const Observer& watch) {
  ReadOptions read = file.read;
  read.missing = job.missing;
  read.sql = job.sql;
  read.memory = job.memory;
  if (job.delimiter) read.delimiter = *job.delimiter;
  if (job.header) read.header = *job.header;
  try {
    return read_new_rows(job.input, read, file.model, file.scale, job.predict.pointwise, executor, watch);
  } catch (const FormulaError& error) {
    throw DataError(job::input_name(job.input) + ": " + error.sentence() + "; the model needs it");
  } catch (const NoSuchColumn& error) {
    throw DataError(std::string(error.what()) + "; the model needs it" +
                    (job.predict.pointwise ? ", and `pointwise` the response" : ""));
  }
}

// "q5" of 0.05, "q2.5" of 0.025.
std::string quantile_name(double p) {
  return std::string("q").append(shortest(std::round(1e10 * p) / 1e8));
}

void require_quantiles(const std::vector<double>& quantiles) {
  for (const double p : quantiles)
    if (!(p > 0 && p < 1))
      throw OptionError("`quantiles` has " + shortest(p) + "; each must be between 0 and 1");
}

void note_draws(const PredictRun& run, const RunRecord& record, job::Notes& notes) {
  if (record.certificate && !record.certificate->safe())
    notes.say(
        "the certificate of the fit does not say safe: these are predictions of the coreset's posterior");
  if (run.num_draws < run.all_draws)
    notes.say("by " + std::to_string(run.num_draws) + " of the " + std::to_string(run.all_draws) +
              " draws, evenly spaced; `draws` sets how many");
}

}  // namespace

PredictRun run_predict(const PredictJob& job, const Executor& executor, const JobObserver& observer) {
  job::Notes notes(observer);
  Stopwatch stage;
  PredictRun run;
  require_quantiles(job.predict.quantiles);
  run.quantiles = job.predict.quantiles;
  const RunRecord record = record_of_fit(job.fit);
  try {
    const CoresetFile file = model_of_fit(job, record);
    std::optional<OutputFile> out;
    if (job.out) out.emplace(*job.out, job.force);
    const FolderDraws all = draws_of(job, record, observer.watch);
    const WeightedDraws draws = thinned(all, job.max_draws);
    const NewRows rows = rows_of(job, file, executor, observer.watch);
    run.load_s = stage.restart();
    run.weighted = !all.weights.empty();
    run.num_draws = draws.points.count();
    run.all_draws = std::ssize(all.thetas);
    run.expected = expected_words(file, !rows.trials.empty());
    job::mention_scratch(executor.memory(), rows.data, notes);
    notes.say(rows.data.notes());
    notes.say(rows.notes);
    note_draws(run, record, notes);
    run.predictions = of_unchanged(
        rows.data, [&] { return predict_rows(rows, draws, job.predict, executor, observer.watch); });
    for (Index n = 0; n < rows.data.num_rows(); ++n) run.rows.push_back(rows.data.input_row(n));
    run.predict_s = stage.restart();
    if (out) {
      write_predictions(run, [&out](std::string_view text) { out->write(text); });
      out->commit();
    }
    run.write_s = stage.restart();
  } catch (const OptionError&) {
    throw;
  } catch (const std::invalid_argument& error) {  // parts that do not fit each other
    throw DataError(printable_path(job.fit) + ": is damaged, or of another version (" +
                    printable(error.what(), 200) + "); run again");
  }
  run.notes = notes.kept();
  return run;
}

void write_predictions(const PredictRun& run, const std::function<void(std::string_view)>& write) {
  constexpr std::size_t kPiece = 1 << 16;
  const Predictions& all = run.predictions;
  const std::pair<const char*, const std::vector<double>*> parts[] = {{"epred", &all.expected},
                                                                      {"new", &all.observations}};
  std::string text = "row";
  for (const auto& [name, values] : parts) {
    if (values->empty()) continue;
    text.append(",").append(name).append("_mean,").append(name).append("_sd");
    for (const double p : run.quantiles) text.append(",").append(name).append("_").append(quantile_name(p));
  }
  text += all.log_density.empty() ? "\n" : ",log_density\n";
  for (Index n = 0; n < all.num_rows; ++n) {
    text += std::to_string(run.rows[at(n)]);
    for (const auto& [name, values] : parts) {
      for (Index k = 0; k < all.width && !values->empty(); ++k)
        text.append(",").append(shortest((*values)[at(n * all.width + k)]));
    }
    if (!all.log_density.empty()) text.append(",").append(shortest(all.log_density[at(n)]));
    text += "\n";
    if (text.size() < kPiece) continue;
    write(text);
    text.clear();
  }
  write(text);
}

std::string predict_json(const PredictJob& job, const PredictRun& run) {
  using record::Json;
  Json out;
  out["command"] = "predict";
  out["version"] = version();
  out["fit"] = job.fit.native();
  out["input"] = job.input.native();
  if (job.sql) out["sql"] = *job.sql;
  out["out"] = job.out ? Json(job.out->native()) : Json(nullptr);
  out["missing"] = name(job.missing);
  out["seed"] = job.predict.seed;
  out["rows"] = run.predictions.num_rows;
  out["expected"] = run.expected;
  out["quantiles"] = run.quantiles;
  out["weighted"] = run.weighted;
  out["draws"] = run.num_draws;
  out["draws_of_the_fit"] = run.all_draws;
  if (!run.predictions.log_density.empty()) {
    Extended sum = 0;
    for (const double each : run.predictions.log_density) sum += each;
    out["log_density"] = static_cast<double>(sum);
  }
  out["notes"] = run.notes;
  out["seconds"] = {{"load", run.load_s}, {"predict", run.predict_s}, {"write", run.write_s}};
  return record::dumped(out);
}

}  // namespace giga
