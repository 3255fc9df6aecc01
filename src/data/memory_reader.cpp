// From pieces of columns to the slots of a table, block by block of rows. Each block keeps its own texts and
// faults; they are merged in the order of rows, as those of CSV are, so nothing depends on the threads.
#include "data/memory_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "data/column_plan.hpp"
#include "data/column_roles.hpp"
#include "data/iso_time.hpp"
#include "data/load_progress.hpp"
#include "data/memory_cells.hpp"
#include "data/number_parse.hpp"
#include "data/table.hpp"
#include "data/text_columns.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// Texts of a block are joined at the cost of its levels, so blocks are long.
constexpr Index kMemoryBlock = Index{1} << 16;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Unused columns as text. There are no lines.
class MemoryOrigin : public Dataset::Origin {
 public:
  explicit MemoryOrigin(const MemoryTable& table) : table_(table) {}

  Index line(Index) const override { return 0; }
  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts(rows.size());
    for (const Index col : cols) {
      const MemoryColumn& column = table_.columns[at(col)];
      // Rows ascend, and so do pieces: row k is in `piece`, or in a later one.
      auto piece = column.pieces.begin();
      Index first = 0;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        for (; rows[k] >= first + piece->count; ++piece) first += piece->count;
        texts[k].push_back(text_of(column, *piece, rows[k] - first));
      }
    }
    return texts;
  }

 private:
  const MemoryTable& table_;
};

CellMode mode_of(MemorySource source) {
  switch (source) {
    case MemorySource::Number: return CellMode::Number;
    case MemorySource::Days: return CellMode::Date;
    case MemorySource::Text: break;
  }
  return CellMode::Text;
}

// The type of a column says its kind, unless the options do.
std::vector<ColumnPlan> plan_memory(const Table& table, const MemoryTable& source,
                                    const ReadOptions& options) {
  std::vector<ColumnPlan> plan;
  for (Index col = 0; col < table.num_columns(); ++col) {
    ColumnPlan each = plan_of(table.columns()[at(col)], options);
    if (each.mode != CellMode::Skip) {
      if (!each.settled && !each.asked) each.mode = mode_of(source_of(source.columns[at(col)].type));
      each.asked = each.mode == CellMode::Text;
      each.settled = !each.asked;
    }
    plan.push_back(each);
  }
  return plan;
}

// Rows [first, first + count) on their way into the slots.
class MemoryBlock {
 public:
  MemoryBlock(const Table& table, const MemoryTable& source, const std::vector<ColumnPlan>& plan,
              const std::vector<Slot>& slots)
      : table_(table), source_(source), plan_(plan), slots_(slots), has_time(plan.size()) {}

  void read(Index first, Index count) {
    for (std::size_t col = 0; col < plan_.size(); ++col) {
      if (plan_[col].mode == CellMode::Text) texts.emplace_back();
      if (plan_[col].mode == CellMode::Skip) continue;
      col_ = static_cast<Index>(col);
      Index begin = 0;  // the first row of the piece
      for (const MemoryPiece& piece : source_.columns[col].pieces) {
        const Index from = std::max(first, begin), to = std::min(first + count, begin + piece.count);
        if (from < to) read_piece(piece, from - begin, to - from, from);
        begin += piece.count;
      }
    }
  }

 private:
  [[nodiscard]] const MemoryColumn& column() const { return source_.columns[at(col_)]; }

  // Cells [first, first + count) of a piece, which are rows of the table from `row` on.
  void read_piece(const MemoryPiece& piece, Index first, Index count, Index row) {
    const CellMode mode = plan_[at(col_)].mode;
    if (mode == CellMode::Text) return read_categories(piece, first, count, row);
    if (mode != mode_of(source_of(column().type)))
      return fill(first, count, row,
                  [&](Index i) { return value_of(text_of(column(), piece, i), row + i - first); });
    if (mode == CellMode::Date) return read_days(piece, first, count, row);
    read_numbers(piece, first, count, row);
  }

  // out[row + k] = cell(first + k)
  template <typename Cell>
  void fill(Index first, Index count, Index row, const Cell& cell) {
    const Slot& slot = slots_[at(col_)];
    double* out = slot.base + row * slot.stride;
    bool found = false;
    for (Index i = first; i < first + count; ++i, out += slot.stride) {
      *out = cell(i);
      found = found || std::isnan(*out);
    }
    missing = missing || found;
  }

  template <typename Stored>
  void read_as(const MemoryPiece& piece, Index first, Index count, Index row) {
    const bool all_there = piece.valid == nullptr && piece.missing == nullptr;
    const auto value = [&](Index i) { return static_cast<double>(stored_at<Stored>(piece, i)); };
    if constexpr (std::is_integral_v<Stored>) {
      if (all_there) return fill(first, count, row, value);
      fill(first, count, row, [&](Index i) { return is_there(piece, i) ? value(i) : kMissing; });
    } else {
      fill(first, count, row, [&](Index i) {
        const double number = all_there || is_there(piece, i) ? value(i) : kMissing;
        if (std::isinf(number))
          note_bad(row + i - first,
                   table_.not_a_number({.kind = CellKind::Infinite}, shortest(number), col_));
        return number;
      });
    }
  }

