// From vectors to the slots of a table, a column of a chunk at a time. Cells without a value become NaN, and
// are counted row by row when all are there (judge_filled).
#include "data/duckdb_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "data/iso_time.hpp"
#include "data/number_parse.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

using duck::Cells;
using duck::DuckString;
using duck::Type;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// What a type gives without a cast.
enum class Source { Number, Days, Text, None };

struct TypeFacts {
  Type type;
  const char* name;
  Source source;
};

constexpr std::array<TypeFacts, 36> kTypes{{
    {Type::Boolean, "BOOLEAN", Source::Text},
    {Type::TinyInt, "TINYINT", Source::Number},
    {Type::SmallInt, "SMALLINT", Source::Number},
    {Type::Integer, "INTEGER", Source::Number},
    {Type::BigInt, "BIGINT", Source::Number},
    {Type::UTinyInt, "UTINYINT", Source::Number},
    {Type::USmallInt, "USMALLINT", Source::Number},
    {Type::UInteger, "UINTEGER", Source::Number},
    {Type::UBigInt, "UBIGINT", Source::Number},
    {Type::Float, "FLOAT", Source::Number},
    {Type::Double, "DOUBLE", Source::Number},
    {Type::Timestamp, "TIMESTAMP", Source::Days},
    {Type::Date, "DATE", Source::Days},
    {Type::Time, "TIME", Source::Text},
    {Type::Interval, "INTERVAL", Source::None},
    {Type::HugeInt, "HUGEINT", Source::Number},
    {Type::Varchar, "VARCHAR", Source::Text},
    {Type::Blob, "BLOB", Source::None},
    {Type::Decimal, "DECIMAL", Source::Number},
    {Type::TimestampS, "TIMESTAMP_S", Source::Days},
    {Type::TimestampMs, "TIMESTAMP_MS", Source::Days},
    {Type::TimestampNs, "TIMESTAMP_NS", Source::Days},
    {Type::Enum, "ENUM", Source::Text},
    {Type::List, "LIST", Source::None},
    {Type::Struct, "STRUCT", Source::None},
    {Type::Map, "MAP", Source::None},
    {Type::Uuid, "UUID", Source::Text},
    {Type::Union, "UNION", Source::None},
    {Type::Bit, "BIT", Source::None},
    {Type::TimeTz, "TIME WITH TIME ZONE", Source::Text},
    {Type::TimestampTz, "TIMESTAMP WITH TIME ZONE", Source::Days},
    {Type::UHugeInt, "UHUGEINT", Source::Number},
    {Type::Array, "ARRAY", Source::None},
    {Type::Any, "ANY", Source::None},
    {Type::BigNum, "BIGNUM", Source::Number},
    {Type::Null, "NULL", Source::Number},
}};

const TypeFacts& facts_of(Type type) {
  constexpr static TypeFacts kOther{Type::Null, "of an unknown type", Source::None};
  const auto found = std::ranges::find(kTypes, type, &TypeFacts::type);
  return found == kTypes.end() ? kOther : *found;
}

// Numbers wider than 64 bits are rare, and read as text: their digits are then rounded once.
bool is_wide(const duck::ColumnType& type) {
  switch (type.type) {
    case Type::HugeInt:
    case Type::UHugeInt:
    case Type::BigNum:
    case Type::Null: return true;
    case Type::Decimal: return type.stored == Type::HugeInt;
    default: return false;
  }
}

CellMode mode_of(Source source) {
  switch (source) {
    case Source::Number: return CellMode::Number;
    case Source::Days: return CellMode::Date;
    case Source::Text:
    case Source::None: break;
  }
  return CellMode::Text;
}

[[noreturn]] void refuse_type(const Table& table, Index col, const duck::ColumnType& type) {
  const bool weight = table.columns()[at(col)].role == ColumnRole::Weight;
  throw DataError(table.name() + ": " + column_place(table.columns(), col) + " has the type " +
                  type_name(type) + ", which is neither a number nor text nor a date; " +
                  (weight ? "choose another column with `weights`" : table.way_out(col)) +
                  ", or make one of these of it with `sql`");
}

// Ticks of a day; 0 for days themselves.
std::int64_t ticks_per_day(Type type) {
  constexpr std::int64_t kSeconds = 86'400;
  switch (type) {
    case Type::TimestampS: return kSeconds;
    case Type::TimestampMs: return kSeconds * 1'000;
    case Type::TimestampNs: return kSeconds * 1'000'000'000;
    case Type::Date: return 0;
    default: return kSeconds * 1'000'000;
  }
}

// w / 10^scale as the decimal text of it would be read.
double decimal(std::int64_t w, int scale) {
  const std::uint64_t size = w < 0 ? ~static_cast<std::uint64_t>(w) + 1 : static_cast<std::uint64_t>(w);
  double magnitude = 0;
  if (!number_detail::scale_exactly(size, -scale, magnitude))
    magnitude = parse_double(std::to_string(size) + "e-" + std::to_string(scale)).value_or(0);
  return w < 0 ? -magnitude : magnitude;
}

}  // namespace

