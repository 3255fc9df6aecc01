// Two parsers. The quick one runs along a row of plain numbers, texts and dates and gives up at the first
// thing it does not know; the careful one then takes the whole row again, cell by cell, and handles every
// case. Both write to the same slots, and texts are counted when their row is done, so what the quick one did
// before giving up does not matter.
#include "data/csv_parse.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/atomic_bounds.hpp"
#include "data/csv_row.hpp"
#include "data/iso_time.hpp"

namespace giga {
namespace {

// The first cell of a column that does not fit decides how it is read next.
void add_suspect(const Suspect& suspect, std::vector<Suspect>& suspects) {
  const auto same = [&](const Suspect& other) { return other.col == suspect.col; };
  if (std::none_of(suspects.begin(), suspects.end(), same)) suspects.push_back(suspect);
}

// Null if there is none.
const char* last_newline(std::string_view text) {
  const std::size_t newline = text.rfind('\n');
  return newline == std::string_view::npos ? nullptr : text.data() + newline;
}

// The rows of one chunk, up to the first bad one. The last newline is that of the text, which is searched for
// once: the end of a file that is cut meanwhile has none.
class ChunkParser {
 public:
  ChunkParser(const CsvText& csv, const CsvChunk& chunk, const char* last_newline,
              const std::vector<ColumnPlan>& plan, const Table& table, const std::vector<Slot>& slots)
      : csv_(csv),
        chunk_(chunk),
        plan_(plan),
        table_(table),
        slots_(slots),
        delimiter_(csv.delimiter),
        last_newline_(last_newline) {
    for (std::size_t col = 0; col < plan.size(); ++col) {
      text_of_.push_back(static_cast<std::uint32_t>(text_columns_.size()));
      if (plan[col].mode == CellMode::Text) text_columns_.push_back(col);
      only_numbers_ = only_numbers_ && plan[col].mode <= CellMode::Number;
    }
    texts.resize(text_columns_.size());
    codes_.resize(text_columns_.size());
    // A blank that is the delimiter is not skipped around cells.
    delimiters_ = 0x0101010101010101 * static_cast<unsigned char>(delimiter_);
    is_space_ = delimiter_ != ' ';
    is_tab_ = delimiter_ != '\t';
  }

  Issues issues;
  std::optional<BadRow> bad_row;
  std::vector<TextChunk> texts;        // one for each text column
  std::vector<std::size_t> has_times;  // columns read as dates that have a time of day
  std::vector<Suspect> suspects;       // columns with a cell that does not fit, in the order found
  std::optional<BadRow> first_suspect;

  void parse(std::vector<std::size_t>* checkpoints) {
    // Invariant: rows [0, k) of the chunk are parsed, and `at` is at or before the start of row k, with only
    // blank lines between.
    const char* base = csv_.text.data();
    std::size_t at = chunk_.first_start;
    for (Index k = 0; k < chunk_.num_rows; ++k) {
      while (at < csv_.text.size() && is_blank_line(csv_.text, at)) at = row_end(csv_.text, at);
      const Index row = csv_.first_row + chunk_.first_row + k;
      if (at >= csv_.text.size()) {
        // The counts were misled by a quote out of place, in a row before this one.
        bad_row = BadRow{row, csv_.text.size(), ": the quotes do not match; check them from here up"};
        return;
      }
      // A row belongs to one chunk, so no two threads write the same checkpoint.
      const Index of_text = row - csv_.first_row;
      if (checkpoints != nullptr && of_text % kCheckpointRows == 0 &&
          of_text / kCheckpointRows < std::ssize(*checkpoints))
        (*checkpoints)[static_cast<std::size_t>(of_text / kCheckpointRows)] = at;
      const char* next = nullptr;
      // The quick parser needs a newline to stop at: the last row may lack one.
      if (last_newline_ != nullptr && base + at <= last_newline_)
        next = only_numbers_ ? parse_quickly<true>(base + at, row) : parse_quickly<false>(base + at, row);
      if (next != nullptr) {
        at = static_cast<std::size_t>(next - base);
        continue;
      }
      const std::optional<std::size_t> end = row_end_within(csv_.text, at);
      if (!end) {
        bad_row = BadRow{row, at, long_row_words()};
        return;
      }
      parse_carefully(csv_.text.substr(at, *end - at), at, row);
      if (bad_row) return;
      at = *end;
    }
  }

