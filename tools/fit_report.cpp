#include "fit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certificate_record.hpp"
#include "giga/base/text.hpp"
#include "giga/record/same_data.hpp"
#include "giga/report/certificate_text.hpp"
#include "support/resources.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.2g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// Every coefficient on both scales, of the posterior of all rows: by the draws as the certificate weighs
// them.
std::vector<Quantity> corrected_quantities(const FitOutcome& outcome) {
  const Correction& correction = outcome.certificate.coreset;
  std::vector<Quantity> all(outcome.sample.quantities.begin() + 1, outcome.sample.quantities.end());
  all = weighted_quantities(std::move(all), outcome.sample.chains, correction.weights);
  std::vector<Estimate> estimates = correction.quantities_after;
  estimates.insert(estimates.end(), correction.after.begin(), correction.after.end());
  for (std::size_t k = 0; k < all.size() && k < estimates.size(); ++k)
    all[k].summary.mcse_mean = estimates[k].mcse_mean;
  return all;
}

// Of the posterior of all rows, where the certificate allows it.
std::string coefficient_table(const FitOutcome& outcome) {
  if (!outcome.certificate.safe()) return sample_table(outcome.sample);
  const std::vector<Quantity> all = corrected_quantities(outcome);
  return summary_text(std::span(all).first(static_cast<std::size_t>(outcome.sample.num_original)));
}

std::string table_text(const Certificate& certificate) {
  if (!certificate.safe()) return "the draws of the coreset's posterior as they are";
  const Correction& correction = certificate.coreset;
  return fmt::format("the posterior of all rows: {} draws as the certificate weighs them, worth {}",
                     grouped(correction.num_draws), grouped(static_cast<Index>(correction.effective_size)));
}

std::string coreset_text(const FitRequest& request, const FitOutcome& outcome) {
  const Index size = outcome.build.coreset.size(), rows = outcome.build.num_rows;
  return fmt::format("{} of {} rows ({:.2g}%) by {}, {} projection with J = {}", grouped(size), grouped(rows),
                     100.0 * static_cast<double>(size) / static_cast<double>(rows),
                     name(request.build.coreset.method), name(request.build.coreset.projection),
                     outcome.build.dim);
}

std::string rounds_text(const FitOutcome& outcome) {
  std::string text;
  for (const FitRound& round : outcome.rounds) {
    text += fmt::format("{}{}: k-hat {:.2f}", text.empty() ? "" : "; ", points_text(round.size), round.k_hat);
  }
  return text;
}

std::string cost_text(const FitOutcome& outcome) {
  const double seconds = outcome.full_data.seconds(), ratio = seconds / outcome.total_s;
  return fmt::format("MCMC on them would take about {}, {}", duration(seconds),
                     ratio >= 1 ? fmt::format("{:.2g} times as long", ratio)
                                : std::string("less than this run: the coreset did not pay"));
}

Json rounds_json(const FitOutcome& outcome) {
  Json rounds = Json::array();
  for (const FitRound& round : outcome.rounds) {
    rounds.push_back({{"size", round.size},
                      {"relative_error", round.relative_error},
                      {"heldout_error", round.heldout_error},
                      {"k_hat", round.k_hat},
                      {"effective_size", round.effective_size},
                      {"doubt", name(round.doubt)}});
  }
  return rounds;
}

Json laplace_json(const FitOutcome& outcome) {
  Json marginals = Json::array();
  for (std::size_t k = 0; k < outcome.laplace.size(); ++k) {
    marginals.push_back({{"name", outcome.sample.names[k]},
                         {"mean", outcome.laplace[k].mean},
                         {"sd", outcome.laplace[k].sd}});
  }
  return marginals;
}

// What giga check compares: the same as posterior_digest of the companion that lies in the folder.
std::string coreset_digest(const FitRequest& request, const FitOutcome& outcome) {
  CoresetCompanion companion;
  companion.num_rows = outcome.build.num_rows;
  companion.model = request.build.model;
  companion.response = outcome.build.data->response_name;
  companion.features = outcome.build.data->feature_names;
  companion.scale = outcome.build.data->scale;
  companion.coreset = outcome.build.coreset;
  companion.data_digest = outcome.build.data->digest;
  return posterior_digest(companion);
}

Json seconds_json(const FitOutcome& outcome) {
  const FitSeconds& s = outcome.seconds;
  return {{"load", outcome.load_s}, {"laplace", s.laplace},       {"project", s.project},
          {"prepare", s.prepare},   {"construct", s.construct},   {"sample", s.sample},
          {"certify", s.certify},   {"report", outcome.report_s}, {"total", outcome.total_s}};
}

