// Two parsers. The quick one runs along a row of plain numbers and gives up at the first thing it does not
// know; the careful one then takes the whole row again, cell by cell, and handles every case. Both write to
// the same slots, so what the quick one wrote before giving up does not matter.
#include "data/csv_parse.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "data/csv_row.hpp"

namespace giga {
namespace {

// The rows of one chunk, up to the first bad one.
class ChunkParser {
 public:
  ChunkParser(const CsvText& csv, const CsvChunk& chunk, const Table& table, const std::vector<Slot>& slots)
      : csv_(csv), chunk_(chunk), table_(table), slots_(slots), delimiter_(csv.delimiter) {
    const std::size_t newline = csv.text.rfind('\n');
    last_newline_ = newline == std::string_view::npos ? nullptr : csv.text.data() + newline;
    // A blank that is the delimiter is not skipped around cells.
    is_space_ = delimiter_ != ' ';
    is_tab_ = delimiter_ != '\t';
  }

  Issues issues;
  std::optional<BadRow> bad_row;

  void parse(std::vector<std::size_t>& checkpoints) {
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
      const auto checkpoint = static_cast<std::size_t>(row / kCheckpointRows);
      if (row % kCheckpointRows == 0 && checkpoint < checkpoints.size()) checkpoints[checkpoint] = at;
      const char* next = nullptr;
      // The quick parser needs a newline to stop at: the last row may lack one.
      if (last_newline_ != nullptr && base + at <= last_newline_) next = parse_quickly(base + at, row);
      if (next != nullptr) {
        at = static_cast<std::size_t>(next - base);
        continue;
      }
      const std::size_t end = row_end(csv_.text, at);
      parse_carefully(csv_.text.substr(at, end - at), at, row);
      if (bad_row) return;
      at = end;
    }
  }

 private:
  bool is_blank(char c) const { return (c == ' ' && is_space_) || (c == '\t' && is_tab_); }

  // The position after the row's newline, or nullptr if the row has anything other than plain numbers (quoted
  // or not) and text in unused columns. Invariant: there is a newline at or after p, and every loop stops
  // there.
  const char* parse_quickly(const char* p, Index row) {
    // The value goes into its slot at once: if the row turns out not to be plain, the careful parser writes
    // over it.
    const char* end = last_newline_ + 1;
    const std::size_t last = slots_.size() - 1;
    for (std::size_t col = 0;; ++col) {
      const Slot& slot = slots_[col];
      if (slot.base != nullptr) {
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
    return *p == '\n' ? p + 1 : nullptr;
  }

  // An unused cell. Text with NUL bytes is for the careful parser to refuse.
  const char* skip_text(const char* p) const {
    if (chunk_.has_nul) return nullptr;
    if (*p == '"') {
      // Quoted: to the first quote that is not doubled.
      do {
        ++p;
        p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(last_newline_ - p)));
        if (p == nullptr) return nullptr;
        ++p;
      } while (*p == '"');
      return p;
    }
    // Unquoted: to the delimiter or the end of the row, without the CR of a CRLF.
    while (*p != delimiter_ && *p != '\n' && *p != '"') ++p;
    if (*p == '"') return nullptr;
    return *p == '\n' && p[-1] == '\r' ? p - 1 : p;
  }

  // Every cell as text, then as a number; sets bad_row at the first that cannot be stored.
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
      const CellPlace place{row, static_cast<Index>(col)};
      std::string what;
      // NULs are refused in unused columns too: they mean that the file is not text.
      if (cells.cells[col].find('\0') != std::string::npos) {
        what = table_.store({}, cells.cells[col], place, slots_[col], issues);
      } else if (slots_[col].base != nullptr) {
        what = table_.store(parse_cell(cells.cells[col]), cells.cells[col], place, slots_[col], issues);
      }
      if (!what.empty()) return fail(std::move(what));
    }
  }

  const CsvText& csv_;
  const CsvChunk& chunk_;
  const Table& table_;
  const std::vector<Slot>& slots_;
  const char delimiter_;
  const char* last_newline_;
  bool is_space_;
  bool is_tab_;
};

}  // namespace

std::optional<BadRow> parse_rows(const CsvText& csv, const CsvScan& scan, Table& table,
                                 const Executor& executor, const ReleaseText& release,
                                 std::vector<std::size_t>& checkpoints) {
  const std::vector<Slot> slots = table.slots();
  const std::size_t num_chunks = scan.chunks.size();
  std::vector<Issues> issues(num_chunks);
  std::vector<std::optional<BadRow>> bad_rows(num_chunks);
  // The lowest chunk that failed so far. A chunk is skipped only if an earlier one failed, so every chunk
  // before the first bad one is parsed, in whatever order they are taken, and the message is always the same.
  std::atomic<Index> failed{std::numeric_limits<Index>::max()};
  executor.for_each(static_cast<Index>(num_chunks), [&](Index i) {
    if (i > failed.load(std::memory_order_relaxed)) return;
    const auto k = static_cast<std::size_t>(i);
    const CsvChunk& chunk = scan.chunks[k];
    ChunkParser parser(csv, chunk, table, slots);
    parser.parse(checkpoints);
    issues[k] = std::move(parser.issues);
    bad_rows[k] = std::move(parser.bad_row);
    if (bad_rows[k]) {
      // failed = min(failed, i), atomically.
      Index lowest = failed.load(std::memory_order_relaxed);
      while (i < lowest && !failed.compare_exchange_weak(lowest, i, std::memory_order_relaxed)) {
      }
    }
    release(chunk.begin, chunk.end - chunk.begin);
  });
  for (std::size_t k = 0; k < num_chunks; ++k) {
    if (bad_rows[k]) return std::move(bad_rows[k]);
    table.merge(std::move(issues[k]));
  }
  return std::nullopt;
}

}  // namespace giga
