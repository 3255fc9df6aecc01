#include "fuzz/support/table_laws.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "fuzz/support/target.hpp"

namespace giga::fuzz {
namespace {

// The number of a column in a row; unused columns have none.
double value_of(const Dataset& data, const Column& column, Index n) {
  switch (column.role) {
    case ColumnRole::Feature: return data.features(n)[column.feature];
    case ColumnRole::Response: return data.response(n);
    case ColumnRole::Weight: return data.weights()[at(n)];
    case ColumnRole::Unused: break;
  }
  return 0;
}

void require_number(const Column& column, double value) {
  require(std::isfinite(value), "numbers of a table are finite");
  require(column.role != ColumnRole::Weight || value >= 0, "weights are not negative");
  if (column.kind != ColumnKind::Category) return;
  require(value >= 0 && value < static_cast<double>(column.levels.size()) && value == std::floor(value),
          "a category has codes of its levels");
}

}  // namespace

bool is_small(const Dataset& data) {
  return data.num_rows() * std::ssize(data.columns()) <= kMostCells;
}

void require_sound(const Dataset& data) {
  require(data.num_rows() > 0, "a table has rows");
  for (const Column& column : data.columns()) {
    const std::set<std::string> levels(column.levels.begin(), column.levels.end());
    require(levels.size() == column.levels.size(), "levels are distinct");
  }
  for (const std::string& note : data.notes()) require_printable(note);
  if (!is_small(data)) return;
  for (Index n = 0; n < data.num_rows(); ++n) {
    for (const Column& column : data.columns()) require_number(column, value_of(data, column, n));
    require(n == 0 || data.input_row(n) > data.input_row(n - 1), "rows of the input ascend");
    require_printable(data.place(n));
  }
}

void require_same(const Dataset& a, const Dataset& b, const std::string& law, bool places) {
  const auto need = [&law](bool holds, const char* what) {
    if (!holds) broken(law + ": " + what);
  };
  need(a.num_rows() == b.num_rows(), "rows");
  need(a.columns().size() == b.columns().size(), "columns");
  need(a.notes() == b.notes(), "notes");
  for (std::size_t j = 0; j < a.columns().size(); ++j) {
    const Column &one = a.columns()[j], &other = b.columns()[j];
    need(one.name == other.name && one.role == other.role && one.feature == other.feature, "names and roles");
    need(one.kind == other.kind && one.levels == other.levels, "kinds and levels");
  }
  if (!is_small(a)) return;
  for (Index n = 0; n < a.num_rows(); ++n) {
    need(a.input_row(n) == b.input_row(n), "rows of the input");
    need(!places || a.place(n) == b.place(n), "places of rows");
    for (std::size_t j = 0; j < a.columns().size(); ++j)
      need(same_bits(value_of(a, a.columns()[j], n), value_of(b, b.columns()[j], n)), "numbers");
  }
}

}  // namespace giga::fuzz
