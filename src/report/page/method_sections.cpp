// How it was found: the coreset, the chains, the certificate, time, and what is needed to do it again. Each
// section is a heading, a sentence that says what to look for, its charts, and their numbers as tables.
#include <algorithm>
#include <cmath>

#include "giga/infer/psis.hpp"
#include "giga/report/certificate_text.hpp"
#include "report/page/draws_view.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"

namespace giga::page {
namespace {

Table error_table(const Selection& selection) {
  Table table("Relative error by size", {"points", "step", "projected", "held-out", "theorem's bound"});
  for (const StepRecord& record : selection.sizes) {
    table.add(grouped(record.size), {{grouped(record.step)},
                                     {significant(record.relative_error, 3)},
                                     {significant(record.heldout_error, 3)},
                                     {significant(record.bound, 3)}});
  }
  return table;
}

// The sentence speaks of the bound only if a method has one.
std::string error_figure(const ReportData& data, const Selection& selection) {
  std::string say =
      "How far the weighted points are from all rows as points are added. Look for a held-out error that "
      "falls along "
      "with the projected one: it is measured by directions that no point was chosen by. The projected error "
      "stays below the theorem's bound, which holds for any data and says nothing of the held-out error.";
  if (!std::ranges::any_of(selection.sizes, [](const StepRecord& r) { return std::isfinite(r.bound); })) {
    say =
        "How far the weighted points are from all rows as points are added. Look for a held-out error that "
        "falls "
        "along with the projected one: it is measured by directions that no point was chosen by.";
  }
  say +=
      " Of several steps at one size the last is shown; errors far below the held-out one are cut off and in "
      "the table only.";
  if (std::ssize(selection.sizes) < std::ssize(data.trace) &&
      std::ssize(selection.sizes) < std::ssize(by_size(data.trace, std::ssize(data.trace)))) {
    say += joined({" ", grouped(std::ssize(selection.sizes)), " sizes, evenly spread."});
  }
  return figure_html({.spec = "error",
                      .heading = "Error against size",
                      .say = say,
                      .numbers = folded("Numbers of this chart", error_table(selection))});
}

Table weight_table(const Selection& selection) {
  Table table("Rows of the coreset, heaviest first; rows are counted from 0", {"row", "weight", "response"});
  for (const ReportRow& row : selection.heaviest)
    table.add(std::to_string(row.row), {{significant(row.weight, 5)}, {significant(row.response, 5)}});
  return table;
}

std::string weight_figure(const ReportData& data, const Selection& selection) {
  double total = 0;
  for (const ReportRow& row : data.coreset) total += row.weight;
  std::string say =
      joined({"The weights add up to ", count(total), " for ", grouped(data.num_rows),
              " rows: they match slopes and curvatures of the log-likelihood, not numbers of rows. ",
              "Look for how evenly they share the work: where one or two points outweigh all others, ",
              "the certificate is what to go by."});
  if (selection.heaviest.size() < data.coreset.size()) {
    say += joined({" Shown are the ", grouped(std::ssize(selection.heaviest)), " heaviest of ",
                   grouped(std::ssize(data.coreset)), " points."});
  }
  return figure_html({.spec = "weights",
                      .heading = "Weights of the coreset",
                      .say = say,
                      .numbers = folded("Rows and weights", weight_table(selection))});
}

// Halves of a chain, the numbers behind the traces for those who cannot see them.
struct Half {
  double mean = 0, sd = 0;
};

Half half_of(const Chain& chain, Index k, Index from, Index to) {
  std::vector<double> values;
  for (Index s = from; s < to; ++s) values.push_back(chain.draw(s)[k]);
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  const WeightedMoments moments = weighted_moments(values, std::vector<double>(values.size(), 1.0));
  return {moments.mean, moments.sd};
}

Table trace_table(const ReportData& data, const Selection& selection) {
  Table table("Each chain in its two halves",
              {"coefficient", "chain", "mean, first half", "sd", "mean, second half", "sd"});
  for (const Index k : selection.explored) {
    for (std::size_t c = 0; c < data.chains.size(); ++c) {
      const Chain& chain = data.chains[c];
      const Index half = chain.num_draws() / 2;
      const Half first = half_of(chain, k, 0, half), second = half_of(chain, k, half, chain.num_draws());
      table.add(selection.names[at(k)], {{std::to_string(c + 1)},
                                         {beside(first.mean, first.sd)},
                                         {beside(first.sd, first.sd)},
                                         {beside(second.mean, second.sd)},
                                         {beside(second.sd, second.sd)}});
    }
  }
  return table;
}

Table rank_table(const ReportData& data, const Selection& selection) {
  std::vector<std::string> headings = {"coefficient", "chain"};
  for (Index bin = 1; bin <= kRankBins; ++bin) headings.push_back(std::to_string(bin));
  Table table("Draws of each chain in twenty equal parts of the ranks", headings);
  for (std::size_t i = 0; i < selection.explored.size(); ++i) {
    const auto counts = rank_counts(selection.draws[i], data.chains, kRankBins);
    for (std::size_t c = 0; c < counts.size(); ++c) {
      std::vector<Cell> cells = {{std::to_string(c + 1)}};
      for (const Index count : counts[c]) cells.push_back({std::to_string(count)});
      table.add(selection.names[at(selection.explored[i])], cells);
    }
  }
  return table;
}

// A menu of the coefficients that can be explored; disabled until the script is there to follow it.
std::string choice(const ReportData& data, const Selection& selection) {
  std::string html =
      "<p class=\"choose\"><label for=\"coefficient\">Coefficient</label>\n<select id=\"coefficient\" "
      "disabled "
      "autocomplete=\"off\">\n";
  for (std::size_t i = 0; i < selection.explored.size(); ++i) {
    const auto k = at(selection.explored[i]);
    html += joined({"<option value=\"", std::to_string(i), "\""});
    if (static_cast<Index>(i) == selection.chosen) html += " selected";
    html += joined({">", escaped(selection.names[k]), " (R-hat ",
                    decimals(data.quantities[k].summary.rhat, 3), ")</option>\n"});
  }
  return html + "</select></p>\n";
}

std::string chain_say(const ReportData& data, const Selection& selection) {
  std::string html =
      "<p class=\"say\">Whether the chains found the same distribution. The page opens with the coefficient "
      "whose R-hat is highest";
  if (selection.explored.size() < data.quantities.size()) {
    html +=
        joined({"; ", grouped(std::ssize(selection.explored)), " of ", grouped(std::ssize(data.quantities)),
                " can be chosen, the clearest effects and the highest R-hat"});
  }
  return html + ".</p>\n";
}

std::string chosen_name(const ReportData&, const Selection& selection) {
  return joined({"<bdi class=\"chosen-name\">",
                 escaped(selection.names[at(selection.explored[at(selection.chosen)])]), "</bdi>"});
}

std::string trace_say(Index step) {
  std::string say = "Look for chains that wander over the same range, without drifts or long halts.";
  if (step > 1) say += joined({" Every ", grouped(step), "th draw is shown."});
  return say;
}

Table correction_table(const Certificate& certificate) {
  Table table("Turning draws into draws of the posterior of all rows",
              {"", "k-hat", "at most", "effective size", "draws"});
  const auto add = [&](const char* name, const Correction& c) {
    table.add(name, {{.text = k_hat_text(c), .bad = !c.usable},
                     {decimals(c.k_limit, 2)},
                     {count(c.effective_size)},
                     {grouped(c.num_draws)}});
  };
  add("from the coreset", certificate.coreset);
  add("from Laplace", certificate.laplace);
  return table;
}

// A whitened distance over D parameters as one per parameter, in posterior standard deviations.
std::string per_parameter(const char* before, double squared, Index parameters, const char* after) {
  const double count = static_cast<double>(std::max<Index>(1, parameters));
  return joined({before, significant(std::sqrt(std::max(0.0, squared) / count), 2), after});
}

std::string disagreement_words(const Certificate& certificate) {
  if (!certificate.laplace.usable) return "nothing: the Laplace approximation cannot be corrected here";
  return certificate.doubt == Doubt::Disagrees
             ? "more than the noise of the draws explains: one of the two misses a part of the posterior"
             : "no more than the noise of the draws explains: two ways to all rows lead to the same means";
}

// What is measured here is corrected by the weights of the draws, so it does not enter the verdict. A normal
// posterior whose mean is off by d standard deviations has a KL divergence of d^2 / 2.
Table distance_table(const ReportData& data, const Certificate& certificate) {
  const Index dim = data.num_parameters;
  Table table("The coreset's posterior and that of all rows, before the draws are weighed",
              {"measure", "value", "what it says"});
  const auto add = [&](const char* name, double value, const std::string& meaning, bool bad = false) {
    table.add(name, {{.text = significant(value, 3), .bad = bad}, {.text = meaning, .words = true}});
  };
  const auto gradients = [dim](double squared) {
    return per_parameter("gradients differ by ", squared, dim,
                         " posterior standard deviations per parameter");
  };
  const auto means = [dim](double divergence) {
    return per_parameter("as much as means that are off by ", 2 * divergence, dim,
                         " standard deviations each");
  };
  add("Fisher distance, whitened", std::sqrt(certificate.fisher_full.whitened),
      gradients(certificate.fisher_full.whitened));
  add("the same under the coreset's posterior", std::sqrt(certificate.fisher_coreset.whitened),
      gradients(certificate.fisher_coreset.whitened));
  add("KL divergence, by the draws", certificate.kl_draws.of_coreset, means(certificate.kl_draws.of_coreset));
  add("KL divergence of the Laplace approximations", certificate.kl_laplace.of_coreset,
      means(certificate.kl_laplace.of_coreset));
  add("disagreement of the means corrected from the coreset and from Laplace, in standard deviations",
      certificate.disagreement, disagreement_words(certificate), certificate.doubt == Doubt::Disagrees);
  const bool mixed = certificate.max_rhat <= certificate.max_rhat_allowed;
  table.add("largest R-hat", {{.text = decimals(certificate.max_rhat, 3), .bad = !mixed},
                              {.text = mixed ? "the chains agree well enough for a certificate"
                                             : "the chains do not agree: nothing is certified",
                               .words = true}});
  return table;
}

// What all of this leaves in the table of coefficients.
std::string distance_say(const Certificate& certificate) {
  const Correction& coreset = certificate.coreset;
  std::string html =
      "<p class=\"say\">The second table is about the draws as they are, before they are weighed: how much "
      "there "
      "was to correct. It does not enter the verdict.";
  if (certificate.safe() && std::isfinite(coreset.error_plain) && std::isfinite(coreset.error_corrected) &&
      coreset.error_plain > 0 && coreset.error_corrected > 0) {
    html += joined(
        {" Means and standard deviations are off by about ", significant(std::sqrt(coreset.error_plain), 2),
         " posterior standard deviations as the draws are, and by about ",
         significant(std::sqrt(coreset.error_corrected), 2), " as they are weighed; the report shows ",
         coreset.pays() ? "the latter." : "the former, which are the better ones here."});
  }
  return html + "</p>\n";
}

Table all_numbers(const Certificate& certificate) {
  Table table("The certificate as run.json has it", {"name", "value"});
  for (const auto& [name, value] : certificate_numbers(certificate))
    table.add(name, {{significant(value, 8)}});
  return table;
}

Table stage_table(const ReportData& data) {
  Table table("Time by stage", {"stage", "seconds", "share"});
  const double total = total_seconds(data);
  for (const ReportStage& stage : data.stages) {
    table.add(stage.name, {{decimals(stage.seconds, 3)},
                           {total > 0 ? decimals(100 * stage.seconds / total, 1) + "%" : "none"}});
  }
  table.add("total", {{decimals(total, 3)}, {"100%"}});
  return table;
}

Table cost_table(const ReportData& data) {
  const FullDataCost& cost = *data.full_data;
  Table table("What MCMC on all rows would have taken", {"", "value"});
  table.add("gradients of all chains", {{count(cost.gradients)}});
  table.add("one gradient on all rows, measured", {{significant(cost.gradient_seconds * 1000, 3) + " ms"}});
  table.add("chains side by side", {{significant(cost.parallel_chains, 3)}});
  table.add("estimate", {{duration(cost.seconds())}});
  table.add("this run, all stages", {{duration(total_seconds(data))}});
  return table;
}

std::string cost_figure(const ReportData& data) {
  const double ratio = data.full_data->seconds() / total_seconds(data);
  std::string say =
      joined({"The same chains on all rows, estimated from one measured gradient and the gradients that the "
              "coreset's chains needed: about ",
              duration(data.full_data->seconds()), ", ",
              (ratio >= 1 ? significant(ratio, 2) + " times this run."
                          : "less than this run: here the coreset did not pay.")});
  return figure_html({.spec = "cost",
                      .heading = "Against MCMC on all rows",
                      .say = say,
                      .numbers = folded("Numbers of this chart", cost_table(data))});
}

}  // namespace

std::string coreset_section(const ReportData& data, const Selection& selection) {
  if (selection.sizes.empty() && selection.heaviest.empty()) return "";
  std::string html =
      joined({"<section id=\"coreset\">\n<h2>The coreset</h2>\n<p class=\"say\">",
              grouped(std::ssize(data.coreset)), " weighted rows by the method ", shown(data.method), "; ",
              shown(data.termination, 300), ". Relative error ", significant(data.relative_error, 3),
              " projected, ", significant(data.heldout_error, 3), " held out.</p>\n"});
  if (!selection.sizes.empty()) html += error_figure(data, selection);
  if (!selection.heaviest.empty()) html += weight_figure(data, selection);
  return html + "</section>\n";
}

std::string chain_section(const ReportData& data, const Selection& selection, const ReportLimits& limits) {
  if (selection.explored.empty()) return "";
  std::string html = "<section id=\"chains\">\n<h2>Chains</h2>\n";
  html += chain_say(data, selection);
  html += choice(data, selection);
  const std::string name = chosen_name(data, selection);
  html += "<div class=\"pair\">\n";
  html += figure_html({.spec = "trace",
                       .heading = joined({"Trace of ", name}),
                       .say = trace_say(trace_step(data.chains, limits.trace_points)),
                       .numbers = folded("Numbers of the traces", trace_table(data, selection)),
                       .coefficient = selection.chosen,
                       .follows = true,
                       .label = "trace of the chosen coefficient"});
  html += figure_html(
      {.spec = "rank",
       .heading = joined({"Ranks of ", name}),
       .say = "How often each chain is in each twentieth of all draws. Look for levels near the dashed "
              "line; a chain that is high on one side sits elsewhere than the others.",
       .numbers = folded("Numbers of the ranks", rank_table(data, selection)),
       .coefficient = selection.chosen,
       .follows = true,
       .label = "ranks of the chosen coefficient"});
  html += "</div>\n";
  html += figure_html(
      {.spec = "density",
       .heading = joined({"Posterior of ", name}),
       .say = "Coreset (solid), corrected to all rows (dashed), Laplace (dotted). Look for curves that "
              "lie on each other; numbers are in the table under <a href=\"#posteriors\">Posteriors</a>.",
       .coefficient = selection.chosen,
       .follows = true,
       .label = "posterior of the chosen coefficient"});
  return html + "</section>\n";
}

std::string certificate_section(const ReportData& data) {
  if (!data.certificate) return "";
  std::string html =
      "<section id=\"certificate\">\n<h2>Certificate</h2>\n<p class=\"say\">Every draw was weighed against "
      "all rows of the "
      "data. k-hat says whether that can work: below 0.5 well, to 0.7 usably, above not. The effective size "
      "is how many "
      "independent draws of the full posterior the weighted ones are worth.</p>\n<div class=\"table\">";
  html += correction_table(*data.certificate).html();
  html += "</div>\n";
  html += distance_say(*data.certificate);
  html += "<div class=\"table\">";
  html += distance_table(data, *data.certificate).html();
  html += "</div>\n";
  html += folded("All numbers of the certificate", all_numbers(*data.certificate));
  return html + "</section>\n";
}

std::string time_section(const ReportData& data) {
  if (data.stages.empty()) return "";
  std::string html = "<section id=\"time\">\n<h2>Time</h2>\n<div class=\"pair\">\n";
  html += figure_html(
      {.spec = "stages",
       .heading = "Time by stage",
       .say = joined({"Look for the longest bar: that is where a faster run would have to be won. Together ",
                      duration(total_seconds(data)), "."}),
       .numbers = folded("Numbers of this chart", stage_table(data))});
  if (data.full_data) html += cost_figure(data);
  return html + "</div>\n</section>\n";
}

std::string record_section(const ReportData& data) {
  std::string html = "<section id=\"record\">\n<h2>How it was made</h2>\n";
  if (!data.command_line.empty()) {
    html +=
        joined({"<p class=\"say\">The same command on the same data gives the same numbers.</p>\n<code "
                "class=\"command\">",
                escaped(tame(data.command_line, 8000)), "</code>\n"});
  }
  Table table("Options and origin", {"", ""});
  const auto add = [&](const std::string& name, const std::string& value) {
    table.add(name, {{.text = tame(value, 1000), .words = true}});
  };
  add("data", data.data_name);
  add("rows",
      grouped(data.num_rows) + (data.num_distinct_rows > 0 && data.num_distinct_rows != data.num_rows
                                    ? joined({", ", grouped(data.num_distinct_rows), " of them distinct"})
                                    : ""));
  add("parameters", grouped(data.num_parameters));
  add("model", data.model);
  for (const auto& [name, value] : data.options) add(name, value);
  add("seed", std::to_string(data.seed));
  if (!data.version.empty()) add("version", joined({"giga ", data.version}));
  html += joined({"<div class=\"table\">", table.html(), "</div>\n"});
  return html + "</section>\n";
}

}  // namespace giga::page
