// Counting lines in parallel. A row belongs to the chunk in which its first byte lies, so the newline that
// starts it may be the last byte of the chunk before. Chunks without quotes, and not inside any, need only
// the counts of the first pass; the others are walked byte by byte in a second one.
#include "data/csv_scan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <utility>

#include "base/atomic_bounds.hpp"

namespace giga {
namespace {

struct Counts {
  Index newlines = 0;
  Index quotes = 0;
  Index nuls = 0;
  Index blanks = 0;  // newlines followed by an empty line

  Counts& operator+=(const Counts& other) {
    newlines += other.newlines;
    quotes += other.quotes;
    nuls += other.nuls;
    blanks += other.blanks;
    return *this;
  }
};

// Counters side by side: a vector register of bytes, or several.
constexpr std::size_t kLanes = 64;

template <std::size_t kSize>
Index sum_of(const std::array<std::uint8_t, kSize>& lanes) {
  Index sum = 0;
  for (const std::uint8_t lane : lanes) sum += lane;
  return sum;
}

// Counts in p[0 .. 64 steps), reading two bytes beyond. Lane j counts positions j mod 64, at most one per
// step, so with steps <= 255 no lane exceeds a byte; the compiler vectorises both loops.
Counts count_lanes(const char* p, std::size_t steps) {
  std::array<std::uint8_t, kLanes> newlines{};
  std::array<std::uint8_t, kLanes> quotes{};
  std::array<std::uint8_t, kLanes> nuls{};
  std::array<std::uint8_t, kLanes> blanks{};
  for (std::size_t i = 0; i < steps; ++i, p += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      const auto is_newline = static_cast<std::uint8_t>(p[j] == '\n');
      const auto next_newline = static_cast<std::uint8_t>(p[j + 1] == '\n');
      // A blank line follows: "\n\n" or "\n\r\n". Without branches, so that 64 lanes are counted together.
      const auto next_crlf = static_cast<std::uint8_t>((p[j + 1] == '\r') & (p[j + 2] == '\n'));
      newlines[j] = static_cast<std::uint8_t>(newlines[j] + is_newline);
      quotes[j] = static_cast<std::uint8_t>(quotes[j] + (p[j] == '"'));
      nuls[j] = static_cast<std::uint8_t>(nuls[j] + (p[j] == '\0'));
      blanks[j] = static_cast<std::uint8_t>(blanks[j] + (is_newline & (next_newline | next_crlf)));
    }
  }
  return {sum_of(newlines), sum_of(quotes), sum_of(nuls), sum_of(blanks)};
}

// Counts in [begin, end) of the text; blank lines are recognised beyond `end`, too.
Counts count_range(std::string_view text, std::size_t begin, std::size_t end) {
  Counts counts;
  std::size_t at = begin;
  // Whole lanes while two more bytes of text follow; then byte by byte.
  while (end - at >= kLanes && text.size() - at >= kLanes + 2) {
    const std::size_t room = std::min(end - at, text.size() - at - 2);
    const std::size_t steps = std::min<std::size_t>(room / kLanes, 255);
    counts += count_lanes(text.data() + at, steps);
    at += steps * kLanes;
  }
  for (; at < end; ++at) {
    counts.newlines += text[at] == '\n';
    counts.quotes += text[at] == '"';
    counts.nuls += text[at] == '\0';
    counts.blanks += text[at] == '\n' && is_blank_line(text, at + 1);
  }
  return counts;
}

// Where the line after the first newline at or after `from` begins.
std::size_t after_newline(std::string_view text, std::size_t from) {
  const std::size_t newline = text.find('\n', from);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

// Without quotes: a line begins at 0 and after every newline, and a line that is not blank is a row. Rows
// that begin in [begin, end) follow a newline in [begin - 1, end - 1), one byte earlier than what was
// counted.
void count_plain(std::string_view text, CsvChunk& chunk, const Counts& counts) {
  const bool first = chunk.begin == 0;
  // Not looked for beyond the chunk, where a file may go on without a newline for a terabyte.
  chunk.first_start = first ? 0 : after_newline(text.substr(0, chunk.end), chunk.begin - 1);
  chunk.num_rows = counts.newlines - counts.blanks;
  const std::size_t before = first ? 0 : chunk.begin - 1;
  // The counts are of [begin, end): the newline before `begin` is added, the one at end - 1 taken away.
  const auto starts_row = [&](std::size_t newline) {
    return text[newline] == '\n' && !is_blank_line(text, newline + 1);
  };
  if (first) {
    chunk.num_rows += is_blank_line(text, 0) ? 0 : 1;
  } else {
    chunk.num_rows += starts_row(before) ? 1 : 0;
  }
  if (chunk.end > chunk.begin && starts_row(chunk.end - 1)) --chunk.num_rows;
}

// The same with quotes, one byte at a time; `inside` says whether `begin` lies inside a quoted cell. Within
// quotes a newline starts no line, and a doubled quote turns `inside` off and on again.
void count_quoted(std::string_view text, CsvChunk& chunk, bool inside) {
  chunk.first_start = text.size();
  chunk.num_rows = 0;
  const auto note_line = [&](std::size_t start) {
    if (start >= text.size()) return;
    if (chunk.first_start == text.size()) chunk.first_start = start;
    if (!is_blank_line(text, start)) ++chunk.num_rows;
  };
  // A line may begin at the first byte of the chunk; those that begin after its last byte belong to the next.
  if (chunk.begin == 0 || (!inside && text[chunk.begin - 1] == '\n')) note_line(chunk.begin);
  for (std::size_t at = chunk.begin; at + 1 < chunk.end; ++at) {
    if (text[at] == '"') inside = !inside;
    if (text[at] == '\n' && !inside) note_line(at + 1);
  }
}

}  // namespace

bool is_blank_line(std::string_view text, std::size_t start) {
  if (start < text.size() && text[start] == '\r') ++start;
  return start >= text.size() || text[start] == '\n';
}

std::size_t row_end(std::string_view text, std::size_t start) {
  // Invariant: `at` lies outside quotes, and `newline` is the first newline at or after it.
  const auto newline_from = [&](std::size_t from) { return std::min(text.find('\n', from), text.size()); };
  std::size_t newline = newline_from(start);
  for (std::size_t at = start;;) {
    // The next quote before the newline opens a cell, and the search goes on after the quote that closes it.
    const std::size_t quote = text.substr(0, newline).find('"', at);
    if (quote == std::string_view::npos) return std::min(newline + 1, text.size());
    const std::size_t closing = text.find('"', quote + 1);
    if (closing == std::string_view::npos) return text.size();
    at = closing + 1;
    // Searched for only when passed: a line of many quotes is still read once.
    if (newline < at) newline = newline_from(at);
  }
}

std::string long_row_words(std::size_t bytes) {
  return ": a row is longer than " + std::to_string(bytes) +
         " bytes; check that it is CSV and that its quotes match";
}

std::optional<std::size_t> row_end_within(std::string_view text, std::size_t start) {
  const std::string_view some = text.substr(0, std::min(text.size(), start + kMaxRowBytes));
  const std::size_t end = row_end(some, start);
  const bool ended = end < some.size() || some.size() == text.size() || some[end - 1] == '\n';
  return ended ? std::optional(end) : std::nullopt;
}

Index count_newlines(std::string_view text) {
  return count_range(text, 0, text.size()).newlines;
}

namespace {

// A text being scanned.
struct Scanned {
  Scanned(std::string_view all, const ReleaseText& give_back) : text(all), release(give_back) {}

