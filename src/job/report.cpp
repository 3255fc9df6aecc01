// From a record and its chains to a page. The same report_data serves a run that was just made and one read
// back from its folder, so both give the same page.
#include "giga/job/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/output_file.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/record/run_folder.hpp"
#include "giga/record/weights_file.hpp"
#include "job/words.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

// Some columns of a chain; what was adapted is not carried along.
Chain columns(const Chain& chain, Index first, Index count) {
  Chain part;
  part.dim = count;
  part.stats = chain.stats;
  part.draws.reserve(static_cast<std::size_t>(chain.num_draws() * count));
  for (Index s = 0; s < chain.num_draws(); ++s)
    part.draws.insert(part.draws.end(), chain.draw(s) + first, chain.draw(s) + first + count);
  part.num_gradients = chain.num_gradients;
  part.num_not_finite = chain.num_not_finite;
  return part;
}

void add_coreset(const RunRecord& record, ReportData& data) {
  const CoresetResult& coreset = *record.coreset;
  data.method = name(coreset.build.method);
  data.termination = words(coreset.build.termination);
  data.trace = coreset.build.trace;
  data.relative_error = coreset.build.relative_error;
  data.heldout_error = coreset.heldout_error;
  for (std::size_t i = 0; i < coreset.coreset.rows.size(); ++i) {
    const double response = i < record.responses.size() ? record.responses[i] : std::nan("");
    data.coreset.push_back({coreset.coreset.rows[i], coreset.coreset.weights[i], response});
  }
  data.laplace = record.laplace;
}

// The first num_original columns are on the scale of the data, the others as they were sampled. With a safe
// certificate all numbers are those of the weighted draws.
void add_posterior(const RunRecord& record, const PosteriorSummary& summary, ReportData& data) {
  const Index count = summary.num_original, others = std::ssize(summary.names) - count;
  const auto first = summary.quantities.begin() + 1;
  data.quantities.assign(first, first + count);
  std::vector<Chain> standardised;
  for (const Chain& chain : summary.chains) {
    data.chains.push_back(columns(chain, 0, count));
    // Without an intercept the standardised scale has no column for the offset: then there is none to
    // compare.
    if (others == count) standardised.push_back(columns(chain, count, count));
  }
  if (!standardised.empty()) {
    data.standardised.assign(first + count, first + 2 * count);
    for (std::size_t k = 0; k < data.standardised.size(); ++k)
      if (record.scales().log_of(static_cast<Index>(k)) < 0)
        data.standardised[k].name = data.quantities[k].name;
  }
  data.warnings = warnings(data.quantities, summary.health);
  data.corrected = data.certificate && data.certificate->safe() && data.certificate->coreset.pays() &&
                   !data.certificate->coreset.weights.empty();
  if (data.corrected) {
    const std::vector<double>& weights = data.certificate->coreset.weights;
    data.quantities = weighted_quantities(std::move(data.quantities), data.chains, weights);
    if (!standardised.empty())
      data.standardised = weighted_quantities(std::move(data.standardised), standardised, weights);
  }
  data.intercept = record.scales().constant();
  // Columns of groups come after all others.
  const std::vector<Index>& sds = record.scale.group_sds;
  if (record.options.model) data.num_coefficients = sds.empty() ? std::ssize(record.features) : sds.front();
  data.ratios = record.ratios();
}

// The priors of the parameters as they were sampled: columns, intercept, extras. Where nothing was chosen the
// record does not list them. None where that cannot be told.
std::vector<ScalarPrior> sampled_priors(const RunRecord& record) {
  std::vector<ScalarPrior> priors;
  for (const PriorRecord& each : record.priors) priors.push_back(parse_prior(each.prior));
  const ModelOptions& model = *record.options.model;
  const bool plain = model.priors.is_default() && describe(model.family.family).extras.empty();
  if (priors.empty() && plain)
    priors.assign(static_cast<std::size_t>(record.num_parameters.value_or(0)),
                  ScalarPrior::normal(0, model.prior_scale));
  return priors;
}

