// The charts as Vega-Lite specs. Colours are variables of the style sheet. Charts of one coefficient have no
// data of their own: the page's script gives them the rows of the chosen one, under the name "rows".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
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
/// From the top down in the order given. `names` has one per quantity, each different.
[[nodiscard]] Chart forest_chart(const std::vector<Quantity>& quantities,
                                 const std::vector<std::string>& names, const std::string& axis);
[[nodiscard]] Chart density_chart(bool with_priors);
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
