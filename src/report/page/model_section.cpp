// Whether the data speak against the model: the verdict at the head of the page, and its section.
#include <algorithm>

#include "giga/report/model_check_text.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"

namespace giga::page {
namespace {

// With a capital letter and a full stop.
std::string sentence(const ReportData& data, const std::string& words) {
  std::string text = spelled(data, words);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return shown(text, 2000) + ".";
}

std::string sentences(const ReportData& data, Severity severity) {
  std::string html;
  for (const Finding& finding : data.model_check->findings)
    if (finding.severity == severity) html += joined({"<li>", sentence(data, finding.words), "</li>\n"});
  return html;
}

const char* words_of(Statistic statistic, bool labels) {
  switch (statistic) {
    case Statistic::Mean: return labels ? "share of successes" : "mean";
    case Statistic::Sd: return "standard deviation";
    case Statistic::Zeros: return "share of zeros";
    case Statistic::Smallest: return "smallest";
    case Statistic::Largest: return "largest";
    case Statistic::Dispersion: return "dispersion: residual variance over that of the model";
    case Statistic::Skewness: return "skewness of the residuals";
    case Statistic::Kurtosis: return "kurtosis of the residuals";
  }
  return "";
}

Table statistic_table(const ModelCheck& check) {
  Table table("Observed, and replicated by the model",
              {"of the responses", "observed", "replicated 5%", "mean", "95%", "replicates above"});
  for (const CheckedStatistic& one : check.statistics)
    table.add(words_of(one.of, check.shares && check.statistics.size() == 1),
              {{.text = significant(one.observed, 4), .bad = one.outside},
               {significant(one.low, 4)},
               {significant(one.mean, 4)},
               {significant(one.high, 4)},
               {significant(100 * one.above, 2) + "%"}});
  return table;
}

Table bin_table(const ModelCheck& check) {
  Table table("Rows by what the model expects of them",
              {"fitted", "observed", "standard error", "replicated 5%", "95%", "rows"});
  for (const CalibrationBin& bin : check.bins)
    table.add(significant(bin.fitted, 4), {{.text = significant(bin.observed, 4),
                                            .bad = bin.observed < bin.low || bin.observed > bin.high},
                                           {significant(bin.error, 2)},
                                           {significant(bin.low, 4)},
                                           {significant(bin.high, 4)},
                                           {count(bin.count)}});
  return table;
}

std::string bin_figure(const ModelCheck& check) {
  if (check.bins.empty()) return "";
  const std::string say =
      check.shares
          ? "Rows in the order of their fitted probability, in up to ten bins. Look for points on the dashed "
            "line, within the band that the model's own responses fall into nine times of ten. A curve means "
            "that terms are missing, or that the link is another."
          : "Rows in the order of their fitted mean, in up to ten bins. Look for points about zero, within "
            "the "
            "band that the model's own responses fall into nine times of ten. A curve means that terms are "
            "missing.";
  return figure_html({.spec = "model",
                      .heading = check.shares ? "Calibration" : "Observed less fitted",
                      .say = say,
                      .numbers = folded("Numbers of this chart", bin_table(check))});
}

}  // namespace

std::string spelled(const ReportData& data, const std::string& text) {
  return data.spelling ? data.spelling(text) : text;
}

std::string model_verdict_html(const ReportData& data) {
  if (!data.model_check) return "";
  if (data.model_check->doubtful())
    return joined({"<div class=\"verdict doubt\"><strong>! The model is in doubt</strong>\n<ul>\n",
                   sentences(data, Severity::Amber), "</ul></div>\n"});
  return joined({"<div class=\"verdict calm\"><p>", sentence(data, model_verdict(*data.model_check)[0]),
                 "</p></div>\n"});
}

std::string model_section(const ReportData& data) {
  if (!data.model_check) return "";
  const ModelCheck& check = *data.model_check;
  std::string html = joined(
      {"<section id=\"model\">\n<h2>Does the model fit?</h2>\n<p class=\"say\">Responses that the model ",
       "makes itself, ", grouped(check.num_replicates), " times at draws of the posterior, against those ",
       "observed: ", checked_rows_text(check), ". Look for observed values between the 5% and the 95% ",
       "quantile of the replicated ones. Those that are marked lie beyond all of them, and far beyond. With ",
       "many rows that alone is no harm: what matters is said at the head of this page.</p>\n"});
  const std::string notes = sentences(data, Severity::Note);
  if (!notes.empty())
    html += joined(
        {"<p class=\"say\">Seen, but of little effect:</p>\n<ul class=\"notes\">\n", notes, "</ul>\n"});
  html += joined({"<div class=\"table\">", statistic_table(check).html(), "</div>\n"});
  html += bin_figure(check);
  return html + "</section>\n";
}

}  // namespace giga::page
