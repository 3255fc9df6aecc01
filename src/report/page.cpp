// The whole report: its sections and the data of its charts.
//
// The page is HTML that reads without a script (headings, tables, sentences), and one JSON block with the
// specs of the charts and, for each coefficient that can be explored, its density, thinned traces and rank
// counts. Numbers in the block are rounded to what a chart can show, which keeps the page small.
#include "giga/report/page.hpp"

#include <algorithm>

#include "report/page/charts.hpp"
#include "report/page/draws_view.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"
#include "report/page/shell.hpp"

namespace giga {
namespace {

using page::Chart;
using page::Json;
using page::Selection;

Json rounded_list(const std::vector<double>& values, int digits) {
  Json list = Json::array();
  for (const double value : values) list.push_back(page::rounded(value, digits));
  return list;
}

Json density_json(const page::Curves& curves) {
  constexpr int kDigits = 4;
  Json named = Json::object();
  if (!curves.coreset.empty()) named["coreset"] = rounded_list(curves.coreset, kDigits);
  if (!curves.corrected.empty()) named["corrected"] = rounded_list(curves.corrected, kDigits);
  if (!curves.laplace.empty()) named["laplace"] = rounded_list(curves.laplace, kDigits);
  return {
      {"first", page::rounded(curves.first, 9)}, {"step", page::rounded(curves.step, 9)}, {"curves", named}};
}

// The numbers of the coefficient at that place of those explored, which the script turns into rows.
Json coefficient_json(const ReportData& data, const Selection& selection, std::size_t place, Index step) {
  const Index k = selection.explored[place];
  const page::SortedDraws& draws = selection.draws[place];
  const auto laplace = data.laplace.empty() ? std::nullopt : std::optional(data.laplace[at(k)]);
  const page::Curves curves = page::curves_of(draws, selection.weights, laplace);
  Json traces = Json::array();
  for (const auto& chain : page::thinned(data.chains, k, step)) traces.push_back(rounded_list(chain, 5));
  Json out = {{"name", selection.names[at(k)]},
              {"density", density_json(curves)},
              {"trace", traces},
              {"ranks", page::rank_counts(draws, data.chains, page::kRankBins)}};
  if (std::ranges::find(selection.priors, k) != selection.priors.end()) {
    const page::PriorCurve prior = page::prior_curve(*data.priors[at(k)], curves);
    out["prior"] = {{"first", page::rounded(prior.first, 9)},
                    {"step", page::rounded(prior.step, 9)},
                    {"heights", rounded_list(prior.heights, 4)}};
  }
  return out;
}

void add_chart(Json& specs, const char* name, const Chart& chart) {
  specs[name] = {{"spec", chart.spec}};
  if (!chart.zoom_field.empty()) specs[name]["encoding_x"] = chart.zoom_field;
}

// One of the two plots of coefficients. What labels leave out of a name is said to those who point at them.
void add_forest(Json& specs, const char* name, const ReportData& data, const Selection& selection,
                bool standardised) {
  std::vector<page::ForestRow> rows;
  Json titles = Json::object();
  for (const Index k : standardised ? selection.forest_standardised : selection.forest) {
    const Quantity& quantity = (standardised ? data.standardised : data.quantities)[at(k)];
    page::ForestRow& row = rows.emplace_back(
        page::ForestRow{quantity.summary, selection.titles[at(k)], selection.labels[at(k)]});
    if (!standardised) row.ratio = page::ratio_text(data, quantity);
    if (row.label != row.name) titles[row.label] = row.name;
  }
  const char* axis = standardised                 ? "coefficient, per standard deviation"
                     : data.num_coefficients >= 0 ? "coefficient, per unit"
                                                  : "coefficient";
  add_chart(specs, name, page::forest_chart(rows, axis, data.ratios.name));
  if (!titles.empty()) specs[name]["titles"] = titles;
}

Json chart_specs(const ReportData& data, const Selection& selection) {
  Json specs = Json::object();
  if (!selection.sizes.empty()) add_chart(specs, "error", page::error_chart(selection.sizes));
  if (!selection.heaviest.empty()) add_chart(specs, "weights", page::weight_chart(selection.heaviest));
  if (!selection.forest.empty()) add_forest(specs, "forest", data, selection, false);
  if (!selection.forest_standardised.empty()) add_forest(specs, "forest_standardised", data, selection, true);
  if (data.model_check && !data.model_check->bins.empty())
    add_chart(specs, "model", page::calibration_chart(*data.model_check));
  if (!selection.explored.empty()) {
    // One spec for all coefficients: the script fills in the rows of the one that is chosen.
    add_chart(specs, "density", page::density_chart());
    if (!selection.priors.empty()) add_chart(specs, "prior", page::prior_chart());
    add_chart(specs, "trace", page::trace_chart());
    // Each of the bins has the same share of a chain's draws when all chains are alike.
    const auto draws = static_cast<double>(data.chains[0].num_draws());
    add_chart(specs, "rank", page::rank_chart(draws / page::kRankBins));
  }
  if (!data.stages.empty()) {
    add_chart(specs, "stages", page::stage_chart(data.stages));
    if (data.full_data)
      add_chart(specs, "cost", page::cost_chart(page::total_seconds(data), data.full_data->seconds()));
  }
  return specs;
}

Json data_block(const ReportData& data, const Selection& selection, const ReportLimits& limits) {
  const Index step = page::trace_step(data.chains, limits.trace_points);
  Json coefficients = Json::array();
  for (std::size_t i = 0; i < selection.explored.size(); ++i)
    coefficients.push_back(coefficient_json(data, selection, i, step));
  return {{"config", page::chart_config()},
          {"specs", chart_specs(data, selection)},
          {"trace_step", step},
          {"coefficients", coefficients}};
}

std::string body(const ReportData& data, const Selection& selection, const ReportLimits& limits) {
  std::string html = "<body>\n<a class=\"skip\" href=\"#main\">To the results</a>\n";
  html += page::head_section(data, selection);
  html += "<main id=\"main\">\n";
  html += page::coefficient_section(data, selection);
  html += page::model_section(data);
  html += page::posterior_section(data, selection);
  html += page::prior_section(data, selection);
  html += page::coreset_section(data, selection);
  html += page::chain_section(data, selection, limits);
  html += page::certificate_section(data);
  html += page::time_section(data);
  html += page::record_section(data);
  html += "</main>\n";
  html += page::footer(data.version);
  return html;
}

}  // namespace

std::string report_html(const ReportData& data, const ReportLimits& limits) {
  const Selection selection = page::select(data, limits);
  std::string html = page::head(data.title);
  html += body(data, selection, limits);
  html += page::script(data_block(data, selection, limits));
  return html;
}

}  // namespace giga
