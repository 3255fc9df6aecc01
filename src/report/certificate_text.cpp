// The certificate for a terminal: a table of parameters, the measures, and the verdict as one sentence.
// Numbers are formatted by std::to_chars, so the locale of the process does not matter.
#include "giga/report/certificate_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

#include "giga/base/text.hpp"
#include "report/short_names.hpp"
#include "report/text_table.hpp"

namespace giga {
namespace {

// 26,733.
using giga::grouped;
std::string grouped(double count) {
  if (!std::isfinite(count)) return shortest(count);
  return grouped(static_cast<Index>(std::floor(count)));
}

// At most `digits` significant digits, whatever the locale.
std::string number(double value, int digits = 3) {
  if (std::isnan(value)) return "none";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  std::array<char, 64> room{};
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::general, digits);
  return end.ec == std::errc() ? std::string(room.data(), end.ptr) : shortest(value);
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return number(value);
  std::array<char, 400> room{};
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::fixed, decimals);
  return end.ec == std::errc() ? std::string(room.data(), end.ptr) : shortest(value);
}

using Row = std::vector<std::string>;

// Decimals at which a hundredth of the standard deviation shows, the same for both.
std::string mean_text(const Estimate& estimate) {
  // ceil(2 - log10 sd) decimals: two digits beyond the first of the standard deviation.
  if (!(estimate.sd > 0) || !std::isfinite(estimate.sd)) return number(estimate.mean, 4);
  const double decimals = std::ceil(2 - std::log10(estimate.sd));
  if (decimals > 12) return number(estimate.mean, 6);
  return fixed(estimate.mean, static_cast<int>(std::max(0.0, decimals)));
}

// Three pairs of columns: the coreset's posterior, corrected to all rows, and the corrected Laplace
// approximation. Derived quantities come first, as in `names`.
std::string parameters(const Certificate& certificate, std::span<const std::string> names) {
  constexpr std::size_t kLongestName = 32;
  const std::vector<std::string> shown = short_names(names, kLongestName);
  std::vector<Row> rows = {
      {"", "coreset", "", "corrected", "", "Laplace", ""},
      {"parameter", "mean", "sd", "mean", "sd", "mean", "sd"},
  };
  const auto add = [&rows](const std::string& name, const Estimate& before, const Estimate& after,
                           const Estimate& laplace) {
    Row row = {name};
    for (const Estimate& estimate : {before, after, laplace}) {
      row.push_back(mean_text(estimate));
      row.push_back(number(estimate.sd));
    }
    rows.push_back(std::move(row));
  };
  const Correction &coreset = certificate.coreset, &laplace = certificate.laplace;
  const std::size_t derived = coreset.quantities_after.size();
  for (std::size_t q = 0; q < derived; ++q)
    add(shown[q], coreset.quantities_before[q], coreset.quantities_after[q], laplace.quantities_after[q]);
  for (std::size_t d = 0; d + derived < names.size(); ++d)
    add(shown[derived + d], coreset.before[d], coreset.after[d], laplace.after[d]);
  return text_table(rows);
}

// Roots of the squared distances: whitened is in posterior standard deviations.
std::string fisher_text(const FisherDistance& distance) {
  return number(std::sqrt(distance.whitened)) + " (" + number(std::sqrt(distance.value)) + ")";
}

