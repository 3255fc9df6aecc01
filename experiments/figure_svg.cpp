// Figures as SVG. Sizes are in pixels, y counts downwards.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "experiments/figure.hpp"
#include "giga/base/text.hpp"

namespace giga::experiments {
namespace {

constexpr double kWidth = 330, kHeight = 250, kLeft = 64, kRight = 12, kTop = 28, kBottom = 48, kHead = 62;

struct Look {
  const char* colour;  // of Okabe and Ito
  const char* dashes;
  const char* shape;  // of the marker, about (0, 0)
};

const Look& look(Style style) {
  static constexpr std::array<Look, 5> kLooks = {
      {{"#6b6f76", "2 3", "M-3 0H3M0 -3V3"},
       {"#d55e00", "7 3", "M-3 -3H3V3H-3Z"},
       {"#0072b2", "", "M-3.2 0A3.2 3.2 0 1 0 3.2 0A3.2 3.2 0 1 0 -3.2 0Z"},
       {"#009e73", "9 3 2 3", "M0 -4L3.8 3H-3.8Z"},
       {"#22262b", "", "M0 -4L4 0L0 4L-4 0Z"}}};
  return kLooks[static_cast<std::size_t>(style)];
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

// Data to pixels along one axis.
class Ruler {
 public:
  Ruler(bool log, double low, double high, double from, double to) : log_(log), from_(from), to_(to) {
    low_ = value(low);
    high_ = value(high);
    // Some room at both ends; a single value gets an interval about it, or there would be no scale.
    const double room = log ? 0.04 * (high_ - low_) : 0.05 * (high_ - low_);
    const double least = log ? 0.3 : 1e-12 + 0.05 * std::abs(low_);
    low_ -= std::max(room, high_ > low_ ? room : least);
    high_ += std::max(room, high_ > low_ ? room : least);
  }

  [[nodiscard]] double operator()(double data) const {
    return from_ + (to_ - from_) * (value(data) - low_) / (high_ - low_);
  }

  /// Powers of ten, or round numbers.
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> all;
    if (log_) {
      const int first = static_cast<int>(std::ceil(low_)), last = static_cast<int>(std::floor(high_));
      // At most about six powers of ten, at multiples of the step.
      const int step = std::max(1, (last - first + 5) / 6);
      for (int power = first; power <= last; ++power)
        if ((power % step + step) % step == 0) all.push_back(std::pow(10.0, power));
      return all;
    }
    // The smallest of 1, 2, 5 or 10 times a power of ten that gives at most about five intervals.
    const double rough = (high_ - low_) / 5, decade = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * decade;
    for (const double nice : {5.0, 2.0, 1.0})
      if (nice * decade >= rough) step = nice * decade;
    for (double at = std::ceil(low_ / step) * step; at <= high_; at += step)
      all.push_back(std::abs(at) < step / 1e6 ? 0 : at);
    return all;
  }

  [[nodiscard]] bool log() const { return log_; }

 private:
  [[nodiscard]] double value(double data) const { return log_ ? std::log10(data) : data; }

  bool log_;
  double from_, to_, low_ = 0, high_ = 0;
};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void settle() {
    if (low > high) low = high = 1;  // nothing to show
  }
};

// 0.01 to 10000 in full, other powers of ten with an exponent.
std::string tick_label(double value, bool log) {
  if (!log) return fmt::format("{:.4g}", value);
  const int power = static_cast<int>(std::lround(std::log10(value)));
  if (power >= 0 && power <= 4) return fmt::format("{:.0f}", value);
  if (power < 0 && power >= -2) return fmt::format("{:.{}f}", value, -power);
  return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", power);
}

std::string axes(const Panel& panel, const Ruler& x, const Ruler& y) {
  const double right = kWidth - kRight, bottom = kHeight - kBottom;
  std::string out;
  for (const double tick : y.ticks()) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" class=\"grid\"/>", kLeft, y(tick), right);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6,
                       y(tick) + 4, tick_label(tick, y.log()));
  }
  for (const double tick : x.ticks()) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}v4\" class=\"axis\"/>", x(tick), bottom);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x(tick),
                       bottom + 17, tick_label(tick, x.log()));
  }
  out +=
      fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" class=\"axis\"/>\n", kLeft, kTop, bottom, right);
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + right) / 2, kHeight - 12, escaped(panel.x.label));
  out +=
      fmt::format("<text transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                  (kTop + bottom) / 2, escaped(panel.y.label));
  out += fmt::format("<text x=\"{:.1f}\" y=\"18\" text-anchor=\"middle\" class=\"name\">{}</text>\n",
                     (kLeft + right) / 2, escaped(panel.title));
  return out;
}

