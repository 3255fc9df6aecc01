// A page of charts and tables as one HTML file, in the style of the report (page.hpp): no network, no other
// files, nothing that runs except its own script.
#pragma once

#include <string>
#include <vector>

namespace giga {

/// The first column has names. Every row has as many cells as there are headings.
struct PageTable {
  std::string caption;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};

struct PageChart {
  std::string heading;
  std::string say = {};    ///< a sentence: what to look for
  std::string spec;        ///< Vega-Lite, as JSON; colours may be var(--s1) .. var(--s8) of the style sheet
  PageTable numbers = {};  ///< for those who cannot see it; folded away
};

struct PageSection {
  std::string heading;
  std::string text = {};
  std::vector<PageTable> tables = {};
  std::vector<PageChart> charts = {};
};

/// Text may have any characters; it is shown as text.
struct ChartPage {
  std::string title;
  std::string lead = {};
  std::vector<PageSection> sections = {};
  std::string version = {};
};

/// The same bytes for the same page. Throws std::invalid_argument for a spec that is not a JSON object, or a
/// row that does not have as many cells as there are headings.
[[nodiscard]] std::string chart_page_html(const ChartPage& content);

}  // namespace giga
