// A table that is in memory already, as arrays and frames of other languages have it: read_dataset reads it
// in place of a file where ReadOptions::memory names one.
//
// A column is pieces of cells, one after the other, each in memory that belongs to the caller and stays as it
// is while the table is read. Nothing is taken over: a Dataset copies what it needs, except that the features
// stay where they are if they lie as it wants them, all of them float64, row after row.
//
//     type                 read as
//     Float32 ... UInt64   Number
//     Day                  Date
//     Moment               Time
//     Text, Code           Category, each cell by its text
//
// unless the options know better, or ask for a category: then the text of a cell is read as that of CSV is.
// Missing are NaN, cells that their piece says are, codes below 0, and texts that are missing in CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

enum class MemoryType {
  Float64,
  Float32,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Day,     ///< int32: days since 1970-01-01.
  Moment,  ///< int64: ticks since then, in UTC, `per_day` of them a day.
  Text,    ///< UTF-8 between two offsets.
  Code,    ///< int32: a place among `levels`; below 0 the cell is missing.
};

/// Cells of consecutive rows.
struct MemoryPiece {
  Index count = 0;
  const std::byte* data = nullptr;  ///< The first cell; of Text the bytes that offsets point into.
  Index stride = 0;                 ///< Bytes from a cell to the next, of either sign; not of Text.
  /// Bit (first_bit + i) % 8 of byte (first_bit + i) / 8 is 1 where cell i is there. Null: all are.
  const std::uint8_t* valid = nullptr;
  Index first_bit = 0;
  const std::uint8_t* missing = nullptr;  ///< Not 0 where a cell is missing, a byte each. Null: none is.
  /// Text: cell i is bytes offsets[i] to offsets[i + 1] of `data`; one of these.
  const std::int32_t* offsets = nullptr;
  const std::int64_t* long_offsets = nullptr;
  std::shared_ptr<const std::vector<std::string>> levels = {};  ///< Code
};

struct MemoryColumn {
  std::string name;
  MemoryType type = MemoryType::Float64;
  std::int64_t per_day = 0;  ///< Moment: a divisor of 86,400 10^9.
  std::vector<MemoryPiece> pieces = {};
};

struct MemoryTable {
  std::string name;  ///< In place of a path, in messages and records: "<frame>".
  Index num_rows = 0;
  std::vector<MemoryColumn> columns = {};  ///< Their pieces have num_rows cells in all.
};

}  // namespace giga
