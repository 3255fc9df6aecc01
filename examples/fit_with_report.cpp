// The whole job in C++: simulated data -> coreset -> chains -> certificate -> one HTML page.
//
//   fit_with_report [REPORT.html]      without an argument the page goes to a temporary file and is removed
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/output_file.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/model/simulate_data.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/report_data.hpp"
#include "giga/report/certificate_text.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Feature {
  const char* name;
  double centre, spread, effect;  // the effect is that of one spread
};
constexpr std::array<Feature, 8> kFeatures = {{{"distance_km", 900, 400, 0.8},
                                               {"departure_hour", 13, 4, 0.5},
                                               {"carrier_age_years", 9, 5, 0.05},
                                               {"wind_knots", 11, 5, 0.35},
                                               {"visibility_km", 14, 3, -0.6},
                                               {"snow_cm", 0.6, 1.2, 0.25},
                                               {"seats", 150, 40, 0.0},
                                               {"weekend", 0, 1, -0.15}}};

// 10,000 made-up flights: late or not.
void write_flights(const std::filesystem::path& path) {
  std::vector<double> theta;
  theta.reserve(kFeatures.size() + 1);
  for (const Feature& feature : kFeatures) theta.push_back(feature.effect);
  theta.push_back(-1);
  const giga::SimulatedData data(
      {.family = {giga::Family::BernoulliLogit}, .rows = 10000, .theta = theta, .seed = 7});
  giga::OutputFile file(path, true);
  for (const Feature& feature : kFeatures) file.write(std::string(feature.name) + ",");
  file.write("late\n");
  std::vector<double> row(kFeatures.size() + 1);
  for (giga::Index n = 0; n < data.num_rows(); ++n) {
    data.read(n, 1, row.data());
    std::string line;
    for (std::size_t d = 0; d < kFeatures.size(); ++d) {
      line += giga::shortest(kFeatures[d].centre + kFeatures[d].spread * row[d]);
      line += ',';
    }
    file.write(line + (row.back() > 0 ? "1\n" : "0\n"));
  }
  file.commit();
}

// Whether the result is certified.
bool fit(const std::filesystem::path& csv, const std::filesystem::path& report) {
  const giga::Threads executor;
  giga::RunFacts facts{.title = "Flights that are late",
                       .data_name = csv.filename().string(),
                       .model = "bernoulli with logit link, prior N(0, 1), features standardised"};
  const auto begin = Clock::now();
  const giga::Dataset data = giga::read_dataset(csv, {.response = "late"}, executor);
  const giga::Problem problem(data, {.family = {giga::Family::BernoulliLogit}}, executor);
  const double load_s = std::chrono::duration<double>(Clock::now() - begin).count();

  const giga::FitOptions options;
  const giga::FitResult result = giga::fit(problem, options, executor);
  const giga::FitSeconds& seconds = result.seconds;
  facts.stages = {{"load", load_s},
                  {"laplace", seconds.laplace},
                  {"project", seconds.project + seconds.prepare},
                  {"construct", seconds.construct},
                  {"sample", seconds.sample},
                  {"certify", seconds.certify}};
  facts.full_data = giga::full_data_cost(problem, result.chains, options.sample.thin, executor);
  facts.options = {{"method", "corrective"}, {"sampler", "nuts"}};
  facts.command_line = "fit_with_report " + report.filename().string();
  giga::OutputFile file(report, true);
  file.write(giga::report_html(
      giga::report_data(problem, result.coreset, result.chains, &result.certificate, facts, executor)));
  file.commit();
  std::printf("%s\n", giga::certificate_sentence(result.certificate).c_str());
  return result.certificate.safe();
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = std::filesystem::temp_directory_path() / ("giga_report_" + std::to_string(getpid()));
  try {
    std::filesystem::create_directory(folder);
    const auto csv = folder / "flights.csv";
    write_flights(csv);
    const bool safe = fit(csv, argc > 1 ? std::filesystem::path(argv[1]) : folder / "report.html");
    std::filesystem::remove_all(folder);
    return safe ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fit_with_report: %s\n", error.what());
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return 1;
  }
}
