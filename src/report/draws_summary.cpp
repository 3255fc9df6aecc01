// Summaries of chains as tables: for people (four digits, aligned) and as CSV (all digits, the names
// of R's posterior).
//
// Weighted draws, with weights w_s of S draws: the share of effective draws is (sum w)^2 / (S sum w^2).
// Effective sizes are multiplied by it and standard errors of means divided by its root, as if it applied to
// each draw of the chains alike.
#include "giga/report/draws_summary.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/shared_entries.hpp"
#include "giga/base/text.hpp"
#include "report/page/draws_view.hpp"
#include "report/short_names.hpp"
#include "report/text_table.hpp"

namespace giga {
namespace {

// What is said of a quantity besides its name.
struct Facts {
  QuantitySummary summary = {};
  bool constant = true;
  Index num_not_finite = 0;
};

Facts facts_of(const std::vector<std::vector<double>>& draws) {
  Facts out{summarise(draws), true, 0};
  for (const auto& chain : draws) {
    for (const double value : chain) {
      if (!std::isfinite(value)) ++out.num_not_finite;
      if (!(value == draws[0][0])) out.constant = false;
    }
  }
  return out;
}

// One column of all chains, as diagnostics.hpp takes it.
std::vector<std::vector<double>> draws_of(std::span<const Chain> chains, Index column) {
  std::vector<std::vector<double>> all;
  for (const Chain& chain : chains) {
    auto& draws = all.emplace_back();
    draws.reserve(chain.stats.size());
    for (Index s = 0; s < chain.num_draws(); ++s)
      draws.push_back(column < 0 ? chain.stats[static_cast<std::size_t>(s)].log_density
                                 : chain.draw(s)[column]);
  }
  return all;
}

std::string digits(double value, int significant) {
  std::array<char, 64> buffer;
  if (std::isnan(value)) return "-";
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::general, significant);
  return {buffer.data(), result.ptr};
}

std::string decimals(double value, int places) {
  std::array<char, 400> buffer;
  if (std::isnan(value)) return "-";
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, places);
  return {buffer.data(), result.ptr};
}

// Ratios are near 1, so it is the width of their interval that says how many decimals tell something: a
// hundredth of it.
std::string ratio_digits(double value, double width) {
  constexpr double kMostPlaces = 12, kLarge = 1e6;
  const double places = std::max(0.0, std::ceil(2 - std::log10(width)));
  const bool usual = places <= kMostPlaces && std::abs(value) < kLarge;
  return usual ? decimals(value, static_cast<int>(places)) : digits(value, 4);
}

using TextRow = std::vector<std::string>;

constexpr int kDigits = 4;

// As they fit a terminal.
std::vector<std::string> table_names(std::span<const Quantity> quantities) {
  constexpr std::size_t kWidth = 40;
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities) names.push_back(quantity.name);
  return short_names(names, kWidth);
}

TextRow text_row(const std::string& name, const QuantitySummary& s) {
  return {name,
          digits(s.mean, kDigits),
          digits(s.sd, kDigits),
          digits(s.q5, kDigits),
          digits(s.q50, kDigits),
          digits(s.q95, kDigits),
          digits(s.mcse_mean, kDigits - 2),
          decimals(s.rhat, 3),
          decimals(s.ess_bulk, 0),
          decimals(s.ess_tail, 0)};
}

std::string csv_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  return shortest(value);
}

// A column of the CSV file: its name and the number it shows.
struct Figure {
  const char* name;
  double QuantitySummary::*value;
};
constexpr std::array<Figure, 11> kFigures = {{{"mean", &QuantitySummary::mean},
                                              {"median", &QuantitySummary::median},
                                              {"sd", &QuantitySummary::sd},
                                              {"mad", &QuantitySummary::mad},
                                              {"q5", &QuantitySummary::q5},
                                              {"q95", &QuantitySummary::q95},
                                              {"rhat", &QuantitySummary::rhat},
                                              {"ess_bulk", &QuantitySummary::ess_bulk},
                                              {"ess_tail", &QuantitySummary::ess_tail},
                                              {"mcse_mean", &QuantitySummary::mcse_mean},
                                              {"mcse_sd", &QuantitySummary::mcse_sd}}};

// What is known of weighted draws.
constexpr std::array<Figure, 8> kWeightedFigures = {{{"mean", &QuantitySummary::mean},
                                                     {"median", &QuantitySummary::median},
                                                     {"sd", &QuantitySummary::sd},
                                                     {"q5", &QuantitySummary::q5},
                                                     {"q95", &QuantitySummary::q95},
                                                     {"ess_bulk", &QuantitySummary::ess_bulk},
                                                     {"ess_tail", &QuantitySummary::ess_tail},
                                                     {"mcse_mean", &QuantitySummary::mcse_mean}}};

