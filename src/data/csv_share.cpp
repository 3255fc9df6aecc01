// A share of CSV files: of mapped files the rows that begin in its range of bytes, of streams whole files.
//
// Whether a range begins inside quotes is told by the number of quotes before it in the file, which is known
// only when all shares have counted theirs. Hardly any does, so all read as if none did, and those that were
// wrong read again.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "data/column_roles.hpp"
#include "data/csv_input.hpp"
#include "data/csv_origin.hpp"
#include "data/several_files.hpp"
#include "data/share_source.hpp"
#include "giga/base/error.hpp"

namespace giga {
namespace {

// Where the first row at or after `from` begins; `inside` is whether that lies in quotes. Not at the
// beginning of the data. No further than a row may be long: one that goes on there is refused.
std::size_t row_start(std::string_view text, std::size_t from, bool inside) {
  if (!inside && text[from - 1] == '\n') return from;
  text = text.substr(0, from + kMaxRowBytes);
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '"') inside = !inside;
    if (text[at] == '\n' && !inside) return at + 1;
  }
  return text.size();
}

// Whether the number of quotes in bytes [begin, end) of a mapped file is odd. Pages are given back.
bool has_odd_quotes(const CsvFile& file, std::size_t begin, std::size_t end, const Executor& executor) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::vector<char> odd((end - begin + kChunk - 1) / kChunk);
  executor.for_each(std::ssize(odd), [&](Index i) {
    const std::size_t first = begin + at(i) * kChunk;
    const std::string_view text = file.whole().substr(first, std::min(kChunk, end - first));
    odd[at(i)] = std::ranges::count(text, '"') % 2 != 0 ? 1 : 0;
    file.mapped->release(first, text.size());
  });
  return std::ranges::count(odd, 1) % 2 != 0;
}

class CsvShare : public ShareSource {
 public:
  explicit CsvShare(ShareInput input) : ShareSource(std::move(input)) {
    check_csv_options(input_.options);
    files_ = csv_files(input_.files, input_.options);
    const std::unique_ptr<OpenStream> alone = find_starts(files_, {});
    table_.emplace(input_.name, assign_roles(files_.front().start.names, input_.options, input_.name),
                   input_.options, input_.executor.memory());
    table_->allow_categories();
    const auto [first, delimiter] = first_text(files_, alone.get());
    plan_ = plan_columns(first, delimiter, table_->columns(), input_.options);
    std::vector<std::size_t> sizes;
    for (const CsvFile& file : files_) sizes.push_back(file.bytes);
    for (const Range& range : byte_ranges(sizes)) {
      const CsvFile& file = files_[at(range.file)];
      if (!file.mapped && range.begin > 0) continue;  // a stream is not cut
      Part part{range};
      if (file.mapped) {
        part.range.begin = std::max(range.begin, file.start.offset);
        part.range.end = std::max(range.end, part.range.begin);
        part.odd_quotes = has_odd_quotes(file, part.range.begin, part.range.end, input_.executor);
      }
      parts_.push_back(part);
    }
  }

  TableFacts read() override {
    std::vector<CsvFile> own;
    for (const Part& part : parts_) own.push_back(file_of(part));
    rows_.emplace(std::move(own), nullptr, input_.executor, input_.observer, CsvSizes{});
    const Index mapped_rows = rows_->scan();
    table_->start_again();
    if (rows_->all_mapped()) table_->allocate(mapped_rows);
    texts_.emplace(plan_);
    TableFacts facts;
    CsvParse parse;
    try {
      parse = rows_->parse(plan_, *table_, *texts_);
    } catch (const DataError& error) {  // of a stream that is damaged
      tell_parts(facts);
      facts.bad_row = RowFact{place_in(facts, rows_->num_rows(), -1), error.what(), true};
      return facts;
    }
    tell_parts(facts);
    facts.suspects = parse.suspects;
    if (parse.bad_row)
      facts.bad_row = RowFact{place_in(facts, parse.bad_row->row, parse.bad_line), parse.bad_row->what};
    if (parse.suspects.empty()) tell_cells(facts);
    return facts;
  }

  bool agrees(const TableFacts& all) override {
    std::vector<std::string> names;
    std::vector<Index> lines;
    for (const CsvFile& file : files_) {
      names.push_back(file.name);
      lines.push_back(file.start.line);
    }
    const Agreement agreement(all, names, lines);
    if (!same_quotes(all, agreement)) return false;
    if (!all.suspects.empty()) {
      replan(all.suspects, plan_);
      return false;
    }
    require_good(all, agreement);
    note_empty_files(*table_, agreement.num_rows());
    judge(*table_, all, agreement);
    std::size_t own = 0;
    for (std::size_t i = 0; i < all.parts.size(); ++i)
      if (all.parts[i].share == input_.share.index)
        rows_->files()[own++].first_line = agreement.first_line(i);
    return true;
  }

