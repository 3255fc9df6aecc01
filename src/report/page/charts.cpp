// The charts as Vega-Lite specs, built as JSON. Series have a colour and a dash pattern each, so that they
// can be told apart without colour; heights are in pixels, widths follow the page.
#include "report/page/charts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "report/page/html.hpp"

namespace giga::page {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The name of the version, not an address to be loaded.
constexpr const char* kSchema = "https://vega.github.io/schema/vega-lite/v6.json";

// What all charts have in common: as wide as the page, and a height in pixels.
Json base(int height) {
  return {{"$schema", kSchema},
          {"width", "container"},
          {"height", height},
          {"autosize", {{"type", "fit-x"}, {"contains", "padding"}}}};
}

// Pinching, the wheel with Ctrl, and dragging move along x. The wheel alone still scrolls the page.
Json zoom_params() {
  return Json::array({{{"name", "zoom"},
                       {"select",
                        {{"type", "interval"},
                         {"encodings", {"x"}},
                         {"zoom", "wheel![event.ctrlKey]"},
                         {"clear", "dblclick"}}},
                       {"bind", "scales"}}});
}

Json field(const char* name, const char* type, const char* title) {
  return {{"field", name}, {"type", type}, {"title", title}};
}

Json tooltip(std::initializer_list<std::array<const char*, 2>> fields) {
  Json list = Json::array();
  for (const auto& [name, title] : fields) list.push_back(field(name, "nominal", title));
  return list;
}

Json series_scale(const std::vector<const char*>& names, const std::vector<const char*>& range) {
  return {{"domain", Json(names)}, {"range", Json(range)}};
}

constexpr const char *kProjected = "projected", *kHeldout = "held-out", *kBound = "theorem's bound";

void add_error(Json& rows, const StepRecord& record, const char* of, double error) {
  if (!std::isfinite(error) || error <= 0) return;  // a logarithm has no place for it
  rows.push_back({{"size", record.size},
                  {"step", record.step},
                  {"of", of},
                  {"error", rounded(error)},
                  {"text", significant(error, 3)}});
}

// Where the chart of errors ends below: a build that matches its own vectors exactly would otherwise leave
// the held-out error no room.
double error_floor(const std::vector<StepRecord>& records) {
  double heldout = kInfinity, lowest = kInfinity;
  for (const StepRecord& record : records) {
    if (record.heldout_error > 0) heldout = std::min(heldout, record.heldout_error);
    for (const double error : {record.relative_error, record.heldout_error, record.bound})
      if (error > 0) lowest = std::min(lowest, error);
  }
  if (!std::isfinite(lowest)) return 0.1;  // no error to show
  return std::isfinite(heldout) ? std::max(lowest, heldout / 30) : lowest;
}

// The largest error of any series, for the upper end of the axis.
double error_top(const std::vector<StepRecord>& records) {
  double top = error_floor(records);
  for (const StepRecord& record : records) {
    for (const double error : {record.relative_error, record.heldout_error, record.bound})
      if (std::isfinite(error)) top = std::max(top, error);
  }
  return top;
}

// Powers of ten, every second or third where there are many; with their triples where there are few.
Json decades(double low, double high) {
  // At most about eight labels: every (last - first + 7) / 8-th power of ten.
  const int first = static_cast<int>(std::floor(std::log10(low))),
            last = static_cast<int>(std::ceil(std::log10(high)));
  const int step = (last - first + 7) / 8;
  Json values = Json::array();
  for (int power = first; power <= last; power += step) {
    values.push_back(rounded(std::pow(10.0, power)));
    if (last - first <= 3) values.push_back(rounded(3 * std::pow(10.0, power)));
  }
  return values;
}

Json chain_colour() {
  return {{"field", "chain"}, {"type", "nominal"}, {"title", "chain"}};
}

}  // namespace

double rounded(double value, int digits) {
  if (!std::isfinite(value)) return value;
  // By way of the decimal text: the double nearest to the rounded number prints with few digits.
  std::array<char, 64> room{};
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::scientific, digits - 1);
  double result = value;
  std::from_chars(room.data(), end.ptr, result);
  return result;
}