std::string type_name(const duck::ColumnType& type) {
  const std::string name = facts_of(type.type).name;
  return type.type == Type::Decimal ? name + "(.., " + std::to_string(type.scale) + ")" : name;
}

std::vector<FetchedColumn> plan_fetch(const Table& table, const std::vector<duck::ColumnType>& types,
                                      const ReadOptions& options, std::vector<ColumnPlan>& plan) {
  std::vector<FetchedColumn> fetched;
  plan.clear();
  for (Index col = 0; col < table.num_columns(); ++col) {
    ColumnPlan each = plan_of(table.columns()[at(col)], options);
    const duck::ColumnType& type = types[at(col)];
    const Source source = facts_of(type.type).source;
    if (each.mode != CellMode::Skip) {
      if (source == Source::None) refuse_type(table, col, type);
      const bool told = each.settled || each.asked;
      if (!told) each.mode = mode_of(source);
      each.asked = each.mode == CellMode::Text;
      each.settled = !each.asked;
      const bool native = each.mode == mode_of(source) && each.mode != CellMode::Text && !is_wide(type);
      fetched.push_back({col, !native, type});
    }
    plan.push_back(each);
  }
  return fetched;
}

DuckRows::DuckRows(Table& table, const std::vector<ColumnPlan>& plan,
                   const std::vector<FetchedColumn>& fetched)
    : table_(table), plan_(plan), texts_(plan) {
  std::size_t num_texts = 0;
  for (const FetchedColumn& column : fetched) {
    const CellMode mode = plan[at(column.col)].mode;
    places_.push_back({&column, mode, num_texts});
    if (mode == CellMode::Text) ++num_texts;
    if (mode == CellMode::Date && !column.as_text && column.type.type != Type::Date)
      texts_.has_time[at(column.col)] = 1;
  }
  chunks_.resize(num_texts);
  recents_.resize(num_texts);
}

void DuckRows::note_bad(Index row, std::string what) {
  if (!bad_row_ || row < bad_row_->row) bad_row_ = BadRow{row, 0, std::move(what)};
}

// Chunks of a text column are joined at the cost of their levels, so they are longer than those of DuckDB.
void DuckRows::add(const duck::Stream& stream) {
  constexpr Index kPieceRows = Index{1} << 16, kFirstCapacity = Index{1} << 14;
  const Index count = stream.num_rows();
  if (num_rows_ + count > capacity_) {
    capacity_ = std::max({2 * capacity_, num_rows_ + count, kFirstCapacity});
    table_.reserve(capacity_);
    slots_ = table_.slots();
  }
  for (std::size_t j = 0; j < places_.size(); ++j) read(places_[j], stream.cells(j), count);
  num_rows_ += count;
  ++num_chunks_;
  if (num_rows_ - first_of_piece_ >= kPieceRows) merge_texts();
}

void DuckRows::read(const Place& place, const Cells& cells, Index count) {
  if (place.mode == CellMode::Text) return read_categories(place, cells, count);
  if (place.column->as_text) return read_texts(place, cells, count);
  if (place.mode == CellMode::Date) return read_days(place, cells, count);
  read_numbers(place, cells, count);
}

template <typename Stored, typename Convert>
void DuckRows::convert(const Place& place, const Cells& cells, Index count, const Convert& convert_one) {
  const Slot& slot = slots_[at(place.column->col)];
  const Stored* data = cells.as<Stored>();
  double* out = slot.base + num_rows_ * slot.stride;
  bool missing = false;
  for (Index i = 0; i < count; ++i, out += slot.stride) {
    *out = cells.has(i) ? convert_one(data[i], i) : kMissing;
    missing = missing || std::isnan(*out);
  }
  has_missing_ = has_missing_ || missing;
}

void DuckRows::read_numbers(const Place& place, const Cells& cells, Index count) {
  const auto [type, stored, scale] = place.column->type;
  const auto plain = [](auto value, Index) { return static_cast<double>(value); };
  // Finite, or missing.
  const auto real = [&](auto value, Index i) {
    const auto number = static_cast<double>(value);
    if (std::isinf(number))
      note_bad(num_rows_ + i,
               table_.not_a_number({.kind = CellKind::Infinite}, shortest(number), place.column->col));
    return number;
  };
  const auto scaled = [scale = scale](auto value, Index) { return decimal(value, scale); };
  const bool is_decimal = type == Type::Decimal;
  switch (is_decimal ? stored : type) {
    case Type::TinyInt: return convert<std::int8_t>(place, cells, count, plain);
    case Type::UTinyInt: return convert<std::uint8_t>(place, cells, count, plain);
    case Type::USmallInt: return convert<std::uint16_t>(place, cells, count, plain);
    case Type::UInteger: return convert<std::uint32_t>(place, cells, count, plain);
    case Type::UBigInt: return convert<std::uint64_t>(place, cells, count, plain);
    case Type::Float: return convert<float>(place, cells, count, real);
    case Type::Double: return convert<double>(place, cells, count, real);
    case Type::SmallInt:
      return is_decimal ? convert<std::int16_t>(place, cells, count, scaled)
                        : convert<std::int16_t>(place, cells, count, plain);
    case Type::Integer:
      return is_decimal ? convert<std::int32_t>(place, cells, count, scaled)
                        : convert<std::int32_t>(place, cells, count, plain);
    default:
      return is_decimal ? convert<std::int64_t>(place, cells, count, scaled)
                        : convert<std::int64_t>(place, cells, count, plain);
  }
}