std::string measures(const Certificate& certificate) {
  const Correction &coreset = certificate.coreset, &laplace = certificate.laplace;
  const std::vector<Row> weights = {
      {"correction to all rows", "k-hat", "at most", "effective size", "draws"},
      {"coreset", k_hat_text(coreset), fixed(coreset.k_limit, 2), grouped(coreset.effective_size),
       grouped(coreset.num_draws)},
      {"Laplace", k_hat_text(laplace), fixed(laplace.k_limit, 2), grouped(laplace.effective_size),
       grouped(laplace.num_draws)},
  };
  const std::vector<Row> distances = {
      {"Fisher distance, whitened (plain)", ""},
      {"  under the coreset's posterior", fisher_text(certificate.fisher_coreset)},
      {"  under that of all rows", fisher_text(certificate.fisher_full)},
      {"  the same, by draws of Laplace", fisher_text(certificate.fisher_laplace)},
      {"KL divergence, coreset from all rows", ""},
      {"  of Laplace approximations", number(certificate.kl_laplace.of_coreset)},
      {"  from the ratios", number(certificate.kl_draws.of_coreset)},
      {"largest R-hat", fixed(certificate.max_rhat, 3)},
      {"smallest effective size of a parameter", grouped(certificate.min_ess)},
  };
  std::vector<Row> sums;
  if (const CheckedRows& checked = certificate.checked; checked.estimated) {
    sums = {{"sums over all rows", ""},
            {"  second-order part, at the mode", grouped(certificate.num_rows) + " rows"},
            {"  the rest estimated from", grouped(checked.count) + " rows"},
            {"    taken for certain", grouped(checked.certain)},
            {"  standard error of log ratios", number(checked.ratio_error, 2)},
            {"    largest", number(checked.ratio_error_most, 2)}};
  }
  return text_table(weights) + '\n' + text_table(distances) + (sums.empty() ? "" : '\n' + text_table(sums));
}

// What was summed, what was estimated from how many rows, and how well it is known.
std::string against(const Certificate& certificate) {
  std::string all = "checked against all " + grouped(certificate.num_data_rows) + " rows";
  if (!certificate.checked.estimated) return all;
  return all + " (log ratios estimated from " + grouped(certificate.checked.count) + ", standard error " +
         (std::isfinite(certificate.checked.ratio_error) ? number(certificate.checked.ratio_error, 1)
                                                         : std::string("unknown")) +
         ")";
}

std::string more_points(const Certificate& certificate) {
  if (certificate.suggested_size == 0) return "the coreset has all rows already";
  return "use more points, try `size = " + std::to_string(certificate.suggested_size) + "`";
}

// One clause that says what is wrong, one that says what to do.
std::string what_is_wrong(const Certificate& certificate) {
  const Correction& coreset = certificate.coreset;
  switch (certificate.doubt) {
    case Doubt::None: return {};
    case Doubt::DrawsNotFinite:
      return grouped(certificate.num_draws_not_finite) + " of " + grouped(coreset.num_draws) +
             " draws are not finite numbers; sample again";
    case Doubt::TooFewDraws:
      return grouped(coreset.num_draws) + " draws are too few to tell (effective size " +
             (std::isnan(certificate.min_ess) ? std::string("unknown") : grouped(certificate.min_ess)) +
             ", must be " + number(certificate.min_effective_size) + "); make more with `draws`";
    case Doubt::NotMixed:
      return "the chains have not mixed (" +
             (std::isnan(certificate.max_rhat) ? std::string("R-hat has no value")
                                               : "R-hat " + fixed(certificate.max_rhat, 3)) +
             ", must be at most " + number(certificate.max_rhat_allowed) +
             "), so nothing can be said; sample longer with `warmup` and `draws`";
    case Doubt::HighKhat:
      return "k-hat " + k_hat_text(coreset) + " is above " + fixed(coreset.k_limit, 2) + "; " +
             more_points(certificate);
    case Doubt::FewEffective:
      return "the weights leave an effective size of " + grouped(coreset.effective_size) + " of " +
             grouped(coreset.num_draws) + " draws; " + more_points(certificate);
    case Doubt::Disagrees: break;
  }
  return "the corrected means are " + number(certificate.disagreement) +
         " standard deviations from those that the Laplace approximation leads to; " +
         more_points(certificate);
}

// Whether the ratios are judged by how little they differ, and not by their tail.
bool is_flat(const Correction& correction) {
  return correction.flat && !(correction.k_hat <= correction.k_limit);
}

}  // namespace

std::string k_hat_text(const Correction& correction) {
  if (correction.exact) return "exact";
  if (is_flat(correction)) return "flat";
  const std::string text = fixed(correction.k_hat, 2);
  return text == "-0.00" ? "0.00" : text;
}