Json full_data_json(const FullDataCost& cost) {
  return {{"gradients", cost.gradients},
          {"gradient_seconds", cost.gradient_seconds},
          {"parallel_chains", cost.parallel_chains},
          {"seconds", cost.seconds()}};
}

Json options_json(const FitRequest& request, const Json& build) {
  Json options = build;
  for (const char* key : {"input", "out"}) options.erase(key);  // the record lies in the folder
  if (!request.times) options.erase("threads");
  options.update(sampling_json(request.sample));
  return options;
}

}  // namespace

std::string fit_summary(const FitRequest& request, const FitOutcome& outcome) {
  std::string text = coefficient_table(outcome) + "\n";
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<12} {}\n", label, value);
  };
  const FitSeconds& s = outcome.seconds;
  line("data",
       fmt::format("{}: {} rows, {} parameters, response {}",
                   request.build.input == "-" ? "standard input" : printable_path(request.build.input),
                   grouped(outcome.build.num_rows), outcome.sample.num_parameters,
                   printable(outcome.build.data->response_name, 40)));
  line("model", model_text(request.build.model));
  line("coreset", coreset_text(request, outcome));
  if (outcome.rounds.size() > 1) line("rounds", rounds_text(outcome));
  line("error", fmt::format("{:.2g} projected, {:.2g} held out (0 is perfect, 1 is no rows at all)",
                            outcome.build.result.relative_error, outcome.build.data->heldout_error));
  line("certificate", spelled(certificate_sentence(outcome.certificate)));
  line("table", table_text(outcome.certificate));
  line("seconds", fmt::format("{:.2f} load, {:.2f} laplace, {:.2f} project, {:.2f} construct, {:.2f} sample, "
                              "{:.2f} certify, {:.2f} report: {:.2f} in all",
                              outcome.load_s, s.laplace, s.project + s.prepare, s.construct, s.sample,
                              s.certify, outcome.report_s, outcome.total_s));
  if (request.times) line("all rows", cost_text(outcome));
  line("written",
       fmt::format("{0}; open {0}/report.html",
                   printable_path(request.out.has_filename() ? request.out : request.out.parent_path())));
  return text;
}

Json fit_record(const FitRequest& request, const FitOutcome& outcome) {
  Json record = build_record(request.build, outcome.build);
  record["command"] = "fit";
  record["command_line"] = request.command_line();
  record["options"] = options_json(request, record["options"]);
  record["model"] = model_text(request.build.model);
  record["coreset"]["responses"] = outcome.responses;
  record["coreset_digest"] = coreset_digest(request, outcome);
  record["rounds"] = rounds_json(outcome);
  record["parameters"] = parameters_json(outcome.sample);
  record["laplace"] = laplace_json(outcome);
  record["chains"] = chains_json(outcome.sample);
  for (Json& chain : record["chains"]) chain.erase("seconds");
  record["diagnostics"] = Json::parse(summary_json(outcome.sample.quantities));
  record["certificate"] =
      certificate_json(outcome.certificate, outcome.sample.names, outcome.sample.num_original);
  record["warnings"] = outcome.sample.warnings;
  record["notes"] = outcome.notes;
  // How much work a search was depends on how threads met; times and memory depend on the machine.
  for (const char* key : {"search", "seconds", "peak_bytes"}) record.erase(key);
  record["full_data"] = request.times ? full_data_json(outcome.full_data) : Json(nullptr);
  record["seconds"] = request.times ? seconds_json(outcome) : Json(nullptr);
  record["peak_bytes"] = request.times ? Json(peak_bytes()) : Json(nullptr);
  return record;
}

std::string points_text(Index size) {
  return fmt::format("{} point{}", grouped(size), size == 1 ? "" : "s");
}

std::string posterior_csv(const FitOutcome& outcome) {
  return weighted_csv(corrected_quantities(outcome));
}

std::string weights_csv(const FitOutcome& outcome) {
  std::string csv = "chain,draw,weight\n";
  const std::vector<double>& weights = outcome.certificate.coreset.weights;
  std::size_t at = 0;
  for (std::size_t c = 0; c < outcome.sample.chains.size(); ++c) {
    for (Index s = 0; s < outcome.sample.chains[c].num_draws() && at < weights.size(); ++s, ++at) {
      csv.append(std::to_string(c + 1)).append(",").append(std::to_string(s + 1)).append(",");
      csv.append(shortest(weights[at])).append("\n");
    }
  }
  return csv;
}

}  // namespace giga::tool
