// Levels are counted by a fold over the rows: for each level its rows and the sum of their weights.
#include "giga/design/rare_levels.hpp"

#include <algorithm>
#include <cstdint>

#include "giga/base/text.hpp"
#include "giga/design/formula.hpp"

namespace giga {
namespace {

constexpr std::int64_t kFewRows = 5;

struct LevelCount {
  std::int64_t rows;
  double weight;

  // A row may stand for many, by its weight.
  [[nodiscard]] bool is_rare() const { return rows > 0 && rows < kFewRows && weight < kFewRows; }
};

std::vector<LevelCount> count_levels(const Dataset& data, const Column& column, const Executor& executor) {
  std::vector<LevelCount> counts(column.levels.size(), LevelCount{0, 0});
  const Index width = std::ssize(counts);
  fold_blocks<LevelCount>(
      executor, data.num_rows(), width, std::span(counts),
      [&](Index first, Index count, Index /*piece*/, LevelCount* part) {
        FeatureRows features(data, 1);
        for (Index n = first; n < first + count; ++n) {
          const double weight = data.weight(n);
          if (!(weight > 0)) continue;
          LevelCount& level = part[static_cast<Index>(features.row(n)[column.feature])];
          ++level.rows;
          level.weight += weight;
        }
      },
      [width](const LevelCount* part, LevelCount* total) {
        for (Index l = 0; l < width; ++l) {
          total[l].rows += part[l].rows;
          total[l].weight += part[l].weight;
        }
      });
  return counts;
}

std::string quoted(const std::string& level) {
  return std::string("'").append(printable(level, 40)).append("'");
}

std::string rare_note(const std::string& name, const Column& column, const std::vector<LevelCount>& counts,
                      const std::vector<std::size_t>& rare) {
  constexpr std::size_t kMostNamed = 5;
  if (rare.size() == 1) {
    return name + ": the level " + quoted(column.levels[rare[0]]) + " occurs in " +
           plural(counts[rare[0]].rows, "row") +
           ": the data tell little about its coefficient, and the prior decides the rest";
  }
  std::string list;
  for (std::size_t k = 0; k < rare.size() && k < kMostNamed; ++k)
    list.append(k > 0 ? ", " : "")
        .append(quoted(column.levels[rare[k]]))
        .append(" in ")
        .append(std::to_string(counts[rare[k]].rows));
  return name + ": " + std::to_string(rare.size()) + " of " + std::to_string(column.levels.size()) +
         " levels occur in fewer than " + std::to_string(kFewRows) + " rows each (" + list +
         (rare.size() > kMostNamed ? ", ..." : "") +
         "): the data tell little about their coefficients, and the prior decides the rest";
}

// The most frequent level is the one to compare with.
std::string base_note(const std::string& name, const Column& column, const std::vector<LevelCount>& counts,
                      std::size_t base) {
  const auto most = std::ranges::max_element(counts, {}, &LevelCount::rows) - counts.begin();
  const Expression plain{Expression::Kind::Name, column.name},
      level{Expression::Kind::Text, column.levels[static_cast<std::size_t>(most)]};
  return name + ": the base " + quoted(column.levels[base]) + " occurs in " +
         plural(counts[base].rows, "row") + ", and every coefficient of " + name +
         " compares with it, so all of them are known as badly; in a formula relevel(" +
         printable(deparse(plain)) + ", " + printable(deparse(level)) + ") makes another level the base";
}

}  // namespace

std::vector<CategorySummary> table_categories(const Dataset& data) {
  std::vector<CategorySummary> categories;
  for (Index d = 0; d < data.num_features(); ++d) {
    const Column& column = data.feature_column(d);
    if (column.kind != ColumnKind::Category || column.levels.size() < 2) continue;
    const Index levels = std::ssize(column.levels);
    categories.push_back({column.name, levels, levels - 1, column.levels.front(), column.name});
  }
  return categories;
}

std::vector<std::string> rare_level_notes(const Dataset& data, std::span<const CategorySummary> categories,
                                          const Executor& executor) {
  std::vector<std::string> notes, told;
  for (const CategorySummary& category : categories) {
    const auto column = std::ranges::find_if(data.columns(), [&category](const Column& each) {
      return each.name == category.column && each.role == ColumnRole::Feature &&
             each.kind == ColumnKind::Category;
    });
    const bool again = std::ranges::find(told, category.column) != told.end();
    if (column == data.columns().end() || again) continue;
    told.push_back(category.column);
    const std::vector<LevelCount> counts = count_levels(data, *column, executor);
    std::vector<std::size_t> rare;
    std::string of_base;
    for (std::size_t l = 0; l < counts.size(); ++l) {
      if (!counts[l].is_rare()) continue;
      if (column->levels[l] == category.base) {
        of_base = base_note(printable(category.name), *column, counts, l);
      } else {
        rare.push_back(l);
      }
    }
    if (!rare.empty()) notes.push_back(rare_note(printable(category.name), *column, counts, rare));
    if (!of_base.empty()) notes.push_back(std::move(of_base));
  }
  return notes;
}

}  // namespace giga
