// The parts of the page, from the top down. Each is HTML, or empty if the data have nothing for it.
#pragma once

#include <string>
#include <vector>

#include "giga/report/page.hpp"
#include "report/page/charts.hpp"
#include "report/page/draws_view.hpp"

namespace giga::page {

/// What several sections need and is worth finding once.
struct Selection {
  std::vector<std::string> names;   ///< of all coefficients, tame and not too long, each different
  std::vector<std::string> titles;  ///< the same in full, for those who point at them
  std::vector<std::string> labels;  ///< the same as they fit an axis
  std::vector<Index> densities;     ///< coefficients with a density chart
  std::vector<Index> explored;      ///< coefficients whose chains can be explored; `densities` are among them
  std::vector<SortedDraws> draws;   ///< of the coefficients in `explored`, in that order
  std::vector<Index> priors;        ///< parameters drawn with their prior; among `explored`
  std::vector<Index> forest;        ///< coefficients in the plot of all, from the top down
  std::vector<Index> forest_standardised;  ///< the same in the plot of standardised features
  std::vector<double> weights;             ///< of the draws; empty when there is no correction to show
  std::vector<ReportRow> heaviest;         ///< points of the coreset in the chart of weights
  std::vector<StepRecord> sizes;           ///< records in the chart of errors
  Index chosen = 0;                        ///< place in `explored` that the page opens with
};
[[nodiscard]] Selection select(const ReportData& data, const ReportLimits& limits);

constexpr Index kRankBins = 20;

[[nodiscard]] std::string head_section(const ReportData& data, const Selection& selection);
[[nodiscard]] std::string coefficient_section(const ReportData& data, const Selection& selection);
/// The verdict on the model, for the head of the page.
[[nodiscard]] std::string model_verdict_html(const ReportData& data);
[[nodiscard]] std::string model_section(const ReportData& data);
[[nodiscard]] std::string posterior_section(const ReportData& data, const Selection& selection);
[[nodiscard]] std::string prior_section(const ReportData& data, const Selection& selection);
[[nodiscard]] std::string coreset_section(const ReportData& data, const Selection& selection);
[[nodiscard]] std::string chain_section(const ReportData& data, const Selection& selection,
                                        const ReportLimits& limits);
[[nodiscard]] std::string certificate_section(const ReportData& data);
[[nodiscard]] std::string time_section(const ReportData& data);
[[nodiscard]] std::string record_section(const ReportData& data);

/// A chart: where the page's script draws it, under a heading and a sentence that says what to look for,
/// above its numbers.
struct Figure {
  std::string spec;     ///< the name of the chart
  std::string heading;  ///< HTML
  std::string say = {};
  std::string choice = {};   ///< HTML between the sentence and the chart
  std::string numbers = {};  ///< HTML
  Index coefficient = -1;    ///< place in `explored`
  bool follows = false;      ///< changes with the choice of a coefficient
  std::string label = {};    ///< the heading without markup, where it has some; escaped
  const char* level = "h3";
};
[[nodiscard]] std::string figure_html(const Figure& figure);

/// The name of a coefficient over a chart of its own.
[[nodiscard]] std::string named_heading(const Selection& selection, Index k);

/// A message of the library in the words of the front end: options for fields.
[[nodiscard]] std::string spelled(const ReportData& data, const std::string& text);

[[nodiscard]] double total_seconds(const ReportData& data);
/// A quantity's ratio with its interval: "1.35 (1.21 to 1.52)"; empty where it has none.
[[nodiscard]] std::string ratio_text(const ReportData& data, const Quantity& quantity);

}  // namespace giga::page