 private:
  static constexpr auto kLongest = static_cast<std::ptrdiff_t>(kMaxRowBytes);

  bool is_blank(char c) const { return (c == ' ' && is_space_) || (c == '\t' && is_tab_); }

  // The position after the row's newline, or nullptr if the row has anything other than plain numbers (quoted
  // or not), texts and dates without doubled quotes, and text in unused columns; or if it is longer than a
  // row may be. Invariant: p is not beyond the last newline of the text. Numbers and blanks end at the next
  // newline or, where pages of the file are lost, at the next zero; cells of text are searched as far as
  // stop_.
  template <bool kOnlyNumbers>
  const char* parse_quickly(const char* p, Index row) {
    // The value goes into its slot at once: if the row turns out not to be plain, the careful parser writes
    // over it.
    const char* const start = p;
    const char* end = last_newline_ + 1;
    stop_ = last_newline_ - start > kLongest ? start + kLongest : last_newline_;
    const std::size_t last = slots_.size() - 1;
    for (std::size_t col = 0;; ++col) {
      const Slot& slot = slots_[col];
      if (!kOnlyNumbers && plan_[col].mode > CellMode::Number) {
        p = parse_text(p, start, col, row);
        if (p == nullptr) return nullptr;
      } else if (slot.base != nullptr) {
        while (is_blank(*p)) ++p;
        const bool quoted = *p == '"';
        if (quoted) ++p;
        p = parse_plain_number(p, end, slot.base[row * slot.stride]);
        if (p == nullptr) return nullptr;
        if (quoted && *p++ != '"') return nullptr;
        while (is_blank(*p)) ++p;
      } else {
        p = skip_text(p);
        if (p == nullptr) return nullptr;
      }
      // Exactly as many cells as slots: a delimiter between them, a newline after the last.
      if (col == last) break;
      if (*p != delimiter_) return nullptr;
      ++p;
    }
    if (*p == '\r') ++p;
    if (*p != '\n' || p - start >= kLongest) return nullptr;
    if (!kOnlyNumbers) store_texts(row);
    return p + 1;
  }

  // The first delimiter, newline or quote at or after p, or stop_ if there is none before; eight bytes at a
  // time. A byte of x ^ (c c c ...) is 0 where x has c; subtracting 1 from every byte borrows first from the
  // lowest of these.
  const char* end_of_cell(const char* p) const {
    constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
    const auto zeros = [](std::uint64_t x) { return (x - kOnes) & ~x & kHigh; };
    if constexpr (number_detail::kFastDigits) {
      for (; stop_ - p >= 8; p += 8) {
        const std::uint64_t bytes = number_detail::load8(p);
        const std::uint64_t found =
            zeros(bytes ^ delimiters_) | zeros(bytes ^ kOnes * '\n') | zeros(bytes ^ kOnes * '"');
        if (found != 0) return p + std::countr_zero(found) / 8;
      }
    }
    while (p < stop_ && *p != delimiter_ && *p != '\n' && *p != '"') ++p;
    return p;
  }

  // The first quote at or after p and before stop_; null if there is none.
  const char* next_quote(const char* p) const {
    if (p >= stop_) return nullptr;
    return static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(stop_ - p)));
  }

  // A cell of a text column, whose code is kept until the row is done, or of a column of dates.
  const char* parse_text(const char* p, const char* row_start, std::size_t col, Index row) {
    if (chunk_.has_nul) return nullptr;
    while (is_blank(*p)) ++p;
    const char* begin = p;
    const char* end = nullptr;
    if (*p == '"') {
      ++begin;
      end = next_quote(begin);
      if (end == nullptr || end[1] == '"') return nullptr;
      p = end + 1;
      while (is_blank(*p)) ++p;
    } else {
      p = end_of_cell(p);
      if (*p == '"') return nullptr;
      if (*p == '\n' && p > begin && p[-1] == '\r') --p;
      end = p;
    }
    std::string_view text(begin, static_cast<std::size_t>(end - begin));
    if (text.starts_with(' ') || text.starts_with('\t') || text.ends_with(' ') || text.ends_with('\t'))
      text = trimmed(text);
    if (plan_[col].mode == CellMode::Date) return store_date(text, col, row) ? p : nullptr;
    const std::uint32_t k = text_of_[col];
    codes_[k] = texts[k].code(text, row, static_cast<std::size_t>(row_start - csv_.text.data()));
    return p;
  }

