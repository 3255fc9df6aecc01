// The verdict on the model and its section.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "giga/report/model_check_text.hpp"
#include "report/made_up_check.hpp"
#include "report/made_up_report.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

json specs_of(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"report-data\">";
  const std::size_t from = html.find(open) + open.size();
  return json::parse(html.substr(from, html.find("</script>", from) - from))["specs"];
}

TEST(ModelVerdict, IsOneCalmSentenceOrWhatMatters) {
  EXPECT_EQ(
      model_verdict(calm_check()),
      std::vector<std::string>{
          "nothing speaks against the model (mean, zeros and calibration of 20,000 of 1,000,000 rows)"});
  const auto said = model_verdict(doubtful_check());
  ASSERT_EQ(said.size(), 1U) << "a note is not part of it";
  EXPECT_TRUE(said[0].starts_with("doubtful: the counts vary 6.3"));
  ModelCheck noted = doubtful_check();
  noted.findings.pop_back();
  EXPECT_FALSE(noted.doubtful());
  EXPECT_TRUE(model_verdict(noted)[0].starts_with("nothing speaks"));
}

TEST(ModelVerdict, SaysHowManyRowsWereLookedAt) {
  ModelCheck check = calm_check();
  check.num_observations = 20'000;
  EXPECT_EQ(checked_rows_text(check), "all 20,000 rows");
  check.num_observations = 20'001;
  EXPECT_EQ(checked_rows_text(check), "20,000 of 20,001 rows");
}

TEST(ModelSection, IsAbsentWithoutACheck) {
  const std::string html = report_html(made_up_report(plain_names(3), 50));
  EXPECT_FALSE(contains(html, "id=\"model\""));
  EXPECT_FALSE(specs_of(html).contains("model"));
  EXPECT_TRUE(contains(html, "whether the model fits the data it does not say"));
}

TEST(ModelSection, HasTheNumbersTheChartAndACalmVerdict) {
  ReportData data = made_up_report(plain_names(3), 50);
  data.model_check = calm_check();
  const std::string html = report_html(data);
  EXPECT_TRUE(contains(html, "<div class=\"verdict calm\"><p><bdi>Nothing speaks against the model"));
  EXPECT_TRUE(contains(html, "<a href=\"#model\">Model</a>"));
  EXPECT_TRUE(contains(html, "share of zeros"));
  EXPECT_TRUE(contains(html, "data-spec=\"model\""));
  EXPECT_FALSE(contains(html, "class=\"verdict doubt\""));
  const json spec = specs_of(html)["model"]["spec"];
  const json rows = spec["data"]["values"];
  ASSERT_EQ(rows.size(), 2U);
  // Of means, what they are off; the second bin is below its band.
  EXPECT_NEAR(rows[1]["observed"].get<double>(), -0.5, 1e-9);
  EXPECT_NEAR(rows[1]["low"].get<double>(), -0.1, 1e-9);
  EXPECT_EQ(rows[0]["where"], "within the band");
  EXPECT_EQ(rows[1]["where"], "outside");
  data.model_check->shares = true;
  EXPECT_NEAR(specs_of(report_html(data))["model"]["spec"]["data"]["values"][1]["observed"].get<double>(),
              1.5, 1e-9);
}

TEST(ModelSection, SaysDoubtsAtTheHeadAndNotesInTheSection) {
  ReportData data = made_up_report(plain_names(3), 50);
  data.model_check = doubtful_check();
  data.notes = {"the prior moves the posterior mode of 'a' by 0.61 posterior standard deviations", "another"};
  data.spelling = [](const std::string& text) {
    const std::size_t field = text.find("`family = ");
    return field == std::string::npos ? text : text.substr(0, field) + "--family " + text.substr(field + 10);
  };
  const std::string html = report_html(data);
  const std::string head = html.substr(0, html.find("<main"));
  EXPECT_TRUE(contains(head, "class=\"verdict doubt\""));
  EXPECT_TRUE(
      contains(head, "The counts vary 6.3 times as much as Poisson counts; use --family &lt;img src=x"));
  EXPECT_FALSE(contains(head, "the prior moves")) << "the section says it";
  EXPECT_TRUE(contains(head, "another"));
  EXPECT_TRUE(contains(html.substr(head.size()), "The prior moves the posterior mode of"));
}

TEST(ModelSection, OddNumbersDoNotBreakIt) {
  ReportData data = made_up_report(plain_names(3), 50);
  data.model_check = calm_check();
  const double nan = std::nan("");
  data.model_check->statistics[0] = {Statistic::Mean, nan, nan, nan, nan, nan, nan, false};
  data.model_check->bins = {{1, nan, nan, nan, nan, nan}};
  EXPECT_TRUE(contains(report_html(data), "id=\"model\""));
  data.model_check->bins.clear();
  EXPECT_FALSE(contains(report_html(data), "data-spec=\"model\""));
}

}  // namespace
}  // namespace giga::test
