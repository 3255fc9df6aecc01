// From texts in chunks to sorted levels.
#include "data/text_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/number_parse.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

// In a table of more rows than this, levels that are more than half as many as the cells name rows.
constexpr Index kFewRows = 50;

}  // namespace

// A text that is new here: what it is need not be asked again.
std::int32_t TextChunk::code_of_new(std::string_view text, Index number, Index row, std::size_t offset) {
  const CellClass is = class_of(text);
  if (number >= 0) {
    levels_.push_back({is, 0, row, offset});
    return static_cast<std::int32_t>(number);
  }
  FirstCell& first = first_uncoded_[static_cast<std::size_t>(is)];
  if (first.row < 0) first = {row, offset, std::string(text)};
  return ~static_cast<std::int32_t>(is);
}

TextColumn::TextColumn(Index col, const ColumnPlan& plan)
    : col_(col), asked_(plan.asked), known_(plan.known) {
  if (known_ == nullptr || known_->levels.empty()) {
    known_ = nullptr;
    return;
  }
  // The numbers of known levels are their places.
  for (const std::string& level : known_->levels) (void)texts_.number(level);
  if (texts_.size() != std::ssize(known_->levels))
    throw std::invalid_argument("the known levels of column '" + printable(known_->name) +
                                "' are not distinct, or more than " + std::to_string(LevelTable::kMost));
}

// Chunks come in the order of rows, but the texts of one in the order in which they were seen.
void TextColumn::note_first(Found& first, Index row, std::size_t offset, std::string_view text,
                            const LineOf& line_of) {
  if (first.row >= 0 && first.row <= row) return;
  first = {{row, offset, std::string(text)}, line_of(offset)};
}

void TextColumn::merge(const TextChunk& chunk, Index first_row, Index num_rows, const LineOf& line_of) {
  Piece piece{first_row, num_rows, std::vector<std::uint32_t>(chunk.levels_.size(), kUnknown)};
  for (std::size_t k = 0; k < chunk.levels_.size(); ++k) {
    const TextChunk::Level& level = chunk.levels_[k];
    // Asked for, but not counted: its row was bad.
    if (level.count == 0) continue;
    const std::string_view text = chunk.texts_.text(static_cast<Index>(k));
    const auto is = static_cast<std::size_t>(level.is);
    counts_[is] += level.count;
    note_first(first_[is], level.row, level.offset, text, line_of);
    if (level.is == CellClass::Missing) continue;
    const Index number = known_ != nullptr ? texts_.find(text) : texts_.number(text);
    if (number >= 0) {
      piece.levels[k] = static_cast<std::uint32_t>(number);
    } else if (known_ == nullptr) {
      too_many_ = true;
    } else {
      note_first(first_unknown_, level.row, level.offset, text, line_of);
    }
  }
  for (std::size_t is = 0; is < kNumClasses; ++is) {
    if (chunk.uncoded_[is] == 0) continue;
    const FirstCell& first = chunk.first_uncoded_[is];
    counts_[is] += chunk.uncoded_[is];
    note_first(first_[is], first.row, first.offset, first.text, line_of);
    // A text without a number is new here or too long, so it is no known level either.
    if (known_ != nullptr) note_first(first_unknown_, first.row, first.offset, first.text, line_of);
    too_many_ = too_many_ || is != static_cast<std::size_t>(CellClass::Long);
  }
  pieces_.push_back(std::move(piece));
}

Index TextColumn::present() const {
  return std::accumulate(counts_.begin(), counts_.end(), Index{0}) -
         counts_[static_cast<std::size_t>(CellClass::Missing)];
}

// What follows the place of a row. Cells of a column of numbers get the words of any such cell.
std::string TextColumn::words_of(const Found& cell, CellClass is, ColumnKind kind, const Table& table) const {
  const std::string shown = std::string("'").append(printable(cell.text)).append("'");
  if (kind == ColumnKind::Number) return table.not_a_number(parse_cell(cell.text), cell.text, col_);
  if (kind != ColumnKind::Category) return table.not_a_date(cell.text, is == CellClass::Impossible, col_);
  const std::string start = ", " + column_place(table.columns(), col_) + ": " + shown;
  if (is == CellClass::Long) {
    return start + " has " + std::to_string(cell.text.size()) +
           " bytes, and a level of a category has at most " + std::to_string(kMaxLevelBytes) + "; " +
           table.way_out(col_);
  }
  return start + " is not UTF-8; convert the file, for example with iconv -f LATIN1 -t UTF-8, or " +
         table.way_out(col_);
}