  Dataset finish() override {
    const Index num_rows = rows_->num_rows();
    return std::move(*table_).finish_share(place_.first_input_row, num_rows, whole_,
                                           rows_->take_origin(place_.first_input_row));
  }

 private:
  struct Part {
    Range range;  // of a mapped file without its header
    bool odd_quotes = false;
    bool inside = false;
  };

  // The rows of a part, with lines counted from 0.
  [[nodiscard]] CsvFile file_of(const Part& part) const {
    const CsvFile& file = files_[at(part.range.file)];
    CsvFile own{.name = file.name,
                .form = file.form,
                .mapped = file.mapped,
                .open = file.open,
                .bytes = file.bytes,
                .start = file.start,
                .first_line = 0};
    if (!file.mapped) return own;
    const std::string_view whole = file.whole();
    const auto edge = [&](std::size_t at, bool inside) {
      return at <= file.start.offset ? file.start.offset
             : at >= whole.size()    ? whole.size()
                                     : row_start(whole, at, inside);
    };
    own.text_offset = edge(part.range.begin, part.inside);
    const std::size_t end = edge(part.range.end, part.inside != part.odd_quotes);
    own.text = whole.substr(own.text_offset, std::max(end, own.text_offset) - own.text_offset);
    own.bytes = own.text_offset + own.text.size();
    return own;
  }

  void tell_parts(TableFacts& facts) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const CsvFile& file = rows_->files()[k];
      facts.parts.push_back({.share = input_.share.index,
                             .file = parts_[k].range.file,
                             .rows = file.num_rows,
                             .newlines = file.num_newlines,
                             .odd_quotes = parts_[k].odd_quotes,
                             .inside = parts_[k].inside});
    }
  }

  void tell_cells(TableFacts& facts) {
    tell_rows(
        *table_, [&](std::size_t part, Index row) { return lines_before(part, row); }, facts);
    const auto place = [&facts](Index row, Index line) { return place_in(facts, row, line); };
    const std::vector<Slot> slots = table_->slots();
    // After a bad row slots are not filled, and no level is kept for long.
    const std::vector<Index> dropped = facts.bad_row ? std::vector<Index>() : table_->issues().incomplete;
    for (const TextColumn& column : texts_->columns)
      facts.texts.push_back(column.facts(place, slots[at(column.col())], dropped));
    facts.has_time = texts_->has_time;
  }

  // As the origin of the whole file would tell it.
  Index lines_before(std::size_t part, Index row) {
    const CsvFile& file = rows_->files()[part];
    if (file.one_line_a_row) return row;
    return file.mapped ? file.line_at(row_offset(file.text, file.checkpoints, row)) : -1;
  }

  bool same_quotes(const TableFacts& all, const Agreement& agreement) {
    bool same = true;
    std::size_t own = 0;
    for (std::size_t i = 0; i < all.parts.size(); ++i) {
      const PartFacts& part = all.parts[i];
      same = same && part.inside == agreement.begins_inside(i);
      if (part.share == input_.share.index) parts_[own++].inside = agreement.begins_inside(i);
    }
    return same;
  }

  // The first bad row or text of all shares; then kinds and levels.
  void require_good(const TableFacts& all, const Agreement& agreement) {
    if (all.bad_row && all.bad_row->is_message) throw DataError(all.bad_row->what);
    const bool mapped =
        std::ranges::all_of(files_, [](const CsvFile& file) { return file.mapped != nullptr; });
    if (mapped && agreement.num_rows() == 0)
      throw DataError(input_.name + ": 0 data rows after the header" + (files_.size() > 1 ? "s" : ""));
    table_->set_files(agreement.files());
    TextColumns whole(plan_);
    for (std::size_t k = 0; k < std::min(whole.columns.size(), all.texts.size()); ++k)
      whole.columns[k].take(all.texts[k], agreement);
    for (std::size_t j = 0; j < all.has_time.size(); ++j) whole.has_time[j] = all.has_time[j];
    const Index before = all.bad_row ? agreement.row(all.bad_row->place) : std::numeric_limits<Index>::max();
    if (const auto fault = whole.fault_before(before, *table_))
      throw_bad_row(*table_, fault->bad_row, fault->line);
    if (all.bad_row)
      throw_bad_row(*table_, {before, 0, all.bad_row->what}, agreement.line(all.bad_row->place));
    texts_->settle_share(plan_, whole, all, agreement.num_dropped() > 0, *table_, input_.options,
                         input_.executor);
  }

  std::vector<CsvFile> files_;  // all of the table
  std::vector<Part> parts_;     // of this share
  std::optional<Table> table_;
  std::vector<ColumnPlan> plan_;
  std::optional<CsvRows> rows_;
  std::optional<TextColumns> texts_;
};

}  // namespace

std::unique_ptr<ShareSource> csv_share(ShareInput input) {
  return std::make_unique<CsvShare>(std::move(input));
}

}  // namespace giga