std::string certificate_sentence(const Certificate& certificate) {
  const std::string start = against(certificate) + ": ";
  if (!certificate.safe()) return start + "not safe: " + what_is_wrong(certificate);
  if (certificate.coreset.exact) return start + "the posterior is that of all rows, safe to use";
  if (is_flat(certificate.coreset)) {
    const Correction& coreset = certificate.coreset;
    constexpr double kFewPercent = 0.1;
    if (coreset.spread > kFewPercent) {
      const double left =
          coreset.effective_size / (coreset.relative_ess * static_cast<double>(coreset.num_draws));
      return start + "the weights are so nearly equal that they leave " + number(100 * left, 3) +
             "% of the draws, safe to use";
    }
    // exp(spread) - 1 is the largest relative difference of two weights.
    return start + "the weights of all draws are within " + number(100 * std::expm1(coreset.spread), 2) +
           "% of each other, safe to use";
  }
  return start + "k-hat " + k_hat_text(certificate.coreset) + ", safe to use";
}

std::string certificate_text(const Certificate& certificate, std::span<const std::string> names) {
  const Index wanted = certificate.num_parameters + std::ssize(certificate.coreset.quantities_after);
  if (std::ssize(names) != wanted) {
    throw std::invalid_argument("there are " + std::to_string(names.size()) + " names for " +
                                std::to_string(wanted) + " quantities and parameters");
  }
  return parameters(certificate, names) + '\n' + measures(certificate) + '\n' +
         certificate_sentence(certificate) + '\n';
}

std::vector<std::pair<std::string, double>> certificate_numbers(const Certificate& certificate) {
  const Correction &coreset = certificate.coreset, &laplace = certificate.laplace;
  return {
      {"k_hat", coreset.k_hat},
      {"k_limit", coreset.k_limit},
      {"effective_size", coreset.effective_size},
      {"relative_ess", coreset.relative_ess},
      {"spread", coreset.spread},
      {"num_draws", static_cast<double>(coreset.num_draws)},
      {"num_impossible", static_cast<double>(coreset.num_impossible)},
      {"max_rhat", certificate.max_rhat},
      {"min_ess", certificate.min_ess},
      {"laplace_k_hat", laplace.k_hat},
      {"laplace_k_limit", laplace.k_limit},
      {"laplace_effective_size", laplace.effective_size},
      {"laplace_num_draws", static_cast<double>(laplace.num_draws)},
      {"disagreement", certificate.disagreement},
      {"error_plain", coreset.error_plain},
      {"error_corrected", coreset.error_corrected},
      {"num_check_rows", static_cast<double>(certificate.checked.count)},
      {"num_certain_rows", static_cast<double>(certificate.checked.certain)},
      {"ratio_error", certificate.checked.ratio_error},
      {"ratio_error_most", certificate.checked.ratio_error_most},
      {"laplace_ratio_error", certificate.checked.laplace_ratio_error},
      {"num_gradient_draws", static_cast<double>(certificate.num_gradient_draws)},
      {"fisher_coreset", certificate.fisher_coreset.value},
      {"fisher_full", certificate.fisher_full.value},
      {"fisher_laplace", certificate.fisher_laplace.value},
      {"fisher_coreset_whitened", certificate.fisher_coreset.whitened},
      {"fisher_full_whitened", certificate.fisher_full.whitened},
      {"fisher_laplace_whitened", certificate.fisher_laplace.whitened},
      {"kl_laplace_of_coreset", certificate.kl_laplace.of_coreset},
      {"kl_laplace_of_full", certificate.kl_laplace.of_full},
      {"kl_draws_of_coreset", certificate.kl_draws.of_coreset},
      {"kl_draws_of_full", certificate.kl_draws.of_full},
      {"num_rows", static_cast<double>(certificate.num_data_rows)},
      {"num_distinct_rows", static_cast<double>(certificate.num_rows)},
      {"coreset_size", static_cast<double>(certificate.coreset_size)},
      {"suggested_size", static_cast<double>(certificate.suggested_size)},
  };
}

}  // namespace giga