Json chart_config() {
  const Json words = {{"labelColor", "var(--quiet)"},
                      {"titleColor", "var(--quiet)"},
                      {"labelFontSize", 12},
                      {"titleFontSize", 12},
                      {"titleFontWeight", 500}};
  Json axis = words;
  axis.update(
      Json{{"gridColor", "var(--faint)"}, {"domainColor", "var(--line)"}, {"tickColor", "var(--line)"}});
  axis.update(Json{{"titlePadding", 8}, {"labelPadding", 4}, {"tickSize", 4}, {"labelOverlap", true}});
  Json legend = words;
  legend.update(
      Json{{"orient", "top"}, {"symbolStrokeWidth", 2.5}, {"symbolSize", 220}, {"titleOrient", "left"}});
  return {{"background", "transparent"},
          {"font", "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, Liberation Sans, sans-serif"},
          {"aria", false},
          {"view", {{"stroke", nullptr}}},
          {"axis", axis},
          {"axisX", {{"grid", false}, {"labelFlush", false}}},
          {"legend", legend},
          {"range",
           {{"category",
             {"var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)", "var(--s7)",
              "var(--s8)"}}}}};
}

std::vector<StepRecord> by_size(const std::vector<StepRecord>& trace, Index count) {
  // A build may stay at a size, or come back to it: the last step there counts.
  std::map<Index, StepRecord> last;
  for (const StepRecord& record : trace) last.insert_or_assign(record.size, record);
  std::vector<StepRecord> all;
  all.reserve(last.size());
  for (const auto& [size, record] : last) all.push_back(record);
  if (std::ssize(all) <= count) return all;
  std::vector<StepRecord> kept;
  for (Index i = 0; i < count; ++i) {
    // Evenly spread, the first and the last among them.
    const Index place = count == 1 ? std::ssize(all) - 1 : i * (std::ssize(all) - 1) / (count - 1);
    kept.push_back(all[static_cast<std::size_t>(place)]);
  }
  return kept;
}

Chart error_chart(const std::vector<StepRecord>& records) {
  Json rows = Json::array();
  for (const StepRecord& record : records) {
    add_error(rows, record, kProjected, record.relative_error);
    add_error(rows, record, kHeldout, record.heldout_error);
    add_error(rows, record, kBound, record.bound);
  }
  // With many records the points would hide the line: they are invisible then, and larger, as
  // targets for tooltips.
  const bool few = records.size() <= 60;
  const double floor = rounded(error_floor(records), 2), top = rounded(1.3 * error_top(records), 2);
  Json spec = base(300);
  spec["data"] = {{"values", rows}};
  spec["encoding"] = {
      {"x", field("size", "quantitative", "points in the coreset")},
      {"y",
       {{"field", "error"},
        {"type", "quantitative"},
        {"title", "relative error"},
        {"scale", {{"type", "log"}, {"domain", {floor, top}}, {"nice", false}}},
        {"axis", {{"format", "~g"}, {"values", decades(floor, top)}}}}},
      {"color",
       {{"field", "of"},
        {"type", "nominal"},
        {"title", nullptr},
        {"legend", {{"symbolType", "stroke"}}},
        {"scale", series_scale({kProjected, kHeldout, kBound}, {"var(--s1)", "var(--s2)", "var(--s7)"})}}}};
  Json dash = {{"field", "of"}, {"type", "nominal"}, {"title", nullptr}};
  dash["scale"] = {{"domain", {kProjected, kHeldout, kBound}}, {"range", {{1, 0}, {7, 3}, {2, 3}}}};
  Json line = {{"params", zoom_params()},
               {"mark", {{"type", "line"}, {"clip", true}, {"strokeWidth", 2.2}}},
               {"encoding", {{"strokeDash", dash}}}};
  Json points = {
      {"mark",
       {{"type", "point"},
        {"filled", true},
        {"clip", true},
        {"size", few ? 26 : 90},
        {"opacity", few ? 1 : 0}}},
      {"encoding",
       {{"tooltip", tooltip({{"of", "error"}, {"size", "points"}, {"step", "step"}, {"text", "is"}})}}}};
  spec["layer"] = {line, points};
  return {spec, "size"};
}