void DuckRows::read_days(const Place& place, const Cells& cells, Index count) {
  const Index col = place.column->col;
  const std::int64_t per_day = ticks_per_day(place.column->type.type);
  // Infinity is a date, too, the last or the first of its type.
  const auto checked = [&](double days, Index i) {
    if (is_day_of_text(static_cast<std::int64_t>(std::floor(days)))) return days;
    note_bad(num_rows_ + i,
             table_.not_a_date("day " + shortest(std::floor(days)) + " since 1970-01-01", true, col));
    return kMissing;
  };
  if (per_day == 0)
    return convert<std::int32_t>(
        place, cells, count, [&](std::int32_t day, Index i) { return checked(static_cast<double>(day), i); });
  convert<std::int64_t>(place, cells, count,
                        [&](std::int64_t ticks, Index i) { return checked(days_of(ticks, per_day), i); });
}

void DuckRows::read_texts(const Place& place, const Cells& cells, Index count) {
  convert<DuckString>(place, cells, count, [&](const DuckString& text, Index i) {
    return value_of(place, text.view(), num_rows_ + i);
  });
}

void DuckRows::read_categories(const Place& place, const Cells& cells, Index count) {
  TextChunk& chunk = chunks_[place.text];
  auto& recents = recents_[place.text];
  convert<DuckString>(place, cells, count, [&](const DuckString& text, Index i) {
    std::uint64_t words[2];
    std::memcpy(words, &text, sizeof words);
    const std::uint64_t mixed = (words[0] ^ (words[1] * 0x9E3779B97F4A7C15)) * 0x9E3779B97F4A7C15;
    Recent& recent = recents[mixed >> 56];
    const bool known = recent.first == words[0] && recent.second == words[1] && recent.chunk >= 0 &&
                       (text.length <= sizeof text.bytes || recent.chunk == num_chunks_);
    if (!known) {
      const Index row = num_rows_ + i;
      const std::string_view cell = trimmed(text.view());
      if (cell.find('\0') != std::string_view::npos)
        note_bad(row, table_.not_a_number({}, cell, place.column->col));
      recent = {words[0], words[1], num_chunks_, chunk.code(cell, row, 0)};
    }
    chunk.count(recent.code);
    return chunk.is_missing(recent.code) ? kMissing : static_cast<double>(std::max(recent.code, 0));
  });
}

// A cell as CSV would have it: blanks around it do not count.
double DuckRows::value_of(const Place& place, std::string_view cell, Index row) {
  const Index col = place.column->col;
  const std::string_view text = trimmed(cell);
  const CellValue value = parse_cell(text);
  if (value.kind == CellKind::Missing) return kMissing;
  if (place.mode == CellMode::Number) {
    if (value.too_small) ++issues_.too_small;
    if (value.kind != CellKind::Number) note_bad(row, table_.not_a_number(value, text, col));
    return value.value;
  }
  const IsoValue date = parse_iso(text);
  if (date.kind == IsoKind::Time) texts_.has_time[at(col)] = 1;
  if (date.kind != IsoKind::Date && date.kind != IsoKind::Time)
    note_bad(row, table_.not_a_date(text, date.kind == IsoKind::Impossible, col));
  return date.days;
}

void DuckRows::merge_texts() {
  const LineOf no_line = [](std::size_t) { return Index{0}; };
  for (std::size_t k = 0; k < chunks_.size(); ++k) {
    texts_.columns[k].merge(chunks_[k], first_of_piece_, num_rows_ - first_of_piece_, no_line);
    chunks_[k] = TextChunk();
    recents_[k].fill({});
  }
  first_of_piece_ = num_rows_;
}

void DuckRows::finish(const ReadOptions& options, const Executor& executor) {
  merge_texts();
  const Index before = bad_row_ ? bad_row_->row : std::numeric_limits<Index>::max();
  if (const auto fault = texts_.fault_before(before, table_)) throw_bad_row(table_, fault->bad_row, 0);
  if (bad_row_) throw_bad_row(table_, *bad_row_, 0);
  texts_.settle(plan_, table_, options, executor);
  table_.merge(std::move(issues_));
  if (has_missing_) judge_filled(table_, slots_, num_rows_, executor);
}

}  // namespace giga
