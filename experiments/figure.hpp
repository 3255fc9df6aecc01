// A figure of the paper: panels with curves over logarithmic or linear axes, a median and its quartiles.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace giga::experiments {

/// Colour, dashes and marker of a curve; told apart by the colour-blind, and without colours.
enum class Style { Random, FrankWolfe, Giga, Corrective, Exact };

struct CurvePoint {
  double x = 0, low = 0, mid = 0, high = 0;
};

struct Curve {
  std::string name;
  Style style = Style::Giga;
  std::vector<CurvePoint> points;
  bool markers = true;
  bool line = true;
};

struct Axis {
  std::string label;
  bool log = false;
  /// Of the vertical one: what lies below is not drawn.
  double least = -std::numeric_limits<double>::infinity();
  /// Of the horizontal one: where a thin upright line is drawn.
  std::optional<double> mark = {};
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Curve> curves;
};

struct Figure {
  std::string file;  ///< without extension
  std::string title;
  std::string caption;  ///< what to look for
  std::vector<Panel> panels;
  int columns = 3;
};

/// Whether the axes have a place for it.
[[nodiscard]] bool shown(const Panel& panel, const CurvePoint& point);

/// One file that stands alone. Points that a logarithmic axis has no place for are left out.
[[nodiscard]] std::string svg(const Figure& figure);

/// The points as a table: panel, curve, x, lower quartile, median, upper quartile.
[[nodiscard]] std::string csv(const Figure& figure);

/// A panel as a Vega-Lite spec, in the colours of the report's style sheet.
[[nodiscard]] std::string vega_lite(const Panel& panel);

}  // namespace giga::experiments
