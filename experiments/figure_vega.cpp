// Panels as Vega-Lite specs. Colours are variables of the report's style sheet, so that they follow its dark
// mode.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/figure.hpp"

namespace giga::experiments {
namespace {

using Json = nlohmann::ordered_json;

struct Look {
  const char* colour;
  std::vector<int> dashes;
  const char* shape;
};

Look look(Style style) {
  switch (style) {
    case Style::Random: return {"var(--s7)", {2, 3}, "cross"};
    case Style::FrankWolfe: return {"var(--s2)", {7, 3}, "square"};
    case Style::Giga: return {"var(--s1)", {1, 0}, "circle"};
    case Style::Corrective: return {"var(--s3)", {9, 3, 2, 3}, "triangle-up"};
    case Style::Exact: break;
  }
  return {"var(--s8)", {1, 0}, "diamond"};
}

Json scale_of(const Axis& axis) {
  if (axis.log) return {{"type", "log"}};
  return {{"zero", false}};
}

Json encoding_of(const char* field, const Axis& axis) {
  Json out = {{"field", field}, {"type", "quantitative"}, {"title", axis.label}, {"scale", scale_of(axis)}};
  out["axis"] = {{"format", "~g"}, {"tickCount", 6}};
  return out;
}

// What the curves of a panel have in common: rows of data, and a scale for each way of telling them apart.
struct Parts {
  Json rows = Json::array(), names = Json::array();
  Json colours = Json::array(), dashes = Json::array(), shapes = Json::array();
  Json with_line = Json::array(), with_marks = Json::array();
};

Parts parts_of(const Panel& panel) {
  Parts out;
  for (const Curve& curve : panel.curves) {
    const Look it = look(curve.style);
    out.names.push_back(curve.name);
    out.colours.push_back(it.colour);
    out.dashes.push_back(it.dashes);
    out.shapes.push_back(it.shape);
    if (curve.line) out.with_line.push_back(curve.name);
    if (curve.markers) out.with_marks.push_back(curve.name);
    int order = 0;
    for (const CurvePoint& point : curve.points) {
      if (!shown(panel, point)) continue;
      out.rows.push_back({{"of", curve.name},
                          {"x", point.x},
                          {"low", std::max(point.low, panel.y.least)},
                          {"mid", point.mid},
                          {"high", point.high},
                          {"order", order++}});
    }
  }
  return out;
}

Json by_name(const Parts& parts, const Json& range) {
  return {{"field", "of"},
          {"type", "nominal"},
          {"title", nullptr},
          {"legend", {{"symbolOpacity", 1}, {"symbolFillColor", nullptr}}},
          {"scale", {{"domain", parts.names}, {"range", range}}}};
}

// The rows of some curves.
Json only(const Json& names) {
  return Json::array({Json{{"filter", {{"field", "of"}, {"oneOf", names}}}}});
}

Json number_tip(const char* field, const std::string& title) {
  return {{"field", field}, {"type", "quantitative"}, {"format", ".4~g"}, {"title", title}};
}

// Quartiles as an area, the median as a line and as points.
Json band_layer(const Panel& panel, const Parts& parts) {
  return {{"transform", only(parts.with_line)},
          {"mark", {{"type", "area"}, {"opacity", 0.16}}},
          {"encoding",
           {{"x", encoding_of("x", panel.x)},
            {"y", encoding_of("low", panel.y)},
            {"y2", {{"field", "high"}}},
            {"order", {{"value", nullptr}}},  // that of the rows; an area by a field is not drawn at all
            {"color", by_name(parts, parts.colours)}}}};
}

Json line_layer(const Panel& panel, const Parts& parts) {
  return {{"transform", only(parts.with_line)},
          {"mark", {{"type", "line"}, {"strokeWidth", 2}}},
          {"encoding",
           {{"x", encoding_of("x", panel.x)},
            {"y", encoding_of("mid", panel.y)},
            {"order", {{"field", "order"}}},
            {"color", by_name(parts, parts.colours)},
            {"strokeDash", by_name(parts, parts.dashes)}}}};
}

Json upright_layer(const Axis& x) {
  return {{"data", {{"values", Json::array({Json{{"x", *x.mark}}})}}},
          {"mark", {{"type", "rule"}, {"color", "var(--quiet)"}}},
          {"encoding", {{"x", encoding_of("x", x)}}}};
}

Json mark_layer(const Panel& panel, const Parts& parts) {
  const Json tips = Json::array({Json{{"field", "of"}, {"title", "curve"}}, number_tip("x", panel.x.label),
                                 number_tip("mid", "median"), number_tip("low", "lower quartile"),
                                 number_tip("high", "upper quartile")});
  return {{"transform", only(parts.with_marks)},
          {"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"opacity", 1}}},
          {"encoding",
           {{"x", encoding_of("x", panel.x)},
            {"y", encoding_of("mid", panel.y)},
            {"color", by_name(parts, parts.colours)},
            {"shape", by_name(parts, parts.shapes)},
            {"tooltip", tips}}}};
}

}  // namespace

std::string vega_lite(const Panel& panel) {
  const Parts parts = parts_of(panel);
  Json layers = Json::array();
  if (panel.x.mark) layers.push_back(upright_layer(panel.x));
  if (!parts.with_line.empty()) {
    layers.push_back(band_layer(panel, parts));
    layers.push_back(line_layer(panel, parts));
  }
  if (!parts.with_marks.empty()) layers.push_back(mark_layer(panel, parts));
  const Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                     {"width", "container"},
                     {"height", 300},
                     {"autosize", {{"type", "fit-x"}, {"contains", "padding"}}},
                     {"data", {{"values", parts.rows}}},
                     {"layer", layers}};
  return spec.dump();
}

}  // namespace giga::experiments