// b_0 = theta_0 - sum_d theta_d mean_d / scale_d: normal where all of these are, and without a name
// otherwise.
std::optional<ReportPrior> constant_prior(const RunRecord& record, const std::vector<ScalarPrior>& priors) {
  const Standardisation& scale = record.scale;
  double mean = 0, variance = 0;
  for (std::size_t d = 0; d < scale.mean.size() + (record.options.model->intercept ? 1 : 0); ++d) {
    const double factor = d < scale.mean.size() ? -scale.mean[d] / scale.scale[d] : 1;
    if (factor == 0) continue;
    const bool hierarchical = d < record.priors.size() && !record.priors[d].times.empty();
    if (priors[d].kind != PriorKind::Normal || hierarchical) return std::nullopt;
    mean += factor * priors[d].location;
    variance += factor * factor * priors[d].scale * priors[d].scale;
  }
  if (!(variance > 0)) return std::nullopt;
  return ReportPrior{ScalarPrior::normal(mean, std::sqrt(variance)), 1};
}

// Coefficients on the data's scale are those of standardised columns over the scale of these. Without an
// intercept the constant of standardised columns is not a parameter, so the extras come one place earlier.
void add_priors(const RunRecord& record, ReportData& data) {
  if (!record.options.model) return;
  const std::vector<ScalarPrior> priors = sampled_priors(record);
  const ModelOptions& model = *record.options.model;
  const Standardisation& scale = record.scale;
  const std::size_t columns = scale.scale.size();
  const Index constant = record.scales().constant();
  const std::size_t moved = constant >= 0 && !model.intercept ? 1 : 0;
  if (priors.empty() || priors.size() + moved != data.quantities.size()) return;
  data.priors.resize(data.quantities.size());
  for (std::size_t k = 0; k < data.priors.size(); ++k) {
    if (k < record.priors.size() && !record.priors[k].times.empty())
      continue;  // it depends on another parameter
    if (k < columns) {
      data.priors[k] = ReportPrior{priors[k], model.standardise ? scale.scale[k] : 1.0};
    } else if (static_cast<Index>(k) == constant && model.standardise) {
      data.priors[k] = constant_prior(record, priors);
    } else {
      data.priors[k] = ReportPrior{priors[k - moved], 1};
    }
  }
}

// Coefficients of groups come last, after all that says how much groups differ.
void put_groups_last(const BothScales& scales, ReportData& data) {
  std::vector<std::size_t> order;
  for (const bool of_groups : {false, true}) {
    for (Index k = 0; k < scales.num_original(); ++k)
      if (scales.is_of_group(k) == of_groups) order.push_back(static_cast<std::size_t>(k));
  }
  if (std::ranges::is_sorted(order)) return;
  const auto reorder = [&order](auto& values) {
    if (values.size() != order.size()) return;
    auto old = std::exchange(values, {});
    for (const std::size_t k : order) values.push_back(std::move(old[k]));
  };
  reorder(data.quantities);
  reorder(data.standardised);
  reorder(data.laplace);
  reorder(data.priors);
  for (Chain& chain : data.chains) {
    const std::vector<double> old = std::exchange(chain.draws, {});
    for (Index s = 0; s < chain.num_draws(); ++s)
      for (const std::size_t k : order) chain.draws.push_back(old[at(s * chain.dim) + k]);
  }
  data.intercept = std::ranges::find(order, static_cast<std::size_t>(data.intercept)) - order.begin();
  if (data.intercept == std::ssize(order)) data.intercept = -1;
}

void add_times(const RunRecord& record, ReportData& data) {
  if (!record.seconds) return;
  const StageSeconds& s = *record.seconds;
  const std::pair<const char*, double> stages[] = {
      {"load", s.load},           {"laplace", s.laplace}, {"project", s.project}, {"prepare", s.prepare},
      {"construct", s.construct}, {"sample", s.sample},   {"certify", s.certify}, {"report", s.report}};
  for (const auto& [stage, seconds] : stages) {
    if (seconds > 0) data.stages.push_back({stage, seconds});
  }
}

// The chains as they were sampled: the last D columns of the files.
std::vector<Chain> chains_in(const fs::path& folder, const RunRecord& record) {
  const Index dim = record.scales().num_parameters();
  if (record.num_parameters != dim) throw std::invalid_argument("D is not the number of its parameters");
  std::vector<Chain> chains;
  for (const fs::path& path : draws_in(folder)) {
    const Chain all = read_draws(path).chain;
    if (chains.size() >= record.chains.size() || all.dim < dim)
      throw DataError(printable_path(path) + ": is not a file of the run that run.json describes");
    Chain chain = columns(all, all.dim - dim, dim);
    const ChainRecord& known = record.chains[chains.size()];
    chain.num_gradients = known.num_gradients;
    chain.num_not_finite = known.num_not_finite;
    chains.push_back(std::move(chain));
  }
  if (chains.size() != record.chains.size())
    throw DataError(printable_path(folder) + ": has " + std::to_string(chains.size()) +
                    " files of draws, and run.json speaks of " + std::to_string(record.chains.size()) +
                    "; run again");
  return chains;
}

