// Data, coreset and draws, each held against the others; then the certificate.
//
// A certificate of the wrong draws would be worth nothing, so: the rows and weights of coreset.csv must be
// those of its companion, its rows must be in the data with the same values, the scale and the digest of the
// data must be those of the companion, and the draws must be of this coreset as far as a record says so. What
// cannot be told is noted.
#include "giga/job/check.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/output_file.hpp"
#include "giga/data/unchanged.hpp"
#include "giga/job/sample.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/pipeline/model_check.hpp"
#include "giga/pipeline/read_table.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/record/run_folder.hpp"
#include "giga/record/same_data.hpp"
#include "giga/report/certificate_text.hpp"
#include "job/words.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

// Draws to be certified.
struct Draws {
  std::vector<Chain> chains;       // the parameters of the model, as they were sampled; of one length
  bool known = false;              // a record says that they are of this coreset
  std::vector<std::string> notes;  // what is to be said of them
};

// The record of the draws in the folder, if there is one that can be read.
std::optional<RunRecord> record_in(const fs::path& folder, std::vector<std::string>& notes) {
  const fs::path path = folder / kRecordFile;
  const std::string doubt = "; whether the draws are of this coreset cannot be told";
  if (!is_present(path) || is_folder(path)) {
    notes.push_back(printable_path(path) + ": no such file" + doubt);
    return std::nullopt;
  }
  try {
    RunRecord record = read_run(path);
    if (record.command == "sample" || record.command == "fit") return record;
  } catch (const DataError&) {  // said below
  }
  notes.push_back(printable_path(path) + ": is not a record of giga sample or giga fit" + doubt);
  return std::nullopt;
}

// Whether the record says that the draws are of this coreset. Throws if it says that they are not.
bool is_known(const std::optional<RunRecord>& record, const CheckJob& job, std::vector<std::string>& notes) {
  if (!record) return false;
  const std::string folder = printable_path(*job.draws), coreset = printable_path(job.coreset);
  const std::string from = printable(record->options.path.native(), 4096);
  const auto& files = record->options.files;
  const bool of_coreset = std::ranges::any_of(
      files, [](const auto& file) { return file.first == "companion" && file.second.has_value(); });
  if (record->command == "sample" && !of_coreset) {
    throw DataError(folder + ": its draws are of the posterior of " + from +
                    ", without a companion, and not of " + coreset + "; sample the coreset: giga sample " +
                    coreset + " --out DIR");
  }
  if (!record->coreset_digest) {
    notes.push_back(folder +
                    "/run.json has no coreset_digest; whether the draws are of this coreset cannot be told");
    return false;
  }
  if (*record->coreset_digest == posterior_digest(job.file)) return true;
  throw DataError(folder + ": its draws are of another coreset or model than " + coreset +
                  ": they were made from " + from + " as it was then; sample again: giga sample " + coreset +
                  " --out DIR");
}

// The columns of the files that have names() of the scales, in their order: as the record says, else as they
// would be called now.
std::vector<std::string> columns_of(const BothScales& scales, const std::optional<RunRecord>& record) {
  std::vector<std::string> columns = safe_columns(scales.names());
  if (!record || record->parameters.size() != columns.size()) return columns;
  std::vector<std::string> recorded;
  for (const ParameterRecord& parameter : record->parameters) {
    if (parameter.name != scales.names()[recorded.size()]) return columns;
    recorded.push_back(parameter.column);
  }
  return recorded;
}

// Where the sampled parameters are among the columns of a file.
std::vector<std::size_t> positions(const DrawsFile& file, const fs::path& path, const BothScales& scales,
                                   const std::vector<std::string>& columns) {
  const auto refuse = [&path](const std::string& what) {
    throw DataError(printable_path(path) + ": " + what +
                    ", so its draws are of another model than the coreset's");
  };
  for (const std::string& name : file.names) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end())
      refuse("column '" + printable(name) + "' is not a parameter of the model");
  }
  std::vector<std::size_t> found;
  // The sampled parameters are the last num_parameters() of the names on both scales.
  for (auto d = columns.size() - static_cast<std::size_t>(scales.num_parameters()); d < columns.size(); ++d) {
    const auto at = std::find(file.names.begin(), file.names.end(), columns[d]);
    if (at == file.names.end())
      refuse("there is no column '" + printable(columns[d]) + "' for the parameter '" +
             printable(scales.names()[d]) + "'");
    found.push_back(static_cast<std::size_t>(at - file.names.begin()));
  }
  return found;
}

