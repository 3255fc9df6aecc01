#include "data/csv_scan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

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

constexpr std::size_t kLanes = 64;

template <std::size_t Size>
Index sum_of(const std::array<std::uint8_t, Size>& lanes) {
  Index sum = 0;
  for (const std::uint8_t lane : lanes) sum += lane;
  return sum;
}

// Bytes p[0 .. 64 steps), steps <= 255; reads two bytes beyond. Written for the compiler to vectorise: no sum
// can exceed a byte.
Counts count_lanes(const char* p, std::size_t steps) {
  std::array<std::uint8_t, kLanes> newlines{};
  std::array<std::uint8_t, kLanes> quotes{};
  std::array<std::uint8_t, kLanes> nuls{};
  std::array<std::uint8_t, kLanes> blanks{};
  for (std::size_t i = 0; i < steps; ++i, p += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      const auto is_newline = static_cast<std::uint8_t>(p[j] == '\n');
      const auto next_newline = static_cast<std::uint8_t>(p[j + 1] == '\n');
      const auto next_crlf = static_cast<std::uint8_t>((p[j + 1] == '\r') & (p[j + 2] == '\n'));
      newlines[j] = static_cast<std::uint8_t>(newlines[j] + is_newline);
      quotes[j] = static_cast<std::uint8_t>(quotes[j] + (p[j] == '"'));
      nuls[j] = static_cast<std::uint8_t>(nuls[j] + (p[j] == '\0'));
      blanks[j] = static_cast<std::uint8_t>(blanks[j] + (is_newline & (next_newline | next_crlf)));
    }
  }
  return {sum_of(newlines), sum_of(quotes), sum_of(nuls), sum_of(blanks)};
}

Counts count_range(std::string_view text, std::size_t begin, std::size_t end) {
  Counts counts;
  std::size_t at = begin;
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

std::size_t after_newline(std::string_view text, std::size_t from) {
  const std::size_t newline = text.find('\n', from);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

// Without quotes: a line begins at 0 and after every newline. Newlines are counted one byte earlier than the
// chunk.
void count_plain(std::string_view text, CsvChunk& chunk, const Counts& counts) {
  const bool first = chunk.begin == 0;
  chunk.first_start = first ? 0 : after_newline(text, chunk.begin - 1);
  chunk.num_rows = counts.newlines - counts.blanks;
  const std::size_t before = first ? 0 : chunk.begin - 1;
  // Of the newlines counted in [begin, end), the last byte's starts a line of the next chunk, and the byte
  // before begin starts one of this chunk.
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

void count_quoted(std::string_view text, CsvChunk& chunk, bool inside) {
  chunk.first_start = text.size();
  chunk.num_rows = 0;
  const auto note_line = [&](std::size_t start) {
    if (start >= text.size()) return;
    if (chunk.first_start == text.size()) chunk.first_start = start;
    if (!is_blank_line(text, start)) ++chunk.num_rows;
  };
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
  const auto newline_from = [&](std::size_t from) { return std::min(text.find('\n', from), text.size()); };
  std::size_t newline = newline_from(start);
  for (std::size_t at = start;;) {
    const std::size_t quote = text.substr(0, newline).find('"', at);
    if (quote == std::string_view::npos) return std::min(newline + 1, text.size());
    const std::size_t closing = text.find('"', quote + 1);
    if (closing == std::string_view::npos) return text.size();
    at = closing + 1;
    // Looked for only when passed: a line of many quotes is still read once.
    if (newline < at) newline = newline_from(at);
  }
}

Index count_newlines(std::string_view text) {
  return count_range(text, 0, text.size()).newlines;
}

CsvScan scan_rows(std::string_view text, std::size_t chunk_bytes, const Executor& executor,
                  const ReleaseText& release) {
  CsvScan scan;
  const std::size_t num_chunks = (text.size() + chunk_bytes - 1) / chunk_bytes;
  scan.chunks.resize(num_chunks);
  std::vector<Counts> counts(num_chunks);
  executor.for_each(static_cast<Index>(num_chunks), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    CsvChunk& chunk = scan.chunks[k];
    chunk.begin = k * chunk_bytes;
    chunk.end = std::min(text.size(), chunk.begin + chunk_bytes);
    counts[k] = count_range(text, chunk.begin, chunk.end);
    chunk.has_quotes = counts[k].quotes > 0;
    chunk.has_nul = counts[k].nuls > 0;
    count_plain(text, chunk, counts[k]);
    release(chunk.begin, chunk.end - chunk.begin);
  });

  std::vector<char> inside(num_chunks);
  bool odd = false;
  bool any_quotes = false;
  for (std::size_t k = 0; k < num_chunks; ++k) {
    inside[k] = odd;
    odd = odd != (counts[k].quotes % 2 != 0);
    any_quotes = any_quotes || counts[k].quotes > 0;
    scan.num_newlines += counts[k].newlines;
  }
  if (any_quotes) {
    executor.for_each(static_cast<Index>(num_chunks), [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      CsvChunk& chunk = scan.chunks[k];
      if (!chunk.has_quotes && inside[k] == 0) return;
      count_quoted(text, chunk, inside[k] != 0);
      release(chunk.begin, chunk.end - chunk.begin);
    });
  }
  for (CsvChunk& chunk : scan.chunks) {
    chunk.first_row = scan.num_rows;
    scan.num_rows += chunk.num_rows;
  }
  const Index lines = scan.num_newlines + (text.empty() || text.back() == '\n' ? 0 : 1);
  scan.one_line_a_row = lines == scan.num_rows;
  return scan;
}

}  // namespace giga
