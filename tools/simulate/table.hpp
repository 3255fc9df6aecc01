// What the verbs of `giga simulate` that write tables share: their options, and the one loop that writes any
// simulated table in any format.
#pragma once

#include <cstdint>
#include <string>

#include "giga/model/simulated_table.hpp"
#include "simulate/output.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

enum class TableFormat { Csv, Npy, Libsvm };

struct TableOutput {
  SimulateOutput file;
  TableFormat format = TableFormat::Csv;
  Index after = 0;       ///< Rows before the first that is written.
  bool float32 = false;  ///< .npy only.
};

/// The largest --rows and --dim.
inline constexpr Index kMostRows = 1'000'000'000;
inline constexpr Index kMostColumns = 100'000;

/// --after, --seed and --threads under `group`; --out, --float32, --force and --quiet.
void add_table_output_options(Arguments& arguments, const std::string& group);

/// These throw UsageError for whatever cannot be; the format is that of the extension of --out.
[[nodiscard]] std::uint64_t table_seed(const Arguments& arguments);
[[nodiscard]] TableOutput table_output(const Arguments& arguments);

/// Writes all rows, then says on stdout that there are so many rows of `what`, unless asked to be quiet.
void write_table(const SimulatedTable& all, const TableOutput& output, const std::string& what);

}  // namespace giga::tool