  bool store_date(std::string_view text, std::size_t col, Index row) {
    const IsoValue date = parse_iso(text);
    if (date.kind != IsoKind::Date && date.kind != IsoKind::Time) return false;
    slots_[col].base[row * slots_[col].stride] = date.days;
    if (date.kind == IsoKind::Time && std::find(has_times.begin(), has_times.end(), col) == has_times.end())
      has_times.push_back(col);
    return true;
  }

  // The codes of a row that is whole: into the slots, and counted.
  void store_texts(Index row) {
    for (std::size_t k = 0; k < codes_.size(); ++k) {
      const std::int32_t code = codes_[k];
      const Slot& slot = slots_[text_columns_[k]];
      texts[k].count(code);
      if (texts[k].is_missing(code)) {
        table_.store_missing({row, static_cast<Index>(text_columns_[k])}, slot, issues);
      } else {
        slot.base[row * slot.stride] = code >= 0 ? code : 0;
      }
    }
  }

  // An unused cell. Text with NUL bytes is for the careful parser to refuse.
  const char* skip_text(const char* p) const {
    if (chunk_.has_nul) return nullptr;
    if (*p == '"') {
      // Quoted: to the first quote that is not doubled.
      do {
        ++p;
        p = next_quote(p);
        if (p == nullptr) return nullptr;
        ++p;
      } while (*p == '"');
      return p;
    }
    // Unquoted: to the delimiter or the end of the row, without the CR of a CRLF.
    p = end_of_cell(p);
    if (*p == '"') return nullptr;
    return *p == '\n' && p[-1] == '\r' ? p - 1 : p;
  }

  // Every cell as text, then as what it is to be; sets bad_row at the first that cannot be stored.
  void parse_carefully(std::string_view text, std::size_t offset, Index row) {
    const CsvRow cells = split_row(text, delimiter_);
    const auto fail = [&](std::string what) { bad_row = BadRow{row, offset, std::move(what)}; };
    if (!cells.problem.empty()) return fail(cells.problem);
    if (cells.cells.size() != slots_.size()) {
      return fail(" has " + std::to_string(cells.cells.size()) +
                  (cells.cells.size() == 1 ? " field" : " fields") + ", expected " +
                  std::to_string(slots_.size()) + "; check its delimiters and quotes");
    }
    for (std::size_t col = 0; col < slots_.size(); ++col) {
      const std::string& cell = cells.cells[col];
      // NULs are refused in unused columns too: they mean that the file is not text.
      std::string what = cell.find('\0') != std::string::npos
                             ? table_.not_a_number({}, cell, static_cast<Index>(col))
                             : store_cell(cell, {row, static_cast<Index>(col)}, offset);
      if (!what.empty()) return fail(std::move(what));
    }
    store_texts(row);
  }

  // What is wrong with the cell where nothing can be made of it; empty if all is well, or if the column is to
  // be read again as text.
  std::string store_cell(std::string_view cell, CellPlace place, std::size_t offset) {
    const auto col = static_cast<std::size_t>(place.col);
    const ColumnPlan& plan = plan_[col];
    std::string what;
    switch (plan.mode) {
      case CellMode::Skip: return {};
      case CellMode::Text: {
        const std::uint32_t k = text_of_[col];
        codes_[k] = texts[k].code(trimmed(cell), place.row, offset);
        return {};
      }
      case CellMode::Number: what = table_.store(parse_cell(cell), cell, place, slots_[col], issues); break;
      case CellMode::Date:
        if (store_date(trimmed(cell), col, place.row)) return {};
        if (const CellValue value = parse_cell(cell); value.kind == CellKind::Missing)
          return table_.store(value, cell, place, slots_[col], issues);
        what = table_.not_a_date(cell, parse_iso(trimmed(cell)).kind == IsoKind::Impossible, place.col);
        break;
    }
    if (what.empty() || plan.settled) return what;
    const bool date = plan.mode == CellMode::Number && parse_iso(trimmed(cell)).kind != IsoKind::None;
    add_suspect({col, date ? CellMode::Date : CellMode::Text}, suspects);
    if (!first_suspect) first_suspect = BadRow{place.row, offset, std::move(what)};
    return {};
  }