// The certificate of the record, or of a check of the folder, with the weights beside it.
void add_certificate(const fs::path& folder, const std::vector<Chain>& chains, RunRecord& record) {
  if (!record.certificate && is_present(folder / kCertificateFile)) {
    RunRecord checked = read_run(folder / kCertificateFile);
    record.certificate = std::move(checked.certificate);
    if (!record.model_check) record.model_check = std::move(checked.model_check);
  }
  if (!record.certificate) return;
  std::vector<double> weights = read_weights(folder / kWeightsFile);
  std::size_t draws = 0;
  for (const Chain& chain : chains) draws += chain.stats.size();
  if (!weights.empty() && weights.size() != draws)
    throw DataError(printable_path(folder / kWeightsFile) + ": has " + plural(std::ssize(weights), "weight") +
                    " for " + plural(static_cast<Index>(draws), "draw") + "; run again");
  record.certificate->coreset.weights = std::move(weights);
}

void require_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InputMissing(printable_path(folder) + ": no such folder; give that of giga fit or giga sample");
}

DataError damaged(const fs::path& path, const std::invalid_argument& error) {
  return DataError(printable_path(path) + ": is damaged, or of another version (" +
                   printable(error.what(), 200) + "); run again");
}

}  // namespace

ReportData report_data(const RunRecord& record, const PosteriorSummary& summary, const Spelling& spelling) {
  ReportData data;
  data.spelling = spelling;
  data.data_name = job::input_name(record.options.path);
  data.title = "giga " + record.command + ": " + data.data_name;
  data.num_rows = record.num_rows;
  data.num_distinct_rows = record.num_distinct_rows.value_or(0);
  data.num_parameters = record.num_parameters.value_or(0);
  data.model = (record.response ? "response " + *record.response + ", " : std::string()) + record.model;
  data.options = record.option_texts();
  if (record.coreset) add_coreset(record, data);
  data.certificate = record.certificate;
  data.model_check = record.model_check;
  add_posterior(record, summary, data);
  add_priors(record, data);
  put_groups_last(record.scales(), data);
  if (record.notes) data.notes = *record.notes;
  add_times(record, data);
  data.full_data = record.full_data;
  data.command_line = record.command_line.value_or("");
  data.version = record.version;
  data.seed = record.seed;
  return data;
}

FolderRun read_run_folder(const fs::path& folder, const Executor& executor) {
  const fs::path path = folder / kRecordFile;
  require_folder(folder);
  try {
    const std::string command = read_run_head(path).command;
    if (command != "fit" && command != "sample")
      throw DataError(printable_path(path) + ": is not a record of giga fit or giga sample");
    RunRecord record = read_run(path);
    if (!record.options.sample) throw std::invalid_argument("it names no sampler");
    const std::vector<Chain> chains = chains_in(folder, record);
    add_certificate(folder, chains, record);
    PosteriorSummary summary = posterior_summary(record.scales(), chains, *record.options.sample, executor);
    return {std::move(record), std::move(summary)};
  } catch (const std::invalid_argument& error) {  // parts that do not fit each other
    throw damaged(path, error);
  }
}

fs::path run_report(const ReportJob& job, const Executor& executor) {
  require_folder(job.folder);
  fs::path out = job.out.value_or(job.folder / kReportFile);
  refuse_file_of_run(out, job.folder, kReportFile);
  const FolderRun run = read_run_folder(job.folder, executor);
  std::string page;
  try {
    ReportData data = report_data(run.record, run.summary, job.spelling);
    if (job.title) data.title = *job.title;
    page = report_html(data);
  } catch (const std::invalid_argument& error) {
    throw damaged(job.folder / kRecordFile, error);
  }
  OutputFile file(out, job.force);
  file.write(page);
  file.commit();
  return out;
}

}  // namespace giga
