#include "check_report.hpp"

#include <fmt/format.h>

#include "certificate_record.hpp"
#include "giga/base/text.hpp"
#include "support/resources.hpp"

namespace giga::tool {
namespace {

Json options_json(const CheckRequest& request) {
  const SampleRequest& sample = request.sample;
  const auto if_sampled = [&request](Index value) { return request.draws ? Json(nullptr) : Json(value); };
  Json options;
  options["path"] = request.data.native();
  options["coreset"] = request.coreset.native();
  options["companion"] = request.companion.path.native();
  options["dir"] = request.draws ? Json(request.draws->native()) : Json(nullptr);
  options.update(read_json(request.read));
  options.update(model_json(request.companion.model));
  options["chains"] = if_sampled(sample.chains);
  options["warmup"] = if_sampled(sample.sample.warmup);
  options["draws"] = if_sampled(sample.sample.draws);
  options["seed"] = sample.sample.seed;
  options["threads"] = request.threads;
  options["strict"] = request.strict;
  options["out"] = request.out ? Json(request.out->native()) : Json(nullptr);
  return options;
}

}  // namespace

std::string check_facts(const CheckRequest& request, const CheckOutcome& outcome) {
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  line("data", fmt::format("{}: N = {} rows, D = {} parameters",
                           request.data == "-" ? "standard input" : printable_path(request.data),
                           outcome.certificate.num_data_rows, outcome.certificate.num_parameters));
  line("coreset",
       fmt::format("{}: {} points", printable_path(request.coreset), outcome.certificate.coreset_size));
  line("model", model_text(request.companion.model));
  line("draws",
       fmt::format("{}: {} chain{} of {}", request.draws ? printable_path(*request.draws) : "made here",
                   outcome.num_chains, outcome.num_chains == 1 ? "" : "s", outcome.length));
  line("seconds", fmt::format("{:.3f} load, {:.3f} sample, {:.3f} certify", outcome.load_s, outcome.sample_s,
                              outcome.certify_s));
  if (request.out) line("written", printable_path(*request.out));
  return text;
}

std::string check_record(const CheckRequest& request, const CheckOutcome& outcome) {
  const Certificate& certificate = outcome.certificate;
  Json record;
  record["command"] = "check";
  record["version"] = GIGA_VERSION;
  record["options"] = options_json(request);
  record["seed"] = request.sample.sample.seed;
  record["N"] = certificate.num_data_rows;
  record["D"] = certificate.num_parameters;
  record["size"] = certificate.coreset_size;
  record["response"] = request.companion.response;
  record["standardisation"] = scale_json(request.companion.features, request.companion.scale);
  record["draws"] = {{"chains", outcome.num_chains},
                     {"length", outcome.length},
                     {"made_here", !request.draws},
                     {"known_to_be_of_this_coreset", outcome.known}};
  record["certificate"] = certificate_json(outcome.certificate, outcome.names, outcome.num_original);
  record["notes"] = outcome.notes;
  record["seconds"] = {{"load", outcome.load_s},
                       {"laplace", 0.0},
                       {"project", 0.0},
                       {"prepare", 0.0},
                       {"construct", 0.0},
                       {"sample", outcome.sample_s},
                       {"certify", outcome.certify_s},
                       {"total", outcome.total_s}};
  record["peak_bytes"] = peak_bytes();
  return dumped(record);
}

}  // namespace giga::tool
