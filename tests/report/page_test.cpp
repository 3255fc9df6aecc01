#include "giga/report/page.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
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

TEST(Page, PriorsAreDrawnBesideThePosteriorWhereTheyAreKnown) {
  ReportData data = made_up_report(plain_names(4), 50);
  const std::string without = report_html(data);
  EXPECT_FALSE(contains(body_of(without), "id=\"priors\""));
  EXPECT_FALSE(data_of(without)["specs"].contains("prior"));
  data.priors = {ReportPrior{parse_prior("laplace(0, 2)"), 4}, std::nullopt, ReportPrior{ScalarPrior::flat()},
                 ReportPrior{parse_prior("exponential(0.5)")}};
  const std::string html = report_html(data);
  EXPECT_TRUE(contains(body_of(html), "id=\"priors\""));
  EXPECT_TRUE(contains(body_of(html), "laplace(0, 0.5)"));  // 4 b is laplace(0, 2)
  const json page = data_of(html);
  EXPECT_TRUE(page["specs"].contains("prior"));
  EXPECT_FALSE(page["coefficients"][1].contains("prior"));
  // log f(b) up to a constant.
  const std::vector<std::function<double(double)>> log_density = {
      [](double b) { return -std::abs(4 * b) / 2; },
      {},
      [](double) { return 0.0; },
      [](double b) { return b > 0 ? -0.5 * b : -INFINITY; }};
  for (const std::size_t k : {0U, 2U, 3U}) {
    const json& prior = page["coefficients"][k]["prior"];
    const double first = prior["first"].get<double>(), step = prior["step"].get<double>();
    const auto heights = prior["heights"].get<std::vector<double>>();
    EXPECT_EQ(*std::ranges::max_element(heights), 1);
    double most = -INFINITY;
    for (std::size_t i = 0; i < heights.size(); ++i)
      most = std::max(most, log_density[k](first + static_cast<double>(i) * step));
    for (std::size_t i = 0; i < heights.size(); ++i) {
      const double b = first + static_cast<double>(i) * step;
      EXPECT_NEAR(heights[i], std::exp(log_density[k](b) - most), 1e-3) << k << " at " << b;
    }
    // The posterior is within it: draws of coefficient k are k + 1 + N(0, 1).
    EXPECT_LT(first, static_cast<double>(k) - 0.5);
    EXPECT_GT(first + step * static_cast<double>(heights.size() - 1), static_cast<double>(k) + 2.5);
  }
  data.priors.pop_back();
  EXPECT_THROW((void)report_html(data), std::invalid_argument);
}

TEST(Priors, ShareIsTheWidthOfThePosteriorInThePriorsAndDistanceItsPlace) {
  Quantity quantity{"q", {}, false, 0};
  quantity.summary.mean = 3;
  quantity.summary.sd = 0.5;
  const ReportPrior normal{ScalarPrior::normal(1, 4), 2};  // of b: normal(0.5, 2)
  EXPECT_DOUBLE_EQ(page::prior_share(quantity, normal), 0.25);
  EXPECT_DOUBLE_EQ(page::prior_distance(quantity, normal), 1.25);
  const ReportPrior positive{parse_prior("lognormal(0, 2)")};
  EXPECT_DOUBLE_EQ(page::prior_share(quantity, positive), 0.5 / 3 / 2);
  EXPECT_DOUBLE_EQ(page::prior_distance(quantity, positive), std::log(3.0) / 2);
  EXPECT_EQ(page::prior_share(quantity, {ScalarPrior::flat()}), 0);
}

TEST(Page, DrawsThePriorOfThoseParametersThatItDecidesMost) {
  ReportData data = made_up_report(plain_names(9), 50);
  for (std::size_t k = 0; k < 9; ++k)
    data.priors.emplace_back(ReportPrior{ScalarPrior::normal(0, k % 2 == 0 ? 1.5 : 1000)});
  const std::string html = report_html(data, {.max_priors = 5});
  for (std::size_t k = 0; k < 9; ++k)
    EXPECT_EQ(data_of(html)["coefficients"][k].contains("prior"), k % 2 == 0) << k;
  EXPECT_TRUE(contains(body_of(html), "the 5 of 9 parameters"));
}

