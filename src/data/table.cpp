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

}  // namespace

void throw_bad_row(const Table& table, const BadRow& bad_row, Index line) {
  if (table.files().empty())
    throw DataError(table.name() + ": " + row_place(bad_row.row, line) + bad_row.what);
  const InputFile& file = file_with(table.files(), bad_row.row);
  throw DataError(file.name + ": " + row_place(bad_row.row - file.first_row, line) + bad_row.what);
}

// The second half of reading a binary file: numbers were converted without being judged. Finite ones, nearly
// all, are passed over; the others go through store() like cells of text.
std::optional<BadRow> look_at_filled(Table& table, const std::vector<Slot>& slots, Index num_rows,
                                     const Executor& executor, const PlacedFeatures* placed) {
  struct Result {
    Issues issues;
    std::optional<BadRow> bad_row;
  };
  // A result per block of rows; the first bad row in block order is the one reported.
  std::vector<Result> results(at(num_blocks(num_rows)));
  for_each_block(executor, num_rows, [&](Index first, Index count) {
    auto& [issues, bad_row] = results[at(first / kBlockRows)];
    std::vector<double> room(placed != nullptr ? at(table.num_features()) : 0);
    for (Index row = first; row < first + count && !bad_row; ++row) {
      const double* const elsewhere = placed != nullptr ? placed->row(row, room.data()) : nullptr;
      for (std::size_t col = 0; col < slots.size() && !bad_row; ++col) {
        const Slot& slot = slots[col];
        const Column& column = table.columns()[col];
        const double* value = slot.base != nullptr ? slot.base + row * slot.stride : nullptr;
        if (value == nullptr && elsewhere != nullptr && column.role == ColumnRole::Feature)
          value = elsewhere + column.feature;
        if (value == nullptr || std::isfinite(*value)) continue;
        std::string what = table.store(*value, {row, static_cast<Index>(col)}, slot, issues);
        if (!what.empty()) bad_row = BadRow{row, 0, std::move(what)};
      }
    }
  });
  for (Result& result : results) {
    table.merge(std::move(result.issues));
    if (result.bad_row) return std::move(result.bad_row);
  }
  return std::nullopt;
}

void judge_filled(Table& table, const std::vector<Slot>& slots, Index num_rows, const Executor& executor,
                  const PlacedFeatures* placed) {
  if (const auto bad_row = look_at_filled(table, slots, num_rows, executor, placed))
    throw_bad_row(table, *bad_row, 0);
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
  if (parts_.borrowed == nullptr && !parts_.placed)
    parts_.features.resize(checked_product(rows, parts_.num_features));
  if (has_response_) parts_.response.resize(rows);
  if (has_weights_) parts_.weights.resize(rows);
}

void Table::borrow_features(const double* features, Index rows) {
  parts_.borrowed = features;
  parts_.num_rows = rows;
  allocate(rows);
}

void Table::place_features(std::shared_ptr<const PlacedFeatures> features, Index rows) {
  parts_.placed = std::move(features);
  parts_.num_rows = rows;
  allocate(rows);
}

void Table::own_features() {
  const double* borrowed = std::exchange(parts_.borrowed, nullptr);
  const std::shared_ptr<const PlacedFeatures> placed = std::exchange(parts_.placed, nullptr);
  if (borrowed == nullptr && !placed) return;
  const Index count = checked_product(parts_.num_rows, parts_.num_features);
  parts_.features.resize(count);
  if (borrowed != nullptr) {
    std::copy_n(borrowed, count, parts_.features.data());
    return;
  }
  for (Index n = 0; n < parts_.num_rows; ++n) {
    double* to = parts_.features.data() + n * parts_.num_features;
    const double* from = placed->row(n, to);
    if (from != to) std::copy_n(from, parts_.num_features, to);
  }
}

void Table::reserve(Index rows) {
  parts_.features.grow(checked_product(rows, parts_.num_features));
  if (has_response_) parts_.response.grow(rows);
  if (has_weights_) parts_.weights.grow(rows);
}

// Features are row-major, so the numbers of one feature lie num_features apart.
std::vector<Slot> Table::slots() {
  std::vector<Slot> slots;
  // Borrowed features are not written to: nothing that is borrowed is a category, or parsed. Of no rows there
  // are none at all, from which nothing may be counted on; nor of those that stay in files.
  auto* const features = const_cast<double*>(parts_.feature_values());
  for (const Column& column : parts_.columns) {
    switch (column.role) {
      case ColumnRole::Feature:
        slots.push_back({features == nullptr ? nullptr : features + column.feature, parts_.num_features});
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

Index count_rounded(Scalar was, std::span<const double> numbers) {
  constexpr double kMost = 0x1p53;
  if (was != Scalar::Int64 && was != Scalar::UInt64) return 0;
  return std::ranges::count_if(numbers, [](double value) { return std::abs(value) >= kMost; });
}

// In block order: `incomplete` stays ascending, and the first places are those of the lowest rows.
void Table::merge(Issues&& block) {
  issues_.missing += block.missing;
  issues_.too_small += block.too_small;
  issues_.rounded += block.rounded;
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

void Table::set_kind(Index col, ColumnKind kind, std::vector<std::string> levels, bool keep_levels) {
  parts_.columns[at(col)].kind = kind;
  parts_.columns[at(col)].levels = std::move(levels);
  keep_levels_[at(col)] = keep_levels ? 1 : 0;
}

}  // namespace giga
