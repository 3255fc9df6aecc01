// giga summary: what draws say, and what is wrong with them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "commands.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/report/draws_summary.hpp"
#include "record_parts.hpp"
#include "run_folder.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/signals.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Summarise draws: a table with R-hat, ESS and MCSE, and warnings";

constexpr const char* kExamples = R"(Examples:
  giga summary draws
      all draws_*.csv in the folder, which giga sample wrote
  giga summary output_1.csv output_2.csv output_3.csv output_4.csv
      chains that CmdStan or rstan wrote; warm-up draws are left out
  giga summary draws --csv > summary.csv
      all digits, under the names of R's posterior::summarise_draws

Files:
  DIR/draws_1.csv  and so on, a chain each
  DIR/run.json     the names of the parameters, if it is there

R-hat, effective sizes and standard errors are those of Vehtari et al. (2021).)";

struct SummaryRequest {
  std::vector<std::filesystem::path> files;
  bool json = false, csv = false, quiet = false;
};

SummaryRequest summary_request(const Arguments& arguments) {
  SummaryRequest request;
  request.json = arguments.flag("json");
  request.csv = arguments.flag("csv");
  request.quiet = arguments.flag("quiet");
  if (request.json && request.csv) throw UsageError("--json and --csv are both given; give one of them");
  const std::vector<std::string> words = arguments.take_words();
  if (words.empty()) throw UsageError("no input; give a folder of giga sample, or files of draws");
  for (const std::string& word : words) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(word, ignored)) {
      request.files.emplace_back(word);
      continue;
    }
    if (words.size() > 1)
      throw UsageError("'" + printable(word) + "' is a folder; give one folder, or files");
    request.files = draws_in(word);
    if (request.files.empty())
      throw InputMissing(printable_path(word) + ": has no draws_*.csv; name the files of draws instead");
  }
  return request;
}

// What a record beside the draws tells of them, if there is one.
struct Beside {
  std::map<std::string, std::string> names;  // that the columns stand for
  bool of_fit = false;
};

Beside beside_draws(const std::filesystem::path& draws, const Notes& note) {
  const std::filesystem::path path = draws.parent_path() / kRecordFile;
  Beside out;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return out;
  try {
    const MappedFile file = MappedFile::open(path);
    const auto* text = reinterpret_cast<const char*>(file.bytes().data());
    const Json record = parsed({text, file.bytes().size()});
    out.of_fit = record.at("command") == "fit";
    if (!out.of_fit && record.at("command") != "sample") return out;
    for (const Json& parameter : record.at("parameters"))
      out.names.emplace(parameter.at("column").get<std::string>(), parameter.at("name").get<std::string>());
  } catch (const std::exception&) {
    out = {};
    note(printable_path(path) +
         " is not a record of giga sample or giga fit; the columns keep their own names");
  }
  return out;
}

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

struct Read {
  std::vector<DrawsFile> files;
  std::vector<std::string> names;
  Beside beside;
};

Read read_all(const SummaryRequest& request, const Notes& note) {
  Read out;
  for (const auto& path : request.files) {
    stop_if_signalled();
    out.files.push_back(read_draws(path));
  }
  require_same_shape(out.files, request.files);
  out.beside = beside_draws(request.files[0], note);
  for (const std::string& column : out.files[0].names) {
    const auto found = out.beside.names.find(column);
    out.names.push_back(found == out.beside.names.end() ? column : found->second);
  }
  return out;
}

Json record_of(const SummaryRequest& request, const std::vector<Quantity>& quantities,
               const SamplerHealth& health, const std::vector<std::string>& said) {
  Json record;
  record["command"] = "summary";
  record["version"] = GIGA_VERSION;
  record["files"] = Json::array();
  for (const auto& path : request.files) record["files"].push_back(path.native());
  record["sampler"] = health.sampler ? Json(name(*health.sampler)) : Json(nullptr);
  record["chains"] = Json::array();
  for (const ChainHealth& chain : health.chains) {
    record["chains"].push_back({{"draws", chain.num_draws},
                                {"divergent", chain.num_divergent},
                                {"at_max_depth", chain.num_at_max_depth},
                                {"acceptance", chain.acceptance},
                                {"e_bfmi", chain.e_bfmi}});
  }
  record["quantities"] = parsed(summary_json(quantities));
  record["warnings"] = said;
  return record;
}

// Draws of giga fit are those of a coreset: what they are corrected to lies beside them.
void note_corrected(const Beside& beside, const std::filesystem::path& folder, const Notes& note) {
  const std::filesystem::path path = folder / kPosteriorFile;
  std::error_code ignored;
  if (beside.of_fit && std::filesystem::is_regular_file(path, ignored))
    note("these are the draws of the coreset as they are; " + printable_path(path) +
         " has the posterior of all rows, by their weights");
}

void run(const Arguments& arguments) {
  const SummaryRequest request = summary_request(arguments);
  const Notes note(request.quiet);
  Read read = read_all(request, note);
  const DrawsFile& first = read.files[0];
  const bool log_density = std::all_of(read.files.begin(), read.files.end(),
                                       [](const DrawsFile& file) { return file.has("lp__"); });
  const auto sampler = sampler_of(first);
  const Index depth = max_depth_of(first);
  std::vector<Chain> chains;
  for (DrawsFile& file : read.files) chains.push_back(std::move(file.chain));
  const Threads executor(0, stop_requested);
  const std::vector<Quantity> quantities = summarise_chains(chains, read.names, log_density, executor);
  const SamplerHealth health = health_of(chains, sampler, depth);
  const std::vector<std::string> said = spelled(warnings(quantities, health));
  stop_if_signalled();
  for (const std::string& text : said) note(text);
  note_corrected(read.beside, request.files[0].parent_path(), note);
  write_stdout(request.json  ? dumped(record_of(request, quantities, health, said))
               : request.csv ? summary_csv(quantities)
                             : summary_text(quantities));
}

}  // namespace

Verb declare_summary(CLI::App& root) {
  Arguments arguments = Arguments::of_verb(root, "summary", kDescription, kExamples);
  const std::string output = "Output";
  arguments.add_flag("json", "Print a record with the table and the warnings", output);
  arguments.add_flag("csv", "Print the table as CSV, with all digits", output);
  arguments.add_flag("quiet", "No warnings on stderr", output);
  return {arguments.app(), [arguments] { run(arguments); }};
}

}  // namespace giga::tool