  std::string_view text;
  const ReleaseText& release;
  CsvScan scan = {};
  std::vector<Counts> counts = {};
  std::vector<char> inside = {};  // per chunk: whether the number of quotes before it is odd
  bool any_quotes = false;
  // A text with a byte 0 is refused at the row that has it: what comes after its chunk is not scanned. A file
  // may be a terabyte of them.
  std::atomic<std::size_t> first_nul = std::numeric_limits<std::size_t>::max();

  // Counts of a chunk, and its rows as if no chunk began inside quotes.
  void count(std::size_t k, std::size_t chunk_bytes) {
    CsvChunk& chunk = scan.chunks[k];
    chunk.begin = k * chunk_bytes;
    chunk.end = std::min(text.size(), chunk.begin + chunk_bytes);
    chunk.first_start = chunk.end;
    if (k > first_nul.load(std::memory_order_relaxed)) return;
    counts[k] = count_range(text, chunk.begin, chunk.end);
    chunk.has_quotes = counts[k].quotes > 0;
    chunk.has_nul = counts[k].nuls > 0;
    if (chunk.has_nul) lower_to(first_nul, k);
    count_plain(text, chunk, counts[k]);
    release(chunk.begin, chunk.end - chunk.begin);
  }

  void find_quotes() {
    bool odd = false;
    inside.resize(counts.size());
    for (std::size_t k = 0; k < counts.size(); ++k) {
      inside[k] = odd ? 1 : 0;
      odd = odd != (counts[k].quotes % 2 != 0);
      any_quotes = any_quotes || counts[k].quotes > 0;
      scan.num_newlines += counts[k].newlines;
    }
  }

