// Storing cells, and the judgement when all are stored:
//
//     a number                            stored; one too small for a double is 0, and counted for a note
//     missing (NaN, NA, empty)            NaN; refused at the end, or its row is dropped
//     infinite, too large, not a number   ends the reading at that row
//     a negative weight, no row left      refused at the end
//
// Messages name the place, the value and the remedy. They are made here and in table_words.cpp for all
// formats, so that the same mistake reads the same in each.
#include "data/table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// Missing cells that are named in a message; their number is told as well.
constexpr std::size_t kPlacesShown = 5;

// "1 row", "2 rows".
std::string counted(Index count, const char* one, const char* many) {
  return std::to_string(count) + (count == 1 ? one : many);
}

std::string in_quotes(std::string_view value) {
  return std::string("'").append(printable(value)).append("'");
}

}  // namespace

void throw_bad_row(const Table& table, const BadRow& bad_row, Index line) {
  if (table.files().empty())
    throw DataError(table.name() + ": " + row_place(bad_row.row, line) + bad_row.what);
  const InputFile& file = file_with(table.files(), bad_row.row);
  throw DataError(file.name + ": " + row_place(bad_row.row - file.first_row, line) + bad_row.what);
}

// The second half of reading a binary file: numbers were converted without being judged. Finite ones, nearly
// all, are passed over; the others go through store() like cells of text.
void judge_filled(Table& table, const std::vector<Slot>& slots, Index num_rows, const Executor& executor) {
  struct Result {
    Issues issues;
    std::optional<BadRow> bad_row;
  };
  // A result per block of rows; the first bad row in block order is the one reported.
  std::vector<Result> results(at(num_blocks(num_rows)));
  for_each_block(executor, num_rows, [&](Index first, Index count) {
    auto& [issues, bad_row] = results[at(first / kBlockRows)];
    for (Index row = first; row < first + count && !bad_row; ++row) {
      for (std::size_t col = 0; col < slots.size() && !bad_row; ++col) {
        const Slot& slot = slots[col];
        if (slot.base == nullptr || std::isfinite(slot.base[row * slot.stride])) continue;
        std::string what =
            table.store(slot.base[row * slot.stride], {row, static_cast<Index>(col)}, slot, issues);
        if (!what.empty()) bad_row = BadRow{row, 0, std::move(what)};
      }
    }
  });
  for (Result& result : results) {
    if (result.bad_row) throw_bad_row(table, *result.bad_row, 0);
    table.merge(std::move(result.issues));
  }
}

// feature_names is in the order of features(n), which need not be that of the columns.
Table::Table(std::string name, std::vector<Column> columns, const ReadOptions& options, RowMemory& memory)
    : missing_(options.missing) {
  parts_.features = RowArray<double>(memory);
  parts_.response = RowArray<double>(memory);
  parts_.weights = RowArray<double>(memory);
  parts_.name = std::move(name);
  parts_.columns = std::move(columns);
  for (const Column& column : parts_.columns) {
    if (column.role == ColumnRole::Feature) ++parts_.num_features;
    if (column.role == ColumnRole::Response) {
      parts_.response_name = column.name;
      has_response_ = true;
    }
    if (column.role == ColumnRole::Weight) has_weights_ = true;
  }
  parts_.feature_names.resize(at(parts_.num_features));
  for (const Column& column : parts_.columns) {
    if (column.role == ColumnRole::Feature) parts_.feature_names[at(column.feature)] = column.name;
  }
  keep_levels_.resize(parts_.columns.size());
  // The response was guessed: the user should know which column it is.
  if (has_response_ && !options.response && !options.choose && parts_.response_name != "y")
    add_note("the response is '" + printable(parts_.response_name) +
             "', as no column is called y; `response` chooses another");
}

void Table::start_again() {
  parts_.files.clear();
  issues_ = {};
}

void Table::allocate(Index rows) {
  parts_.features.resize(checked_product(rows, parts_.num_features));
  if (has_response_) parts_.response.resize(rows);
  if (has_weights_) parts_.weights.resize(rows);
}

void Table::reserve(Index rows) {
  parts_.features.grow(checked_product(rows, parts_.num_features));
  if (has_response_) parts_.response.grow(rows);
  if (has_weights_) parts_.weights.grow(rows);
}

// Features are row-major, so the numbers of one feature lie num_features apart.
std::vector<Slot> Table::slots() {
  std::vector<Slot> slots;
  for (const Column& column : parts_.columns) {
    switch (column.role) {
      case ColumnRole::Feature:
        slots.push_back({parts_.features.data() + column.feature, parts_.num_features});
        break;
      case ColumnRole::Response: slots.push_back({parts_.response.data(), 1}); break;
      case ColumnRole::Weight: slots.push_back({parts_.weights.data(), 1}); break;
      case ColumnRole::Unused: slots.emplace_back(); break;
    }
  }
  return slots;
}

