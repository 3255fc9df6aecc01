// The whole job in C++: a table -> coreset, chains, certificate and one HTML page in a folder.
//
//   fit_with_report [FOLDER]      without an argument the folder is a temporary one and is removed
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/output_file.hpp"
#include "giga/job/fit.hpp"
#include "giga/model/simulate_data.hpp"
#include "giga/report/certificate_text.hpp"

namespace {

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

}  // namespace

int main(int argc, char** argv) {
  const auto folder = std::filesystem::temp_directory_path() / ("giga_report_" + std::to_string(getpid()));
  int result = 1;
  try {
    std::filesystem::create_directory(folder);
    write_flights(folder / "flights.csv");
    giga::FitJob job;
    job.input = folder / "flights.csv";
    job.read.response = "late";
    job.model.family = {giga::Family::BernoulliLogit};
    job.out = argc > 1 ? std::filesystem::path(argv[1]) : folder / "fit";
    const giga::FitRun run = giga::run_fit(job, giga::Threads());
    std::printf("%s\n", giga::certificate_sentence(*run.record.certificate).c_str());
    result = run.safe() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fit_with_report: %s\n", error.what());
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return result;
}
