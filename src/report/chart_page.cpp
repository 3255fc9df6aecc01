// A page of sections with tables and charts. The HTML has a figure for each chart by name; the specs
// themselves are in the data block at the end, from which the page's script draws them.
#include "giga/report/chart_page.hpp"

#include <stdexcept>

#include "report/page/html.hpp"
#include "report/page/sections.hpp"
#include "report/page/shell.hpp"

namespace giga {
namespace {

using page::Json;

page::Table table_of(const PageTable& table) {
  page::Table out(table.caption, table.headings);
  for (const std::vector<std::string>& row : table.rows) {
    if (row.empty() || row.size() != table.headings.size())
      throw std::invalid_argument("a row of the table '" + table.caption + "' has " +
                                  std::to_string(row.size()) + " cells, its headings are " +
                                  std::to_string(table.headings.size()));
    std::vector<page::Cell> cells;
    for (std::size_t c = 1; c < row.size(); ++c) cells.push_back({row[c], true, false});
    out.add(row[0], cells);
  }
  return out;
}

Json spec_of(const PageChart& chart) {
  // Parsed, not pasted: what is not JSON is refused here and never reaches the script element.
  Json spec = Json::parse(chart.spec, nullptr, false);
  if (!spec.is_object())
    throw std::invalid_argument("the spec of the chart '" + chart.heading + "' is no JSON object");
  return spec;
}

std::string section_html(const PageSection& section, Json& specs) {
  std::string html = page::joined({"<section><h2>", page::escaped(section.heading), "</h2>\n"});
  if (!section.text.empty())
    html += page::joined({"<p class=\"say\">", page::escaped(section.text), "</p>\n"});
  for (const PageTable& table : section.tables) html += table_of(table).html();
  for (const PageChart& chart : section.charts) {
    const std::string name = "chart" + std::to_string(specs.size() + 1);
    specs[name] = {{"spec", spec_of(chart)}};
    html += page::figure_html(
        {.spec = name,
         .heading = page::escaped(chart.heading),
         .say = page::escaped(chart.say),
         .numbers = chart.numbers.rows.empty() ? "" : page::folded("The numbers", table_of(chart.numbers)),
         .label = page::escaped(chart.heading)});
  }
  html += "</section>\n";
  return html;
}

}  // namespace

std::string chart_page_html(const ChartPage& content) {
  Json specs = Json::object();
  std::string html = page::head(content.title);
  html += "<body>\n<a class=\"skip\" href=\"#main\">To the results</a>\n<header><h1>";
  html += page::escaped(page::tame(content.title, 200));
  html += page::joined({"</h1>\n<p class=\"lead\">", page::escaped(content.lead), "</p></header>\n"});
  html += "<main id=\"main\">\n";
  for (const PageSection& section : content.sections) html += section_html(section, specs);
  html += "</main>\n";
  html += page::footer(content.version);
  // The same data block as a report has, without coefficients to explore.
  html += page::script({{"config", page::chart_config()},
                        {"specs", specs},
                        {"trace_step", 1},
                        {"coefficients", Json::array()}});
  return html;
}

}  // namespace giga
