// The class of a cell, the kind of a column, and a guess at it from the first rows.
#include "data/column_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "data/csv_row.hpp"
#include "data/csv_scan.hpp"
#include "data/iso_time.hpp"
#include "data/level_table.hpp"
#include "data/number_parse.hpp"
#include "data/utf8.hpp"

namespace giga {
namespace {

// Text that is looked at for the guess: one row at least.
constexpr std::size_t kGuessBytes = 1 << 14;

Index count_of(const ClassCounts& counts, std::initializer_list<CellClass> classes) {
  Index sum = 0;
  for (const CellClass each : classes) sum += counts[static_cast<std::size_t>(each)];
  return sum;
}

const KnownColumn* known_column(const ReadOptions& options, const std::string& name) {
  const auto found = std::find_if(options.known.begin(), options.known.end(),
                                  [&](const KnownColumn& known) { return known.name == name; });
  return found == options.known.end() ? nullptr : &*found;
}

CellMode mode_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::Number: break;
    case ColumnKind::Category: return CellMode::Text;
    case ColumnKind::Date:
    case ColumnKind::Time: return CellMode::Date;
  }
  return CellMode::Number;
}

}  // namespace

// Weights are numbers.
ColumnPlan plan_of(const Column& column, const ReadOptions& options) {
  ColumnPlan plan;
  if (column.role == ColumnRole::Unused) return plan;
  plan.mode = CellMode::Number;
  plan.settled = column.role == ColumnRole::Weight;
  plan.known = known_column(options, column.name);
  plan.asked = std::find(options.categories.begin(), options.categories.end(), column.name) !=
               options.categories.end();
  if (plan.known == nullptr || plan.settled) {
    if (plan.asked && !plan.settled) plan.mode = CellMode::Text;
    return plan;
  }
  plan.mode = mode_of(plan.known->kind);
  plan.asked = plan.mode == CellMode::Text;
  plan.settled = !plan.asked;
  return plan;
}

void check_max_levels(const ReadOptions& options) {
  if (options.max_levels >= 1 && options.max_levels <= LevelTable::kMost) return;
  throw std::invalid_argument("max_levels is " + std::to_string(options.max_levels) + ", must be 1 to " +
                              std::to_string(LevelTable::kMost));
}

CellClass class_of(std::string_view text) {
  switch (parse_cell(text).kind) {
    case CellKind::Missing: return CellClass::Missing;
    case CellKind::Number: return CellClass::Number;
    case CellKind::Infinite:
    case CellKind::Overflow: return CellClass::Unusable;
    case CellKind::NotANumber: break;
  }
  switch (parse_iso(text).kind) {
    case IsoKind::Date: return CellClass::Date;
    case IsoKind::Time: return CellClass::Time;
    case IsoKind::Impossible: return CellClass::Impossible;
    case IsoKind::None: break;
  }
  if (text.size() > kMaxLevelBytes) return CellClass::Long;
  return invalid_utf8(text) < text.size() ? CellClass::NotUtf8 : CellClass::Text;
}

ColumnKind kind_of(const ClassCounts& counts) {
  Index present = 0;
  for (const Index count : counts) present += count;
  present -= counts[static_cast<std::size_t>(CellClass::Missing)];
  if (2 * count_of(counts, {CellClass::Number, CellClass::Unusable}) >= present) return ColumnKind::Number;
  if (2 * count_of(counts, {CellClass::Date, CellClass::Time, CellClass::Impossible}) >= present)
    return count_of(counts, {CellClass::Time}) > 0 ? ColumnKind::Time : ColumnKind::Date;
  return ColumnKind::Category;
}

std::vector<ColumnPlan> plan_columns(std::string_view text, char delimiter,
                                     const std::vector<Column>& columns, const ReadOptions& options) {
  std::vector<ColumnPlan> plan;
  plan.reserve(columns.size());
  for (const Column& column : columns) plan.push_back(plan_of(column, options));
  // Rows that are not as they should be are for the parser to report: the guess ends before them.
  std::vector<ClassCounts> counts(columns.size(), ClassCounts{});
  for (std::size_t at = 0; at < text.size() && at < kGuessBytes;) {
    const std::optional<std::size_t> end = row_end_within(text, at);
    if (!end) break;
    if (!is_blank_line(text, at)) {
      const CsvRow row = split_row(text.substr(at, *end - at), delimiter);
      if (!row.problem.empty() || row.cells.size() != columns.size()) break;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        if (plan[j].mode == CellMode::Number && !plan[j].settled)
          ++counts[j][static_cast<std::size_t>(class_of(trimmed(row.cells[j])))];
      }
    }
    at = *end;
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (plan[j].mode == CellMode::Number && !plan[j].settled) plan[j].mode = mode_of(kind_of(counts[j]));
  }
  return plan;
}

}  // namespace giga