  const CsvText& csv_;
  const CsvChunk& chunk_;
  const std::vector<ColumnPlan>& plan_;
  const Table& table_;
  const std::vector<Slot>& slots_;
  const char delimiter_;
  const char* last_newline_;
  const char* stop_ = nullptr;  // of a row
  std::uint64_t delimiters_;    // the delimiter in every byte
  bool is_space_;
  bool is_tab_;
  bool only_numbers_ = true;
  std::vector<std::size_t> text_columns_;  // their columns
  std::vector<std::uint32_t> text_of_;     // per column, which of the text columns it is
  std::vector<std::int32_t> codes_;        // of the texts of the row
};

// All that a chunk leaves behind.
struct ChunkResult {
  std::size_t piece = 0;
  Index first_row = 0, num_rows = 0;
  Issues issues;
  std::optional<BadRow> bad_row, first_suspect;
  std::vector<TextChunk> texts;
  std::vector<std::size_t> has_times;
  std::vector<Suspect> suspects;
};

// In the order of rows, up to the first bad one: what chunks after it found depends on the threads.
CsvParse merged(std::vector<ChunkResult> results, std::span<const CsvPiece> pieces, Table& table,
                TextColumns& text) {
  CsvParse out;
  const auto bad = std::find_if(results.begin(), results.end(),
                                [](const ChunkResult& result) { return result.bad_row.has_value(); });
  if (bad != results.end()) {
    out.bad_row = std::move(bad->bad_row);
    out.bad_line = pieces[bad->piece].line_of(out.bad_row->offset);
    results.erase(bad + 1, results.end());
  }
  for (ChunkResult& result : results) {
    for (const Suspect& suspect : result.suspects) add_suspect(suspect, out.suspects);
    if (out.first_suspect || !result.first_suspect) continue;
    out.first_suspect = std::move(result.first_suspect);
    out.suspect_piece = result.piece;
  }
  if (!out.suspects.empty()) return out;
  for (ChunkResult& result : results) {
    table.merge(std::move(result.issues));
    for (std::size_t k = 0; k < result.texts.size(); ++k)
      text.columns[k].merge(result.texts[k], result.first_row, result.num_rows, pieces[result.piece].line_of);
    for (const std::size_t col : result.has_times) text.has_time[col] = 1;
    result = {};  // its levels are no longer needed
  }
  return out;
}

}  // namespace

CsvParse parse_rows(std::span<const CsvPiece> pieces, const std::vector<ColumnPlan>& plan, Table& table,
                    TextColumns& text, const Executor& executor) {
  const std::vector<Slot> slots = table.slots();
  std::vector<std::pair<std::size_t, const CsvChunk*>> chunks;  // with the text they are of
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const CsvChunk& chunk : pieces[i].scan->chunks) chunks.emplace_back(i, &chunk);
  std::vector<const char*> last_newlines;
  for (const CsvPiece& piece : pieces) last_newlines.push_back(last_newline(piece.csv.text));
  std::vector<ChunkResult> results(chunks.size());
  // The lowest chunk that failed so far. A chunk is skipped only if an earlier one failed, so every chunk
  // before the first bad one is parsed, in whatever order they are taken, and the message is always the same.
  std::atomic<Index> failed{std::numeric_limits<Index>::max()};
  executor.for_each(std::ssize(results), [&](Index i) {
    if (i > failed.load(std::memory_order_relaxed)) return;
    const std::size_t k = chunks[static_cast<std::size_t>(i)].first;
    const CsvChunk& chunk = *chunks[static_cast<std::size_t>(i)].second;
    const CsvPiece& piece = pieces[k];
    ChunkResult& result = results[static_cast<std::size_t>(i)];
    ChunkParser parser(piece.csv, chunk, last_newlines[k], plan, table, slots);
    parser.parse(piece.checkpoints);
    result = {k,
              piece.csv.first_row + chunk.first_row,
              chunk.num_rows,
              std::move(parser.issues),
              std::move(parser.bad_row),
              std::move(parser.first_suspect),
              std::move(parser.texts),
              std::move(parser.has_times),
              std::move(parser.suspects)};
    if (result.bad_row) lower_to(failed, i);
    piece.release(chunk.begin, chunk.end - chunk.begin);
  });
  return merged(std::move(results), pieces, table, text);
}

}  // namespace giga
