// The charts as Vega-Lite specs. Colours are variables of the style sheet. Charts of one coefficient have no
// data of their own: the page's script gives them the rows of the chosen one, under the name "rows".
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "giga/report/page.hpp"

namespace giga::page {

using Json = nlohmann::ordered_json;

/// A spec, and the field along which it can be zoomed; empty: none.
struct Chart {
  Json spec;
  std::string zoom_field;
};

[[nodiscard]] Json chart_config();

/// Of the steps of a build the last of each size; at most `count` of them, evenly spread.
[[nodiscard]] std::vector<StepRecord> by_size(const std::vector<StepRecord>& trace, Index count);

[[nodiscard]] Chart error_chart(const std::vector<StepRecord>& records);
/// `rows` are in descending order of weight.
[[nodiscard]] Chart weight_chart(const std::vector<ReportRow>& rows);
/// A line of the plot of coefficients.
struct ForestRow {
  QuantitySummary summary;
  std::string name, label;  ///< in full, and as it fits the axis; labels are each different
  std::string ratio = {};   ///< with its interval; empty: none
};
/// Where the axis of the plot begins and ends, if not where the ranges do: so that a few wide ones leave room
/// for the others.
[[nodiscard]] std::optional<std::pair<double, double>> usual_range(const std::vector<ForestRow>& rows);
/// From the top down in the order given; ranges that leave the axis are marked. `ratio` is what the ratios
/// are called.
[[nodiscard]] Chart forest_chart(const std::vector<ForestRow>& rows, const std::string& axis,
                                 const std::string& ratio = {});
[[nodiscard]] Chart density_chart();
/// Prior and posterior, each as tall as the other.
[[nodiscard]] Chart prior_chart();
[[nodiscard]] Chart trace_chart();
/// `expected` draws of a chain in a bin when all chains are alike.
[[nodiscard]] Chart rank_chart(double expected);
/// Bins of the check of a model: observed against fitted shares, or what observed means are off.
[[nodiscard]] Chart calibration_chart(const ModelCheck& check);
[[nodiscard]] Chart stage_chart(const std::vector<ReportStage>& stages);
[[nodiscard]] Chart cost_chart(double this_run_s, double full_data_s);

/// To `digits` significant digits: what a chart can show, in fewer bytes.
[[nodiscard]] double rounded(double value, int digits = 5);

}  // namespace giga::page