TEST(Page, CoefficientsArePlottedOnTheScaleOfTheDataAndStandardisedByChoice) {
  ReportData data = made_up_report({"x", "z", "(intercept)", "sigma"}, 50);
  data.intercept = 2;
  data.num_coefficients = 2;
  const std::string plain = report_html(data);
  EXPECT_FALSE(contains(body_of(plain), "forest-scale"));
  data.standardised = data.quantities;
  for (Quantity& quantity : data.standardised)
    for (double QuantitySummary::*value :
         {&QuantitySummary::q5, &QuantitySummary::q50, &QuantitySummary::q95})
      quantity.summary.*value *= -7;
  const std::string html = report_html(data);
  EXPECT_TRUE(contains(body_of(html), "<select id=\"forest-scale\""));
  const json specs = data_of(html)["specs"];
  const auto rows = [&](const char* name) { return specs[name]["spec"]["data"]["values"]; };
  // From the largest median down, without the intercept and the noise.
  ASSERT_EQ(rows("forest").size(), 2U);
  EXPECT_EQ(rows("forest")[0]["name"], "z");
  EXPECT_EQ(rows("forest")[0]["q50"], page::rounded(data.quantities[1].summary.q50));
  EXPECT_EQ(rows("forest_standardised")[0]["name"], "x");
  EXPECT_EQ(rows("forest_standardised")[0]["q50"], page::rounded(data.standardised[0].summary.q50));
}

TEST(Charts, AFewWideRangesLeaveRoomForTheOthers) {
  std::vector<page::ForestRow> rows;
  for (int k = 0; k < 20; ++k) {
    page::ForestRow& row = rows.emplace_back();
    row.label = row.name = "x" + std::to_string(k);
    row.summary.q5 = k - 10;
    row.summary.q50 = k - 9;
    row.summary.q95 = k - 8;
  }
  EXPECT_FALSE(page::usual_range(rows));  // Vega fits them all
  EXPECT_FALSE(page::forest_chart(rows, "x").spec["layer"][0]["encoding"]["x"]["scale"].contains("domain"));
  rows[0].summary.q5 = -400;
  const auto clipped = page::usual_range(rows);
  ASSERT_TRUE(clipped);
  EXPECT_EQ(clipped->first, -8 - 0.5 * 17);  // lows are -400, -9, -8, ..., highs ..., 9, 10, 11
  EXPECT_EQ(clipped->second, 11);
  const page::Json layers = page::forest_chart(rows, "x").spec["layer"];
  EXPECT_EQ(layers[0]["encoding"]["x"]["scale"]["domain"][1], 11);
  EXPECT_EQ(layers[2]["mark"]["shape"], "triangle-left");
  rows.resize(7);
  EXPECT_FALSE(page::usual_range(rows));
}

TEST(Page, LongNamesStayDifferentInTheTableAndBesideThePlot) {
  const std::string start = "origin_airport_of_the_flight_" + std::string(60, 'a'),
                    end = std::string(60, 'b') + "_per_thousand_miles";
  const std::vector<std::string> names = {start + "1" + end, start + "2" + end, "x"};
  ReportData data = made_up_report(names, 50);
  data.intercept = -1;
  const std::string html = report_html(data);
  std::set<std::string> labels;
  const json forest = data_of(html)["specs"]["forest"];
  for (const json& row : forest["spec"]["data"]["values"]) {
    labels.insert(row["label"].get<std::string>());
    EXPECT_NE(std::ranges::find(names, row["name"].get<std::string>()), names.end());
  }
  EXPECT_EQ(labels.size(), 3U);
  EXPECT_TRUE(contains(body_of(html), "<th scope=\"row\" title=\"" + names[0] + "\">"));
  EXPECT_EQ(forest["titles"].size(), 2U);
}

