// How the cells of each column are to be read, and what kind of column they make.
//
// A cell is missing, a number (usable or not, as infinity), a date or time, or any other text. Of the n cells
// of a column that are not missing,
//
//     at least n / 2 are numbers           Number
//     else at least n / 2 are dates        Date, or Time where one has a time of day
//     else                                 Category
//
// and a cell of a column of numbers or dates that is not one is an error. All cells count, so the kind
// depends neither on the threads nor on where the text is cut into chunks. To read most columns once, the way
// to read them is guessed from the first rows; a column for which the guess was wrong is read again as text,
// which keeps every cell, and is then judged by this rule.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "giga/data/read_dataset.hpp"

namespace giga {

enum class CellClass : std::uint8_t {
  Missing,
  Number,
  Unusable,  // an infinite number, or one too large for a double
  Date,
  Time,
  Impossible,  // of the form of a date or time, but there is no such
  Text,
  Long,     // a text of more than kMaxLevelBytes
  NotUtf8,  // a text that is not UTF-8
};
inline constexpr std::size_t kNumClasses = 9;
using ClassCounts = std::array<Index, kNumClasses>;

/// A level of a category has at most so many bytes.
inline constexpr std::size_t kMaxLevelBytes = 1000;

/// `text` has no blanks around it.
[[nodiscard]] CellClass class_of(std::string_view text);

/// The rule above; a column that is all missing is a Number.
[[nodiscard]] ColumnKind kind_of(const ClassCounts& counts);

enum class CellMode : std::uint8_t { Skip, Number, Text, Date };

struct ColumnPlan {
  CellMode mode = CellMode::Skip;
  /// The kind is known: a cell that does not fit is an error at once.
  bool settled = false;
  bool asked = false;  ///< A category whatever its cells.
  const KnownColumn* known = nullptr;
};

/// What the options say of a column. Without a word from them it is to be read as numbers, and not settled.
[[nodiscard]] ColumnPlan plan_of(const Column& column, const ReadOptions& options);

/// Throws std::invalid_argument if `max_levels` cannot be.
void check_max_levels(const ReadOptions& options);

/// A plan per column, by the options and the first rows of `text`, which begins where a row does.
[[nodiscard]] std::vector<ColumnPlan> plan_columns(std::string_view text, char delimiter,
                                                   const std::vector<Column>& columns,
                                                   const ReadOptions& options);

}  // namespace giga
