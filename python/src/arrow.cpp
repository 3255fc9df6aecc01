// Batches of Arrow as pieces of columns. Numbers, dates and texts stay where they are; booleans, codes of
// dictionaries, half floats and decimals are converted to memory of our own.
#include "arrow.hpp"

#include <cmath>
#include <cstring>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga::python {
namespace {

// All that a table points into.
struct Owner {
  std::list<ArrowArray> batches;
  std::list<std::vector<std::byte>> converted;

  ~Owner() {
    for (ArrowArray& batch : batches)
      if (batch.release != nullptr) batch.release(&batch);
  }
};

struct Schema {
  ArrowSchema value = {};
  ~Schema() {
    if (value.release != nullptr) value.release(&value);
  }
};

struct ColumnType {
  enum class Made { AsIs, Bools, Codes, Halves, Decimals, DaysOfMs, Views, Nothing };
  enum class Texts { Short, Long, Views };  // offsets of 32 or 64 bits, or views (format vu)
  MemoryType type = MemoryType::Float64;
  Made made = Made::AsIs;
  Index bytes = 0;       // of a cell; of a code
  char code_type = 'i';  // of a dictionary: format of its codes
  Texts texts = Texts::Short;
  std::int64_t per_day = 0;
  int scale = 0;  // of decimals
};

std::string words_of(std::string_view format) {
  static const std::map<char, const char*> kStarts = {
      {'z', "binary"}, {'Z', "binary"}, {'w', "binary"}, {'+', "nested"}, {'t', "duration or time of day"},
      {'v', "binary"}};
  const auto found = format.empty() ? kStarts.end() : kStarts.find(format.front());
  return found == kStarts.end() ? "of the Arrow format '" + printable(format) + "'"
                                : std::string(found->second) + " (Arrow format '" + printable(format) + "')";
}

std::optional<ColumnType> plain_type(std::string_view format) {
  using Made = ColumnType::Made;
  static const std::map<std::string_view, ColumnType> kTypes = {
      {"c", {MemoryType::Int8, Made::AsIs, 1}},      {"C", {MemoryType::UInt8, Made::AsIs, 1}},
      {"s", {MemoryType::Int16, Made::AsIs, 2}},     {"S", {MemoryType::UInt16, Made::AsIs, 2}},
      {"i", {MemoryType::Int32, Made::AsIs, 4}},     {"I", {MemoryType::UInt32, Made::AsIs, 4}},
      {"l", {MemoryType::Int64, Made::AsIs, 8}},     {"L", {MemoryType::UInt64, Made::AsIs, 8}},
      {"f", {MemoryType::Float32, Made::AsIs, 4}},   {"g", {MemoryType::Float64, Made::AsIs, 8}},
      {"e", {MemoryType::Float32, Made::Halves, 2}}, {"n", {MemoryType::Float64, Made::Nothing, 0}},
      {"b", {MemoryType::Code, Made::Bools, 0}},     {"tdD", {MemoryType::Day, Made::AsIs, 4}},
      {"tdm", {MemoryType::Day, Made::DaysOfMs, 8}},
  };
  const auto found = kTypes.find(format);
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

std::optional<ColumnType::Texts> texts_of(std::string_view format) {
  if (format == "u") return ColumnType::Texts::Short;
  if (format == "U") return ColumnType::Texts::Long;
  if (format == "vu") return ColumnType::Texts::Views;
  return std::nullopt;
}

std::optional<ColumnType> type_of(const ArrowSchema& schema) {
  using Made = ColumnType::Made;
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) {
    const auto texts = texts_of(schema.dictionary->format);
    if (!texts || format.size() != 1 || std::string_view("cCsSiIlL").find(format) == std::string_view::npos)
      return std::nullopt;
    return ColumnType{
        .type = MemoryType::Code, .made = Made::Codes, .code_type = format.front(), .texts = *texts};
  }
  if (const auto texts = texts_of(format))
    return ColumnType{.type = MemoryType::Text,
                      .made = *texts == ColumnType::Texts::Views ? Made::Views : Made::AsIs,
                      .texts = *texts};
  if (format.starts_with("ts") && format.size() > 3 && format[3] == ':') {
    constexpr std::int64_t kDay = 86'400;
    const std::map<char, std::int64_t> units = {
        {'s', 1}, {'m', 1'000}, {'u', 1'000'000}, {'n', 1'000'000'000}};
    const auto unit = units.find(format[2]);
    if (unit == units.end()) return std::nullopt;
    return ColumnType{.type = MemoryType::Moment, .bytes = 8, .per_day = kDay * unit->second};
  }
  if (format.starts_with("d:")) {  // d:precision,scale of 128 bits; a third number is other bits
    const std::string text(format.substr(2));
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos || text.find(',', comma + 1) != std::string::npos) return std::nullopt;
    return ColumnType{.type = MemoryType::Float64,
                      .made = Made::Decimals,
                      .bytes = 16,
                      .scale = std::atoi(text.c_str() + comma + 1)};
  }
  return plain_type(format);
}