TEST(Page, RatiosStandBesideTheirCoefficients) {
  ReportData data = made_up_report({"x", "(intercept)"}, 200);
  EXPECT_FALSE(contains(body_of(report_html(data)), "odds ratio"));
  data.ratios = {"odds ratio", {"x"}};
  const std::string html = report_html(data), body = body_of(html);
  EXPECT_TRUE(contains(body,
                       "<th scope=\"col\">odds ratio (5%\xC2\xA0to\xC2\xA0"
                       "95%)</th>"));
  const QuantitySummary& s = data.quantities[0].summary;
  const double width = std::exp(s.q95) - std::exp(s.q5);
  const std::string text = page::beside(std::exp(s.q50), width) + " (" + page::beside(std::exp(s.q5), width) +
                           "\xC2\xA0to\xC2\xA0" + page::beside(std::exp(s.q95), width) + ")";
  EXPECT_EQ(count_of(body, text), 1U) << text;
  EXPECT_EQ(data_of(html)["specs"]["forest"]["spec"]["data"]["values"][0]["ratio"], text);
}

TEST(Page, NothingBesideAGreenVerdictReadsAsAFailure) {
  ReportData data = made_up_report(plain_names(25), 50);
  data.certificate->max_rhat_allowed = 1.05;
  data.certificate->fisher_full.whitened = data.certificate->fisher_coreset.whitened = 0.25;
  data.certificate->kl_draws.of_coreset = data.certificate->kl_laplace.of_coreset = 0.125;
  data.certificate->disagreement = 0.13;
  data.certificate->coreset.error_plain = 0.0004;
  data.certificate->coreset.error_corrected = 0.0001;
  const auto section = [&] {
    return between(body_of(report_html(data)), "<section id=\"certificate\">", "</section>");
  };
  const std::string green = section();
  EXPECT_FALSE(contains(green, "small is"));
  EXPECT_FALSE(contains(green, "below 0.1"));
  EXPECT_FALSE(contains(green, "class=\"bad\"")) << green;
  // 0.5 over 25 parameters is 0.1 each; a divergence of 0.125 is that of means 0.1 sds off each.
  EXPECT_TRUE(contains(green, "gradients differ by 0.1 posterior standard deviations per parameter"));
  EXPECT_TRUE(contains(green, "as much as means that are off by 0.1 standard deviations each"));
  EXPECT_TRUE(contains(green, "off by about 0.02 posterior standard deviations as the draws are"));
  EXPECT_TRUE(contains(green, "by about 0.01 as they are weighed"));
  EXPECT_TRUE(contains(green, "no more than the noise of the draws explains"));
  data.certificate->doubt = Doubt::Disagrees;
  EXPECT_TRUE(contains(section(), "<td class=\"bad\">0.13</td>"));
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
  const page::Curves curves = page::curves_of(page::SortedDraws(chain.draws), {}, LaplaceMarginal{0, 1});
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
  const page::Spread spread = page::spread_of(page::SortedDraws(chain.draws), weights);
  EXPECT_NEAR(spread.mean, 0.5, 0.06);  // five standard errors of 8000 draws
  EXPECT_NEAR(spread.q50, 0.5, 0.08);
  EXPECT_NEAR(spread.q95, 0.5 + 1.645, 0.15);
  const page::Curves curves =
      page::curves_of(page::SortedDraws(chain.draws), weights, LaplaceMarginal{0.5, 1});
  for (std::size_t i = 0; i < curves.corrected.size(); ++i)
    EXPECT_NEAR(curves.corrected[i], curves.laplace[i], 0.05);
}

TEST(Ranks, CountEveryDrawOnceAndShowAChainThatIsElsewhere) {
  std::vector<Chain> chains;
  for (std::uint64_t c = 0; c < 4; ++c) chains.push_back(test::made_up_chain(500, 2, c + 1, c == 3 ? 10 : 0));
  const auto counts = page::rank_counts(page::SortedDraws(page::column(chains, 1)), chains, 20);
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
