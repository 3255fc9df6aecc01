#include "experiments/figure.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

namespace giga::experiments {
namespace {

Figure simple() {
  Panel panel{"A & B", {"points", true}, {"error", true}, {}};
  panel.curves = {{"GIGA", Style::Giga, {{1, 0.5, 1, 2}, {10, 0.05, 0.1, 0.2}, {100, 0.005, 0.01, 0.02}}},
                  {"FW", Style::FrankWolfe, {{1, 1, 1, 1}, {10, 0, 0, 0}, {100, 0.1, 0.1, 0.1}}}};
  return {"simple", "Title <1>", "", {panel}, 3};
}

// The places of the markers of a curve, in its colour.
std::vector<std::pair<double, double>> markers(const std::string& text, const std::string& colour) {
  const std::size_t from = text.find("<g fill=\"" + colour), to = text.find("</g>", from);
  const std::string part = text.substr(from, to - from);
  const std::regex place("translate\\(([-0-9.]+) ([-0-9.]+)\\)");
  std::vector<std::pair<double, double>> out;
  for (std::sregex_iterator at(part.begin(), part.end(), place), end; at != end; ++at)
    out.emplace_back(std::stod((*at)[1]), std::stod((*at)[2]));
  return out;
}

TEST(Figure, EqualFactorsAreEqualDistancesOnLogarithmicAxes) {
  const auto at = markers(svg(simple()), "#0072b2");
  ASSERT_EQ(at.size(), 3U);
  EXPECT_NEAR(at[1].first - at[0].first, at[2].first - at[1].first, 0.2);
  EXPECT_NEAR(at[1].second - at[0].second, at[2].second - at[1].second, 0.2);
  EXPECT_GT(at[1].first, at[0].first);
  EXPECT_GT(at[1].second, at[0].second) << "smaller is lower, and y counts downwards";
}

TEST(Figure, WhatALogarithmHasNoPlaceForIsLeftOut) {
  const std::string text = svg(simple());
  EXPECT_EQ(markers(text, "#d55e00").size(), 2U);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

TEST(Figure, WhatLiesBelowTheLeastIsLeftOutOfThePictureAlone) {
  Figure figure = simple();
  figure.panels[0].y.least = 0.007;
  const auto at = markers(svg(figure), "#0072b2");
  EXPECT_EQ(at.size(), 3U) << "the median is above";
  figure.panels[0].y.least = 0.02;
  EXPECT_EQ(markers(svg(figure), "#0072b2").size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(vega_lite(figure.panels[0]))["data"]["values"].size(), 4U);
  EXPECT_EQ(csv(figure), csv(simple()));
}

TEST(Figure, ALowerQuartileOfZeroIsDrawnDownToTheLeast) {
  Figure figure = simple();
  figure.panels[0].curves[1].points[1] = {10, 0, 0.5, 1};
  EXPECT_EQ(markers(svg(figure), "#d55e00").size(), 2U) << "a logarithm has no place for 0";
  figure.panels[0].y.least = 0.001;
  const std::string text = svg(figure);
  EXPECT_EQ(markers(text, "#d55e00").size(), 3U);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

TEST(Figure, AMarkIsAnUprightLineWithinTheAxes) {
  Figure figure = simple();
  EXPECT_EQ(svg(figure).find("class=\"mark\""), std::string::npos);
  const double before = markers(svg(figure), "#0072b2").back().first;
  figure.panels[0].x.mark = 10000;
  const std::string text = svg(figure);
  EXPECT_NE(text.find("class=\"mark\""), std::string::npos);
  EXPECT_LT(markers(text, "#0072b2").back().first, before) << "the axis reaches to the mark";
  const auto spec = nlohmann::json::parse(vega_lite(figure.panels[0]));
  EXPECT_EQ(spec["layer"][0]["mark"]["type"], "rule");
  EXPECT_EQ(spec["layer"][0]["data"]["values"][0]["x"], 10000);
}

TEST(Figure, BandsAndLinesGoFromPointToPointInTheirOrder) {
  const auto spec = nlohmann::json::parse(vega_lite(simple().panels[0]));
  int found = 0;
  for (const auto& layer : spec["layer"]) {
    if (layer["mark"]["type"] == "point") continue;
    const auto& order = layer["encoding"]["order"];  // of a band that of its rows, since areas take no field
    EXPECT_TRUE(layer["mark"]["type"] == "area" ? order.contains("value") && order["value"].is_null()
                                                : order["field"] == "order")
        << layer["mark"];
    ++found;
  }
  EXPECT_EQ(found, 2);
}

TEST(Figure, LabelsAxesAndNamesEveryCurve) {
  const std::string text = svg(simple());
  for (const char* part :
       {">points</text>", ">error</text>", ">GIGA</text>", ">FW</text>", "A &amp; B", "Title &lt;1&gt;"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Figure, PanelsWithoutPointsAreStillDrawn) {
  const Figure figure{"none", "Nothing", "", {{"empty", {"x", true}, {"y", true}, {}}}, 3};
  EXPECT_NE(svg(figure).find(">x</text>"), std::string::npos);
}

TEST(Figure, TheTableHasEveryPoint) {
  EXPECT_NE(csv(simple()).find("A & B,GIGA,10,0.05,0.1,0.2\n"), std::string::npos) << csv(simple());
  EXPECT_NE(csv(simple()).find("A & B,FW,10,0,0,0\n"), std::string::npos);
}

TEST(Figure, TheSpecHasLogarithmicScalesAndThePointsThatFit) {
  const auto spec = nlohmann::json::parse(vega_lite(simple().panels[0]));
  EXPECT_EQ(spec["data"]["values"].size(), 5U);
  for (const auto& layer : spec["layer"]) {
    EXPECT_EQ(layer["encoding"]["x"]["scale"]["type"], "log");
    EXPECT_EQ(layer["encoding"]["y"]["scale"]["type"], "log");
  }
}

}  // namespace
}  // namespace giga::experiments
