// Single cells of a table in memory: whether they are there, and how they read.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "giga/data/memory_table.hpp"

namespace giga {

/// What a cell of a type is without a word from the options.
enum class MemorySource { Number, Days, Text };
[[nodiscard]] MemorySource source_of(MemoryType type);

/// Throws std::invalid_argument for columns that have not num_rows cells, or pieces without what their type
/// needs.
void check_memory(const MemoryTable& table);

[[nodiscard]] inline bool is_there(const MemoryPiece& piece, Index i) {
  if (piece.missing != nullptr && piece.missing[i] != 0) return false;
  const Index bit = piece.first_bit + i;
  return piece.valid == nullptr || ((piece.valid[bit / 8] >> (bit % 8)) & 1) != 0;
}

/// Cell i as it is stored; the memory need not be aligned.
template <typename Stored>
[[nodiscard]] Stored stored_at(const MemoryPiece& piece, Index i) {
  Stored value;
  std::memcpy(&value, piece.data + i * piece.stride, sizeof value);
  return value;
}

/// The text of cell i of Text; empty where it is missing, as is that of a code.
[[nodiscard]] std::string_view text_cell(const MemoryPiece& piece, Index i);
[[nodiscard]] std::string_view code_cell(const MemoryPiece& piece, Index i);

/// How a cell of any type reads in CSV; empty where it is missing.
[[nodiscard]] std::string text_of(const MemoryColumn& column, const MemoryPiece& piece, Index i);

}  // namespace giga