void Table::note_missing(CellPlace place, Issues& issues) const {
  ++issues.missing;
  if (std::ssize(issues.missing_by_column) <= place.col) issues.missing_by_column.resize(at(place.col + 1));
  ++issues.missing_by_column[at(place.col)];
  if (issues.first_missing.size() < kPlacesShown) issues.first_missing.push_back(place);
  // Cells of a row are stored together, so a row that is already listed is the last one.
  if (missing_ == Missing::Drop && (issues.incomplete.empty() || issues.incomplete.back() != place.row)) {
    issues.incomplete.push_back(place.row);
  }
}

std::string Table::store(const CellValue& cell, std::string_view text, CellPlace place, const Slot& slot,
                         Issues& issues) const {
  if (cell.kind == CellKind::Number) {
    slot.base[place.row * slot.stride] = cell.value;
    if (cell.too_small) ++issues.too_small;
    return {};
  }
  if (cell.kind == CellKind::Missing) {
    store_missing(place, slot, issues);
    return {};
  }
  return not_a_number(cell, text, place.col);
}

// NaN marks the cell for empty_column(); no NaN is left in a finished table.
void Table::store_missing(CellPlace place, const Slot& slot, Issues& issues) const {
  slot.base[place.row * slot.stride] = std::numeric_limits<double>::quiet_NaN();
  note_missing(place, issues);
}

std::string Table::store(double value, CellPlace place, const Slot& slot, Issues& issues) const {
  if (std::isfinite(value)) {
    slot.base[place.row * slot.stride] = value;
    return {};
  }
  if (std::isnan(value)) {
    note_missing(place, issues);
    return {};
  }
  return store({.kind = CellKind::Infinite}, shortest(value), place, slot, issues);
}

// In block order: `incomplete` stays ascending, and the first places are those of the lowest rows.
void Table::merge(Issues&& block) {
  issues_.missing += block.missing;
  issues_.too_small += block.too_small;
  auto& by_column = issues_.missing_by_column;
  by_column.resize(std::max(by_column.size(), block.missing_by_column.size()));
  for (std::size_t j = 0; j < block.missing_by_column.size(); ++j) by_column[j] += block.missing_by_column[j];
  for (const CellPlace& place : block.first_missing) {
    if (issues_.first_missing.size() < kPlacesShown) issues_.first_missing.push_back(place);
  }
  for (const Index row : block.incomplete) {
    if (issues_.incomplete.empty() || issues_.incomplete.back() != row) issues_.incomplete.push_back(row);
  }
}

// A used column that is missing in every row: then dropping rows does not help. Missing cells are NaN in
// their slots. One row is not enough to say so of a column.
std::string Table::empty_column() {
  if (parts_.num_rows < 2 || issues_.missing < parts_.num_rows) return {};
  const std::vector<Slot> all = slots();
  for (std::size_t col = 0; col < all.size(); ++col) {
    const Slot& slot = all[col];
    Index row = 0;
    while (slot.base != nullptr && row < parts_.num_rows && std::isnan(slot.base[row * slot.stride])) ++row;
    if (row < parts_.num_rows) continue;
    return column_place(parts_.columns, static_cast<Index>(col)) + " is empty in every row; " +
           advice(parts_.columns[col], "fill it in");
  }
  return {};
}

std::string Table::missing_by_column() const {
  constexpr std::size_t kShown = 10;
  const std::vector<Index>& counts = issues_.missing_by_column;
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (counts[j] > 0) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::string text;
  for (std::size_t k = 0; k < std::min(order.size(), kShown); ++k) {
    const std::string& name = parts_.columns[order[k]].name;
    text.append(k == 0 ? "" : ", ").append(std::to_string(counts[order[k]])).append(" in ");
    text.append(name.empty() ? column_place(parts_.columns, static_cast<Index>(order[k])) : in_quotes(name));
  }
  if (order.size() > kShown) text += ", ... (" + std::to_string(order.size()) + " columns in all)";
  return text;
}

// Counts them by column, names the first few places, then says what to do: fill in, drop, or leave out a
// column that is empty.
void Table::refuse_missing() {
  std::string message = parts_.name + ": " + counted(issues_.missing, " missing value", " missing values") +
                        " (NaN, NA or empty): ";
  if (issues_.missing > 1) message += missing_by_column() + "; the first are ";
  // Within a row texts are noted after numbers.
  std::vector<CellPlace> places = issues_.first_missing;
  std::sort(places.begin(), places.end(), [](const CellPlace& a, const CellPlace& b) {
    return std::pair(a.row, a.col) < std::pair(b.row, b.col);
  });
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [row, col] = places[i];
    message.append(i == 0 ? "" : "; ").append(place_of(parts_, row));
    message.append(", ").append(column_place(parts_.columns, col));
  }
  if (issues_.missing > static_cast<Index>(kPlacesShown)) message += "; ...";
  const std::string empty = empty_column();
  throw DataError(message + "; " +
                  (empty.empty() ? "fill them in, or drop such rows with `missing = drop`" : empty));
}