std::string curve_svg(const Panel& panel, const Curve& curve, const Ruler& x, const Ruler& y) {
  // The band of quartiles is one closed path: the upper quartiles from left to right, the lower ones back.
  std::string line, above, below, marks;
  bool band = false;
  for (const CurvePoint& point : curve.points) {
    if (!shown(panel, point)) continue;
    const double at = x(point.x);
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", at, y(point.mid));
    above += fmt::format("{}{:.1f} {:.1f}", above.empty() ? "M" : "L", at, y(point.high));
    below.insert(0, fmt::format("L{:.1f} {:.1f}", at, y(std::max(point.low, panel.y.least))));
    band = band || point.high > point.low;
    if (curve.markers)
      marks += fmt::format("<path transform=\"translate({:.1f} {:.1f})\" d=\"{}\"/>", at, y(point.mid),
                           look(curve.style).shape);
  }
  if (line.empty()) return "";
  const Look& it = look(curve.style);
  std::string out;
  if (band)
    out += fmt::format("<path d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.16\"/>\n", above, below, it.colour);
  if (curve.line)
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"{}\"/>\n", line,
        it.colour, it.dashes);
  if (curve.markers) out += fmt::format("<g fill=\"{0}\" stroke=\"{0}\">{1}</g>\n", it.colour, marks);
  return out;
}

std::string panel_svg(const Panel& panel) {
  // The range of both axes is that of what is drawn, quartiles included.
  Range across, up;
  for (const Curve& curve : panel.curves) {
    for (const CurvePoint& point : curve.points) {
      if (!shown(panel, point)) continue;
      across.add(point.x);
      up.add(std::max(point.low, panel.y.least));
      up.add(point.high);
    }
  }
  if (panel.x.mark) across.add(*panel.x.mark);
  across.settle();
  up.settle();
  const Ruler x(panel.x.log, across.low, across.high, kLeft, kWidth - kRight);
  const Ruler y(panel.y.log, up.low, up.high, kHeight - kBottom, kTop);
  std::string out = axes(panel, x, y);
  if (panel.x.mark)
    out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" class=\"mark\"/>\n", x(*panel.x.mark), kTop,
                       kHeight - kBottom);
  for (const Curve& curve : panel.curves) out += curve_svg(panel, curve, x, y);
  return out;
}

// Each name once, whatever the panels.
std::string legend(const Figure& figure) {
  std::vector<Curve> known;
  for (const Panel& panel : figure.panels) {
    for (const Curve& curve : panel.curves) {
      const bool new_name = std::none_of(known.begin(), known.end(),
                                         [&](const Curve& each) { return each.name == curve.name; });
      if (new_name) known.push_back({curve.name, curve.style, {}, curve.markers, curve.line});
    }
  }
  std::string out;
  double at = 16;
  for (const Curve& curve : known) {
    const Look& it = look(curve.style);
    if (curve.line)
      out += fmt::format(
          "<path d=\"M{:.0f} 46h34\" stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"{}\" "
          "fill=\"none\"/>",
          at, it.colour, it.dashes);
    if (curve.markers)
      out += fmt::format("<path transform=\"translate({:.0f} 46)\" d=\"{}\" fill=\"{}\" stroke=\"{}\"/>",
                         at + 17, it.shape, it.colour, it.colour);
    out += fmt::format("<text x=\"{:.0f}\" y=\"50\">{}</text>\n", at + 40, escaped(curve.name));
    at += 62 + 7.2 * static_cast<double>(curve.name.size());
  }
  return out;
}

}  // namespace

bool shown(const Panel& panel, const CurvePoint& point) {
  return (!panel.x.log || point.x > 0) && (!panel.y.log || std::max(point.low, panel.y.least) > 0) &&
         point.mid >= panel.y.least && std::isfinite(point.x) && std::isfinite(point.mid);
}

std::string svg(const Figure& figure) {
  const auto count = static_cast<int>(figure.panels.size());
  const int columns = std::min(figure.columns, count), rows = (count + columns - 1) / columns;
  const double width = columns * kWidth, height = kHead + rows * kHeight;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#22262b\" role=\"img\">\n",
      width, height);
  out +=
      "<style>.grid{stroke:#e3e5e7;fill:none}.axis,.mark{stroke:#5d6670;fill:none}.name{font-weight:600}</"
      "style>\n";
  out += fmt::format(
      "<title>{0}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"16\" y=\"24\" font-size=\"15\" class=\"name\">{0}</text>\n",
      escaped(figure.title));
  out += legend(figure);
  for (int i = 0; i < count; ++i) {
    const int row = i / columns;
    out += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n", (i - row * columns) * kWidth,
                       kHead + row * kHeight);
    out += panel_svg(figure.panels[static_cast<std::size_t>(i)]);
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

std::string csv(const Figure& figure) {
  std::string out = "panel,curve,x,lower_quartile,median,upper_quartile\n";
  for (const Panel& panel : figure.panels) {
    for (const Curve& curve : panel.curves) {
      for (const CurvePoint& point : curve.points)
        out += fmt::format("{},{},{},{},{},{}\n", csv_field(panel.title), csv_field(curve.name),
                           shortest(point.x), shortest(point.low), shortest(point.mid), shortest(point.high));
    }
  }
  return out;
}

}  // namespace giga::experiments