Chain selected(const Chain& chain, const std::vector<std::size_t>& columns) {
  Chain out;
  out.dim = std::ssize(columns);
  out.stats = chain.stats;
  for (Index s = 0; s < chain.num_draws(); ++s) {
    for (const std::size_t column : columns) out.draws.push_back(chain.draw(s)[column]);
  }
  return out;
}

// Chains are cut to the shortest of them.
void even_out(Draws& draws) {
  const auto length = [](const Chain& chain) { return chain.num_draws(); };
  const Index shortest_chain = std::ranges::min(draws.chains, {}, length).num_draws();
  Index cut = 0;
  for (Chain& chain : draws.chains) {
    cut += chain.num_draws() - shortest_chain;
    chain.draws.resize(static_cast<std::size_t>(shortest_chain * chain.dim));
    chain.stats.resize(static_cast<std::size_t>(shortest_chain));
  }
  if (cut == 0) return;
  draws.notes.push_back("the chains are not of one length: only the first " + std::to_string(shortest_chain) +
                        " draws of each count, " + std::to_string(cut) + " are left out");
}

Draws draws_in_folder(const CheckJob& job, const BothScales& scales, const Observer& watch) {
  const std::vector<fs::path> paths = draws_in(*job.draws);
  if (paths.empty())
    throw InputMissing(printable_path(*job.draws) + ": has no draws_*.csv; make them with giga sample " +
                       printable_path(job.coreset) + " --out DIR");
  Draws out;
  const std::optional<RunRecord> record = record_in(*job.draws, out.notes);
  out.known = is_known(record, job, out.notes);
  const std::vector<std::string> columns = columns_of(scales, record);
  for (const auto& path : paths) {
    tell(watch, {.stage = Stage::Load});
    const DrawsFile file = read_draws(path);
    if (file.chain.num_draws() == 0) throw DataError(printable_path(path) + ": has no draws; sample again");
    out.chains.push_back(selected(file.chain, positions(file, path, scales, columns)));
  }
  even_out(out);
  return out;
}

// Without draws of the user's the coreset is sampled here, and the draws are known to be its own.
Draws draws_made(const CheckJob& job, const BothScales& scales, const Executor& executor,
                 const JobObserver& observer) {
  const SampleRun run =
      run_sample({.input = job.coreset, .coreset = job.file, .sample = job.sample, .chains = job.chains},
                 executor, observer);
  Draws out;
  std::vector<std::size_t> columns;
  for (Index d = std::ssize(run.summary.names) - scales.num_parameters(); d < std::ssize(run.summary.names);
       ++d)
    columns.push_back(static_cast<std::size_t>(d));
  for (const Chain& chain : run.summary.chains) out.chains.push_back(selected(chain, columns));
  out.known = true;
  out.notes = run.summary.warnings;
  return out;
}

// Columns that are not there are a matter of the data: it is the companion that names them.
Dataset read_data(const CheckJob& job, const Executor& executor, const Observer& watch) {
  try {
    return std::move(read_table(job.data, job.read, job.file.model, executor, watch).data);
  } catch (const FormulaError& error) {
    throw DataError(input_words(job.data) + ": " + error.sentence() + "; " + printable_path(job.file.path) +
                    " names it, so the coreset is of another table");
  } catch (const NoSuchColumn& error) {
    throw DataError(std::string(error.what()) + "; " + printable_path(job.file.path) +
                    " names it, so the coreset is of another table");
  }
}

