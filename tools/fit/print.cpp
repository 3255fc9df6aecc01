// The table and the facts of a fit.
#include "fit/print.hpp"

#include <fmt/format.h>

#include <cmath>

#include "giga/base/text.hpp"
#include "giga/record/run_folder.hpp"
#include "giga/report/certificate_text.hpp"
#include "giga/report/model_check_text.hpp"
#include "support/coefficient_table.hpp"
#include "support/console.hpp"
#include "support/prior_table.hpp"
#include "support/ranks_text.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// Of the posterior of all rows, where the certificate allows it.
std::string posterior_table(const FitRun& run, const std::filesystem::path& folder) {
  const std::string where =
      folder.empty() ? "the summary has them"
                     : printable_path(folder / (run.safe() ? kPosteriorFile : kSummaryFile)) + " has them";
  if (!run.safe()) return coefficient_table(run.summary.original(), run.record, where);
  const std::vector<Quantity> all = best_quantities(run.summary, run.record.certificate->coreset);
  return coefficient_table(std::span(all).first(static_cast<std::size_t>(run.summary.num_original)),
                           run.record, where);
}

std::string table_text(const Certificate& certificate) {
  if (!certificate.safe()) return "the draws of the coreset's posterior as they are";
  const Correction& correction = certificate.coreset;
  if (!correction.pays()) {
    return fmt::format(
        "the draws as they are: off by about {:.1g} sd, and by {:.1g} sd as the certificate weighs them",
        std::sqrt(correction.error_plain), std::sqrt(correction.error_corrected));
  }
  return fmt::format("the posterior of all rows: {} draws as the certificate weighs them, worth {}",
                     grouped(correction.num_draws), grouped(static_cast<Index>(correction.effective_size)));
}

std::string coreset_text(const RunRecord& record) {
  const Index size = record.coreset->coreset.size(), rows = record.num_rows;
  const CoresetOptions& options = *record.options.coreset;
  const double share = 100.0 * static_cast<double>(size) / static_cast<double>(rows);
  return fmt::format("{} of {} rows ({}%) by {}, {} projection with J = {}", grouped(size), grouped(rows),
                     share < 99 ? fmt::format("{:.2g}", share) : fmt::format("{:.0f}", share),
                     name(options.method), name(options.projection), record.coreset->dim);
}

std::string rounds_text(const RunRecord& record) {
  std::string text;
  for (const FitRound& round : record.rounds) {
    text += fmt::format("{}{} point{}: k-hat {:.2f}", text.empty() ? "" : "; ", grouped(round.size),
                        round.size == 1 ? "" : "s", round.k_hat);
  }
  return text;
}

// Two significant digits, without an exponent.
std::string two_digits(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return value < 10 ? fmt::format("{:.2g}", value) : grouped(std::llround(std::round(value / unit) * unit));
}

// What the cheap alternative was worth, and so whether a coreset was needed.
std::string laplace_text(const Correction& laplace) {
  return fmt::format(
      "{} draws of the normal approximation, weighed in the same way, are worth {}: {}",
      grouped(laplace.num_draws), grouped(static_cast<Index>(laplace.effective_size)),
      !laplace.usable ? fmt::format("k-hat {}, not enough", k_hat_text(laplace)) : "it would have done");
}

std::string cost_text(const FullDataCost& cost, double total_s) {
  const double ratio = cost.seconds() / total_s;
  return fmt::format("MCMC on them would take about {}, {}", duration(cost.seconds()),
                     ratio >= 1 ? two_digits(ratio) + " times as long"
                                : std::string("less than this run: the coreset did not pay"));
}

}  // namespace

std::string fit_text(const FitRun& run, const std::filesystem::path& folder) {
  const RunRecord& record = run.record;
  std::string text = posterior_table(run, folder) + "\n";
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<12} {}\n", label, value);
  };
  const StageSeconds& s = run.seconds;
  line("data", fmt::format("{}: {} row{}, {}{}", input_words(record.options.path), grouped(record.num_rows),
                           record.num_rows == 1 ? "" : "s", plural(*record.num_parameters, "parameter"),
                           record.response ? ", response " + printable(*record.response, 40) : ""));
  line("model", record.model);
  if (!record.priors.empty()) line("priors", priors_text(record.priors));
  line("coreset", coreset_text(record));
  if (record.rounds.size() > 1) line("rounds", rounds_text(record));
  line("error", fmt::format("{:.2g} projected, {:.2g} held out (0 is perfect, 1 is no rows at all)",
                            record.coreset->build.relative_error, record.coreset->heldout_error));
  line("certificate", spelled(certificate_sentence(*record.certificate)));
  if (record.model_check) {
    // The calm sentence has no colour; what speaks against the model has.
    const bool colours = record.model_check->doubtful() && stdout_has_colours();
    const char* label = "model check";
    for (const std::string& sentence : model_verdict(*record.model_check)) {
      line(label, colours ? amber(spelled(sentence)) : spelled(sentence));
      label = "";
    }
  }
  line("table", table_text(*record.certificate));
  line("laplace", laplace_text(record.certificate->laplace));
  // A run that is read back may have none.
  if (run.total_s > 0)
    line("seconds",
         fmt::format("{:.2f} load, {:.2f} laplace, {:.2f} project, {:.2f} construct, {:.2f} sample, "
                     "{:.2f} certify, {:.2f} report: {:.2f} in all",
                     s.load, s.laplace, s.project + s.prepare, s.construct, s.sample, s.certify, s.report,
                     run.total_s));
  if (record.options.communication) line("ranks", ranks_text(*record.options.communication));
  if (record.full_data) line("all rows", cost_text(*record.full_data, run.total_s));
  if (folder.empty()) return text;
  line("written", fmt::format("{0}; open {0}/report.html",
                              printable_path(folder.has_filename() ? folder : folder.parent_path())));
  return text;
}

}  // namespace giga::tool
