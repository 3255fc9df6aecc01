// CSV files as a Dataset: where the data begin, a scan that counts rows, room for them, then the parse.
//
//     mapped files   find_start -> scan_texts (all files) -> Table::allocate -> parse_rows -> finish
//     a stream       CsvBlocks -> for each block: scan_rows -> Table::reserve -> parse_rows; then finish
//
// Columns are parsed as column_plan.hpp guesses; where a cell does not fit, its column is something else, and
// all is parsed again. Further blocks of standard input cannot change a column: what was read of it as
// numbers is gone. An Origin finds the text of a row again, for messages and for unused columns.
#include "data/csv_reader.hpp"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "data/column_roles.hpp"
#include "data/csv_input.hpp"
#include "data/line_ends.hpp"
#include "data/several_files.hpp"
#include "giga/base/error.hpp"

namespace giga {
namespace {

// Throws the error of the first bad row or text, if there is any.
void require_good(const CsvParse& parse, const TextColumns& text, const Table& table) {
  const Index before = parse.bad_row ? parse.bad_row->row : std::numeric_limits<Index>::max();
  if (const auto fault = text.fault_before(before, table)) throw_bad_row(table, fault->bad_row, fault->line);
  if (parse.bad_row) throw_bad_row(table, *parse.bad_row, parse.bad_line);
}

Dataset read_all(const std::string& name, std::vector<CsvFile> files, const ReadOptions& options,
                 const Executor& executor, const Observer& observer, const CsvSizes& sizes) {
  std::unique_ptr<OpenStream> alone = find_starts(files, sizes);
  Table table(name, assign_roles(files.front().start.names, options, name), options, executor.memory());
  table.allow_categories();
  const auto [first, delimiter] = first_text(files, alone.get());
  std::vector<ColumnPlan> plan = plan_columns(first, delimiter, table.columns(), options);
  const bool several = files.size() > 1;
  CsvRows rows(std::move(files), std::move(alone), executor, observer, sizes);
  const Index mapped_rows = rows.scan();
  // Where all is mapped, exactly the memory of its rows is allocated.
  if (rows.all_mapped() && mapped_rows == 0)
    throw DataError(name + ": 0 data rows after the header" + (several ? "s" : ""));
  if (rows.all_mapped()) table.allocate(mapped_rows);
  while (true) {
    table.start_again();
    TextColumns texts(plan);
    const CsvParse parse = rows.parse(plan, table, texts);
    if (!parse.suspects.empty()) {
      replan(parse.suspects, plan);
      continue;
    }
    require_good(parse, texts, table);
    texts.settle(plan, table, options, executor);
    break;
  }
  note_empty_files(table, rows.num_rows());
  return std::move(table).finish(rows.num_rows(), rows.take_origin(0));
}

Dataset read_one(CsvFile file, const ReadOptions& options, const Executor& executor, const Observer& observer,
                 const CsvSizes& sizes) {
  const std::string name = file.name;
  std::vector<CsvFile> files;
  files.push_back(std::move(file));
  return read_all(name, std::move(files), options, executor, observer, sizes);
}

}  // namespace

Dataset read_csv_files(std::span<const std::filesystem::path> paths, const std::string& name,
                       const ReadOptions& options, const Executor& executor, const Observer& observer,
                       const CsvSizes& sizes) {
  check_csv_options(options);
  return read_all(name, csv_files(paths, options), options, executor, observer, sizes);
}

Dataset read_csv(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                 const Observer& observer, const CsvSizes& sizes) {
  check_csv_options(options);
  return read_one(plain_file(path, {options.delimiter, options.header}), options, executor, observer, sizes);
}

Dataset read_gzip_csv(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                      const Observer& observer, const CsvSizes& sizes) {
  check_csv_options(options);
  return read_one(packed_file(path, {options.delimiter, options.header}), options, executor, observer, sizes);
}

Dataset read_csv_stream(int fd, const std::string& name, const ReadOptions& options, const Executor& executor,
                        const Observer& observer, const CsvSizes& sizes) {
  check_csv_options(options);
  CsvFile file{.name = name, .form = {options.delimiter, options.header}};
  file.once = with_newlines(descriptor_source(fd, name));
  return read_one(std::move(file), options, executor, observer, sizes);
}

}  // namespace giga
