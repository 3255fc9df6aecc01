// The options of giga check, and what they ask for.
#include "check/options.hpp"

#include <fmt/format.h>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/record/run_folder.hpp"
#include "options/coreset.hpp"
#include "options/model.hpp"
#include "options/output.hpp"
#include "options/sampling.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

void require_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::string name = printable_path(folder);
  if (!std::filesystem::exists(folder, ignored))
    throw InputMissing(name + ": no such folder; make it with giga sample coreset.csv --out " + name);
  if (!std::filesystem::is_directory(folder, ignored))
    throw InputMissing(name + ": is no folder; the draws are those of giga sample coreset.csv --out DIR");
}

constexpr const char* kOrder = "give DATA coreset.csv DIR, or DATA coreset.csv";

// Words before the coreset, which is the last of all or comes before the folder, are the files of DATA.
void join_data(std::vector<std::string>& words) {
  std::error_code ignored;
  const bool folder = words.size() > 2 && std::filesystem::is_directory(words.back(), ignored);
  const std::size_t coreset = words.size() - (folder ? 2 : 1);
  if (words.size() <= (folder ? 3U : 2U) || !has_coreset_columns(words[coreset])) return;
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(coreset);
  const std::string data = joined_input({words.begin(), end});
  words.erase(words.begin(), end);
  words.insert(words.begin(), data);
}

// Without DATA, which a query may do without, the coreset is the first word, and what follows it is a folder.
bool lacks_data(const std::vector<std::string>& words) {
  std::error_code ignored;
  if (words.empty() || words.size() > 2 || !has_coreset_columns(words[0])) return false;
  return words.size() == 1 || std::filesystem::is_directory(words[1], ignored);
}

// The query of the coreset is that of the data, too, unless DATA is given and is not what it is about.
void set_query(const Arguments& arguments, CheckJob& job) {
  if (const auto given = arguments.text("sql")) {
    job.read.sql = given;
  } else if (job.read.sql && !job.data.empty() && !mentions_data(*job.read.sql)) {
    job.read.sql.reset();
  }
  if (job.data.empty() && !job.read.sql) throw UsageError(std::string("too few inputs; ") + kOrder);
}

void set_input(const Arguments& arguments, std::vector<std::string> words, CheckJob& job) {
  if (lacks_data(words)) words.insert(words.begin(), "");
  join_data(words);
  if (words.size() < 2) throw UsageError(std::string("too few inputs; ") + kOrder);
  if (words.size() > 3) throw UsageError("unexpected argument '" + printable(words[3]) + "'; " + kOrder);
  job.data = words[0];
  job.coreset = words[1];
  if (words[1] == "-") throw UsageError("the coreset is -; only DATA can be standard input");
  (void)MappedFile::open(job.coreset);  // a file that is not there is the first thing to say
  const auto file = find_coreset(job.coreset);
  if (!file) {
    throw InputMissing(printable_path(companion_path(job.coreset)) +
                       ": no such file, or not of a coreset: it has the model and scale of " +
                       printable_path(job.coreset) + "; build the coreset again, and " + kOrder);
  }
  job.file = *file;
  if (words.size() == 3) {
    job.draws = words[2];
    require_folder(*job.draws);
  }
  require_reading_agreement(arguments, *file);
  job.read = file->read;
  const ReadOptions given = read_options(arguments);
  if (arguments.given("delimiter")) job.read.delimiter = given.delimiter;
  if (arguments.given("no-header")) job.read.header = given.header;
  set_query(arguments, job);
}

void set_draws(const Arguments& arguments, CheckJob& job) {
  for (const char* option : {"chains", "warmup", "draws"}) {
    if (job.draws && arguments.given(option)) {
      throw UsageError(fmt::format("--{} has no effect on existing draws, those in {}; leave it out", option,
                                   printable_path(*job.draws)));
    }
  }
  ChainOptions chains;
  set_chains(arguments, chains);
  job.sample = chains.sample;
  job.chains = chains.chains;
}

void set_output(const Arguments& arguments, CheckRequest& request) {
  CheckJob& job = request.job;
  job.force = arguments.flag("force");
  job.strict = arguments.flag("strict");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  if (job.draws) job.out = *job.draws / kCertificateFile;
  const auto out = arguments.text("out");
  if (!out) return;
  if (*out == "-") throw UsageError("--out is -; use --json to get the record on stdout");
  job.out = *out;
  for (const auto& input : {job.data, job.coreset, job.file.path}) {
    if (is_of_input(*job.out, input))
      throw UsageError("--out would replace the input " + printable_path(input) + "; give another name");
  }
}

}  // namespace

void add_check_options(Arguments& arguments) {
  add_table_options(arguments, "Table (the companion of the coreset has these)");
  add_model_options(arguments, "Model (the companion of the coreset has these)");
  const std::string how = "Sampling (without DIR)";
  arguments.add_value("chains", "C", "1 to 256 (default 4)", how);
  arguments.add_value("warmup", "T", "Transitions that adapt and are not kept, 0 to 10^7 (default 1000)",
                      how);
  arguments.add_value("draws", "S", "Kept of each chain, 1 to 10^7 (default 1000)", how);
  const std::string check = "Check";
  arguments.add_value("seed", "S",
                      "Of the draws of the Laplace approximation, and of chains made\n"
                      "here, 0 to 2^64-1 (default 1)",
                      check);
  add_check_rows_option(arguments, check);
  add_resource_options(arguments, check);
  arguments.add_flag("strict", "Exit with code 1 unless the verdict is safe", check);
  add_output_options(arguments, {.out_name = "FILE",
                                 .out = "Where the record goes (default DIR/certificate.json; without\n"
                                        "DIR nowhere)",
                                 .force = "Replace FILE, or DIR/certificate.json, if it exists",
                                 .json = "Print the record on stdout instead of the table",
                                 .quiet = "No notes, no progress"});
  add_config_option(arguments);
}

CheckRequest check_request(const Arguments& arguments, const std::vector<std::string>& words) {
  CheckRequest request;
  set_input(arguments, words, request.job);
  set_output(arguments, request);
  set_draws(arguments, request.job);
  request.job.check_rows = row_count_of(arguments, "check-rows");
  request.resources = resources_of(arguments);
  return request;
}

}  // namespace giga::tool