const std::byte* buffer(const ArrowArray& array, std::int64_t which) {
  return which < array.n_buffers ? static_cast<const std::byte*>(array.buffers[which]) : nullptr;
}

bool bit_at(const std::byte* bits, Index i) {
  return ((std::to_integer<unsigned>(bits[i / 8]) >> (i % 8)) & 1U) != 0;
}

double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  double value = std::nan("");
  if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else if (exponent < 31) {
    value = std::ldexp(fraction + 1024, exponent - 25);
  } else if (fraction == 0) {
    value = HUGE_VAL;
  }
  return (bits >> 15) != 0 ? -value : value;
}

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// By its digits, so that it is rounded once, as text is.
double decimal(const std::byte* cell, int scale) {
  Int128 value = 0;
  std::memcpy(&value, cell, sizeof value);
  const bool negative = value < 0;
  auto size = negative ? ~static_cast<UInt128>(value) + 1 : static_cast<UInt128>(value);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(size % 10)));
    size /= 10;
  } while (size != 0);
  return parse_double((negative ? "-" : "") + digits + "e" + std::to_string(-scale)).value_or(std::nan(""));
}

template <typename Stored>
Stored load(const std::byte* data, Index i) {
  Stored value;
  std::memcpy(&value, data + i * Index{sizeof value}, sizeof value);
  return value;
}

std::int64_t code_at(const std::byte* data, char format, Index i) {
  switch (format) {
    case 'c': return load<std::int8_t>(data, i);
    case 'C': return load<std::uint8_t>(data, i);
    case 's': return load<std::int16_t>(data, i);
    case 'S': return load<std::uint16_t>(data, i);
    case 'I': return load<std::uint32_t>(data, i);
    case 'l': return load<std::int64_t>(data, i);
    case 'L': return static_cast<std::int64_t>(load<std::uint64_t>(data, i));
    default: return load<std::int32_t>(data, i);
  }
}

// Memory for `count` cells of the converted kind.
template <typename Stored>
Stored* made_cells(Owner& owner, Index count) {
  owner.converted.emplace_back(at(count) * sizeof(Stored));
  return reinterpret_cast<Stored*>(owner.converted.back().data());
}

class Reader {
 public:
  Reader(Owner& owner, const std::string& table) : owner_(owner), table_(table) {}

