// A model that giga does not know: survival times with censoring. One function of a row is all it needs to be
// told; the coreset, the chains, the certificate and the report follow.
//
//   own_model [FOLDER]      without an argument the folder is a temporary one and is removed
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/job/fit.hpp"
#include "giga/model/autodiff.hpp"
#include "giga/model/normal.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/report/certificate_text.hpp"

namespace {

namespace fs = std::filesystem;
using giga::Index;

struct Patient {
  std::array<double, 4> x;  // three features and the constant 1
  double log_time, event;   // event: 1, or 0 for one who left the study without it
};

// Weibull times with scale exp(<x, beta>) and shape k; theta = (beta, log k). Those who left count by their
// chance of lasting so long.
struct SurvivalTimes {
  std::vector<Patient> patients;

  [[nodiscard]] Index num_rows() const { return std::ssize(patients); }
  [[nodiscard]] Index num_parameters() const { return 5; }
  template <typename T>
  [[nodiscard]] T log_likelihood(Index n, const T* theta) const {
    using namespace giga::math;  // exp, dot, ... of any T
    const Patient& p = patients[static_cast<std::size_t>(n)];
    const T w = exp(theta[4]) * (p.log_time - dot(p.x.data(), theta, 4));
    return p.event * (theta[4] + w - p.log_time) - exp(w);
  }
};

constexpr std::array<double, 5> kTruth = {0.5, -0.3, 0.2, 1.0, 0.4};

SurvivalTimes simulated(Index num_patients) {
  constexpr double kMostTime = 6;  // the study ends; about a quarter of the rows are censored
  SurvivalTimes model;
  giga::Stream random = giga::stream(1, "survival");
  for (Index n = 0; n < num_patients; ++n) {
    const std::array<double, 4> x = {random.normal(), random.normal(), random.normal(), 1};
    const double exponential = -std::log(1 - random.uniform());
    const double time =
        std::exp(giga::math::dot(x.data(), kTruth.data(), 4)) * std::pow(exponential, std::exp(-kTruth[4]));
    model.patients.push_back({x, std::log(std::min(time, kMostTime)), time < kMostTime ? 1.0 : 0.0});
  }
  return model;
}

// Fits, checks and reports. Whether it all came true.
bool run(const fs::path& folder) {
  const giga::Threads threads;
  const giga::Problem problem(giga::likelihood_of(simulated(5000)), giga::Normal::isotropic(5, 2),
                              {.name = "survival times",
                               .description = "Weibull, censored, prior N(0, 2^2)",
                               .parameters = {"x1", "x2", "x3", "constant", "log shape"}});
  const giga::FitResult result = giga::fit(problem, {}, threads);
  const giga::Certificate check =
      giga::certify_coreset(problem, result.coreset.coreset, result.chains, threads);
  giga::write_fit(folder, giga::fit_run(problem, {}, result, threads));

  std::printf("%td of %td rows\n\n           truth  posterior of all rows\n", check.coreset_size,
              check.num_rows);
  bool near = true;
  for (std::size_t d = 0; d < kTruth.size(); ++d) {
    const giga::Estimate& found = check.coreset.after[d];
    std::printf("%-9s %6.2f  %7.4f +- %.4f\n", problem.scales().names()[d].c_str(), kTruth[d], found.mean,
                found.sd);
    near = near && std::abs(found.mean - kTruth[d]) < 4 * found.sd;
  }
  std::printf("\n%s\n", giga::certificate_sentence(check).c_str());
  return near && result.certificate.safe() && check.safe() && fs::exists(folder / "report.html");
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path scratch = fs::temp_directory_path() / ("giga_own_model_" + std::to_string(getpid()));
  bool came_true = false;
  try {
    came_true = run(argc > 1 ? fs::path(argv[1]) : scratch);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_model: %s\n", error.what());
  }
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  return came_true ? 0 : 1;
}
