// Columns that must agree, and rows that are found again in the file they are of.
#include "data/several_files.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "data/number_parse.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr const char* kRule = "; the files of one table must have the same columns in the same order";

std::string quoted(const std::string& name) {
  return std::string("'").append(printable(name)).append("'");
}

// The first of `names` that is not among `others`; null if all are.
const std::string* first_missing(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  const std::set<std::string_view> known(others.begin(), others.end());
  const auto found = std::ranges::find_if(names, [&](const auto& name) { return !known.contains(name); });
  return found == names.end() ? nullptr : &*found;
}

// In what the names of a file differ from those of the first.
std::string difference(const std::vector<std::string>& names, const std::vector<std::string>& expected,
                       const std::string& first) {
  const std::string* lacks = first_missing(expected, names);
  const std::string* extra = first_missing(names, expected);
  if (lacks != nullptr && extra == nullptr) return "lacks the column " + quoted(*lacks) + " of " + first;
  if (lacks == nullptr && extra != nullptr)
    return "has a column " + quoted(*extra) + ", which " + first + " lacks";
  std::size_t j = 0;
  while (j < std::min(names.size(), expected.size()) && names[j] == expected[j]) ++j;
  if (j == std::min(names.size(), expected.size()))
    return "has " + plural(std::ssize(names), "column") + ", but " + first + " has " +
           std::to_string(expected.size());
  const std::string what = "column " + std::to_string(j + 1) + " is " + quoted(names[j]) + ", but " +
                           quoted(expected[j]) + " in " + first;
  // A number for a name: most likely there is no header here.
  if (parse_cell(names[j]).kind == CellKind::Number && parse_cell(expected[j]).kind != CellKind::Number)
    return what + ": has it no header?";
  return lacks == nullptr ? what + ", which has the same columns in another order" : what;
}

class JoinedOrigin : public Dataset::Origin {
 public:
  JoinedOrigin(std::vector<std::unique_ptr<Dataset::Origin>> origins, std::vector<Index> first_rows)
      : origins_(std::move(origins)), first_rows_(std::move(first_rows)) {}

  Index line(Index row) const override {
    const std::size_t file = file_of(row);
    return origins_[file]->line(row - first_rows_[file]);
  }

  // Rows ascend, so those of a file are next to each other.
  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts;
    for (std::size_t i = 0; i < rows.size();) {
      const std::size_t file = file_of(rows[i]);
      std::vector<Index> own;
      for (; i < rows.size() && file_of(rows[i]) == file; ++i) own.push_back(rows[i] - first_rows_[file]);
      for (auto& cells : origins_[file]->texts(own, cols)) texts.push_back(std::move(cells));
    }
    return texts;
  }

 private:
  // The last that begins at or before the row: those without rows come before it.
  std::size_t file_of(Index row) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(first_rows_, row) - first_rows_.begin()) - 1;
  }

  std::vector<std::unique_ptr<Dataset::Origin>> origins_;
  std::vector<Index> first_rows_;
};

}  // namespace

void require_same_columns(const std::vector<std::string>& names, const std::string& file,
                          const std::vector<std::string>& expected, const std::string& first) {
  if (names != expected) throw DataError(file + ": " + difference(names, expected, first) + kRule);
}

void require_same_width(Index columns, const std::string& file, Index expected, const std::string& first) {
  if (columns == expected) return;
  throw DataError(file + ": has " + plural(columns, "column") + ", but " + first + " has " +
                  std::to_string(expected) + "; the files of one table must have as many columns each");
}

std::unique_ptr<Dataset::Origin> joined_origin(std::vector<std::unique_ptr<Dataset::Origin>> origins,
                                               const std::vector<Index>& counts, Index first_row) {
  if (origins.size() == 1 && first_row == 0) return std::move(origins.front());
  std::vector<Index> first_rows;
  for (const Index count : counts) first_rows.push_back(std::exchange(first_row, first_row + count));
  return std::make_unique<JoinedOrigin>(std::move(origins), std::move(first_rows));
}

void note_empty_files(Table& table, Index num_rows) {
  const std::vector<InputFile>& files = table.files();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Index end = i + 1 < files.size() ? files[i + 1].first_row : num_rows;
    if (files[i].first_row == end) table.add_note(files[i].name + " has no rows");
  }
}

std::vector<Slot> slots_from(Table& table, Index first_row) {
  std::vector<Slot> slots = table.slots();
  for (Slot& slot : slots)
    if (slot.base != nullptr) slot.base += first_row * slot.stride;
  return slots;
}

}  // namespace giga