Chart weight_chart(const std::vector<ReportRow>& rows) {
  Json values = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A bar of width 0.84 about its rank: a quantitative axis, so that it can be zoomed.
    const double rank = static_cast<double>(i + 1);
    values.push_back({{"from", rank - 0.42},
                      {"to", rank + 0.42},
                      {"weight", rounded(rows[i].weight)},
                      {"row", rows[i].row},
                      {"response", rounded(rows[i].response)}});
  }
  Json spec = base(240);
  spec["data"] = {{"values", values}};
  spec["params"] = zoom_params();
  spec["mark"] = {{"type", "rect"}, {"clip", true}, {"color", "var(--s1)"}};
  Json x = field("from", "quantitative", "points, heaviest first");
  x["scale"] = {{"domain", {0.5, static_cast<double>(rows.size()) + 0.5}}, {"nice", false}, {"zero", false}};
  x["axis"] = {{"tickMinStep", 1}};
  spec["encoding"] = {{"x", x},
                      {"x2", {{"field", "to"}}},
                      {"y", field("weight", "quantitative", "weight")},
                      {"y2", {{"datum", 0}}},
                      {"tooltip", tooltip({{"row", "row"}, {"weight", "weight"}, {"response", "response"}})}};
  return {spec, "from"};
}

// With lows and highs the ends of the ranges and 0: from the 10% quantile of the lows to the 90% quantile of
// the highs, and half of that on either side, if all of them would take more than three times as much. A few
// coefficients that are hardly known would leave no room for the others. None: all of them.
std::optional<std::pair<double, double>> usual_range(const std::vector<ForestRow>& rows) {
  constexpr std::size_t kFewest = 8;
  constexpr double kShare = 0.1, kTooMuch = 3, kAround = 0.5;
  if (rows.size() < kFewest) return std::nullopt;
  std::vector<double> lows, highs;
  for (const ForestRow& row : rows) {
    lows.push_back(std::min(0.0, row.summary.q5));
    highs.push_back(std::max(0.0, row.summary.q95));
  }
  std::ranges::sort(lows);
  std::ranges::sort(highs);
  const auto apart = static_cast<std::size_t>(kShare * static_cast<double>(rows.size()));
  const double low = lows[apart], high = highs[rows.size() - 1 - apart], width = high - low;
  if (!(width > 0) || highs.back() - lows.front() <= kTooMuch * width) return std::nullopt;
  return std::pair(std::max(lows.front(), low - kAround * width),
                   std::min(highs.back(), high + kAround * width));
}

