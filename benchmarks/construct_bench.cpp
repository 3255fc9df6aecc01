// Times construction on simulated vectors in memory, and the memory they come from. One JSON object on
// stdout.
//
//   construct_bench --rows 1000000 --dim 50 --size 100
//   construct_bench --rows 1000000 --dim 500 --kind likelihood --selector cap_tree
//
// A pass is one search for the best row. Its share of the bandwidth is the bytes of codes (or rows) it reads
// over its time, as a part of what plain reading of 512 MB reached in the same run. Passes alternate in
// direction, so a little of every pass comes from the cache and small tables may exceed 1.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "giga/base/row_array.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/build.hpp"
#include "giga/construct/simulate.hpp"

namespace {

using giga::Index;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Settings {
  giga::SimulateOptions vectors = {.rows = 1'000'000};
  giga::TableOptions table;
  int threads = 0;
  giga::Method method = giga::Method::Giga;
  Index size = 100;
  int repeats = 3;
};

// --- memory ----------------------------------------------------------------------------------------

constexpr std::size_t kBandwidthBytes = std::size_t{512} << 20;
constexpr std::size_t kChunkWords = (std::size_t{1} << 20) / sizeof(std::uint64_t);

// Eight sums, so that loads and not additions are waited for.
std::uint64_t sum_words(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i < count; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += words[i + k];
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

class BandwidthProbe {
 public:
  explicit BandwidthProbe(int num_threads)
      : executor_(num_threads), buffer_(executor_.memory(), kBandwidthBytes) {
    auto* words = buffer_.as<std::uint64_t>();
    executor_.for_each(kNumChunks, [&](Index chunk) {
      std::fill_n(words + static_cast<std::size_t>(chunk) * kChunkWords, kChunkWords, 1U);
    });
  }

  /// Reads the buffer `times` times and notes the speed of each.
  void measure(int times) {
    const auto* words = buffer_.as<std::uint64_t>();
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(kNumChunks));
    for (int i = 0; i < times; ++i) {
      const auto start = Clock::now();
      executor_.for_each(kNumChunks, [&](Index chunk) {
        const auto k = static_cast<std::size_t>(chunk);
        sums[k] = sum_words(words + k * kChunkWords, kChunkWords);
      });
      bytes_per_s_.push_back(static_cast<double>(kBandwidthBytes) / seconds_since(start));
      for (const std::uint64_t sum : sums) {
        if (sum != kChunkWords) throw std::logic_error("the bandwidth probe read something else");
      }
    }
  }

  [[nodiscard]] double bytes_per_s() const { return median(bytes_per_s_); }

 private:
  static constexpr auto kNumChunks =
      static_cast<Index>(kBandwidthBytes / sizeof(std::uint64_t) / kChunkWords);

  giga::Threads executor_;
  giga::RowBytes buffer_;
  std::vector<double> bytes_per_s_;
};

// --- construction ----------------------------------------------------------------------------------

giga::RowBytes simulated_matrix(const giga::SimulateOptions& options, int num_threads) {
  const giga::SimulatedRows rows(options);
  giga::RowBytes matrix(giga::RowMemory::unlimited(),
                        static_cast<std::size_t>(options.rows * options.dim) * sizeof(double));
  giga::Threads(num_threads).for_each(giga::num_blocks(options.rows), [&](Index block) {
    const Index first = block * giga::kBlockRows;
    rows.read(first, std::min(giga::kBlockRows, options.rows - first),
              matrix.as<double>() + first * options.dim);
  });
  return matrix;
}

giga::BuildResult build(const giga::VectorTable& table, const Settings& settings,
                        const giga::Observer& observer) {
  const giga::GreedyOptions options{.size = settings.size};
  switch (settings.method) {
    case giga::Method::Corrective: return giga::corrective(table, options, observer);
    case giga::Method::FrankWolfe: return giga::frank_wolfe(table, options, observer);
    case giga::Method::Pursuit: return giga::pursuit(table, options, observer);
    default: return giga::giga(table, options, observer);
  }
}

struct Timings {
  std::vector<double> table_s, selector_s, construct_s, step_s;
};

// Bytes that one search reads, on average.
double bytes_per_pass(const giga::BuildResult& result) {
  return result.search.bytes_read / static_cast<double>(std::max<std::size_t>(1, result.trace.size()));
}

nlohmann::ordered_json measure(const Settings& settings) {
  const giga::RowBytes matrix = simulated_matrix(settings.vectors, settings.threads);
  const giga::DenseRows rows(
      giga::MatrixView::of(matrix.as<const double>(), settings.vectors.rows, settings.vectors.dim));
  const giga::Threads executor(settings.threads);
  BandwidthProbe probe(settings.threads);

  Timings timings;
  nlohmann::ordered_json record;
  for (int i = 0; i < settings.repeats; ++i) {
    probe.measure(3);
    auto start = Clock::now();
    const giga::VectorTable table(rows, executor, settings.table);
    timings.table_s.push_back(seconds_since(start));
    start = Clock::now();
    (void)table.selector();
    timings.selector_s.push_back(seconds_since(start));
    start = Clock::now();
    auto step_start = start;
    const giga::BuildResult result = build(table, settings, [&](const giga::StageProgress&) {
      timings.step_s.push_back(seconds_since(step_start));
      step_start = Clock::now();
      return giga::Answer::Continue;
    });
    timings.construct_s.push_back(seconds_since(start));
    if (i + 1 < settings.repeats) continue;

    const auto steps = static_cast<double>(std::max<std::size_t>(1, result.trace.size()));
    record["selector"] = name(table.selector_kind());
    record["points"] = result.coreset.size();
    record["steps"] = result.trace.size();
    record["relative_error"] = result.relative_error;
    record["termination"] = name(result.termination);
    record["selector_bytes"] = table.selector_bytes();
    record["prepare_bytes_read"] = table.prepare_bytes_read();
    record["search_bytes_read"] = result.search.bytes_read;
    record["rows_touched_per_pass"] = result.search.rows_touched / steps;
    record["rows_rescored_per_pass"] = result.search.rows_rescored / steps;
    record["bytes_per_pass"] = bytes_per_pass(result);
  }
  const double pass_s = median(timings.step_s);
  const double speed = record["bytes_per_pass"].get<double>() / pass_s;
  record["table_s"] = median(timings.table_s);
  record["selector_s"] = median(timings.selector_s);
  record["prepare_s"] = median(timings.table_s) + median(timings.selector_s);
  record["construct_s"] = median(timings.construct_s);
  record["pass_s"] = pass_s;
  record["pass_bytes_per_s"] = speed;
  record["bandwidth_bytes_per_s"] = probe.bytes_per_s();
  record["bandwidth_share"] = speed / probe.bytes_per_s();
  return record;
}

giga::SelectorKind selector_named(const std::string& text) {
  for (const auto kind : {giga::SelectorKind::Auto, giga::SelectorKind::Scan, giga::SelectorKind::Quantised,
                          giga::SelectorKind::CapTree}) {
    if (name(kind) == text) return kind;
  }
  throw std::invalid_argument("no selector '" + text + "'");
}

template <typename Value>
Value required(const std::optional<Value>& value, const std::string& what, const std::string& text) {
  if (!value) throw std::invalid_argument("no " + what + " '" + text + "'");
  return *value;
}

int run(int argc, char** argv) {
  CLI::App app("Times the construction of a coreset from simulated vectors in memory");
  Settings settings;
  std::string kind = "gaussian", selector = "auto", method = "giga";
  app.add_option("--rows", settings.vectors.rows, "N")->capture_default_str();
  app.add_option("--dim", settings.vectors.dim, "J")->capture_default_str();
  app.add_option("--kind", kind, "gaussian, axis, lowrank or likelihood")->capture_default_str();
  app.add_option("--rank", settings.vectors.rank, "of lowrank and likelihood")->capture_default_str();
  app.add_option("--seed", settings.vectors.seed)->capture_default_str();
  app.add_option("--size", settings.size, "M")->capture_default_str();
  app.add_option("--method", method, "giga, corrective, frank_wolfe or pursuit")->capture_default_str();
  app.add_option("--selector", selector, "auto, scan, quantised or cap_tree")->capture_default_str();
  app.add_option("--threads", settings.threads, "0: one per core")->capture_default_str();
  app.add_option("--repeats", settings.repeats, "times are medians of so many")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  settings.vectors.kind = required(giga::named<giga::VectorKind>(kind), "kind", kind);
  settings.method = required(giga::named<giga::Method>(method), "method", method);
  if (!giga::is_greedy(settings.method)) throw std::invalid_argument("'" + method + "' makes no passes");
  settings.table.selector = selector_named(selector);

  nlohmann::ordered_json record = {{"rows", settings.vectors.rows},
                                   {"dim", settings.vectors.dim},
                                   {"size", settings.size},
                                   {"method", method},
                                   {"kind", kind},
                                   {"repeats", settings.repeats}};
  record.update(measure(settings));
  std::printf("%s\n", record.dump(2).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "construct_bench: %s\n", error.what());
    return 1;
  }
}
