// The judgement when all cells are stored: of the rows of one table, or of all shares of one.
#include <algorithm>
#include <utility>

#include "data/table.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// "1 row", "2 rows".
std::string counted(Index count, const char* one, const char* many) {
  return std::to_string(count) + (count == 1 ? one : many);
}

}  // namespace

// A used column that is missing in every row: then dropping rows does not help. One row is not enough to say
// so of a column.
std::string Table::empty_column(const WholeTable& whole) const {
  if (whole.num_rows < 2) return {};
  for (std::size_t col = 0; col < whole.missing_by_column.size(); ++col) {
    if (whole.missing_by_column[col] < whole.num_rows) continue;
    return column_place(parts_.columns, static_cast<Index>(col)) + " is empty in every row; " +
           advice(parts_.columns[col], "fill it in");
  }
  return {};
}

std::string Table::missing_by_column(const WholeTable& whole) const {
  constexpr std::size_t kShown = 10;
  const std::vector<Index>& counts = whole.missing_by_column;
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (counts[j] > 0) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::string text;
  for (std::size_t k = 0; k < std::min(order.size(), kShown); ++k) {
    const std::string& name = parts_.columns[order[k]].name;
    text.append(k == 0 ? "" : ", ").append(std::to_string(counts[order[k]])).append(" in ");
    text.append(name.empty() ? column_place(parts_.columns, static_cast<Index>(order[k])) : in_quotes(name));
  }
  if (order.size() > kShown) text += ", ... (" + std::to_string(order.size()) + " columns in all)";
  return text;
}

// Counts them by column, names the first few places, then says what to do: fill in, drop, or leave out a
// column that is empty.
void Table::refuse_missing(const WholeTable& whole) const {
  std::string message = parts_.name + ": " + counted(whole.missing, " missing value", " missing values") +
                        " (NaN, NA or empty): ";
  if (whole.missing > 1) message += missing_by_column(whole) + "; the first are ";
  for (std::size_t i = 0; i < whole.first_missing.size(); ++i) {
    const auto& [place, col] = whole.first_missing[i];
    message.append(i == 0 ? "" : "; ").append(place).append(", ").append(column_place(parts_.columns, col));
  }
  if (whole.missing > std::ssize(whole.first_missing)) message += "; ...";
  const std::string empty = empty_column(whole);
  throw DataError(message + "; " +
                  (empty.empty() ? "fill them in, or drop such rows with `missing = drop`" : empty));
}

void Table::judge(const WholeTable& whole) const {
  if (whole.num_rows == 0) throw DataError(parts_.name + ": 0 data rows; at least one is needed");
  if (whole.missing > 0 && missing_ == Missing::Refuse) refuse_missing(whole);
  if (whole.num_dropped < whole.num_rows) return;
  const std::string empty = empty_column(whole);
  throw DataError(parts_.name + ": all " + counted(whole.num_rows, " row has", " rows have") +
                  " missing values (NaN, NA or empty); " +
                  (empty.empty() ? "none is left after dropping" : empty));
}

// The rows in `incomplete` leave the table; their numbers are kept for input_row().
void Table::drop_incomplete_rows() {
  const std::vector<Index>& dropped = issues_.incomplete;
  own_features();
  // Compacts in place: rows [0, kept) are the complete rows among [0, n).
  const Index dim = parts_.num_features;
  Index kept = 0;
  std::size_t next = 0;
  for (Index n = 0; n < parts_.num_rows; ++n) {
    if (next < dropped.size() && dropped[next] == n) {
      ++next;
      continue;
    }
    if (kept != n) {
      std::copy_n(parts_.features.data() + n * dim, dim, parts_.features.data() + kept * dim);
      if (has_response_) parts_.response.data()[kept] = parts_.response.data()[n];
      if (has_weights_) parts_.weights.data()[kept] = parts_.weights.data()[n];
    }
    ++kept;
  }
  parts_.num_rows = kept;
  parts_.dropped = dropped;
}

std::string Table::negative_weight(double weight) const {
  const auto col = std::ranges::find(parts_.columns, ColumnRole::Weight, &Column::role);
  return ", " + column_place(parts_.columns, col - parts_.columns.begin()) + ": " +
         in_quotes(shortest(weight)) + " is negative; a weight must be 0 or more";
}

std::string Table::no_weight() const {
  return parts_.name + ": all weights are 0; at least one row must count";
}

