// The prior beside the posterior: which of the two decided a parameter.
#include <algorithm>

#include "report/page/draws_view.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"

namespace giga::page {
namespace {

Table prior_table(const ReportData& data, const Selection& selection) {
  constexpr int kDigits = 3;
  Table table("Priors on the scale of the data, and how far the data moved from them",
              {"parameter", "prior", "posterior sd / prior sd", "from the prior's middle, in its sds"});
  for (std::size_t k = 0; k < data.priors.size(); ++k) {
    if (!data.priors[k]) continue;
    const ReportPrior& prior = *data.priors[k];
    const Quantity& quantity = data.quantities[k];
    const bool proper = prior.prior.is_proper();
    table.add(selection.names[k],
              {{.text = on_data_scale(prior).text(kDigits), .words = true},
               {proper ? significant(prior_share(quantity, prior), 2) : "none"},
               {proper ? decimals(prior_distance(quantity, prior), 2) : "none"}},
              selection.titles[k]);
  }
  return table;
}

std::string prior_say(const ReportData& data, const Selection& selection) {
  std::string html =
      "<p class=\"say\">What was assumed before the data, and what was known after them. Both curves are "
      "drawn to "
      "the same height. Look for a posterior much narrower than its prior: there the data decided. Where the "
      "two "
      "look alike, the prior did; where the posterior lies far out in its prior, the two contradict each "
      "other.";
  const auto with_prior = std::ranges::count_if(data.priors, [](const auto& prior) { return bool(prior); });
  if (std::ssize(selection.priors) < with_prior) {
    html += joined({" Shown are the ", grouped(std::ssize(selection.priors)), " of ", grouped(with_prior),
                    " parameters that the prior has most to say about; the table has all."});
  }
  if (data.intercept >= 0 && !data.priors[at(data.intercept)])
    html += " The intercept on this scale is a sum of several parameters, whose prior has no name.";
  return html + "</p>\n";
}

}  // namespace

std::string prior_section(const ReportData& data, const Selection& selection) {
  if (selection.priors.empty()) return "";
  std::string html = "<section id=\"priors\">\n<h2>Prior and posterior</h2>\n";
  html += prior_say(data, selection);
  html +=
      "<ul class=\"legend\"><li><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\"><path class=\"one\" d=\"M0 "
      "6H32\"/></svg>posterior</li><li><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\"><path class=\"four\" "
      "d=\"M0 6H32\" stroke-dasharray=\"12 3\"/></svg>prior</li></ul>\n<div class=\"grid\">\n";
  for (const Index k : selection.priors) {
    const auto place = std::ranges::find(selection.explored, k) - selection.explored.begin();
    html += figure_html({.spec = "prior",
                         .heading = named_heading(selection, k),
                         .coefficient = place,
                         .label = joined({"prior and posterior of ", escaped(selection.names[at(k)])})});
  }
  html += "</div>\n";
  html += folded("Every prior, and what became of it", prior_table(data, selection));
  return html + "</section>\n";
}

}  // namespace giga::page
