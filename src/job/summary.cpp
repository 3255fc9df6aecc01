// Files of draws to a table and warnings. The files may be CmdStan's or rstan's: what they do not say
// (sampler, largest tree depth) stays unknown, and warnings that need it are not given.
#include "giga/job/summary.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/folders.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/record/run_folder.hpp"
#include "giga/record/run_record.hpp"
#include "job/words.hpp"
#include "record/forms.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

// One folder, or any number of files.
std::vector<fs::path> files_of(const std::vector<fs::path>& inputs) {
  std::error_code ignored;
  for (const fs::path& input : inputs) {
    if (!fs::is_directory(input, ignored)) continue;
    if (inputs.size() > 1)
      throw OptionError("'" + printable(input.native()) + "' is a folder; give one folder, or files");
    std::vector<fs::path> files = draws_in(input);
    if (files.empty())
      throw InputMissing(printable_path(input) + ": has no draws_*.csv; name the files of draws instead");
    return files;
  }
  return inputs;
}

// What a record beside the draws tells of them, if there is one.
struct Beside {
  std::map<std::string, std::string> names;  // that the columns stand for
  Ratios ratios;
  bool of_fit = false;
};

Beside beside_draws(const fs::path& draws, const job::Notes& notes) {
  const fs::path path = draws.parent_path() / kRecordFile;
  Beside out;
  if (type_of(path) != fs::file_type::regular) return out;
  try {
    const RunRecord record = read_run_head(path);
    out.of_fit = record.command == "fit";
    if (!out.of_fit && record.command != "sample") return out;
    for (const ParameterRecord& parameter : record.parameters)
      out.names.emplace(parameter.column, parameter.name);
    out.ratios = record.ratios();
  } catch (const std::exception&) {
    out = {};
    notes.mention(printable_path(path) +
                  " is not a record of giga sample or giga fit; the columns keep their own names");
  }
  return out;
}

// As CmdStan (algorithm, engine) or rstan (sampler_t) says it.
std::optional<SamplerKind> sampler_of(const DrawsFile& file) {
  const auto algorithm = file.setting("algorithm"), engine = file.setting("engine");
  if (algorithm == "rwm") return SamplerKind::Rwmh;
  if (algorithm == "hmc" && engine == "static") return SamplerKind::Hmc;
  if (algorithm == "hmc" && engine == "nuts") return SamplerKind::Nuts;
  if (file.setting("sampler_t").value_or("").starts_with("NUTS")) return SamplerKind::Nuts;
  return std::nullopt;
}

Index max_depth_of(const DrawsFile& file) {
  for (const char* key : {"max_depth", "max_treedepth"}) {
    Index depth = 0;
    const std::string text = file.setting(key).value_or("");
    std::from_chars(text.data(), text.data() + text.size(), depth);
    if (depth > 0) return depth;
  }
  return 0;
}

// Draws of a fit are those of a coreset: what they are corrected to lies beside them.
void note_corrected(const Beside& beside, const fs::path& folder, const job::Notes& notes) {
  const fs::path path = folder / kPosteriorFile;
  if (beside.of_fit && is_present(path))
    notes.mention("these are the draws of the coreset as they are; " + printable_path(path) +
                  " has the posterior of all rows, by their weights");
}

}  // namespace

SummaryRun run_summary(const std::vector<fs::path>& inputs, const Executor& executor,
                       const JobObserver& observer) {
  const job::Notes notes(observer);
  SummaryRun run;
  run.files = files_of(inputs);
  std::vector<DrawsFile> files;
  for (const fs::path& path : run.files) {
    tell(observer.watch, {.stage = Stage::Load});
    files.push_back(read_draws(path));
  }
  require_same_shape(files, run.files);
  const Beside beside = beside_draws(run.files[0], notes);
  run.ratios = beside.ratios;
  std::vector<std::string> names;
  for (const std::string& column : files[0].names) {
    const auto found = beside.names.find(column);
    names.push_back(found == beside.names.end() ? column : found->second);
  }
  const bool log_density = std::ranges::all_of(files, [](const DrawsFile& file) { return file.has("lp__"); });
  const auto sampler = sampler_of(files[0]);
  const Index depth = max_depth_of(files[0]);
  std::vector<Chain> chains;
  for (DrawsFile& file : files) chains.push_back(std::move(file.chain));
  run.quantities = summarise_chains(chains, names, log_density, executor);
  run.health = health_of(chains, sampler, depth);
  run.warnings = warnings(run.quantities, run.health);
  tell(observer.watch, {.stage = Stage::Report});
  for (std::string& text : run.warnings) {
    notes.mention(text);
    text = observer.spelled(text);
  }
  note_corrected(beside, run.files[0].parent_path(), notes);
  return run;
}

std::string summary_json(const SummaryRun& run) {
  using record::Json;
  Json out;
  out["command"] = "summary";
  out["version"] = version();
  out["files"] = Json::array();
  for (const auto& path : run.files) out["files"].push_back(path.native());
  out["sampler"] = run.health.sampler ? Json(name(*run.health.sampler)) : Json(nullptr);
  out["chains"] = Json::array();
  for (const ChainHealth& chain : run.health.chains) {
    out["chains"].push_back({{"draws", chain.num_draws},
                             {"divergent", chain.num_divergent},
                             {"at_max_depth", chain.num_at_max_depth},
                             {"acceptance", chain.acceptance},
                             {"e_bfmi", chain.e_bfmi}});
  }
  out["quantities"] = record::list_form(run.quantities);
  out["warnings"] = run.warnings;
  return record::dumped(out);
}

}  // namespace giga
