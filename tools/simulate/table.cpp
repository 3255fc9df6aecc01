// Simulated tables as files. Rows are made side by side and written in order; in libsvm files zeros are left
// out, as that format allows.
#include "simulate/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/npy.hpp"
#include "giga/data/output_file.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr Index kMostAfter = 1'000'000'000'000;

TableFormat format_of(const std::filesystem::path& out) {
  const std::string extension = out.extension().string();
  if (extension == ".csv") return TableFormat::Csv;
  if (extension == ".npy") return TableFormat::Npy;
  if (extension == ".svm" || extension == ".libsvm") return TableFormat::Libsvm;
  throw UsageError("--out is '" + printable_path(out) + "'; must end in .csv, .npy, .svm or .libsvm");
}

std::string header(const SimulatedTable& table) {
  std::string line;
  for (const std::string& name : table.feature_names()) line.append(name).append(",");
  return line + "y\n";
}

// A row of D features and the response.
void append_csv(const double* row, Index num_features, std::string& text) {
  for (Index d = 0; d < num_features; ++d) text.append(shortest(row[d])).append(",");
  text.append(shortest(row[num_features])).append("\n");
}

void append_libsvm(const double* row, Index num_features, std::string& text) {
  text += shortest(row[num_features]);
  for (Index d = 0; d < num_features; ++d)
    if (row[d] != 0) text += fmt::format(" {}:{}", d + 1, shortest(row[d]));
  text += '\n';
}

// About the size of the file: the first rows stand for all.
std::uint64_t text_bytes(const SimulatedTable& table, decltype(append_csv)* append) {
  constexpr Index kSome = 64;
  const Index width = table.num_features() + 1, count = std::min(kSome, table.num_rows());
  std::vector<double> rows(static_cast<std::size_t>(count * width));
  table.read(0, count, rows.data());
  std::string text;
  for (Index i = 0; i < count; ++i) append(rows.data() + i * width, table.num_features(), text);
  return static_cast<std::uint64_t>(static_cast<double>(text.size()) / static_cast<double>(count) *
                                    static_cast<double>(table.num_rows()));
}

// The numbers of a group of blocks are made in parallel, then their lines, each thread a run of rows; the
// lines are written in order.
void write_text(const SimulatedTable& table, const TableOutput& output, const Executor& executor,
                Progress& progress) {
  const bool csv = output.format == TableFormat::Csv;
  const auto append = csv ? append_csv : append_libsvm;
  OutputFile file(output.file.out, output.file.force);
  check_disk(output.file.out, text_bytes(table, append));
  if (csv) file.write(header(table));
  const Index width = table.num_features() + 1;
  for_each_block(
      table.num_rows(), width, executor,
      [&](Index first, Index count, double* out) { table.read(first, count, out); },
      [&](std::span<const double> rows, Index end) {
        const Index count = std::ssize(rows) / width;
        const Index parts = executor.num_threads();
        std::vector<std::string> lines(static_cast<std::size_t>(parts));
        executor.for_each(parts, [&](Index part) {
          for (Index i = part * count / parts; i < (part + 1) * count / parts; ++i)
            append(rows.data() + i * width, table.num_features(), lines[static_cast<std::size_t>(part)]);
        });
        for (const std::string& some : lines) file.write(some);
        progress.update(end, 0, "");
      });
  progress.begin("saving " + printable_path(output.file.out));
  file.commit();
}

void write_npy(const SimulatedTable& table, const TableOutput& output, const Executor& executor,
               Progress& progress) {
  const Index width = table.num_features() + 1;
  NpyWriter writer(output.file.out, table.num_rows(), width, output.file.force,
                   output.float32 ? NpyWriter::Type::Float32 : NpyWriter::Type::Float64);
  check_disk(output.file.out, static_cast<std::uint64_t>(table.num_rows()) *
                                  static_cast<std::uint64_t>(width) *
                                  (output.float32 ? sizeof(float) : sizeof(double)));
  write_matrix(
      writer, output.file.out, table.num_rows(), width, executor,
      [&](Index first, Index count, double* out) { table.read(first, count, out); }, progress);
}

// The rows of a table after the first `after`: files of one table can be made apart.
class LaterRows final : public SimulatedTable {
 public:
  LaterRows(const SimulatedTable& table, Index after) : table_(table), after_(after) {}

  [[nodiscard]] Index num_rows() const override { return table_.num_rows(); }
  [[nodiscard]] Index num_features() const override { return table_.num_features(); }
  [[nodiscard]] std::vector<std::string> feature_names() const override { return table_.feature_names(); }
  void read(Index first, Index count, double* out) const override { table_.read(after_ + first, count, out); }

 private:
  const SimulatedTable& table_;
  Index after_;
};

}  // namespace

void add_table_output_options(Arguments& arguments, const std::string& group) {
  arguments.add_value("after", "K",
                      "Begin after K rows of the same table, 0 to 10^12 (default 0): several\n"
                      "files then make one table",
                      group);
  arguments.add_value("seed", "S", "0 to 2^64-1 (default 1)", group);
  arguments.add_value("threads", "T", "0 to 1024, 0 for all cores (default 0); same numbers", group);
  const std::string output = "Output";
  arguments.add_value("out", "FILE", "Where the table goes: .csv, .npy, .svm or .libsvm (required)", output);
  arguments.add_flag("float32", "Numbers of 4 bytes, .npy only", output);
  arguments.add_flag("force", "Replace FILE if it exists", output);
  arguments.add_flag("quiet", "No progress, no summary", output);
}

std::uint64_t table_seed(const Arguments& arguments) {
  return arguments.whole("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
}

TableOutput table_output(const Arguments& arguments) {
  TableOutput output;
  output.file = simulate_output(arguments, "FILE");
  output.format = format_of(output.file.out);
  output.after = arguments.count("after", 0, 0, kMostAfter);
  output.float32 = arguments.flag("float32");
  if (output.float32 && output.format != TableFormat::Npy)
    throw UsageError("--float32 is for .npy files; leave it out");
  return output;
}

void write_table(const SimulatedTable& all, const TableOutput& output, const std::string& what) {
  const Stopwatch total;
  const LaterRows table(all, output.after);
  {
    const Threads executor(output.file.threads, stop_requested);
    Progress progress(output.file.quiet);
    progress.begin("simulating", table.num_rows(), "rows");
    (output.format == TableFormat::Npy ? write_npy : write_text)(table, output, executor, progress);
  }
  if (output.file.quiet) return;
  write_stdout(fmt::format("{}: {} of {}, in {:.1f} s\n", printable_path(output.file.out),
                           plural(table.num_rows(), "row"), what, total.seconds()));
}

}  // namespace giga::tool