// Weights must be at least 0, and one of them positive. After rows are dropped.
void Table::check_weights() const {
  bool any = !has_weights_;
  for (Index n = 0; n < parts_.num_rows && has_weights_; ++n) {
    const double weight = parts_.weights.data()[n];
    any = any || weight > 0;
    if (weight < 0)
      throw DataError(parts_.name + ": " + place_of(parts_, kept_input_row(parts_.dropped, n)) +
                      negative_weight(weight));
  }
  if (!any) throw DataError(no_weight());
}

void Table::add_notes(const WholeTable& whole) {
  if (whole.num_dropped > 0)
    add_note("dropped " + counted(whole.num_dropped, " row", " rows") + " of " +
             std::to_string(whole.num_rows) + " with missing values: " + missing_by_column(whole));
  if (whole.too_small > 0)
    add_note(counted(whole.too_small, " number", " numbers") + " too small for a double read as 0");
  if (whole.rounded > 0)
    add_note(counted(whole.rounded, " whole number", " whole numbers") +
             " of 2^53 and more read as the nearest double");
  // A column without a name is most often the row numbers that R and pandas write by default.
  for (std::size_t j = 0; j < parts_.columns.size(); ++j) {
    const Column& column = parts_.columns[j];
    if (column.role != ColumnRole::Feature || !column.name.empty()) continue;
    add_note("column " + std::to_string(j + 1) +
             " has no name and is used as a feature; if it numbers the rows, name the others with "
             "`features`");
  }
}

// The levels of a category are those of the rows that are left.
void Table::settle_levels() {
  const std::vector<Slot> all = slots();
  for (std::size_t j = 0; j < all.size(); ++j) {
    Column& column = parts_.columns[j];
    if (column.kind != ColumnKind::Category || keep_levels_[j] != 0) continue;
    std::vector<char> occurs(column.levels.size());
    for (Index n = 0; n < parts_.num_rows; ++n)
      occurs[static_cast<std::size_t>(all[j].base[n * all[j].stride])] = 1;
    if (std::find(occurs.begin(), occurs.end(), 0) == occurs.end()) continue;
    // places[k]: levels before k that occur, the new number of level k.
    std::vector<double> places(occurs.size());
    std::vector<std::string> left;
    for (std::size_t k = 0; k < occurs.size(); ++k) {
      places[k] = static_cast<double>(left.size());
      if (occurs[k] != 0) left.push_back(std::move(column.levels[k]));
    }
    column.levels = std::move(left);
    for (Index n = 0; n < parts_.num_rows; ++n) {
      double& value = all[j].base[n * all[j].stride];
      value = places[static_cast<std::size_t>(value)];
    }
  }
}

Dataset Table::finish(Index num_rows, std::unique_ptr<Dataset::Origin> origin) && {
  // From here on places have lines, by the origin.
  parts_.num_rows = num_rows;
  parts_.origin = std::move(origin);
  WholeTable whole{.num_rows = num_rows,
                   .num_dropped = std::ssize(issues_.incomplete),
                   .missing = issues_.missing,
                   .missing_by_column = issues_.missing_by_column,
                   .too_small = issues_.too_small,
                   .rounded = issues_.rounded};
  if (missing_ == Missing::Refuse) {
    // Within a row texts are noted after numbers.
    std::vector<CellPlace> places = issues_.first_missing;
    std::sort(places.begin(), places.end(), [](const CellPlace& a, const CellPlace& b) {
      return std::pair(a.row, a.col) < std::pair(b.row, b.col);
    });
    for (const CellPlace& place : places)
      whole.first_missing.emplace_back(place_of(parts_, place.row), place.col);
  }
  judge(whole);
  if (!issues_.incomplete.empty()) {
    drop_incomplete_rows();
    settle_levels();
  }
  add_notes(whole);
  check_weights();
  // Gives back room that a growing table or dropped rows left over.
  allocate(parts_.num_rows);
  return Dataset(std::move(parts_));
}

Dataset Table::finish_share(Index first_row, Index num_rows, const WholeTable& whole,
                            std::unique_ptr<Dataset::Origin> origin) && {
  parts_.first_row = first_row;
  parts_.num_rows = num_rows;
  parts_.origin = std::move(origin);
  if (!issues_.incomplete.empty()) drop_incomplete_rows();
  add_notes(whole);
  allocate(parts_.num_rows);
  return Dataset(std::move(parts_));
}

}  // namespace giga
