// What a share of a table tells of its rows, and what follows from that of all shares.
//
// A share reads parts: some rows of one file each. Places are told by part, since a share does not know how
// many rows and lines come before it; merging shares puts their parts one after the other, and at the end
// (Agreement) places become rows and lines.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "data/column_plan.hpp"
#include "data/csv_parse.hpp"
#include "data/table.hpp"
#include "giga/data/read_share.hpp"

namespace giga {

/// Some rows of one file.
struct PartFacts {
  Index share = 0;
  Index file = 0;
  Index rows = 0;
  Index dropped = 0;  ///< Of them, those with missing cells, where such rows are dropped.
  Index newlines = 0;
  bool odd_quotes = false;  ///< The number of quotes in the bytes of the part.
  bool inside = false;      ///< It was read as beginning inside quotes.
};

struct FactPlace {
  Index part = -1;   ///< Of all parts; -1: there is no such place.
  Index row = 0;     ///< In the part.
  Index lines = -1;  ///< Line ends before it in the part; -1: not known.
};

struct CellFact {
  FactPlace place;
  std::string text = {};
};

/// A column that was read as text.
struct TextFacts {
  ClassCounts counts{};
  std::array<CellFact, kNumClasses> first;
  CellFact first_unknown;
  bool too_many = false;
  std::vector<std::string> levels = {};
  std::vector<char> kept = {};  ///< Whether a row that is not dropped has the level.
};

struct MissingFact {
  FactPlace place;
  Index col = 0;
};

/// A row that ends the reading; `what` as of BadRow.
struct RowFact {
  FactPlace place;
  std::string what;
  bool is_message = false;  ///< `what` is all of the message: a file is damaged there.
};

struct TableFacts {
  std::vector<PartFacts> parts;
  Index max_index = 0;  ///< Of libsvm text.
  bool filled = true;   ///< The rows were read, not only counted.

  std::vector<Suspect> suspects;  ///< Then nothing below is told.

  std::optional<RowFact> bad_row;  ///< Then all below is of the rows before it.
  Index missing = 0, too_small = 0, rounded = 0;
  std::vector<Index> missing_by_column;
  std::vector<MissingFact> first_missing;
  std::vector<TextFacts> texts;  ///< One for each text column of the plan.
  std::vector<char> has_time;    ///< As in TextColumns.
  std::optional<RowFact> negative_weight;
  bool positive_weight = false;
};

[[nodiscard]] TableFacts merged(const TableFacts& before, const TableFacts& after);

/// What the facts of all shares say of the whole table.
class Agreement {
 public:
  /// `first_lines`: on which the rows of each file begin.
  Agreement(const TableFacts& all, std::vector<std::string> files, const std::vector<Index>& first_lines);

  [[nodiscard]] Index row(const FactPlace& place) const;
  /// 0 if it is not known.
  [[nodiscard]] Index line(const FactPlace& place) const;
  /// "row 17 (line 18) of b.csv".
  [[nodiscard]] std::string words(const FactPlace& place) const;

  [[nodiscard]] Index num_rows() const { return num_rows_; }
  [[nodiscard]] Index num_dropped() const { return num_dropped_; }
  /// All files where there are several, with their first rows.
  [[nodiscard]] std::vector<InputFile> files() const;
  [[nodiscard]] SharePlace place_of(Index share) const;
  /// On which the rows of the i-th part begin.
  [[nodiscard]] Index first_line(std::size_t part) const { return first_lines_[part]; }
  /// Whether the i-th part begins inside quotes, by those before it in its file.
  [[nodiscard]] bool begins_inside(std::size_t part) const { return inside_[part] != 0; }

 private:
  const TableFacts& all_;
  std::vector<std::string> names_;
  std::vector<Index> first_rows_, first_in_file_, first_lines_;  // of each part
  std::vector<char> inside_;
  std::vector<Index> file_rows_;  // the first row of each file
  Index num_rows_ = 0, num_dropped_ = 0;
};

}  // namespace giga