// What a ratio is told by: its median and the ends of its interval, with what their columns end in.
constexpr std::array<Figure, 3> kRatioFigures = {
    {{"", &QuantitySummary::q50}, {"_q5", &QuantitySummary::q5}, {"_q95", &QuantitySummary::q95}}};

std::string csv_of(std::span<const Quantity> quantities, std::span<const Figure> figures,
                   const Ratios& ratios) {
  std::string csv = "variable", column = ratios.name;
  std::ranges::replace(column, ' ', '_');
  for (const Figure& figure : figures) csv.append(",").append(figure.name);
  for (const Figure& figure : kRatioFigures)
    if (!column.empty()) csv.append(",").append(column).append(figure.name);
  csv += "\n";
  for (const Quantity& quantity : quantities) {
    csv += csv_field(inert(quantity.name));
    for (const Figure& figure : figures) csv.append(",").append(csv_number(quantity.summary.*figure.value));
    for (const Figure& figure : kRatioFigures) {
      if (column.empty()) break;
      csv.append(",").append(
          csv_number(ratios.has(quantity) ? std::exp(quantity.summary.*figure.value) : std::nan("")));
    }
    csv += "\n";
  }
  return csv;
}

// (sum w)^2 / (S sum w^2): the effective number of independent draws with these weights, over their number.
double share_of_draws(std::span<const double> weights) {
  double sum = 0, squares = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  return squares > 0 ? sum * sum / (squares * static_cast<double>(weights.size())) : 1;
}

}  // namespace

std::vector<Quantity> summarise_chains(std::span<const Chain> chains, const std::vector<std::string>& names,
                                       bool log_density, const Executor& executor) {
  for (const Chain& chain : chains) {
    if (chain.dim != std::ssize(names) || chain.num_draws() != chains[0].num_draws())
      throw std::invalid_argument("the chains must have as many draws each, and a name for every parameter");
  }
  // Column -1 stands for the log density.
  const Index first = log_density ? -1 : 0;
  std::vector<Quantity> out(names.size() + (log_density ? 1 : 0));
  if (chains.empty()) return {};
  std::vector<Facts> facts(out.size());
  fill_shared(executor, std::ssize(out), 1, {entries_of(facts.data())}, [&](Index k, Index /*count*/) {
    facts[static_cast<std::size_t>(k)] = facts_of(draws_of(chains, first + k));
  });
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Index column = first + static_cast<Index>(k);
    out[k] = {column < 0 ? "lp__" : names[static_cast<std::size_t>(column)], facts[k].summary,
              facts[k].constant, facts[k].num_not_finite};
  }
  return out;
}

std::vector<Quantity> weighted_quantities(std::vector<Quantity> quantities, std::span<const Chain> chains,
                                          std::span<const double> weights, Index first) {
  const double share = share_of_draws(weights);
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    const std::vector<double> draws = page::column(chains, first + static_cast<Index>(k));
    if (draws.size() != weights.size()) throw std::invalid_argument("there must be a weight for every draw");
    const page::Spread spread = page::spread_of(page::SortedDraws(draws), weights);
    QuantitySummary& summary = quantities[k].summary;
    summary.mean = spread.mean;
    summary.sd = spread.sd;
    summary.q5 = spread.q5;
    summary.median = summary.q50 = spread.q50;
    summary.q95 = spread.q95;
    summary.ess_bulk *= share;
    summary.ess_tail *= share;
    summary.mcse_mean /= std::sqrt(share);
  }
  return quantities;
}

std::string summary_text(std::span<const Quantity> quantities) {
  std::vector<TextRow> rows = {
      {"", "mean", "sd", "5%", "50%", "95%", "mcse", "R-hat", "ESS bulk", "ESS tail"}};
  const std::vector<std::string> names = table_names(quantities);
  for (std::size_t k = 0; k < names.size(); ++k) rows.push_back(text_row(names[k], quantities[k].summary));
  return text_table(rows);
}

std::string ratios_text(std::span<const Quantity> quantities, const Ratios& ratios) {
  std::vector<TextRow> rows = {{"", ratios.name, "5%", "95%"}};
  const std::vector<std::string> names = table_names(quantities);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!ratios.has(quantities[k])) continue;
    TextRow& row = rows.emplace_back(TextRow{names[k]});
    const QuantitySummary& s = quantities[k].summary;
    for (const Figure& figure : kRatioFigures)
      row.push_back(ratio_digits(std::exp(s.*figure.value), std::exp(s.q95) - std::exp(s.q5)));
  }
  return rows.size() > 1 ? text_table(rows) : "";
}

std::string summary_csv(std::span<const Quantity> quantities, const Ratios& ratios) {
  return csv_of(quantities, kFigures, ratios);
}

std::string weighted_csv(std::span<const Quantity> quantities, const Ratios& ratios) {
  return csv_of(quantities, kWeightedFigures, ratios);
}

}  // namespace giga
