#include "giga/report/page.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>

#include "report/made_up_report.hpp"
#include "report/page/assets.hpp"
#include "report/page/charts.hpp"
#include "report/page/draws_view.hpp"
#include "report/page/html.hpp"
#include "report/page/sha256.hpp"

namespace giga {
namespace {

using nlohmann::json;
using test::hostile_report;
using test::made_up_report;
using test::plain_names;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// What stands between the first `open` and the next `close`.
std::string between(const std::string& text, std::string_view open, std::string_view close) {
  const std::size_t from = text.find(open) + open.size();
  return text.substr(from, text.find(close, from) - from);
}

json data_of(const std::string& html) {
  return json::parse(between(html, "<script type=\"application/json\" id=\"report-data\">", "</script>"));
}

// The page without its script and its data: what a reader sees of it.
std::string body_of(const std::string& html) {
  return html.substr(0, html.find("<script type=\"application/json\""));
}

TEST(Page, APriorIsDrawnBesideThePosteriorWhereItWasChosen) {
  ReportData data = made_up_report(plain_names(3), 50);
  const std::string without = report_html(data);
  EXPECT_FALSE(contains(body_of(without), ">prior</li>"));
  data.priors = {ReportPrior{parse_prior("laplace(0, 2)"), 4}, std::nullopt,
                 ReportPrior{ScalarPrior::flat()}};
  const std::string html = report_html(data);
  EXPECT_TRUE(contains(body_of(html), ">prior</li>"));
  const json page = data_of(html);
  EXPECT_EQ(page["specs"]["density"]["spec"]["layer"][1]["encoding"]["color"]["scale"]["domain"][3], "prior");
  for (const json& each : page["coefficients"]) {
    const json& density = each["density"];
    const bool drawn = each["name"] == data.quantities[0].name;
    ASSERT_EQ(density["curves"].contains("prior"), drawn) << each["name"];
    if (!drawn) continue;
    // 4 b is laplace(0, 2): the density of b is exp(-|4 b| / 2) at most 1.
    for (std::size_t i = 0; i < density["curves"]["prior"].size(); ++i) {
      const double b =
          density["first"].get<double>() + static_cast<double>(i) * density["step"].get<double>();
      EXPECT_NEAR(density["curves"]["prior"][i].get<double>(), std::exp(-std::abs(4 * b) / 2), 1e-3);
    }
  }
  data.priors.pop_back();
  EXPECT_THROW((void)report_html(data), std::invalid_argument);
}

TEST(Page, PolicyAllowsItsOwnScriptAndStyleByHashAndNothingElse) {
  const std::string html = report_html(made_up_report(plain_names(3), 50));
  const std::string policy = between(html, "Content-Security-Policy\" content=\"", "\"");
  const std::string script = between(html, "</script>\n<script>", "</script>");
  const std::string style = between(html, "<style>", "</style>");
  EXPECT_EQ(policy, "default-src 'none'; script-src " + page::csp_hash(script) + "; style-src " +
                        page::csp_hash(style) + "; base-uri 'none'; form-action 'none'");
  EXPECT_EQ(script, page::charts_script());
  EXPECT_EQ(style, page::style_sheet());
  EXPECT_EQ(count_of(html, "<script"), 2U);
  EXPECT_EQ(count_of(html, "</script"), 2U);
  EXPECT_FALSE(contains(html, "style=\""));
}

TEST(Page, AssetsCanStandInAPage) {
  for (const std::string_view asset : {page::charts_script(), page::style_sheet()}) {
    const std::string text(asset);
    EXPECT_GT(text.size(), 5000U);
    EXPECT_FALSE(contains(text, "</script"));
    EXPECT_FALSE(contains(text, "</style"));
    EXPECT_FALSE(contains(text, "<!--"));
    EXPECT_FALSE(contains(text, "\r"));
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  }
}

TEST(Page, LoadsNothing) {
  const std::string html = body_of(report_html(made_up_report(plain_names(5), 50)));
  for (const char* part : {"src=", "url(", "@import", "<link", "<iframe", "<object", "http:", "https:"})
    EXPECT_FALSE(contains(html, part)) << part;
}

TEST(Page, HostileTextStaysText) {
  const std::string html = report_html(hostile_report(50));
  EXPECT_EQ(count_of(html, "<script"), 2U);
  const std::string body = body_of(html);
  for (const char* part : {"<script>alert", "<img", "<b>", "\xFF", "<!--"})
    EXPECT_FALSE(contains(body, part)) << part;
  EXPECT_TRUE(contains(body, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_TRUE(contains(body, "=cmd()|&#39; /C calc&#39;!A0"));
  EXPECT_TRUE(contains(body, "line\\x0abreak\\x09tab"));
  EXPECT_TRUE(contains(body, "xxx... (2)</bdi></th>"));  // names that are equal once they are cut
}

TEST(Page, DataBlockIsJsonWithoutMarkup) {
  const std::string html = report_html(hostile_report(50));
  const std::string block = between(html, "id=\"report-data\">", "</script>");
  for (const char* part : {"<", ">", "&", "\n"}) EXPECT_FALSE(contains(block, part)) << part;
  EXPECT_TRUE(std::ranges::all_of(block, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  const json data = json::parse(block);
  ASSERT_EQ(data["coefficients"].size(), test::hostile_names().size());
  EXPECT_EQ(data["coefficients"][0]["name"], "<script>alert(1)</script>");
  EXPECT_NE(data["coefficients"][4]["name"], data["coefficients"][5]["name"]);
}

TEST(Page, SameDataGiveSameBytes) {
  const ReportData data = hostile_report(100);
  EXPECT_EQ(report_html(data), report_html(data));
}

TEST(Page, HasTheNumbersOfEveryTable) {
  const ReportData data = made_up_report(plain_names(4), 200);
  const std::string html = body_of(report_html(data));
  for (const Quantity& quantity : data.quantities) {
    const QuantitySummary& s = quantity.summary;
    for (const double value : {s.mean, s.sd, s.q5, s.q50, s.q95})
      EXPECT_TRUE(contains(html, "<td>" + page::beside(value, s.sd) + "</td>")) << quantity.name;
    EXPECT_TRUE(contains(html, page::decimals(s.rhat, 3))) << quantity.name;
    EXPECT_TRUE(contains(html, page::count(s.ess_bulk))) << quantity.name;
    EXPECT_TRUE(contains(html, page::count(s.ess_tail))) << quantity.name;
  }
  for (const StepRecord& record : data.trace) {
    for (const double error : {record.relative_error, record.heldout_error, record.bound})
      EXPECT_TRUE(contains(html, "<td>" + page::significant(error, 3) + "</td>")) << record.step;
  }
  for (const ReportRow& row : data.coreset)
    EXPECT_TRUE(contains(html, "<td>" + page::significant(row.weight, 5) + "</td>")) << row.row;
  for (const char* text : {"0.21", "0.43", "3,457", "3,211", "26,733", "20,000 of them distinct", "1.500",
                           "123,456", "68 s", "giga fit made_up.csv --size 60", "giga 0.1.0", "42",
                           "checked against all 26,733 rows: k-hat 0.21, safe to use"}) {
    EXPECT_TRUE(contains(html, text) || contains(html, "C" + std::string(text).substr(1))) << text;
  }
}

TEST(Page, SpellsFieldsAsItsReadersDo) {
  ReportData data = made_up_report(plain_names(2), 20);
  data.warnings = {"raise `max_depth`"};
  data.notes = {"set `noise_scale`"};
  data.certificate->doubt = Doubt::HighKhat;
  data.certificate->suggested_size = 300;
  const std::string as_is = report_html(data);
  EXPECT_TRUE(contains(as_is, "raise `max_depth`"));
  EXPECT_TRUE(contains(as_is, "try `size = 300`"));
  data.spelling = [](const std::string& text) { return "spelled: " + text; };
  const std::string html = report_html(data);
  EXPECT_TRUE(contains(html, "spelled: raise `max_depth`"));
  EXPECT_TRUE(contains(html, "spelled: set `noise_scale`"));
  EXPECT_TRUE(contains(html, "spelled: checked against"));
}

TEST(Page, EveryChartHasASpecAHeadingAndNumbers) {
  const std::string html = report_html(made_up_report(plain_names(6), 100));
  const json data = data_of(html);
  const std::string body = body_of(html);
  for (const auto& [name, chart] : data["specs"].items()) {
    EXPECT_TRUE(contains(body, "data-spec=\"" + name + "\"")) << name;
    EXPECT_EQ(chart["spec"]["width"], "container") << name;
  }
  EXPECT_EQ(data["specs"].size(), 8U);
  EXPECT_EQ(count_of(body, "<figure>"), count_of(body, "class=\"chart"));
  EXPECT_EQ(count_of(body, "<figure>"), count_of(body, "<figcaption><h3>"));
  EXPECT_EQ(count_of(body, "<figure>"), 8U + 6U);  // a density a coefficient, besides the eight kinds
}

TEST(Page, StaysSmallWithSeventyCoefficients) {
  const std::string html = report_html(made_up_report(plain_names(70), 1000));
  EXPECT_LT(html.size(), 3'000'000U);
  EXPECT_LT(page::charts_script().size(), 900'000U);
  EXPECT_EQ(data_of(html)["coefficients"].size(), 70U);
}

TEST(Page, SaysWhatItLeavesOut) {
  const ReportLimits limits{.max_sizes = 10,
                            .max_weights = 20,
                            .max_densities = 3,
                            .max_explored = 5,
                            .max_forest = 4,
                            .trace_points = 25};
  const std::string html = report_html(made_up_report(plain_names(9), 100), limits);
  const std::string body = body_of(html);
  for (const char* text : {"10 sizes, evenly spread", "the 20 heaviest of 60 points", "the 3 clearest of 9",
                           "the 4 clearest of 8", "5 of 9 can be chosen", "Every 4th draw is shown"}) {
    EXPECT_TRUE(contains(body, text)) << text;
  }
  const json data = data_of(html);
  EXPECT_EQ(data["coefficients"].size(), 5U);
  EXPECT_EQ(data["coefficients"][0]["trace"][0].size(), 25U);
}

TEST(Page, WorksWithoutTheOptionalParts) {
  const std::string empty = body_of(report_html({}));
  EXPECT_FALSE(contains(empty, "class=\"chart"));
  ReportData data = made_up_report(plain_names(3), 50);
  data.certificate.reset();
  data.laplace.clear();
  data.stages.clear();
  data.full_data.reset();
  const std::string html = report_html(data);
  EXPECT_FALSE(contains(body_of(html), "corrected to all rows</li>"));
  EXPECT_FALSE(data_of(html)["coefficients"][0]["density"]["curves"].contains("corrected"));
  EXPECT_TRUE(data_of(html)["coefficients"][0]["density"]["curves"].contains("coreset"));
}

TEST(Page, SaysWhenItIsNotCertified) {
  ReportData data = made_up_report(plain_names(3), 50);
  data.certificate->doubt = Doubt::HighKhat;
  data.certificate->coreset.k_hat = 0.91;
  const std::string html = body_of(report_html(data));
  EXPECT_TRUE(contains(html, "Not certified"));
  EXPECT_TRUE(contains(html, "on all rows these numbers may be others"));
  EXPECT_TRUE(contains(html, "cannot be trusted"));
  EXPECT_FALSE(contains(html, "Safe to use"));
}

TEST(Page, OddNumbersDoNotBreakIt) {
  ReportData data = made_up_report(plain_names(4), 50);
  for (Chain& chain : data.chains) {
    for (Index s = 0; s < chain.num_draws(); ++s) {
      chain.draws[static_cast<std::size_t>(4 * s)] = 1.5;               // constant
      chain.draws[static_cast<std::size_t>(4 * s + 1)] = std::nan("");  // no number at all
    }
    chain.draws[2] = INFINITY;
  }
  data.quantities = summarise_chains(data.chains, plain_names(4), false, Threads(1));
  for (StepRecord& record : data.trace) record.heldout_error = record.bound = std::nan("");
  data.trace.back().relative_error = 0;
  data.heldout_error = std::nan("");
  const json block = data_of(report_html(data));
  EXPECT_TRUE(block["coefficients"][1]["trace"][0][0].is_null());
  EXPECT_FALSE(block["coefficients"][0]["density"]["curves"].contains("coreset"));
}

TEST(Page, RefusesPartsThatDoNotFit) {
  ReportData data = made_up_report(plain_names(3), 50);
  data.laplace.pop_back();
  EXPECT_THROW((void)report_html(data), std::invalid_argument);
  data = made_up_report(plain_names(3), 50);
  data.quantities.pop_back();
  EXPECT_THROW((void)report_html(data), std::invalid_argument);
  data = made_up_report(plain_names(3), 50);
  data.certificate->coreset.weights.pop_back();
  EXPECT_THROW((void)report_html(data), std::invalid_argument);
}

// ---- what the charts show of the draws

double area_of(const std::vector<double>& heights, double step) {
  return step * std::accumulate(heights.begin(), heights.end(), 0.0);
}

TEST(Curves, AreDensitiesNearTheTruth) {
  const Chain chain = test::made_up_chain(4000, 1);
  const page::Curves curves = page::curves_of(chain.draws, {}, LaplaceMarginal{0, 1});
  EXPECT_NEAR(area_of(curves.coreset, curves.step), 1, 0.01);
  EXPECT_NEAR(area_of(curves.laplace, curves.step), 1, 0.01);
  EXPECT_TRUE(curves.corrected.empty());
  // The error of a kernel estimate at 4000 draws: sd sqrt(f / (2 sqrt(pi) n h)) = 0.008 at the top, with a
  // bias of h^2 f'' / 2 = 0.006; five of the one and the other.
  for (std::size_t i = 0; i < curves.coreset.size(); ++i)
    EXPECT_NEAR(curves.coreset[i], curves.laplace[i], 0.046);
}

TEST(Curves, FollowTheWeights) {
  const Chain chain = test::made_up_chain(8000, 1);
  std::vector<double> weights;  // from N(0, 1) to N(0.5, 1)
  for (const double x : chain.draws) weights.push_back(std::exp(0.5 * x));
  const page::Spread spread = page::spread_of(chain.draws, weights);
  EXPECT_NEAR(spread.mean, 0.5, 0.06);  // five standard errors of 8000 draws
  EXPECT_NEAR(spread.q50, 0.5, 0.08);
  EXPECT_NEAR(spread.q95, 0.5 + 1.645, 0.15);
  const page::Curves curves = page::curves_of(chain.draws, weights, LaplaceMarginal{0.5, 1});
  for (std::size_t i = 0; i < curves.corrected.size(); ++i)
    EXPECT_NEAR(curves.corrected[i], curves.laplace[i], 0.05);
}

TEST(Ranks, CountEveryDrawOnceAndShowAChainThatIsElsewhere) {
  std::vector<Chain> chains;
  for (std::uint64_t c = 0; c < 4; ++c) chains.push_back(test::made_up_chain(500, 2, c + 1, c == 3 ? 10 : 0));
  const auto counts = page::rank_counts(chains, 1, 20);
  for (const auto& chain : counts) EXPECT_EQ(std::accumulate(chain.begin(), chain.end(), Index{0}), 500);
  for (std::size_t bin = 0; bin < 20; ++bin) {
    EXPECT_EQ(counts[0][bin] + counts[1][bin] + counts[2][bin] + counts[3][bin], 100);
    EXPECT_EQ(counts[3][bin], bin < 15 ? 0 : 100);
  }
}

TEST(Charts, ErrorsAreTheLastOfEachSize) {
  std::vector<StepRecord> trace = test::made_up_trace(5);
  StepRecord again = trace[2];  // a step that dropped points comes back to the size 3
  again.step = 6;
  again.relative_error = 0.001;
  trace.push_back(again);
  const auto records = page::by_size(trace, 100);
  ASSERT_EQ(records.size(), 5U);
  EXPECT_EQ(records[2].step, 6);
  const auto few = page::by_size(test::made_up_trace(1000), 7);
  ASSERT_EQ(few.size(), 7U);
  EXPECT_EQ(few.front().size, 1);
  EXPECT_EQ(few.back().size, 1000);
}

TEST(Choice, KeepsTheHighestRhatAmongMany) {
  std::vector<Quantity> quantities;
  for (int k = 0; k < 50; ++k) {
    Quantity quantity{"q", {}, false, 0};
    quantity.summary.mean = k;
    quantity.summary.sd = 1;
    quantity.summary.rhat = k == 3 ? 1.4 : 1.0;
    quantities.push_back(quantity);
  }
  const auto chosen = page::explored(quantities, 10);
  EXPECT_EQ(chosen.size(), 10U);
  EXPECT_TRUE(std::ranges::is_sorted(chosen));
  EXPECT_NE(std::ranges::find(chosen, 3), chosen.end());
  EXPECT_NE(std::ranges::find(chosen, 49), chosen.end());
  EXPECT_EQ(page::least_mixed(quantities, chosen), 3);
}

}  // namespace
}  // namespace giga