Chart forest_chart(const std::vector<ForestRow>& rows, const std::string& axis, const std::string& ratio) {
  Json values = Json::array();
  bool with_ratios = false;
  for (const ForestRow& row : rows) {
    const QuantitySummary& s = row.summary;
    values.push_back({{"label", row.label},
                      {"name", row.name},
                      {"q5", rounded(s.q5)},
                      {"q50", rounded(s.q50)},
                      {"q95", rounded(s.q95)},
                      {"range", joined({beside(s.q5, s.sd), " to ", beside(s.q95, s.sd)})},
                      {"mean", beside(s.mean, s.sd)},
                      {"sd", beside(s.sd, s.sd)}});
    if (!row.ratio.empty()) values.back()["ratio"] = row.ratio;
    with_ratios = with_ratios || !row.ratio.empty();
  }
  Json spec = base(22 * static_cast<int>(rows.size()));
  spec["data"] = {{"values", values}};
  // Labels are short already; the limit is for letters that are wider than others.
  Json y = {{"field", "label"}, {"type", "nominal"}, {"title", nullptr}, {"sort", nullptr}};
  y["axis"] = {{"labelLimit", 240},     {"domain", false}, {"ticks", false},
               {"labelOverlap", false}, {"grid", true},    {"labelColor", "var(--ink)"}};
  Json tips = tooltip({{"name", "coefficient"}, {"mean", "mean"}, {"sd", "sd"}, {"range", "5% to 95%"}});
  if (with_ratios) tips.push_back(field("ratio", "nominal", ratio.c_str()));
  Json x = field("q5", "quantitative", axis.c_str());
  x["axis"] = {{"tickCount", 7}};
  x["scale"] = {{"zero", false}};
  if (const auto usual = usual_range(rows))
    x["scale"] = {{"domain", {rounded(usual->first), rounded(usual->second)}}, {"nice", false}};
  // An arrow at the end of the axis that a range leaves by, before or after it was zoomed.
  const auto arrow = [&](const char* shape, const Json& place, double inwards, const char* leaves) {
    return Json{{"mark",
                 {{"type", "point"},
                  {"shape", shape},
                  {"filled", true},
                  {"color", "var(--s2)"},
                  {"size", 60},
                  {"xOffset", inwards}}},
                {"encoding",
                 {{"x", {{"value", place}}},
                  {"y", y},
                  {"opacity", {{"condition", {{"test", leaves}, {"value", 1}}}, {"value", 0}}},
                  {"tooltip", tips}}}};
  };
  const Json left = arrow("triangle-left", 0, 4, "datum.q5 < domain('x')[0]"),
             right = arrow("triangle-right", "width", -4, "datum.q95 > domain('x')[1]");
  // Ranges first, the line at zero over them, medians on top.
  const Json zero = {
      {"data", {{"values", Json::array({Json{{"zero", 0}}})}}},  // one line, not one per coefficient
      {"mark", {{"type", "rule"}, {"color", "var(--quiet)"}, {"strokeDash", {3, 3}}, {"clip", true}}},
      {"encoding", {{"x", {{"field", "zero"}, {"type", "quantitative"}}}}}};
  const Json range = {{"params", zoom_params()},
                      {"mark",
                       {{"type", "rule"},
                        {"color", "var(--s1)"},
                        {"strokeWidth", 3},
                        {"clip", true},
                        {"strokeCap", "round"}}},
                      {"encoding", {{"x", x}, {"x2", {{"field", "q95"}}}, {"y", y}, {"tooltip", tips}}}};
  const Json middle = {
      {"mark",
       {{"type", "point"},
        {"filled", true},
        {"color", "var(--s1)"},
        {"size", 70},
        {"opacity", 1},
        {"clip", true}}},
      {"encoding", {{"x", field("q50", "quantitative", axis.c_str())}, {"y", y}, {"tooltip", tips}}}};
  spec["layer"] = {range, zero, left, right, middle};
  return {spec, "q5"};
}

namespace {

// A small chart of curves over one parameter; `y` is how high they are, and `of` which curve a point is of.
Json curves_frame(const Json& y) {
  Json spec = base(130);
  spec["data"] = {{"name", "rows"}};
  const Json x = {{"field", "x"},
                  {"type", "quantitative"},
                  {"title", nullptr},
                  {"scale", {{"zero", false}, {"nice", false}}},
                  {"axis", {{"tickCount", 5}}}};
  spec["encoding"] = {{"x", x}, {"y", y}};
  return spec;
}

}  // namespace

Chart density_chart() {
  const Json y = {{"field", "density"}, {"type", "quantitative"}, {"axis", nullptr}};
  Json spec = curves_frame(y);
  const Json area = {{"transform", Json::array({Json{{"filter", {{"field", "of"}, {"equal", "coreset"}}}}})},
                     {"mark", {{"type", "area"}, {"color", "var(--s1)"}, {"opacity", 0.16}}}};
  Json colour = {{"field", "of"}, {"type", "nominal"}, {"legend", nullptr}};
  colour["scale"] =
      series_scale({"coreset", "corrected", "laplace"}, {"var(--s1)", "var(--s2)", "var(--s3)"});
  Json dash = {{"field", "of"}, {"type", "nominal"}, {"legend", nullptr}};
  dash["scale"] = {{"domain", {"coreset", "corrected", "laplace"}}, {"range", {{1, 0}, {7, 4}, {2, 3}}}};
  const Json lines = {{"mark", {{"type", "line"}, {"strokeWidth", 2}}},
                      {"encoding", {{"color", colour}, {"strokeDash", dash}}}};
  spec["layer"] = {area, lines};
  return {spec, ""};
}

