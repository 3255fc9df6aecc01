#include "check_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "giga/base/text.hpp"
#include "giga/report/certificate_text.hpp"
#include "record_parts.hpp"
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

Json estimate_json(const Estimate& estimate) {
  return {{"mean", estimate.mean},
          {"sd", estimate.sd},
          {"mcse_mean", estimate.mcse_mean},
          {"mcse_sd", estimate.mcse_sd}};
}

Json parameters_json(const CheckOutcome& outcome) {
  const Correction &coreset = outcome.certificate.coreset, &laplace = outcome.certificate.laplace;
  const std::size_t derived = coreset.quantities_after.size();
  Json parameters = Json::array();
  for (std::size_t i = 0; i < outcome.names.size(); ++i) {
    const bool first = i < derived;
    const std::size_t at = first ? i : i - derived;
    const auto before = [&](const Correction& one) {
      return estimate_json(first ? one.quantities_before[at] : one.before[at]);
    };
    const auto after = [&](const Correction& one) {
      return estimate_json(first ? one.quantities_after[at] : one.after[at]);
    };
    parameters.push_back(
        {{"name", outcome.names[i]},
         {"scale", static_cast<Index>(i) < outcome.num_original ? "original" : "standardised"},
         {"coreset", before(coreset)},
         {"corrected", after(coreset)},
         {"laplace", before(laplace)},
         {"laplace_corrected", after(laplace)}});
  }
  return parameters;
}

// Counts are whole numbers in the record.
Json number_json(const std::string& name, double value) {
  const bool count = name.starts_with("num_") || name == "laplace_num_draws" || name == "coreset_size" ||
                     name == "suggested_size";
  return count ? Json(static_cast<Index>(value)) : Json(value);
}

Json certificate_json(const CheckOutcome& outcome) {
  const Certificate& certificate = outcome.certificate;
  Json out;
  out["verdict"] = certificate.safe() ? "safe" : "not_safe";
  out["doubt"] = name(certificate.doubt);
  out["sentence"] = certificate_sentence(certificate);
  for (const auto& [key, value] : certificate_numbers(certificate)) out[key] = number_json(key, value);
  out["exact"] = certificate.coreset.exact;
  out["laplace_usable"] = certificate.laplace.usable;
  out["laplace_converged"] = certificate.laplace_end == LaplaceEnd::Converged;
  out["parameters"] = parameters_json(outcome);
  return out;
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
  record["certificate"] = certificate_json(outcome);
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