  // Cells [first, first + length) of the column's array: first is the offset of the batch itself.
  MemoryPiece piece(const ColumnType& type, const std::string& column, const ArrowArray& array, Index first,
                    Index length) {
    MemoryPiece out{.count = length};
    first += array.offset;
    if (length == 0) return out;
    if (array.length + array.offset < first + length) refuse(column, "a batch is too short");
    out.valid = reinterpret_cast<const std::uint8_t*>(buffer(array, 0));
    out.first_bit = first;
    if (type.made == ColumnType::Made::Nothing) return nothing(length);
    const std::byte* data = buffer(array, 1);
    if (data == nullptr) refuse(column, "a batch has no values");
    if (type.made == ColumnType::Made::Views) return views(column, array, first, out);
    if (type.type == MemoryType::Text) return text(type, array, first, out);
    switch (type.made) {
      case ColumnType::Made::AsIs:
        out.data = data + first * type.bytes;
        out.stride = type.bytes;
        break;
      case ColumnType::Made::Bools: return bools(data, first, out);
      case ColumnType::Made::Codes: return codes(type, column, array, first, out);
      case ColumnType::Made::Halves:
        return made<float>(out, [&](Index i) { return half(load<std::uint16_t>(data, first + i)); });
      case ColumnType::Made::Decimals:
        return made<double>(out, [&](Index i) { return decimal(data + (first + i) * 16, type.scale); });
      case ColumnType::Made::DaysOfMs:
        return made<std::int32_t>(out, [&](Index i) {
          constexpr std::int64_t kDay = 86'400'000;
          const auto ms = load<std::int64_t>(data, first + i);
          return ms / kDay - (ms % kDay < 0 ? 1 : 0);
        });
      case ColumnType::Made::Views:
      case ColumnType::Made::Nothing: break;
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& column, const std::string& what) const {
    throw DataError(table_ + ": column '" + printable(column) + "': " + what);
  }

  template <typename Stored, typename Cell>
  MemoryPiece made(MemoryPiece out, const Cell& cell) {
    auto* cells = made_cells<Stored>(owner_, out.count);
    for (Index i = 0; i < out.count; ++i) cells[i] = static_cast<Stored>(cell(i));
    out.data = reinterpret_cast<const std::byte*>(cells);
    out.stride = sizeof(Stored);
    return out;
  }

  MemoryPiece nothing(Index length) {
    return made<double>({.count = length}, [](Index) { return std::nan(""); });
  }

  static MemoryPiece text(const ColumnType& type, const ArrowArray& array, Index first, MemoryPiece out) {
    const std::byte* offsets = buffer(array, 1);
    out.data = buffer(array, 2);
    if (type.texts == ColumnType::Texts::Long) {
      out.long_offsets = reinterpret_cast<const std::int64_t*>(offsets) + first;
    } else {
      out.offsets = reinterpret_cast<const std::int32_t*>(offsets) + first;
    }
    return out;
  }

  // Views one after the other, as text that offsets point into.
  MemoryPiece views(const std::string& column, const ArrowArray& array, Index first, MemoryPiece out) {
    auto* offsets = made_cells<std::int64_t>(owner_, out.count + 1);
    std::vector<std::byte>& bytes = owner_.converted.emplace_back();
    for (Index i = 0; i < out.count; ++i) {
      offsets[i] = std::ssize(bytes);
      const auto* bits = reinterpret_cast<const std::byte*>(out.valid);
      if (bits != nullptr && !bit_at(bits, out.first_bit + i)) continue;
      const std::span<const std::byte> cell = view(column, array, first + i);
      bytes.insert(bytes.end(), cell.begin(), cell.end());
    }
    offsets[out.count] = std::ssize(bytes);
    out.data = bytes.data();
    out.long_offsets = offsets;
    return out;
  }

  // 16 bytes: the length, and the text itself up to 12 bytes; or four bytes of it, a buffer and an offset.
  [[nodiscard]] std::span<const std::byte> view(const std::string& column, const ArrowArray& array,
                                                Index i) const {
    const std::byte* cell = buffer(array, 1) + i * 16;
    const auto length = load<std::int32_t>(cell, 0);
    if (length < 0) refuse(column, "a text has a negative length");
    if (length <= 12) return {cell + 4, at(length)};
    const auto which = load<std::int32_t>(cell, 2), offset = load<std::int32_t>(cell, 3);
    // The last buffer has the sizes of those of the texts.
    const std::int64_t buffers = array.n_buffers - 3;
    if (which < 0 || which >= buffers || offset < 0) refuse(column, "a text is in no buffer");
    const auto size = load<std::int64_t>(buffer(array, array.n_buffers - 1), which);
    if (offset + std::int64_t{length} > size) refuse(column, "a text ends beyond its buffer");
    return {buffer(array, 2 + which) + offset, at(length)};
  }

  MemoryPiece bools(const std::byte* bits, Index first, MemoryPiece out) {
    static const auto kLevels =
        std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"false", "true"});
    out.levels = kLevels;
    return made<std::int32_t>(out, [&](Index i) { return bit_at(bits, first + i) ? 1 : 0; });
  }

  // Texts that are missing in the dictionary are levels without a text.
  MemoryPiece codes(const ColumnType& type, const std::string& column, const ArrowArray& array, Index first,
                    MemoryPiece out) {
    const ArrowArray* dictionary = array.dictionary;
    if (dictionary == nullptr) refuse(column, "a batch has no dictionary");
    MemoryPiece values{.count = dictionary->length};
    values.valid = reinterpret_cast<const std::uint8_t*>(buffer(*dictionary, 0));
    values.first_bit = dictionary->offset;
    if (dictionary->length > 0 && buffer(*dictionary, 1) == nullptr)
      refuse(column, "a dictionary has no values");
    values = type.texts == ColumnType::Texts::Views ? views(column, *dictionary, dictionary->offset, values)
                                                    : text(type, *dictionary, dictionary->offset, values);
    auto levels = std::make_shared<std::vector<std::string>>();
    for (Index i = 0; i < values.count; ++i) {
      const Index bit = values.first_bit + i;
      const bool there =
          values.valid == nullptr || bit_at(reinterpret_cast<const std::byte*>(values.valid), bit);
      const bool is_long = values.long_offsets != nullptr;
      const std::int64_t begin = is_long ? values.long_offsets[i] : values.offsets[i];
      const std::int64_t end = is_long ? values.long_offsets[i + 1] : values.offsets[i + 1];
      levels->emplace_back(
          there && end > begin
              ? std::string(reinterpret_cast<const char*>(values.data) + begin, at(end - begin))
              : std::string());
    }
    const Index num_levels = std::ssize(*levels);
    out.levels = std::move(levels);
    const std::byte* data = buffer(array, 1);
    return made<std::int32_t>(out, [&](Index i) -> std::int64_t {
      const Index bit = out.first_bit + i;
      if (out.valid != nullptr && !bit_at(reinterpret_cast<const std::byte*>(out.valid), bit)) return -1;
      const std::int64_t code = code_at(data, type.code_type, first + i);
      if (code < 0 || code >= num_levels) refuse(column, "a code is beyond its dictionary");
      return code;
    });
  }

  Owner& owner_;
  const std::string& table_;
};