Chart prior_chart() {
  const Json y = {{"field", "height"},
                  {"type", "quantitative"},
                  {"axis", nullptr},
                  {"scale", {{"domain", {0, 1.05}}, {"nice", false}}}};
  Json spec = curves_frame(y);
  Json colour = {{"field", "of"}, {"type", "nominal"}, {"legend", nullptr}};
  colour["scale"] = series_scale({"posterior", "prior"}, {"var(--s1)", "var(--s4)"});
  Json dash = {{"field", "of"}, {"type", "nominal"}, {"legend", nullptr}};
  dash["scale"] = {{"domain", {"posterior", "prior"}}, {"range", {{1, 0}, {12, 3}}}};
  const Json area = {{"mark", {{"type", "area"}, {"opacity", 0.14}}}, {"encoding", {{"color", colour}}}};
  const Json lines = {{"mark", {{"type", "line"}, {"strokeWidth", 2}}},
                      {"encoding", {{"color", colour}, {"strokeDash", dash}}}};
  spec["layer"] = {area, lines};
  return {spec, ""};
}

Chart trace_chart() {
  Json spec = base(220);
  spec["data"] = {{"name", "rows"}};
  spec["params"] = zoom_params();
  spec["mark"] = {{"type", "line"}, {"strokeWidth", 1}, {"opacity", 0.85}, {"clip", true}};
  Json x = field("draw", "quantitative", "draw");
  x["scale"] = {{"nice", false}, {"zero", false}};
  Json y = field("value", "quantitative", "value");
  y["scale"] = {{"zero", false}};
  spec["encoding"] = {{"x", x}, {"y", y}, {"color", chain_colour()}};
  return {spec, "draw"};
}

Chart rank_chart(double expected) {
  Json spec = base(220);
  spec["data"] = {{"name", "rows"}};
  Json x = field("first", "quantitative", "rank among the draws of all chains");
  x["scale"] = {{"domain", {0, 1}}};
  x["axis"] = {{"format", ".0%"}, {"tickCount", 5}};
  const Json y = field("count", "quantitative", "draws");
  const Json steps = {{"mark", {{"type", "rule"}, {"strokeWidth", 2.2}, {"opacity", 0.9}}},
                      {"encoding",
                       {{"x", x},
                        {"x2", {{"field", "last"}}},
                        {"y", y},
                        {"color", chain_colour()},
                        {"tooltip", tooltip({{"chain", "chain"}, {"bin", "bin"}, {"count", "draws"}})}}}};
  // A dashed line at the count that every bin would have if all chains were alike.
  const Json even = {{"data", {{"values", Json::array({Json{{"expected", expected}}})}}},
                     {"mark", {{"type", "rule"}, {"color", "var(--quiet)"}, {"strokeDash", {4, 4}}}},
                     {"encoding", {{"y", {{"field", "expected"}, {"type", "quantitative"}}}}}};
  spec["layer"] = {even, steps};
  return {spec, ""};
}

Chart stage_chart(const std::vector<ReportStage>& stages) {
  Json values = Json::array();
  double longest = 0;
  for (const ReportStage& stage : stages) {
    longest = std::max(longest, stage.seconds);
    values.push_back({{"stage", tame(stage.name)},
                      {"seconds", rounded(std::max(0.0, stage.seconds))},
                      {"text", duration(stage.seconds)}});
  }
  Json spec = base(28 * static_cast<int>(stages.size()));
  spec["data"] = {{"values", values}};
  Json y = {{"field", "stage"}, {"type", "nominal"}, {"title", nullptr}, {"sort", nullptr}};
  y["axis"] = {{"labelLimit", 190}, {"domain", false}, {"ticks", false}, {"labelColor", "var(--ink)"}};
  Json x = field("seconds", "quantitative", "seconds");
  x["axis"] = {{"tickCount", 5}};
  x["scale"] = {{"domain", {0, rounded(longest > 0 ? 1.25 * longest : 1, 4)}},
                {"nice", false}};  // room for words
  spec["encoding"] = {{"y", y}, {"x", x}};
  const Json bars = {{"mark", {{"type", "bar"}, {"color", "var(--s1)"}, {"height", {{"band", 0.62}}}}},
                     {"encoding", {{"tooltip", tooltip({{"stage", "stage"}, {"text", "took"}})}}}};
  const Json texts = {
      {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 5}, {"color", "var(--ink)"}, {"fontSize", 12}}},
      {"encoding", {{"text", {{"field", "text"}}}}}};
  spec["layer"] = {bars, texts};
  return {spec, ""};
}

Chart cost_chart(double this_run_s, double full_data_s) {
  return stage_chart({{"this run", this_run_s}, {"MCMC on all rows", full_data_s}});
}

}  // namespace giga::page