// The rows in `incomplete` leave the table; their numbers are kept for input_row().
void Table::drop_incomplete_rows() {
  const std::vector<Index>& dropped = issues_.incomplete;
  if (static_cast<Index>(dropped.size()) == parts_.num_rows) {
    const std::string empty = empty_column();
    throw DataError(parts_.name + ": all " + counted(parts_.num_rows, " row has", " rows have") +
                    " missing values (NaN, NA or empty); " +
                    (empty.empty() ? "none is left after dropping" : empty));
  }
  // Compacts in place: rows [0, kept) are the complete rows among [0, n).
  const Index dim = parts_.num_features;
  Index kept = 0;
  std::size_t next = 0;
  for (Index n = 0; n < parts_.num_rows; ++n) {
    if (next < dropped.size() && dropped[next] == n) {
      ++next;
      continue;
    }
    if (kept != n) {
      std::copy_n(parts_.features.data() + n * dim, dim, parts_.features.data() + kept * dim);
      if (has_response_) parts_.response.data()[kept] = parts_.response.data()[n];
      if (has_weights_) parts_.weights.data()[kept] = parts_.weights.data()[n];
    }
    ++kept;
  }
  parts_.notes.push_back("dropped " + counted(parts_.num_rows - kept, " row", " rows") + " of " +
                         std::to_string(parts_.num_rows) + " with missing values: " + missing_by_column());
  parts_.num_rows = kept;
  parts_.dropped = dropped;
}

// After rows are dropped, so that a place is that of the finished table.
void Table::check_weights(const Dataset& data) const {
  // Weights must be at least 0, and one of them positive.
  bool any = !has_weights_;
  for (Index n = 0; n < data.num_rows() && has_weights_; ++n) {
    const double weight = data.weight(n);
    any = any || weight > 0;
    if (weight >= 0) continue;
    const auto& columns = data.columns();
    const auto col = std::find_if(columns.begin(), columns.end(),
                                  [](const Column& column) { return column.role == ColumnRole::Weight; });
    throw DataError(data.name() + ": " + data.place(n) + ", " + column_place(columns, col - columns.begin()) +
                    ": " + in_quotes(shortest(weight)) + " is negative; a weight must be 0 or more");
  }
  if (!any) throw DataError(data.name() + ": all weights are 0; at least one row must count");
}

// A column without a name is most often the row numbers that R and pandas write by default.
void Table::note_unnamed_features() {
  for (std::size_t j = 0; j < parts_.columns.size(); ++j) {
    const Column& column = parts_.columns[j];
    if (column.role != ColumnRole::Feature || !column.name.empty()) continue;
    parts_.notes.push_back(
        "column " + std::to_string(j + 1) +
        " has no name and is used as a feature; if it numbers the rows, name the others with "
        "`features`");
  }
}

void Table::set_kind(Index col, ColumnKind kind, std::vector<std::string> levels, bool keep_levels) {
  parts_.columns[at(col)].kind = kind;
  parts_.columns[at(col)].levels = std::move(levels);
  keep_levels_[at(col)] = keep_levels ? 1 : 0;
}

// The levels of a category are those of the rows that are left.
void Table::settle_levels() {
  const std::vector<Slot> all = slots();
  for (std::size_t j = 0; j < all.size(); ++j) {
    Column& column = parts_.columns[j];
    if (column.kind != ColumnKind::Category || keep_levels_[j] != 0) continue;
    std::vector<char> occurs(column.levels.size());
    for (Index n = 0; n < parts_.num_rows; ++n)
      occurs[static_cast<std::size_t>(all[j].base[n * all[j].stride])] = 1;
    if (std::find(occurs.begin(), occurs.end(), 0) == occurs.end()) continue;
    // places[k]: levels before k that occur, the new number of level k.
    std::vector<double> places(occurs.size());
    std::vector<std::string> left;
    for (std::size_t k = 0; k < occurs.size(); ++k) {
      places[k] = static_cast<double>(left.size());
      if (occurs[k] != 0) left.push_back(std::move(column.levels[k]));
    }
    column.levels = std::move(left);
    for (Index n = 0; n < parts_.num_rows; ++n) {
      double& value = all[j].base[n * all[j].stride];
      value = places[static_cast<std::size_t>(value)];
    }
  }
}

Dataset Table::finish(Index num_rows, std::unique_ptr<Dataset::Origin> origin) && {
  // From here on places have lines, by the origin.
  parts_.num_rows = num_rows;
  parts_.origin = std::move(origin);
  if (num_rows == 0) throw DataError(parts_.name + ": 0 data rows; at least one is needed");
  if (issues_.missing > 0 && missing_ == Missing::Refuse) refuse_missing();
  if (!issues_.incomplete.empty()) {
    drop_incomplete_rows();
    settle_levels();
  }
  if (issues_.too_small > 0) {
    parts_.notes.push_back(counted(issues_.too_small, " number", " numbers") +
                           " too small for a double read as 0");
  }
  note_unnamed_features();
  // Gives back room that a growing table or dropped rows left over.
  allocate(parts_.num_rows);
  Dataset data(std::move(parts_));
  check_weights(data);
  return data;
}

}  // namespace giga