  void read_numbers(const MemoryPiece& piece, Index first, Index count, Index row) {
    switch (column().type) {
      case MemoryType::Float32: return read_as<float>(piece, first, count, row);
      case MemoryType::Int8: return read_as<std::int8_t>(piece, first, count, row);
      case MemoryType::Int16: return read_as<std::int16_t>(piece, first, count, row);
      case MemoryType::Int32: return read_as<std::int32_t>(piece, first, count, row);
      case MemoryType::Int64: return read_as<std::int64_t>(piece, first, count, row);
      case MemoryType::UInt8: return read_as<std::uint8_t>(piece, first, count, row);
      case MemoryType::UInt16: return read_as<std::uint16_t>(piece, first, count, row);
      case MemoryType::UInt32: return read_as<std::uint32_t>(piece, first, count, row);
      case MemoryType::UInt64: return read_as<std::uint64_t>(piece, first, count, row);
      default: return read_as<double>(piece, first, count, row);
    }
  }

  void read_days(const MemoryPiece& piece, Index first, Index count, Index row) {
    const bool moment = column().type == MemoryType::Moment;
    if (moment) has_time[at(col_)] = 1;
    fill(first, count, row, [&](Index i) {
      if (!is_there(piece, i)) return kMissing;
      const double days = moment ? days_of(stored_at<std::int64_t>(piece, i), column().per_day)
                                 : static_cast<double>(stored_at<std::int32_t>(piece, i));
      if (is_day_of_text(static_cast<std::int64_t>(std::floor(days)))) return days;
      note_bad(row + i - first,
               table_.not_a_date("day " + shortest(std::floor(days)) + " since 1970-01-01", true, col_));
      return kMissing;
    });
  }

  void read_categories(const MemoryPiece& piece, Index first, Index count, Index row) {
    TextChunk& chunk = texts.back();
    const auto slot_value = [&](std::int32_t code) {
      chunk.count(code);
      return chunk.is_missing(code) ? kMissing : static_cast<double>(std::max(code, 0));
    };
    if (column().type == MemoryType::Text) {
      fill(first, count, row,
           [&](Index i) { return slot_value(code_of(text_cell(piece, i), row + i - first)); });
    } else if (column().type == MemoryType::Code) {
      constexpr std::int32_t kUnseen = std::numeric_limits<std::int32_t>::min();
      std::vector<std::int32_t> seen(piece.levels->size() + 1, kUnseen);  // 0 is what is missing
      fill(first, count, row, [&](Index i) {
        const std::int32_t code = is_there(piece, i) ? stored_at<std::int32_t>(piece, i) : -1;
        const std::string_view text = code < 0 ? std::string_view() : code_cell(piece, i);
        std::int32_t& known = seen[at(std::max(code, -1) + 1)];
        if (known == kUnseen) known = code_of(text, row + i - first);
        return slot_value(known);
      });
    } else {
      fill(first, count, row,
           [&](Index i) { return slot_value(code_of(text_of(column(), piece, i), row + i - first)); });
    }
  }

  [[nodiscard]] std::int32_t code_of(std::string_view cell, Index row) {
    const std::string_view text = trimmed(cell);
    if (text.find('\0') != std::string_view::npos) note_bad(row, table_.not_a_number({}, text, col_));
    return texts.back().code(text, row, 0);
  }

  // A cell as CSV would have it: blanks around it do not count.
  [[nodiscard]] double value_of(const std::string& cell, Index row) {
    const std::string_view text = trimmed(cell);
    const CellValue value = parse_cell(text);
    if (value.kind == CellKind::Missing) return kMissing;
    if (plan_[at(col_)].mode == CellMode::Number) {
      if (value.too_small) ++issues.too_small;
      if (value.kind != CellKind::Number) note_bad(row, table_.not_a_number(value, text, col_));
      return value.value;
    }
    const IsoValue date = parse_iso(text);
    if (date.kind == IsoKind::Time) has_time[at(col_)] = 1;
    if (date.kind != IsoKind::Date && date.kind != IsoKind::Time)
      note_bad(row, table_.not_a_date(text, date.kind == IsoKind::Impossible, col_));
    return date.days;
  }

  void note_bad(Index row, std::string what) {
    if (!bad_row || row < bad_row->row) bad_row = BadRow{row, 0, std::move(what)};
  }

  const Table& table_;
  const MemoryTable& source_;
  const std::vector<ColumnPlan>& plan_;
  const std::vector<Slot>& slots_;
  Index col_ = 0;  // that is being read

 public:
  std::vector<TextChunk> texts;  // one for each text column
  std::vector<char> has_time;    // per column
  Issues issues;
  std::optional<BadRow> bad_row;
  bool missing = false;
};

