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
#include "giga/data/output_file.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/infer/sample.hpp"
#include "giga/model/simulate_data.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/certify_coreset.hpp"
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

// The seconds since the last call, as a stage of that name.
class Stopwatch {
 public:
  void lap(std::vector<giga::ReportStage>& stages, const char* name) {
    const auto now = Clock::now();
    stages.push_back({name, std::chrono::duration<double>(now - start_).count()});
    start_ = now;
  }

 private:
  Clock::time_point start_ = Clock::now();
};

// Whether the result is certified.
bool fit(const std::filesystem::path& csv, const std::filesystem::path& report) {
  const giga::ThreadPool pool;
  giga::RunFacts facts{.title = "Flights that are late",
                       .data_name = csv.filename().string(),
                       .model = "bernoulli with logit link, prior N(0, 1), features standardised"};
  Stopwatch watch;
  const giga::Dataset data = giga::read_dataset(csv, {.response = "late"}, pool);
  const giga::Problem problem(data, {.family = {giga::Family::BernoulliLogit}}, pool);
  watch.lap(facts.stages, "load");

  const giga::CoresetResult coreset =
      giga::build_coreset(problem, {.projection = giga::ProjectionKind::Curvature, .size = 60}, pool);
  facts.stages.push_back({"laplace", coreset.seconds.laplace});
  facts.stages.push_back({"project", coreset.seconds.project + coreset.seconds.prepare});
  facts.stages.push_back({"construct", coreset.seconds.construct});
  watch = {};

  const auto model = giga::coreset_model(problem, coreset.coreset);
  const giga::RegressionPosterior posterior(*model, problem.prior());
  const std::vector<giga::Chain> chains =
      giga::sample(posterior, {.seed = 1}, giga::dispersed_starts(coreset.pihat, 4, 1));
  watch.lap(facts.stages, "sample");
  const giga::Certificate certificate = giga::certify_coreset(
      problem, coreset.coreset, chains, pool, {.laplace = coreset.laplace ? &*coreset.laplace : nullptr});
  watch.lap(facts.stages, "certify");

  facts.full_data = giga::full_data_cost(problem, chains, pool);
  facts.options = {{"method", "corrective"}, {"projection", "curvature"}, {"size", "60"}, {"sampler", "nuts"},
                   {"chains", "4"},          {"draws", "1000 + 1000"}};
  facts.command_line = "fit_with_report " + report.filename().string();
  giga::OutputFile file(report, true);
  file.write(giga::report_html(giga::report_data(problem, coreset, chains, &certificate, facts, pool)));
  file.commit();
  std::printf("%s\n", giga::certificate_sentence(certificate).c_str());
  return certificate.safe();
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
