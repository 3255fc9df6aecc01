// Tables for tests of formulas, made from columns without a file.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/dataset_parts.hpp"
#include "giga/data/dataset.hpp"

namespace giga::test {

struct TableColumn {
  std::string name;
  std::vector<double> values;
  ColumnKind kind = ColumnKind::Number;
  std::vector<std::string> levels = {};
};

/// A category by the text of its rows; levels are sorted by their bytes.
inline TableColumn category(std::string name, const std::vector<std::string>& texts) {
  TableColumn column{std::move(name), {}, ColumnKind::Category, texts};
  std::sort(column.levels.begin(), column.levels.end());
  column.levels.erase(std::unique(column.levels.begin(), column.levels.end()), column.levels.end());
  for (const std::string& text : texts)
    column.values.push_back(static_cast<double>(std::find(column.levels.begin(), column.levels.end(), text) -
                                                column.levels.begin()));
  return column;
}

/// All columns are features; the response, "(response)", is 0. Without weights every row has weight 1.
inline Dataset make_table(const std::vector<TableColumn>& columns, const std::vector<double>& weights = {}) {
  Dataset::Parts parts;
  parts.name = "t.csv";
  parts.num_rows = columns.empty() ? 0 : std::ssize(columns.front().values);
  parts.num_features = std::ssize(columns);
  parts.features.resize(std::max<Index>(1, parts.num_rows * parts.num_features));
  for (Index f = 0; f < parts.num_features; ++f) {
    const TableColumn& column = columns[at(f)];
    parts.columns.push_back({column.name, ColumnRole::Feature, f, column.kind, column.levels});
    parts.feature_names.push_back(column.name);
    for (Index n = 0; n < parts.num_rows; ++n)
      parts.features.data()[n * parts.num_features + f] = column.values[at(n)];
  }
  parts.columns.push_back({"(response)", ColumnRole::Response});
  parts.response_name = "(response)";
  parts.response.resize(std::max<Index>(1, parts.num_rows));
  if (!weights.empty()) {
    parts.columns.push_back({"(weight)", ColumnRole::Weight});
    parts.weights.resize(parts.num_rows);
    std::copy(weights.begin(), weights.end(), parts.weights.data());
  }
  return Dataset(std::move(parts));
}

}  // namespace giga::test