// Where the features are if they lie as a Dataset has them: float64, row after row, all of them there. Null
// otherwise.
const double* features_in_place(const Table& table, const MemoryTable& source,
                                const std::vector<ColumnPlan>& plan) {
  const std::byte* base = nullptr;
  const Index width = table.num_features() * Index{sizeof(double)};
  for (std::size_t col = 0; col < plan.size(); ++col) {
    const Column& column = table.columns()[col];
    if (column.role != ColumnRole::Feature) continue;
    const MemoryColumn& cells = source.columns[col];
    if (cells.type != MemoryType::Float64 || cells.pieces.size() != 1 || plan[col].mode != CellMode::Number)
      return nullptr;
    const MemoryPiece& piece = cells.pieces.front();
    const std::byte* begin = piece.data - column.feature * Index{sizeof(double)};
    if (piece.stride != width || piece.valid != nullptr || piece.missing != nullptr) return nullptr;
    if (base != nullptr && base != begin) return nullptr;
    base = begin;
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(base) % alignof(double) == 0;
  return aligned ? reinterpret_cast<const double*>(base) : nullptr;
}

// The blocks of all rows, read.
std::vector<MemoryBlock> read_blocks(const Table& table, const MemoryTable& source,
                                     const std::vector<ColumnPlan>& plan, const std::vector<Slot>& slots,
                                     const Executor& executor, const Observer& observer) {
  const Index blocks = num_blocks(source.num_rows, kMemoryBlock);
  std::vector<MemoryBlock> read;
  read.reserve(at(blocks));
  for (Index i = 0; i < blocks; ++i) read.emplace_back(table, source, plan, slots);
  const std::size_t row_bytes = source.columns.size() * sizeof(double);
  std::atomic<std::size_t> done{0};
  executor.for_each(blocks, [&](Index i) {
    const Index first = i * kMemoryBlock, count = std::min(kMemoryBlock, source.num_rows - first);
    read[at(i)].read(first, count);
    const std::size_t bytes = at(count) * row_bytes;
    tell_bytes(observer, done.fetch_add(bytes) + bytes, at(source.num_rows) * row_bytes);
  });
  return read;
}

// Texts, faults and missing cells of all blocks, in the order of rows. `unseen`: some slots were not read.
void settle(std::vector<MemoryBlock> blocks, const std::vector<ColumnPlan>& plan,
            const std::vector<Slot>& slots, Index num_rows, bool unseen, const ReadOptions& options,
            const Executor& executor, Table& table) {
  const LineOf no_line = [](std::size_t) { return Index{0}; };
  TextColumns texts(plan);
  std::optional<BadRow> bad_row;
  bool missing = unseen;
  Index first = 0;
  for (MemoryBlock& block : blocks) {
    const Index count = std::min(kMemoryBlock, num_rows - first);
    for (std::size_t k = 0; k < block.texts.size(); ++k)
      texts.columns[k].merge(block.texts[k], first, count, no_line);
    for (std::size_t col = 0; col < plan.size(); ++col)
      if (block.has_time[col] != 0) texts.has_time[col] = 1;
    missing = missing || block.missing;
    if (!bad_row) bad_row = std::move(block.bad_row);
    table.merge(std::move(block.issues));
    first += count;
  }
  const Index before = bad_row ? bad_row->row : std::numeric_limits<Index>::max();
  if (const auto fault = texts.fault_before(before, table)) throw_bad_row(table, fault->bad_row, 0);
  if (bad_row) throw_bad_row(table, *bad_row, 0);
  texts.settle(plan, table, options, executor);
  if (missing) judge_filled(table, slots, num_rows, executor);
}

}  // namespace

Dataset read_memory(const MemoryTable& source, const ReadOptions& options, const Executor& executor,
                    const Observer& observer) {
  check_memory(source);
  check_max_levels(options);
  std::vector<std::string> names;
  for (const MemoryColumn& column : source.columns) names.push_back(column.name);
  if (names.empty()) throw DataError(source.name + ": has no columns");
  if (std::ssize(names) > kMaxColumns)
    throw DataError(source.name + ": more than " + std::to_string(kMaxColumns) + " columns");
  Table table(source.name, assign_roles(names, options, source.name), options, executor.memory());
  table.allow_categories();
  const Index num_rows = source.num_rows;
  std::vector<ColumnPlan> plan = plan_memory(table, source, options);
  const double* features = num_rows > 0 ? features_in_place(table, source, plan) : nullptr;
  if (features != nullptr) {
    table.borrow_features(features, num_rows);
    for (std::size_t col = 0; col < plan.size(); ++col)
      if (table.columns()[col].role == ColumnRole::Feature) plan[col].mode = CellMode::Skip;
  } else {
    table.allocate(num_rows);
  }
  const std::vector<Slot> slots = table.slots();
  settle(read_blocks(table, source, plan, slots, executor, observer), plan, slots, num_rows,
         features != nullptr, options, executor, table);
  return std::move(table).finish(num_rows, std::make_unique<MemoryOrigin>(source));
}

}  // namespace giga