  void count_again(std::size_t k) {
    CsvChunk& chunk = scan.chunks[k];
    if (k > first_nul || (!chunk.has_quotes && inside[k] == 0)) return;
    count_quoted(text, chunk, inside[k] != 0);
    release(chunk.begin, chunk.end - chunk.begin);
  }

  // Prefix sums: the number of the first row of each chunk.
  void add_up() {
    // The row that has the byte may begin in any chunk before, and must be refused: what follows is not read.
    if (first_nul < scan.chunks.size()) {
      scan.chunks.resize(first_nul + 1);
      for (CsvChunk& chunk : scan.chunks) chunk.has_nul = true;
    }
    scan.end = scan.chunks.empty() ? 0 : scan.chunks.back().end;
    for (CsvChunk& chunk : scan.chunks) {
      chunk.first_row = scan.num_rows;
      scan.num_rows += chunk.num_rows;
    }
    // As many lines as rows: then no line is blank and no row spans two.
    const Index lines = scan.num_newlines + (text.empty() || text.back() == '\n' ? 0 : 1);
    scan.one_line_a_row = lines == scan.num_rows;
  }
};

}  // namespace

std::vector<CsvScan> scan_texts(std::span<const std::string_view> texts, std::size_t chunk_bytes,
                                const Executor& executor, std::span<const ReleaseText> releases) {
  std::deque<Scanned> all;                                  // which cannot be moved
  std::vector<std::pair<std::size_t, std::size_t>> chunks;  // text, chunk
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Scanned& each = all.emplace_back(texts[i], releases[i]);
    const std::size_t num_chunks = (texts[i].size() + chunk_bytes - 1) / chunk_bytes;
    each.scan.chunks.resize(num_chunks);
    each.counts.resize(num_chunks);
    for (std::size_t k = 0; k < num_chunks; ++k) chunks.emplace_back(i, k);
  }
  // Pass 1, in parallel: counts per chunk.
  executor.for_each(std::ssize(chunks), [&](Index i) {
    const auto [text, chunk] = chunks[static_cast<std::size_t>(i)];
    all[text].count(chunk, chunk_bytes);
  });
  for (Scanned& each : all) each.find_quotes();
  // Pass 2, in parallel: rows of the chunks that have quotes or begin inside them.
  std::erase_if(chunks, [&](const auto& each) { return !all[each.first].any_quotes; });
  if (!chunks.empty())
    executor.for_each(std::ssize(chunks), [&](Index i) {
      const auto [text, chunk] = chunks[static_cast<std::size_t>(i)];
      all[text].count_again(chunk);
    });
  std::vector<CsvScan> scans;
  for (Scanned& each : all) {
    each.add_up();
    scans.push_back(std::move(each.scan));
  }
  return scans;
}

CsvScan scan_rows(std::string_view text, std::size_t chunk_bytes, const Executor& executor,
                  const ReleaseText& release) {
  return std::move(scan_texts({&text, 1}, chunk_bytes, executor, {&release, 1}).front());
}

}  // namespace giga
