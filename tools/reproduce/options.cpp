// The options of giga reproduce, and what they ask for.
#include "reproduce/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "giga/base/text.hpp"
#include "options/coreset.hpp"
#include "options/output.hpp"
#include "options/resources.hpp"
#include "support/exit_codes.hpp"
#include "support/suggest.hpp"

namespace giga::tool {
namespace {

using experiments::Earlier;
using experiments::Kind;

constexpr Index kMostTrials = 1000;

std::vector<Kind> kinds_of(const std::optional<std::string>& word) {
  if (!word) throw UsageError("no experiment; give fig1, vectors, axis, regression or all");
  std::vector<Kind> kinds;
  for (const Kind kind : values_of<Kind>())
    if (*word == name(kind) || *word == "all") kinds.push_back(kind);
  if (kinds.empty())
    throw UsageError(fmt::format("no experiment '{}'; have fig1, vectors, axis, regression and all{}",
                                 printable(*word), did_you_mean(*word, choices_of<Kind>())));
  return kinds;
}

void refuse_what_means_nothing(const Arguments& arguments, const std::vector<Kind>& kinds) {
  std::vector<const char*> idle;
  if (kinds == std::vector{Kind::Fig1}) idle.push_back("trials");
  if (std::find(kinds.begin(), kinds.end(), Kind::Regression) == kinds.end())
    idle.insert(idle.end(), {"sampler", "data"});
  for (const char* option : idle) {
    if (arguments.given(option))
      throw UsageError(fmt::format("--{} has no effect with {}; leave it out", option, name(kinds[0])));
  }
}

}  // namespace

void add_reproduce_options(Arguments& arguments) {
  const std::string what = "Experiment";
  arguments.add_value("trials", "T", "Not for fig1: 1 to 1000 (default 20, the paper's)", what);
  arguments.add_choice<SamplerKind>("sampler", "NAME", "regression: hmc, rwmh or nuts (default: all three)",
                                    what);
  arguments.add_value("data", "FOLDER",
                      "regression: folder with phishing.npz, ds1.npz, biketrips.npz and\n"
                      "airportdelays.npz (default: the synthetic sets alone)",
                      what);
  arguments.add_value("seed", "S", "For all that is random, 0 to 2^64-1 (default 1)", what);
  arguments.add_value("threads", "T",
                      "Trials side by side, 0 to 1024, 0 for all cores (default 0);\n"
                      "same results, each trial runs on one thread",
                      what);
  const std::string output = "Output";
  arguments.add_value("out", "DIR", "Folder of results, figures and verdicts (required)", output);
  arguments.add_flag("resume", "Go on with the earlier run in DIR", output);
  arguments.add_flag("force", "Begin anew in DIR, removing trials, figures and verdicts of an earlier run",
                     output);
  arguments.add_flag("json", "Print the record of the run on stdout", output);
  arguments.add_flag("quiet", "No notes, no progress, no table", output);
  add_config_option(arguments);
}

ReproduceRequest reproduce_request(const Arguments& arguments, const std::optional<std::string>& word) {
  ReproduceRequest request;
  request.kinds = kinds_of(word);
  refuse_what_means_nothing(arguments, request.kinds);
  experiments::Settings& settings = request.settings;
  settings.trials = arguments.count("trials", settings.trials, 1, kMostTrials);
  settings.seed = arguments.whole("seed", settings.seed, 0, std::numeric_limits<std::uint64_t>::max());
  if (arguments.given("sampler")) settings.samplers = {arguments.choice("sampler", SamplerKind::Hmc)};
  if (const auto data = arguments.text("data")) settings.data = *data;
  request.run.threads = threads_of(arguments);
  const auto out = arguments.text("out");
  if (!out) throw UsageError("no output; give --out DIR");
  if (*out == "-") throw UsageError("--out is -; it is a folder");
  request.run.out = *out;
  request.run.version = GIGA_VERSION;
  const bool resume = arguments.flag("resume"), force = arguments.flag("force");
  if (resume && force) throw UsageError("--resume goes on and --force begins anew; give one of them");
  request.run.earlier = resume ? Earlier::Resume : force ? Earlier::Replace : Earlier::Refuse;
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  return request;
}

}  // namespace giga::tool
