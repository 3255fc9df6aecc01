#include "giga/report/chart_page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace giga {
namespace {

ChartPage simple() {
  PageChart chart{.heading = "Error <b>",
                  .spec = R"({"mark": "line", "data": {"values": [{"a": "</script>"}]}})",
                  .numbers = {"Numbers", {"curve", "x"}, {{"GIGA & co", "3"}}}};
  return {.title = "A \"page\"", .lead = "lead", .sections = {{.heading = "Part", .charts = {chart, chart}}}};
}

TEST(ChartPage, HoldsItsSpecsUnderNamesThatTheChartsRefer) {
  const std::string html = chart_page_html(simple());
  const std::string open = "id=\"report-data\">";
  const std::size_t from = html.find(open) + open.size(), to = html.find("</script>", from);
  const auto data = nlohmann::json::parse(html.substr(from, to - from));
  EXPECT_EQ(data["specs"].size(), 2U);
  for (const auto& [name, spec] : data["specs"].items()) {
    EXPECT_EQ(spec["spec"]["mark"], "line");
    EXPECT_NE(html.find("data-spec=\"" + name + "\""), std::string::npos);
  }
}

TEST(ChartPage, TextIsShownAsText) {
  const std::string html = chart_page_html(simple());
  EXPECT_EQ(html.find("Error <b>"), std::string::npos);
  EXPECT_NE(html.find("Error &lt;b&gt;"), std::string::npos);
  EXPECT_NE(html.find("GIGA &amp; co"), std::string::npos);
  EXPECT_NE(html.find("Content-Security-Policy"), std::string::npos);
}

TEST(ChartPage, WhatDoesNotFitIsRefused) {
  ChartPage page = simple();
  page.sections[0].charts[0].spec = "{";
  EXPECT_THROW((void)chart_page_html(page), std::invalid_argument);
  page = simple();
  page.sections[0].charts[0].numbers.rows[0].push_back("one more");
  EXPECT_THROW((void)chart_page_html(page), std::invalid_argument);
}

}  // namespace
}  // namespace giga