RunRecord record_of(const CheckJob& job, const Executor& executor) {
  const auto text = [](const std::optional<fs::path>& path) {
    return path ? std::optional(path->native()) : std::nullopt;
  };
  RunRecord record;
  record.command = "check";
  record.version = version();
  record.seed = job.sample.seed;
  RunOptions& options = record.options;
  options.path = job.data;
  options.files = {{"coreset", job.coreset.native()},
                   {"companion", job.file.path.native()},
                   {"dir", text(job.draws)},
                   {"out", text(job.out)}};
  options.read = job.read;
  options.model = job.file.model;
  if (!job.draws) options.sample = job.sample;
  if (!job.draws) options.chains = job.chains;
  options.seed = job.sample.seed;
  options.threads = executor.num_threads();
  options.check_rows = job.check_rows;
  options.strict = job.strict;
  record.model = description(job.file.model);
  record.response = job.file.response;
  record.features = job.file.raw_columns;
  record.scale = job.file.scale;
  return record;
}

// What was read, each against the others; `stage` began with the reading. The record has no times but those
// of the stages.
RunRecord compared(const CheckJob& job, const BothScales& scales, std::optional<Draws> draws,
                   const WeightedProblem& coreset, const Dataset& data, Stopwatch& stage,
                   const Executor& executor, const JobObserver& observer) {
  job::Notes notes(observer);
  RunRecord record = record_of(job, executor);
  StageSeconds seconds;
  const Problem problem(data, job.file.model, job.file.scale, executor);
  const Coreset chosen = coreset_within(problem, coreset, job.file, executor);
  seconds.load = stage.restart();
  job::mention_scratch(executor.memory(), data, notes);
  notes.say(data.notes());
  notes.say(problem.notes());

  std::vector<std::string> said_already;
  if (!draws) {
    draws = draws_made(job, scales, executor, observer);
    // run_sample has printed its warnings; they are kept for the record without being said again.
    said_already = std::exchange(draws->notes, {});
    seconds.sample = stage.restart();
  }
  notes.say(draws->notes);
  CertificateOptions options;
  options.seed = job.sample.seed;
  options.check_rows = job.check_rows;
  record.certificate = certify_coreset(problem, chosen, draws->chains, executor, options, observer.watch);
  const Correction& correction = record.certificate->coreset;
  if (record.certificate->safe()) {
    const std::vector<double> alike;
    record.model_check = check_model(problem, draws->chains, correction.pays() ? correction.weights : alike,
                                     executor, {.seed = job.sample.seed}, observer.watch);
    job::spell(record.model_check, observer);
  }
  seconds.certify = stage.restart();
  if (record.certificate->laplace_end != LaplaceEnd::Converged)
    notes.say(
        "the search for the posterior mode of all rows did not converge; do not use what is said of Laplace");

  record.num_rows = record.certificate->num_data_rows;
  record.num_parameters = record.certificate->num_parameters;
  record.draws =
      CheckedDraws{std::ssize(draws->chains), draws->chains[0].num_draws(), !job.draws, draws->known};
  record.certificate_names = scales.names();
  record.certificate_originals = scales.num_original();
  record.certificate_sentence = observer.spelled(certificate_sentence(*record.certificate));
  record.notes = notes.kept();
  record.notes->insert(record.notes->end(), said_already.begin(), said_already.end());
  record.seconds = seconds;
  return record;
}

}  // namespace

RunRecord run_check(const CheckJob& job, const Executor& executor, const JobObserver& observer) {
  once(executor, [&] {
    if (job.out && job.draws) refuse_file_of_run(*job.out, *job.draws, kCertificateFile);
    if (job.out && !OutputFile::is_direct(*job.out)) const OutputFile probe(*job.out, job.force);
  });
  const Stopwatch total;
  Stopwatch stage;
  const BothScales scales = parameter_scales(job.file.raw_columns, job.file.scale, job.file.model);
  // From the cheapest to refuse to the dearest: draws, coreset, data, then the comparison of all three.
  std::optional<Draws> draws;
  if (job.draws) draws = draws_in_folder(job, scales, observer.watch);
  const WeightedProblem coreset = read_coreset(job.coreset, job.file, executor);
  const Dataset data = read_data(job, executor, observer.watch);
  RunRecord record = of_unchanged(data, executor, [&] {
    return compared(job, scales, std::move(draws), coreset, data, stage, executor, observer);
  });
  record.total_s = total.seconds();
  record.peak_bytes = peak_bytes();
  record.options.communication = executor.communication();
  once(executor, [&] {
    if (!job.out) return;
    OutputFile file(*job.out, job.force);
    file.write(run_json(record));
    file.commit();
  });
  return record;
}

}  // namespace giga
