// What was found: the verdict, the coefficients, their posteriors. A section that has nothing to show is
// empty, and the table of contents leaves it out.
#include <algorithm>
#include <cmath>

#include "giga/report/certificate_text.hpp"
#include "giga/report/model_check_text.hpp"
#include "report/page/draws_view.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"

namespace giga::page {
namespace {

// The certificate's sentence, with a capital letter and a full stop.
std::string verdict(const ReportData& data, const Certificate& certificate) {
  std::string sentence = spelled(data, certificate_sentence(certificate));
  if (!sentence.empty() && sentence[0] == 'c') sentence[0] = 'C';
  std::string html = certificate.safe()
                         ? "<div class=\"verdict safe\"><strong>\xE2\x9C\x93 Safe to use</strong>"
                         : "<div class=\"verdict unsafe\"><strong>! Not certified</strong>";
  html += joined({"<p>", escaped(sentence), "."});
  if (certificate.safe())
    html += data.model_check ? " This is about the coreset; about the model see below."
                             : " This is about the coreset: whether the model fits the data it does not say.";
  html += "</p></div>\n";
  return html;
}

std::string figure(const std::string& value, const std::string& label) {
  return joined({"<div class=\"figure\"><strong>", escaped(value), "</strong><span>", escaped(label),
                 "</span></div>\n"});
}

double largest_rhat(const std::vector<Quantity>& quantities) {
  double largest = 0;
  // Written so that NaN, once there, stays.
  for (const Quantity& quantity : quantities)
    if (!(quantity.summary.rhat <= largest) && !std::isnan(largest)) largest = quantity.summary.rhat;
  return largest;
}

std::string share_of(Index part, Index whole) {
  return significant(100.0 * static_cast<double>(part) / static_cast<double>(whole), 2) + "%";
}

// The numbers at the top of the page.
std::string figures(const ReportData& data) {
  std::string html = "<div class=\"figures\">\n";
  html += figure(grouped(data.num_rows), "rows of data");
  if (!data.coreset.empty() && data.num_rows > 0) {
    const Index size = std::ssize(data.coreset);
    html += figure(grouped(size),
                   joined({"points in the coreset, ", share_of(size, data.num_rows), " of the rows"}));
    html += figure(significant(data.heldout_error, 2),
                   joined({"held-out error (projected ", significant(data.relative_error, 2), ")"}));
  }
  if (data.certificate) {
    html += figure(k_hat_text(data.certificate->coreset),
                   joined({"k-hat, at most ", decimals(data.certificate->coreset.k_limit, 2)}));
  }
  if (!data.quantities.empty())
    html += figure(decimals(largest_rhat(data.quantities), 3), "largest R-hat, near 1 when chains agree");
  if (!data.stages.empty()) {
    std::string label = "for everything";
    if (data.full_data) label += joined({"; MCMC on all rows: about ", duration(data.full_data->seconds())});
    html += figure(duration(total_seconds(data)), label);
  }
  return html + "</div>\n";
}

std::string list(const char* kind, const ReportData& data, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string html = joined({"<ul class=\"", std::string(kind), "\">\n"});
  for (const std::string& line : lines) html += joined({"<li>", shown(spelled(data, line), 2000), "</li>\n"});
  return html + "</ul>\n";
}

// Links to the sections that the data have something for.
std::string contents(const ReportData& data, const Selection& selection) {
  std::string html = "<nav aria-label=\"Contents\"><ul>";
  const auto add = [&](bool there, const char* id, const char* text) {
    if (there) html += joined({"<li><a href=\"#", std::string(id), "\">", text, "</a></li>"});
  };
  add(!data.quantities.empty(), "coefficients", "Coefficients");
  add(data.model_check.has_value(), "model", "Model");
  add(!data.chains.empty(), "posteriors", "Posteriors");
  add(!selection.priors.empty(), "priors", "Priors");
  add(!data.coreset.empty() || !data.trace.empty(), "coreset", "Coreset");
  add(!data.chains.empty(), "chains", "Chains");
  add(data.certificate.has_value(), "certificate", "Certificate");
  add(!data.stages.empty(), "time", "Time");
  add(true, "record", "How it was made");
  return html + "</ul></nav>\n";
}

Table coefficient_table(const ReportData& data, const Selection& selection) {
  constexpr double kHighRhat = 1.01, kFewDraws = 400;
  const bool ratios = !data.ratios.name.empty();
  std::vector<std::string> headings = {"coefficient", "mean", "sd", "5%", "50%", "95%"};
  if (ratios)
    headings.push_back(data.ratios.name +
                       " (5%\xC2\xA0to\xC2\xA0"
                       "95%)");
  for (const char* each : {"R-hat", "ESS bulk", "ESS tail"}) headings.emplace_back(each);
  Table table(data.corrected
                  ? "Posterior of the coefficients, corrected to all rows, on the scale of the data"
                  : "Posterior of the coefficients, on the scale of the data",
              headings);
  for (std::size_t k = 0; k < data.quantities.size(); ++k) {
    const QuantitySummary& s = data.quantities[k].summary;
    std::vector<Cell> cells = {{beside(s.mean, s.sd)},
                               {beside(s.sd, s.sd)},
                               {beside(s.q5, s.sd)},
                               {beside(s.q50, s.sd)},
                               {beside(s.q95, s.sd)}};
    if (ratios) cells.push_back({.text = ratio_text(data, data.quantities[k]), .wraps = true});
    cells.push_back({.text = decimals(s.rhat, 3), .bad = !(s.rhat <= kHighRhat)});
    cells.push_back({.text = count(s.ess_bulk), .bad = !(s.ess_bulk >= kFewDraws)});
    cells.push_back({.text = count(s.ess_tail), .bad = !(s.ess_tail >= kFewDraws)});
    table.add(selection.names[k], cells, selection.titles[k]);
  }
  return table;
}

Table forest_table(const std::string& caption, const std::vector<Quantity>& quantities,
                   const std::vector<Index>& order, const Selection& selection) {
  Table table(caption, {"coefficient", "5%", "50%", "95%", "mean", "sd"});
  for (const Index k : order) {
    const QuantitySummary& s = quantities[at(k)].summary;
    table.add(selection.names[at(k)],
              {{beside(s.q5, s.sd)},
               {beside(s.q50, s.sd)},
               {beside(s.q95, s.sd)},
               {beside(s.mean, s.sd)},
               {beside(s.sd, s.sd)}},
              selection.titles[at(k)]);
  }
  return table;
}

std::string forest_numbers(const ReportData& data, const Selection& selection) {
  std::string html =
      folded("Numbers of this plot", forest_table("The numbers of the plot, from the top down",
                                                  data.quantities, selection.forest, selection));
  if (!selection.forest_standardised.empty())
    html += folded("Numbers for standardised columns",
                   forest_table("The same for columns of standard deviation 1, from the top down",
                                data.standardised, selection.forest_standardised, selection));
  return html;
}

// Which of the two plots is shown; disabled until the script is there to follow it.
std::string forest_choice(const Selection& selection) {
  if (selection.forest_standardised.empty()) return "";
  return "<p class=\"choose\"><label for=\"forest-scale\">Scale</label>\n<select id=\"forest-scale\" "
         "disabled "
         "autocomplete=\"off\">\n<option value=\"forest\" selected>of the data: per unit of each "
         "column</option>\n"
         "<option value=\"forest_standardised\">standardised: per standard deviation of each "
         "column</option>\n</select></p>\n";
}

std::string forest_say(const ReportData& data, const Selection& selection) {
  std::string say =
      "Dots are medians, lines reach from the 5% to the 95% quantile. Look for lines that stay clear of "
      "the dashed zero: their sign is settled.";
  if (!selection.forest_standardised.empty()) {
    say +=
        " Numbers are those of the table above, for one unit of each column; columns in different units "
        "compare better standardised, which the menu shows.";
  }
  const Index others = data.num_coefficients >= 0
                           ? data.num_coefficients
                           : std::ssize(data.quantities) - (data.intercept >= 0 ? 1 : 0);
  if (std::ssize(selection.forest) < others) {
    say += joined(
        {" Shown are the ", grouped(std::ssize(selection.forest)), " clearest of ", grouped(others), "."});
  }
  if (data.intercept >= 0) say += " The intercept is in the table only.";
  say += " An arrow marks a line that goes on beyond the axis: zoom out to see it.";
  return say;
}

// What a ratio is, in words.
std::string ratio_say(const ReportData& data) {
  if (data.ratios.name.empty()) return "";
  const char* what = data.ratios.name == "odds ratio"   ? "the odds are"
                     : data.ratios.name == "rate ratio" ? "the expected count is"
                                                        : "the mean is";
  return joined({" The ", escaped(data.ratios.name), " is exp(coefficient): by what ", what,
                 " multiplied for one unit more of the column, or for a level in place of its base."});
}

std::vector<Cell> spread_cells(const char* of, const Spread& s) {
  return {{.text = of, .words = true}, {beside(s.mean, s.sd)}, {beside(s.sd, s.sd)},  {beside(s.q5, s.sd)},
          {beside(s.q25, s.sd)},       {beside(s.q50, s.sd)},  {beside(s.q75, s.sd)}, {beside(s.q95, s.sd)}};
}

Table spread_table(const ReportData& data, const Selection& selection) {
  Table table("The three posteriors of every coefficient shown",
              {"coefficient", "by", "mean", "sd", "5%", "25%", "50%", "75%", "95%"});
  for (std::size_t i = 0; i < selection.explored.size(); ++i) {
    const Index k = selection.explored[i];
    const SortedDraws& draws = selection.draws[i];
    const std::string& name = selection.names[at(k)];
    table.add(name, spread_cells("coreset", spread_of(draws, {})));
    if (!selection.weights.empty())
      table.add(name, spread_cells("corrected", spread_of(draws, selection.weights)));
    if (!data.laplace.empty()) table.add(name, spread_cells("Laplace", spread_of(data.laplace[at(k)])));
  }
  return table;
}

std::string legend_line(const char* kind, const char* dashes, const char* text) {
  std::string html = "<li><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\"><path class=\"";
  html += kind;
  html += "\" d=\"M0 6H32\" stroke-dasharray=\"";
  html += dashes;
  html += "\"/></svg>";
  html += text;
  return html + "</li>";
}

std::string density_legend(const ReportData& data, const Selection& selection) {
  std::string html = "<ul class=\"legend\">";
  html += legend_line("one", "none", "coreset");
  if (!selection.weights.empty()) html += legend_line("two", "7 4", "corrected to all rows");
  if (!data.laplace.empty()) html += legend_line("three", "2 3", "Laplace approximation of all rows");
  return html + "</ul>\n";
}

std::string posterior_say(const ReportData& data, const Selection& selection) {
  std::string html =
      "<p class=\"say\">Look for curves that lie on each other. Where coreset and corrected agree, the "
      "few points carried the posterior of all rows; where Laplace departs from them, the posterior is "
      "not normal.";
  if (data.certificate && !data.certificate->safe()) {
    html += " <strong>This run is not certified: the corrected curves cannot be trusted either.</strong>";
  }
  if (selection.densities.size() < data.quantities.size()) {
    html += joined({" Shown are the ", grouped(std::ssize(selection.densities)), " clearest of ",
                    grouped(std::ssize(data.quantities)),
                    " coefficients, by mean over standard deviation; others can be chosen under ",
                    "<a href=\"#chains\">Chains</a>."});
  }
  return html + "</p>\n";
}

}  // namespace

std::string named_heading(const Selection& selection, Index k) {
  const std::string &name = selection.names[at(k)], &title = selection.titles[at(k)];
  return joined({"<bdi", name == title ? "" : joined({" title=\"", escaped(title), "\""}), ">", escaped(name),
                 "</bdi>"});
}

std::string figure_html(const Figure& figure) {
  std::string html = "<figure><figcaption><";
  html += figure.level;
  html += '>';
  html += figure.heading;
  html += "</";
  html += figure.level;
  html += ">";
  if (!figure.say.empty()) html += joined({"<p>", figure.say, "</p>"});
  html += joined({"</figcaption>\n", figure.choice, "<div class=\"chart"});
  if (figure.follows) html += " chosen";
  html += "\" role=\"img\" aria-label=\"Chart: ";
  html += figure.label.empty() ? figure.heading : figure.label;
  html += joined({". Its numbers are in a table.\" data-spec=\"", figure.spec, "\""});
  if (figure.coefficient >= 0)
    html += joined({" data-coefficient=\"", std::to_string(figure.coefficient), "\""});
  return html + joined({"></div>\n", figure.numbers, "</figure>\n"});
}

std::string head_section(const ReportData& data, const Selection& selection) {
  std::string html =
      joined({"<header>\n<h1>", shown(data.title, 200), "</h1>\n<p class=\"lead\">",
              shown(data.data_name, 400), ": ", grouped(data.num_rows), " rows, ",
              grouped(data.num_parameters), " parameters. Model: ", shown(data.model, 1000), ".</p>\n"});
  if (data.certificate) html += verdict(data, *data.certificate);
  html += model_verdict_html(data);
  html += figures(data);
  html += list("warnings", data, data.warnings);
  std::vector<std::string> notes = data.notes;
  if (data.model_check)  // the verdict on the model says them
    std::erase_if(notes, [&](const std::string& note) { return repeats_note(*data.model_check, note); });
  html += list("notes", data, notes);
  html += contents(data, selection);
  html +=
      "<noscript><p class=\"notes\">Charts need JavaScript; every number is in the tables.</p></noscript>\n";
  return html + "</header>\n";
}

std::string coefficient_section(const ReportData& data, const Selection& selection) {
  if (data.quantities.empty()) return "";
  std::string html =
      "<section id=\"coefficients\">\n<h2>Coefficients</h2>\n<p class=\"say\">What the data say about each "
      "coefficient: its mean, its uncertainty (sd) and the range that has it with 90% probability. "
      "R-hat above 1.01 or an effective sample size (ESS) below 400 is marked: sample longer.";
  if (data.corrected)
    html +=
        " Means, sds and quantiles are those of the draws as the certificate weighs them, and effective "
        "sizes what the weights leave of those of the chains.";
  if (data.certificate && data.certificate->safe() && !data.certificate->coreset.pays())
    html +=
        " They are those of the draws as they are: the weights that the certificate gives them would add "
        "more "
        "noise than the bias they take away.";
  if (data.certificate && !data.certificate->safe())
    html += " <strong>This run is not certified: on all rows these numbers may be others.</strong>";
  html += ratio_say(data);
  html += "</p>\n";
  html += joined({"<div class=\"table\">", coefficient_table(data, selection).html(), "</div>\n"});
  if (!selection.forest.empty()) {
    html += figure_html({.spec = "forest",
                         .heading = "All coefficients at a glance",
                         .say = forest_say(data, selection),
                         .choice = forest_choice(selection),
                         .numbers = forest_numbers(data, selection)});
  }
  return html + "</section>\n";
}

std::string posterior_section(const ReportData& data, const Selection& selection) {
  if (selection.explored.empty()) return "";
  std::string html = "<section id=\"posteriors\">\n<h2>Posteriors side by side</h2>\n";
  html += posterior_say(data, selection);
  html += density_legend(data, selection);
  html += "<div class=\"grid\">\n";
  for (const Index k : selection.densities) {
    const auto place = std::ranges::find(selection.explored, k) - selection.explored.begin();
    html += figure_html({.spec = "density",
                         .heading = named_heading(selection, k),
                         .coefficient = place,
                         .label = joined({"posterior of ", escaped(selection.names[at(k)])})});
  }
  html += "</div>\n";
  html += folded("Numbers of these curves, and of every coefficient", spread_table(data, selection));
  return html + "</section>\n";
}

}  // namespace giga::page