std::optional<TextColumn::Fault> TextColumn::fault(const Table& table) const {
  const ColumnKind kind_here = kind();
  // Whether cells of this class belong to the kind.
  const auto fits = [kind_here](CellClass is) {
    switch (is) {
      case CellClass::Missing: return true;
      case CellClass::Number: return kind_here == ColumnKind::Number || kind_here == ColumnKind::Category;
      case CellClass::Date:
      case CellClass::Time: return kind_here != ColumnKind::Number;
      case CellClass::Unusable:
      case CellClass::Impossible:
      case CellClass::Text: return kind_here == ColumnKind::Category;
      case CellClass::Long:
      case CellClass::NotUtf8: break;
    }
    return false;
  };
  std::optional<Fault> found;
  const auto take = [&found](const Found& cell, std::string what) {
    if (cell.row < 0 || (found && found->bad_row.row <= cell.row)) return;
    found = Fault{{cell.row, cell.offset, std::move(what)}, cell.line};
  };
  for (std::size_t is = 0; is < kNumClasses; ++is) {
    const auto each = static_cast<CellClass>(is);
    if (!fits(each) && first(each).row >= 0) take(first(each), words_of(first(each), each, kind_here, table));
  }
  if (first_unknown_.row >= 0)
    take(first_unknown_, table.unknown_level(col_, first_unknown_.text, known_->levels));
  return found;
}

void TextColumn::refuse_many(const Table& table, const ReadOptions& options) const {
  if (known_ != nullptr) return;
  const bool beyond = too_many_ || texts_.size() > options.max_levels;
  const bool names_rows = present() > kFewRows && 2 * texts_.size() > present();
  if (!beyond && !names_rows) return;
  std::string what = " has ";
  what.append(too_many_ ? "more than " : "").append(std::to_string(texts_.size())).append(" levels in ");
  what.append(std::to_string(present())).append(" cells and looks like an identifier; ");
  throw DataError(table.name() + ": " + column_place(table.columns(), col_) + what + table.way_out(col_) +
                  (names_rows || too_many_ ? "" : ", or raise `max_levels`"));
}

// sorted: the levels by their bytes; what is returned has the place of every number among them.
std::vector<std::uint32_t> TextColumn::sorted_places(std::vector<std::string>& sorted) const {
  std::vector<std::uint32_t> order(at(texts_.size()));
  std::iota(order.begin(), order.end(), 0U);
  // string_view compares bytes as unsigned.
  if (known_ == nullptr)
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return texts_.text(a) < texts_.text(b); });
  std::vector<std::uint32_t> places(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    places[order[k]] = static_cast<std::uint32_t>(k);
    sorted.emplace_back(texts_.text(order[k]));
  }
  return places;
}

std::vector<std::uint32_t> TextColumn::settle(Table& table, const ReadOptions& options) const {
  refuse_many(table, options);
  std::vector<std::string> levels;
  std::vector<std::uint32_t> places = sorted_places(levels);
  table.set_kind(col_, ColumnKind::Category, std::move(levels), known_ != nullptr);
  return places;
}

void TextColumn::renumber(Index piece_index, const std::vector<std::uint32_t>& places,
                          const Slot& slot) const {
  const Piece& piece = pieces_[at(piece_index)];
  std::vector<double> values(piece.levels.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = piece.levels[k] == kUnknown ? 0 : static_cast<double>(places[piece.levels[k]]);
  for (Index row = piece.first_row; row < piece.first_row + piece.num_rows; ++row) {
    double& value = slot.base[row * slot.stride];
    if (!std::isnan(value)) value = values[static_cast<std::size_t>(value)];
  }
}

TextColumns::TextColumns(const std::vector<ColumnPlan>& plan) : has_time(plan.size()) {
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (plan[j].mode == CellMode::Text) columns.emplace_back(static_cast<Index>(j), plan[j]);
  }
}

std::optional<TextColumn::Fault> TextColumns::fault_before(Index row, const Table& table) const {
  std::optional<TextColumn::Fault> lowest;
  for (const TextColumn& column : columns) {
    auto fault = column.fault(table);
    if (fault && fault->bad_row.row < (lowest ? lowest->bad_row.row : row)) lowest = std::move(fault);
  }
  return lowest;
}

void TextColumns::settle(const std::vector<ColumnPlan>& plan, Table& table, const ReadOptions& options,
                         const Executor& executor) const {
  std::vector<std::vector<std::uint32_t>> places;
  for (const TextColumn& column : columns) places.push_back(column.settle(table, options));
  renumber(places, table, executor);
  set_dates(plan, table);
}

// All columns of a chunk together, while its rows are in the cache.
void TextColumns::renumber(const std::vector<std::vector<std::uint32_t>>& places, Table& table,
                           const Executor& executor) const {
  const std::vector<Slot> slots = table.slots();
  executor.for_each(columns.empty() ? 0 : columns[0].num_pieces(), [&](Index piece) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      columns[k].renumber(piece, places[k], slots[at(columns[k].col())]);
  });
}

void TextColumns::set_dates(const std::vector<ColumnPlan>& plan, Table& table) const {
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (plan[j].mode != CellMode::Date) continue;
    const bool time =
        has_time[j] != 0 || (plan[j].known != nullptr && plan[j].known->kind == ColumnKind::Time);
    table.set_kind(static_cast<Index>(j), time ? ColumnKind::Time : ColumnKind::Date);
  }
}

}  // namespace giga
