// The chart of a model check: a point for each bin of fitted responses, with the band that replicated
// responses of the model fall into.
#include "report/page/charts.hpp"

#include <algorithm>

#include "report/page/html.hpp"

namespace giga::page {
namespace {

// Shares are shown as they are; of means only what they are off would be seen.
Json bin_rows(const ModelCheck& check) {
  Json rows = Json::array();
  for (const CalibrationBin& bin : check.bins) {
    const double from = check.shares ? 0 : bin.fitted;
    const bool within = bin.observed >= bin.low && bin.observed <= bin.high;
    rows.push_back({{"fitted", rounded(bin.fitted)},
                    {"observed", rounded(bin.observed - from)},
                    {"low", rounded(bin.low - from)},
                    {"high", rounded(bin.high - from)},
                    {"where", within ? "within the band" : "outside"},
                    {"count", count(bin.count)},
                    {"is", significant(bin.observed, 3)},
                    {"should", significant(bin.fitted, 3)},
                    {"band", joined({significant(bin.low, 3), " to ", significant(bin.high, 3)})}});
  }
  return rows;
}

Json quantity(const char* field, const std::string& title) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}, {"scale", {{"zero", false}}}};
}

// Where the model is right on average: the diagonal, or 0.
Json right_line(const ModelCheck& check) {
  const double first = rounded(check.bins.front().fitted), last = rounded(check.bins.back().fitted);
  const Json ends = {{{"fitted", first}, {"observed", check.shares ? first : 0}},
                     {{"fitted", last}, {"observed", check.shares ? last : 0}}};
  return {{"data", {{"values", ends}}},
          {"mark", {{"type", "line"}, {"color", "var(--quiet)"}, {"strokeDash", {3, 3}}, {"clip", true}}}};
}

}  // namespace

Chart calibration_chart(const ModelCheck& check) {
  const std::string x = check.shares ? "fitted probability" : "fitted mean of the response";
  const std::string y = check.shares ? "observed share" : "observed mean less fitted mean";
  Json tips = Json::array();
  for (const auto& [name, title] : {std::pair{"should", "fitted"}, std::pair{"is", "observed"},
                                    std::pair{"band", "5% to 95% of replicates"}, std::pair{"count", "rows"}})
    tips.push_back({{"field", name}, {"type", "nominal"}, {"title", title}});
  Json colour = {{"field", "where"}, {"type", "nominal"}, {"title", nullptr}};
  colour["scale"] = {{"domain", {"within the band", "outside"}}, {"range", {"var(--s1)", "var(--s2)"}}};
  Json shape = colour;
  shape["scale"]["range"] = {"circle", "diamond"};
  Json band_y = quantity("low", y);
  // A band of one bin would have no width: a rule for each bin besides.
  const Json band = {{"mark", {{"type", "area"}, {"color", "var(--s1)"}, {"opacity", 0.16}, {"clip", true}}},
                     {"encoding", {{"y", band_y}, {"y2", {{"field", "high"}}}}}};
  const Json rules = {{"mark", {{"type", "rule"}, {"color", "var(--s1)"}, {"opacity", 0.45}, {"clip", true}}},
                      {"encoding", {{"y", band_y}, {"y2", {{"field", "high"}}}}}};
  const Json points = {
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 80}, {"opacity", 1}}},
      {"encoding", {{"y", quantity("observed", y)}, {"color", colour}, {"shape", shape}, {"tooltip", tips}}}};
  Json right = right_line(check);
  right["encoding"] = {{"y", quantity("observed", y)}};
  Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
               {"width", "container"},
               {"height", 300},
               {"autosize", {{"type", "fit-x"}, {"contains", "padding"}}}};
  spec["data"] = {{"values", bin_rows(check)}};
  spec["encoding"] = {{"x", quantity("fitted", x)}};
  spec["encoding"]["x"]["axis"] = {{"tickCount", 7}};
  spec["layer"] = {band, rules, right, points};
  return {spec, ""};
}

}  // namespace giga::page
