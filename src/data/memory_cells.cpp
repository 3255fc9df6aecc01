// Cells as texts, and the checks that make reading them safe.
#include "data/memory_cells.hpp"

#include <cmath>
#include <stdexcept>

#include "data/iso_time.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

template <typename Stored>
std::string number_text(const MemoryPiece& piece, Index i) {
  const auto value = stored_at<Stored>(piece, i);
  if constexpr (std::is_integral_v<Stored>) {
    return std::to_string(value);
  } else {
    return std::isnan(value) ? std::string() : shortest(static_cast<double>(value));
  }
}

bool has_what_it_needs(const MemoryColumn& column, const MemoryPiece& piece) {
  if (piece.count == 0) return true;
  if (column.type == MemoryType::Text) return piece.offsets != nullptr || piece.long_offsets != nullptr;
  if (column.type == MemoryType::Code && piece.levels == nullptr) return false;
  return piece.data != nullptr;
}

}  // namespace

MemorySource source_of(MemoryType type) {
  switch (type) {
    case MemoryType::Day:
    case MemoryType::Moment: return MemorySource::Days;
    case MemoryType::Text:
    case MemoryType::Code: return MemorySource::Text;
    default: return MemorySource::Number;
  }
}

void check_memory(const MemoryTable& table) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  for (const MemoryColumn& column : table.columns) {
    Index cells = 0;
    for (const MemoryPiece& piece : column.pieces) {
      if (piece.count < 0 || !has_what_it_needs(column, piece))
        throw std::invalid_argument("a piece of column '" + printable(column.name) + "' is not complete");
      cells += piece.count;
    }
    if (cells != table.num_rows)
      throw std::invalid_argument("column '" + printable(column.name) + "' has " + std::to_string(cells) +
                                  " cells, not " + std::to_string(table.num_rows));
    if (column.type == MemoryType::Moment && (column.per_day <= 0 || kDay % column.per_day != 0))
      throw std::invalid_argument("column '" + printable(column.name) + "' has no unit of time");
  }
}

std::string_view text_cell(const MemoryPiece& piece, Index i) {
  if (!is_there(piece, i)) return {};
  const std::int64_t begin = piece.offsets != nullptr ? piece.offsets[i] : piece.long_offsets[i];
  const std::int64_t end = piece.offsets != nullptr ? piece.offsets[i + 1] : piece.long_offsets[i + 1];
  if (end <= begin) return {};
  return {reinterpret_cast<const char*>(piece.data) + begin, static_cast<std::size_t>(end - begin)};
}

std::string_view code_cell(const MemoryPiece& piece, Index i) {
  if (!is_there(piece, i)) return {};
  const auto code = stored_at<std::int32_t>(piece, i);
  if (code < 0) return {};
  if (code >= std::ssize(*piece.levels)) throw std::invalid_argument("a code is beyond its levels");
  return (*piece.levels)[at(code)];
}

std::string text_of(const MemoryColumn& column, const MemoryPiece& piece, Index i) {
  if (!is_there(piece, i)) return {};
  switch (column.type) {
    case MemoryType::Float64: return number_text<double>(piece, i);
    case MemoryType::Float32: return number_text<float>(piece, i);
    case MemoryType::Int8: return number_text<std::int8_t>(piece, i);
    case MemoryType::Int16: return number_text<std::int16_t>(piece, i);
    case MemoryType::Int32: return number_text<std::int32_t>(piece, i);
    case MemoryType::Int64: return number_text<std::int64_t>(piece, i);
    case MemoryType::UInt8: return number_text<std::uint8_t>(piece, i);
    case MemoryType::UInt16: return number_text<std::uint16_t>(piece, i);
    case MemoryType::UInt32: return number_text<std::uint32_t>(piece, i);
    case MemoryType::UInt64: return number_text<std::uint64_t>(piece, i);
    case MemoryType::Text: return std::string(text_cell(piece, i));
    case MemoryType::Code: return std::string(code_cell(piece, i));
    case MemoryType::Day: {
      const auto day = stored_at<std::int32_t>(piece, i);
      return is_day_of_text(day) ? iso_date(day) : "day " + std::to_string(day);
    }
    case MemoryType::Moment: {
      const double days = days_of(stored_at<std::int64_t>(piece, i), column.per_day);
      return is_day_of_text(static_cast<std::int64_t>(std::floor(days))) ? iso_time(days)
                                                                         : "day " + shortest(days);
    }
  }
  return {};
}

}  // namespace giga
