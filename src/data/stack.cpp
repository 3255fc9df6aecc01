// Rows are copied; the number of a level is its place among the levels of the table, so that it is looked up
// anew where the tables have different levels.
#include "giga/data/stack.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/require.hpp"
#include "data/dataset_parts.hpp"

namespace giga {
namespace {

// What the numbers of a column of one table become.
class Recoding {
 public:
  Recoding(const Column& from, const Column& to) {
    if (from.kind != ColumnKind::Category || from.levels == to.levels) return;
    for (const std::string& level : from.levels)
      codes_.push_back(static_cast<double>(std::ranges::find(to.levels, level) - to.levels.begin()));
  }
  [[nodiscard]] double operator()(double value) const {
    return codes_.empty() ? value : codes_[static_cast<std::size_t>(value)];
  }

 private:
  std::vector<double> codes_;  // empty: as they are
};

Column joined(std::span<const Dataset* const> tables, Column column, const auto& column_in) {
  std::vector<std::vector<std::string>> lists;
  for (const Dataset* table : tables) {
    const Column& other = column_in(*table);
    require(other.name == column.name, "the tables do not have the same columns");
    require(other.kind == column.kind, "the tables have a column of different kinds");
    lists.push_back(other.levels);
  }
  if (column.kind == ColumnKind::Category) column.levels = joined_levels(lists);
  return column;
}

}  // namespace

std::vector<std::string> joined_levels(std::span<const std::vector<std::string>> lists) {
  if (lists.empty()) return {};
  if (std::ranges::all_of(lists, [&](const auto& list) { return list == lists.front(); }))
    return lists.front();
  std::set<std::string> all;
  for (const auto& list : lists) all.insert(list.begin(), list.end());
  return {all.begin(), all.end()};
}

Dataset stacked(std::span<const Dataset* const> tables, const std::string& name) {
  require(!tables.empty(), "there must be a table");
  const Dataset& first = *tables.front();
  Dataset::Parts parts;
  parts.name = name;
  parts.feature_names = first.feature_names();
  parts.num_features = first.num_features();
  parts.response_name = first.response_name();
  for (const Dataset* table : tables) {
    require(table->num_features() == parts.num_features, "the tables do not have the same columns");
    require(table->response().empty() == first.response().empty(), "not all tables have a response");
    parts.num_rows += table->num_rows();
  }
  for (Index d = 0; d < parts.num_features; ++d) {
    Column column = joined(tables, first.feature_column(d),
                           [d](const Dataset& table) { return table.feature_column(d); });
    column.feature = d;
    parts.columns.push_back(std::move(column));
  }
  Column response;
  if (!first.response().empty()) {
    response =
        joined(tables, first.response_column(), [](const Dataset& table) { return table.response_column(); });
    response.role = ColumnRole::Response;
    response.feature = -1;
    parts.columns.push_back(response);
  }
  parts.columns.push_back({.name = "weight", .role = ColumnRole::Weight});

  parts.features.resize(checked_product(parts.num_rows, parts.num_features));
  if (!first.response().empty()) parts.response.resize(parts.num_rows);
  parts.weights.resize(parts.num_rows);
  Index row = 0;
  for (const Dataset* table : tables) {
    std::vector<Recoding> recode;
    for (Index d = 0; d < parts.num_features; ++d)
      recode.emplace_back(table->feature_column(d), parts.columns[at(d)]);
    const auto of_response =
        first.response().empty() ? Recoding({}, {}) : Recoding(table->response_column(), response);
    FeatureRows features(*table, 1);
    for (Index n = 0; n < table->num_rows(); ++n, ++row) {
      const double* from = features.row(n);
      double* to = parts.features.data() + row * parts.num_features;
      for (Index d = 0; d < parts.num_features; ++d) to[d] = recode[at(d)](from[d]);
      if (!first.response().empty()) parts.response.data()[row] = of_response(table->response()[at(n)]);
      parts.weights.data()[row] = table->weight(n);
    }
  }
  return Dataset(std::move(parts));
}

}  // namespace giga
