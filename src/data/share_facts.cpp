// Merging in the order of shares, and the bytes that are sent.
#include "data/share_facts.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace giga {
namespace {

constexpr std::size_t kPlacesShown = 5;

FactPlace shifted(FactPlace place, Index parts) {
  if (place.part >= 0) place.part += parts;
  return place;
}

CellFact shifted(CellFact cell, Index parts) {
  cell.place = shifted(cell.place, parts);
  return cell;
}

std::optional<RowFact> shifted(std::optional<RowFact> row, Index parts) {
  if (row) row->place = shifted(row->place, parts);
  return row;
}

// What comes first stays.
void add_first(CellFact& first, const CellFact& other, Index parts) {
  if (first.place.part < 0) first = shifted(other, parts);
}

void add(TextFacts& before, const TextFacts& after, Index parts) {
  for (std::size_t is = 0; is < kNumClasses; ++is) {
    before.counts[is] += after.counts[is];
    add_first(before.first[is], after.first[is], parts);
  }
  add_first(before.first_unknown, after.first_unknown, parts);
  before.too_many = before.too_many || after.too_many;
  std::unordered_map<std::string_view, std::size_t> known;
  before.levels.reserve(before.levels.size() + after.levels.size());  // so that views stay valid
  for (std::size_t k = 0; k < before.levels.size(); ++k) known.emplace(before.levels[k], k);
  for (std::size_t k = 0; k < after.levels.size(); ++k) {
    const auto found = known.find(after.levels[k]);
    if (found == known.end()) {
      before.levels.push_back(after.levels[k]);
      before.kept.push_back(after.kept[k]);
      known.emplace(before.levels.back(), before.levels.size() - 1);
    } else if (after.kept[k] != 0) {
      before.kept[found->second] = 1;
    }
  }
}

// What is told of rows; those of `after` count only where no row before is bad.
void add_rows(TableFacts& before, const TableFacts& after, Index parts) {
  before.missing += after.missing;
  before.too_small += after.too_small;
  before.rounded += after.rounded;
  auto& by_column = before.missing_by_column;
  by_column.resize(std::max(by_column.size(), after.missing_by_column.size()));
  for (std::size_t j = 0; j < after.missing_by_column.size(); ++j) by_column[j] += after.missing_by_column[j];
  for (const MissingFact& fact : after.first_missing)
    if (before.first_missing.size() < kPlacesShown)
      before.first_missing.push_back({shifted(fact.place, parts), fact.col});
  if (before.texts.empty()) before.texts.resize(after.texts.size());
  for (std::size_t k = 0; k < std::min(before.texts.size(), after.texts.size()); ++k)
    add(before.texts[k], after.texts[k], parts);
  before.has_time.resize(std::max(before.has_time.size(), after.has_time.size()));
  for (std::size_t j = 0; j < after.has_time.size(); ++j)
    if (after.has_time[j] != 0) before.has_time[j] = 1;
  if (!before.negative_weight) before.negative_weight = shifted(after.negative_weight, parts);
  before.positive_weight = before.positive_weight || after.positive_weight;
  before.bad_row = shifted(after.bad_row, parts);
}

// Bytes of numbers, texts and lists of what has bytes. The same functions write and read: Bytes is a Writer
// or a Reader, and each() does what it does.
class Writer {
 public:
  template <typename Number>
  void number(Number& value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string& value) {
    auto size = static_cast<Index>(value.size());
    number(size);
    text_ += value;
  }
  Index count(std::size_t size) {
    auto count = static_cast<Index>(size);
    number(count);
    return count;
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  template <typename Number>
  void number(Number& value) {
    if (text_.size() < sizeof value) refuse();
    std::memcpy(&value, text_.data(), sizeof value);
    text_.remove_prefix(sizeof value);
  }
  void text(std::string& value) {
    const Index size = count(0);
    value = text_.substr(0, static_cast<std::size_t>(size));
    text_.remove_prefix(static_cast<std::size_t>(size));
  }
  // Of bytes, or of what has at least one each.
  Index count(std::size_t /*size*/) {
    Index count = 0;
    number(count);
    if (count < 0 || count > std::ssize(text_)) refuse();
    return count;
  }
  void finish() const {
    if (!text_.empty()) refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::invalid_argument("these are not the bytes of what a share tells");
  }
  std::string_view text_;
};

template <typename Bytes, typename Value, typename Each>
void list(Bytes& bytes, std::vector<Value>& values, const Each& each) {
  values.resize(static_cast<std::size_t>(bytes.count(values.size())));
  for (Value& value : values) each(value);
}

template <typename Bytes>
void pass(Bytes& bytes, FactPlace& place) {
  bytes.number(place.part);
  bytes.number(place.row);
  bytes.number(place.lines);
}

template <typename Bytes>
void pass(Bytes& bytes, CellFact& cell) {
  pass(bytes, cell.place);
  bytes.text(cell.text);
}

template <typename Bytes>
void pass(Bytes& bytes, std::optional<RowFact>& row) {
  bool has = row.has_value();
  bytes.number(has);
  if (!has) {
    row.reset();
    return;
  }
  if (!row) row.emplace();
  pass(bytes, row->place);
  bytes.text(row->what);
  bytes.number(row->is_message);
}

template <typename Bytes>
void pass(Bytes& bytes, TextFacts& text) {
  for (Index& count : text.counts) bytes.number(count);
  for (CellFact& cell : text.first) pass(bytes, cell);
  pass(bytes, text.first_unknown);
  bytes.number(text.too_many);
  list(bytes, text.levels, [&](std::string& level) { bytes.text(level); });
  list(bytes, text.kept, [&](char& kept) { bytes.number(kept); });
}

template <typename Bytes>
void pass(Bytes& bytes, TableFacts& facts) {
  list(bytes, facts.parts, [&](PartFacts& part) {
    for (Index* value : {&part.share, &part.file, &part.rows, &part.dropped, &part.newlines})
      bytes.number(*value);
    bytes.number(part.odd_quotes);
    bytes.number(part.inside);
  });
  bytes.number(facts.max_index);
  bytes.number(facts.filled);
  list(bytes, facts.suspects, [&](Suspect& suspect) {
    bytes.number(suspect.col);
    bytes.number(suspect.mode);
  });
  pass(bytes, facts.bad_row);
  bytes.number(facts.missing);
  bytes.number(facts.too_small);
  bytes.number(facts.rounded);
  list(bytes, facts.missing_by_column, [&](Index& count) { bytes.number(count); });
  list(bytes, facts.first_missing, [&](MissingFact& fact) {
    pass(bytes, fact.place);
    bytes.number(fact.col);
  });
  list(bytes, facts.texts, [&](TextFacts& text) { pass(bytes, text); });
  list(bytes, facts.has_time, [&](char& time) { bytes.number(time); });
  pass(bytes, facts.negative_weight);
  bytes.number(facts.positive_weight);
}

}  // namespace

TableFacts merged(const TableFacts& before, const TableFacts& after) {
  TableFacts out = before;
  const Index parts = std::ssize(before.parts);
  out.parts.insert(out.parts.end(), after.parts.begin(), after.parts.end());
  out.max_index = std::max(before.max_index, after.max_index);
  out.filled = before.filled && after.filled;
  if (before.bad_row) return out;
  for (const Suspect& suspect : after.suspects) {
    const auto same = [&](const Suspect& other) { return other.col == suspect.col; };
    if (std::ranges::none_of(out.suspects, same)) out.suspects.push_back(suspect);
  }
  add_rows(out, after, parts);
  return out;
}

ShareFacts merge(const ShareFacts& before, const ShareFacts& after) {
  return ShareFacts(std::make_shared<const TableFacts>(merged(*before, *after)));
}

std::string ShareFacts::bytes() const {
  Writer writer;
  TableFacts copy = *facts_;
  pass(writer, copy);
  return writer.take();
}

ShareFacts ShareFacts::of_bytes(std::string_view bytes) {
  Reader reader(bytes);
  auto facts = std::make_shared<TableFacts>();
  pass(reader, *facts);
  reader.finish();
  return ShareFacts(std::move(facts));
}

Agreement::Agreement(const TableFacts& all, std::vector<std::string> files,
                     const std::vector<Index>& first_lines)
    : all_(all), names_(std::move(files)), file_rows_(names_.size(), -1) {
  // Of each file, what the parts so far have.
  std::vector<Index> rows(names_.size()), lines = first_lines;
  std::vector<char> odd(names_.size());
  for (const PartFacts& part : all.parts) {
    const std::size_t file = at(part.file);
    if (file_rows_[file] < 0) file_rows_[file] = num_rows_;
    first_rows_.push_back(std::exchange(num_rows_, num_rows_ + part.rows));
    first_in_file_.push_back(std::exchange(rows[file], rows[file] + part.rows));
    first_lines_.push_back(std::exchange(lines[file], lines[file] + part.newlines));
    inside_.push_back(odd[file]);
    odd[file] = static_cast<char>(odd[file] != (part.odd_quotes ? 1 : 0));
    num_dropped_ += part.dropped;
  }
}

Index Agreement::row(const FactPlace& place) const {
  return first_rows_[at(place.part)] + place.row;
}

Index Agreement::line(const FactPlace& place) const {
  return place.lines < 0 ? 0 : first_lines_[at(place.part)] + place.lines;
}

std::string Agreement::words(const FactPlace& place) const {
  const std::string words = row_place(first_in_file_[at(place.part)] + place.row, line(place));
  return names_.size() == 1 ? words : words + " of " + names_[at(all_.parts[at(place.part)].file)];
}

std::vector<InputFile> Agreement::files() const {
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < names_.size() && names_.size() > 1; ++i)
    files.push_back({names_[i], file_rows_[i]});
  return files;
}

SharePlace Agreement::place_of(Index share) const {
  SharePlace place{.num_rows = num_rows_ - num_dropped_};
  for (const PartFacts& part : all_.parts) {
    if (part.share >= share) break;
    place.first_input_row += part.rows;
    place.first_row += part.rows - part.dropped;
  }
  return place;
}

}  // namespace giga