std::vector<ColumnType> begin_columns(const ArrowSchema& schema, const std::string& name,
                                      MemoryTable& table) {
  if (std::string_view(schema.format) != "+s")
    throw DataError(name + ": is not a table: its Arrow format is '" + printable(schema.format) + "'");
  std::vector<ColumnType> types;
  for (std::int64_t j = 0; j < schema.n_children; ++j) {
    const ArrowSchema& child = *schema.children[j];
    const std::string column = child.name == nullptr ? "" : child.name;
    const auto type = type_of(child);
    if (!type)
      throw DataError(
          name + ": column '" + printable(column) + "' is " + words_of(child.format) +
          ", which is neither a number nor text nor a date; leave it out of the table, or make one of "
          "these of it");
    types.push_back(*type);
    table.columns.push_back({.name = column, .type = type->type, .per_day = type->per_day});
  }
  return types;
}

}  // namespace

ArrowTable read_arrow(ArrowArrayStream& stream, const std::string& name) {
  const auto fail = [&](int code) {
    const char* told = stream.get_last_error(&stream);
    throw DataError(
        name + ": its Arrow stream failed: " + printable(told != nullptr ? told : std::strerror(code), 500));
  };
  Schema schema;
  if (const int code = stream.get_schema(&stream, &schema.value); code != 0) fail(code);
  auto owner = std::make_shared<Owner>();
  ArrowTable out{.table = {.name = name}, .owner = owner};
  const std::vector<ColumnType> types = begin_columns(schema.value, name, out.table);
  Reader reader(*owner, name);
  while (true) {
    ArrowArray batch{};
    if (const int code = stream.get_next(&stream, &batch); code != 0) fail(code);
    if (batch.release == nullptr) break;
    owner->batches.push_back(batch);
    if (batch.n_children != std::ssize(types)) throw DataError(name + ": a batch has other columns");
    for (std::size_t j = 0; j < types.size(); ++j) {
      MemoryColumn& column = out.table.columns[j];
      column.pieces.push_back(
          reader.piece(types[j], column.name, *batch.children[j], batch.offset, batch.length));
    }
    out.table.num_rows += batch.length;
  }
  return out;
}

}  // namespace giga::python
