// make_pages FOLDER: the pages that the browser test opens.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "giga/data/output_file.hpp"
#include "report/made_up_check.hpp"
#include "report/made_up_report.hpp"

namespace {

void write(const std::filesystem::path& path, const giga::ReportData& data) {
  giga::OutputFile file(path, true);
  file.write(giga::report_html(data));
  file.commit();
}

// With what reports of tables have besides: priors, ratios, and a scale to choose.
giga::ReportData complete(giga::ReportData data) {
  data.standardised = data.quantities;
  for (giga::Quantity& quantity : data.standardised) {
    quantity.summary.q5 -= 20;
    quantity.summary.q50 -= 20;
    quantity.summary.q95 -= 20;
    data.priors.emplace_back(giga::ReportPrior{giga::ScalarPrior::normal(0, 100)});
  }
  data.ratios.name = "odds ratio";
  for (const giga::Quantity& quantity : data.quantities) data.ratios.coefficients.insert(quantity.name);
  return data;
}

// Names that differ only where there is no room for them.
std::vector<std::string> long_names() {
  std::vector<std::string> names;
  for (const char* airport : {"JFK", "LGA", "EWR"})
    names.push_back("origin_airport_of_the_flight" + std::string(airport) +
                    "_by_scheduled_hour_of_departure");
  names.emplace_back("(intercept)");
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  try {
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    giga::ReportData plain = giga::test::made_up_report(giga::test::plain_names(7), 1000);
    plain.warnings = {"feature_3 has an R-hat of 1.02: sample longer with --draws"};
    write(folder / "plain.html", complete(plain));
    plain.model_check = giga::test::share_check();
    write(folder / "model.html", plain);
    plain.model_check = giga::test::doubtful_check();
    write(folder / "doubt.html", plain);
    write(folder / "hostile.html", complete(giga::test::hostile_report(300)));
    write(folder / "large.html", complete(giga::test::made_up_report(giga::test::plain_names(70), 1000)));
    write(folder / "long.html", complete(giga::test::made_up_report(long_names(), 200)));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_pages: %s\n", error.what());
    return 1;
  }
}
