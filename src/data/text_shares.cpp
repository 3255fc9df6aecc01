// Text columns of a share: what it tells of them, and its numbers once all shares are known.
#include <algorithm>
#include <cmath>

#include "data/share_facts.hpp"
#include "data/text_columns.hpp"

namespace giga {

TextFacts TextColumn::facts(const std::function<FactPlace(Index row, Index line)>& place, const Slot& slot,
                            const std::vector<Index>& dropped) const {
  TextFacts out;
  const auto told = [&place](const Found& cell) {
    return cell.row < 0 ? CellFact{} : CellFact{place(cell.row, cell.line), cell.text};
  };
  out.counts = counts_;
  for (std::size_t is = 0; is < kNumClasses; ++is) out.first[is] = told(first_[is]);
  out.first_unknown = told(first_unknown_);
  out.too_many = too_many_;
  if (known_ != nullptr) return out;  // every share has those
  for (Index k = 0; k < texts_.size(); ++k) out.levels.emplace_back(texts_.text(k));
  out.kept.assign(out.levels.size(), dropped.empty() ? 1 : 0);
  if (dropped.empty()) return out;
  // Numbers in the slots are those of the chunk of a row. Texts that are too long or too many have none.
  std::size_t next = 0;
  for (const Piece& piece : pieces_) {
    for (Index row = piece.first_row; row < piece.first_row + piece.num_rows; ++row) {
      while (next < dropped.size() && dropped[next] < row) ++next;
      const double value = slot.base[row * slot.stride];
      if ((next < dropped.size() && dropped[next] == row) || std::isnan(value)) continue;
      const auto number = static_cast<std::size_t>(value);
      if (number < piece.levels.size() && piece.levels[number] < out.kept.size())
        out.kept[piece.levels[number]] = 1;
    }
  }
  return out;
}

void TextColumn::take(const TextFacts& facts, const Agreement& all) {
  const auto found = [&all](const CellFact& cell) {
    Found out;
    if (cell.place.part < 0) return out;
    out.row = all.row(cell.place);
    out.text = cell.text;
    out.line = all.line(cell.place);
    return out;
  };
  counts_ = facts.counts;
  for (std::size_t is = 0; is < kNumClasses; ++is) first_[is] = found(facts.first[is]);
  first_unknown_ = found(facts.first_unknown);
  too_many_ = facts.too_many;
  for (const std::string& level : facts.levels)
    if (texts_.number(level) < 0) too_many_ = true;
}

std::vector<std::uint32_t> TextColumn::settle_share(const TextColumn& whole, const TextFacts& facts,
                                                    bool some_dropped, Table& table,
                                                    const ReadOptions& options) const {
  std::vector<std::uint32_t> places = whole.settle(table, options);
  if (known_ != nullptr) return places;
  std::vector<std::string> left = table.columns()[at(col_)].levels;
  if (some_dropped) {
    // The texts of `whole` have the numbers that they have in the facts.
    std::vector<std::size_t> at_place(places.size());
    for (std::size_t k = 0; k < places.size(); ++k) at_place[places[k]] = k;
    std::vector<std::string> kept;
    for (std::size_t p = 0; p < at_place.size(); ++p) {
      places[at_place[p]] = static_cast<std::uint32_t>(kept.size());
      if (facts.kept[at_place[p]] != 0) kept.push_back(std::move(left[p]));
    }
    left = std::move(kept);
  }
  table.set_kind(col_, ColumnKind::Category, std::move(left), true);
  std::vector<std::uint32_t> own(at(texts_.size()));
  for (std::size_t k = 0; k < own.size(); ++k)
    own[k] = places[at(whole.texts_.find(texts_.text(static_cast<Index>(k))))];
  return own;
}

void TextColumns::settle_share(const std::vector<ColumnPlan>& plan, const TextColumns& whole,
                               const TableFacts& all, bool some_dropped, Table& table,
                               const ReadOptions& options, const Executor& executor) const {
  std::vector<std::vector<std::uint32_t>> places;
  for (std::size_t k = 0; k < columns.size(); ++k)
    places.push_back(columns[k].settle_share(whole.columns[k], all.texts[k], some_dropped, table, options));
  renumber(places, table, executor);
  whole.set_dates(plan, table);
}

}  // namespace giga
