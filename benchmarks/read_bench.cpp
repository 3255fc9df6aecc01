// Times the reading of a data file, and nothing else. One JSON object on stdout.
//
//   read_bench DATA.csv --threads 1
//   read_bench DATA.csv --drop-missing
//
// "columns" has, for every column, the sum of its values' bit patterns modulo 2^64: equal to that of another
// reader if both read the same bits, in whatever order they add. The value of a category is the place of its
// level among them, sorted; that of a date, its day since 1970.
#include <CLI/CLI.hpp>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"

namespace {

using giga::Index;

nlohmann::ordered_json bit_sums(const giga::Dataset& data) {
  const auto num_features = static_cast<std::size_t>(data.num_features());
  std::vector<std::uint64_t> sums(num_features);
  std::uint64_t response_sum = 0;
  for (Index n = 0; n < data.num_rows(); ++n) {
    const double* features = data.features(n);
    for (std::size_t d = 0; d < num_features; ++d) sums[d] += std::bit_cast<std::uint64_t>(features[d]);
    response_sum += std::bit_cast<std::uint64_t>(data.response()[static_cast<std::size_t>(n)]);
  }
  nlohmann::ordered_json columns;
  for (std::size_t d = 0; d < num_features; ++d) columns[data.feature_names()[d]] = sums[d];
  columns[data.response_name()] = response_sum;
  return columns;
}

int run(int argc, char** argv) {
  CLI::App app("Times the reading of a data file");
  std::string path;
  int threads = 0;
  giga::ReadOptions options;
  bool drop = false;
  app.add_option("data", path, ".csv, .csv.gz, .npy, .npz, .svm or .libsvm")->required();
  app.add_option("--threads", threads, "0: one per core")->capture_default_str();
  app.add_flag("--drop-missing", drop, "leave out rows with missing values");
  CLI11_PARSE(app, argc, argv);
  if (drop) options.missing = giga::Missing::Drop;

  const giga::Threads executor(threads);
  const auto start = std::chrono::steady_clock::now();
  const giga::Dataset data = giga::read_dataset(path, options, executor);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;

  const nlohmann::ordered_json record = {{"seconds", passed.count()},
                                         {"bytes", std::filesystem::file_size(path)},
                                         {"rows", data.num_rows()},
                                         {"threads", executor.num_threads()},
                                         {"columns", bit_sums(data)}};
  std::printf("%s\n", record.dump(2).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "read_bench: %s\n", error.what());
    return 1;
  }
}
