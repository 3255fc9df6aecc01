// A CSV file of features and labels -> the few rows that carry the posterior of a logistic regression.
//
//   coreset_from_csv [FILE.csv]      labels 0 and 1, or -1 and 1, in the column y or the last one
//
// Without an argument it simulates a small file first.
#include <unistd.h>

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
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"

namespace {

// 5000 rows with two features each, gone when the program ends.
class SimulatedFile {
 public:
  SimulatedFile()
      : path_(std::filesystem::temp_directory_path() / ("giga_" + std::to_string(getpid()) + ".csv")) {
    const giga::SimulatedData data({.family = {giga::Family::BernoulliLogit},
                                    .rows = 5000,
                                    .theta = giga::usual_theta(giga::Family::BernoulliLogit, 2)});
    std::vector<double> row(3);
    giga::OutputFile file(path_, true);
    file.write("x1,x2,y\n");
    for (giga::Index n = 0; n < data.num_rows(); ++n) {
      data.read(n, 1, row.data());
      file.write(giga::shortest(row[0]) + "," + giga::shortest(row[1]) + "," + giga::shortest(row[2]) + "\n");
    }
    file.commit();
  }
  ~SimulatedFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  SimulatedFile(const SimulatedFile&) = delete;
  SimulatedFile& operator=(const SimulatedFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

double coreset_of(const std::filesystem::path& path) {
  const giga::Threads executor;
  const giga::Dataset data = giga::read_dataset(path, {}, executor);
  const giga::Problem problem(data, {.family = {giga::Family::BernoulliLogit}}, executor);
  for (const std::string& note : problem.notes()) std::printf("note: %s\n", note.c_str());

  const giga::CoresetResult result = giga::build_coreset(problem, {.size = 20}, executor);
  std::printf("     row    weight  label\n");
  for (std::size_t i = 0; i < result.coreset.rows.size(); ++i) {
    const giga::Index row = result.coreset.rows[i];
    std::printf("%8td  %8.2f  %5g\n", data.input_row(row), result.coreset.weights[i],
                data.response()[static_cast<std::size_t>(row)]);
  }
  std::printf("%td of %td rows: relative error %.3g, held-out error %.3g (%s)\n", result.coreset.size(),
              data.num_rows(), result.build.relative_error, result.heldout_error,
              name(result.build.termination).data());

  const std::vector<double> sd = result.pihat.standard_deviations();
  std::printf("Laplace posterior of all rows:\n");
  for (giga::Index d = 0; d < result.pihat.dim(); ++d) {
    const auto k = static_cast<std::size_t>(d);
    std::printf("  %-12s %8.4f +- %.4f\n", problem.likelihood().parameter_name(d).c_str(),
                result.pihat.mean()[k], sd[k]);
  }
  return result.heldout_error;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1) {
      coreset_of(argv[1]);
      return 0;
    }
    const SimulatedFile file;
    return coreset_of(file.path()) < 0.1 ? 0 : 1;
  } catch (const std::exception& error) {  // what is wrong with a file, in one sentence
    std::fprintf(stderr, "coreset_from_csv: %s\n", error.what());
    return 1;
  }
}
