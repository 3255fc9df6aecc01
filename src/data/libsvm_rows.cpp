// Lines to rows, chunk by chunk on the executor: a first pass counts, a second fills in what the lines name.
#include "data/libsvm_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/atomic_bounds.hpp"
#include "data/column_roles.hpp"
#include "data/csv_header.hpp"
#include "data/csv_scan.hpp"
#include "data/load_progress.hpp"
#include "data/several_files.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr Index kHugeIndex =
    100'000'000'000'000'000;  // an index at or above it is refused anyway; ten times it still fits an Index
constexpr std::size_t kLongestLine = std::size_t{32} << 20;
constexpr std::size_t kDenseBytes = std::size_t{1} << 30;  // always allowed
constexpr std::size_t kDenseRatio = 64;                    // dense bytes a byte of text may stand for

// What is left of a line before its comment.
std::string_view content(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

// The next token of the line, taken off its front; empty at the end.
std::string_view next_token(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view token = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(token.size());
  return token;
}

// A whole number without a sign, kHugeIndex if it is that or more; nothing for any other text.
std::optional<Index> parse_index(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), number_detail::is_digit)) return std::nullopt;
  Index value = 0;
  for (const char c : text) {
    value = value * 10 + (c - '0');
    if (value >= kHugeIndex) return kHugeIndex;
  }
  return value;
}

// The index of the last token: the largest of an ascending line.
Index last_index(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return 0;
  const std::string_view before = line.substr(0, colon);
  const std::size_t blank = before.find_last_of(kBlanks);
  return parse_index(before.substr(blank == std::string_view::npos ? 0 : blank + 1)).value_or(0);
}

// Chunks of about chunk_bytes, each extended to the end of its last line, which may have kLongestLine bytes
// more.
std::vector<SvmChunk> cut(const SvmFile& file, std::size_t chunk_bytes) {
  const std::string_view text = file.text;
  std::vector<SvmChunk> chunks;
  for (std::size_t at = 0; at < text.size();) {
    // The first newline at or after the last byte of the chunk.
    const std::size_t from = std::min(at + chunk_bytes, text.size()) - 1;
    const std::string_view near = text.substr(0, std::min(text.size(), from + kLongestLine));
    const std::size_t newline = near.find('\n', from);
    if (newline == std::string_view::npos && near.size() < text.size())
      throw DataError(file.name + ": a line is longer than " + std::to_string(kLongestLine) +
                      " bytes; check that it is libsvm text");
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    chunks.push_back({.begin = at, .end = end});
    at = end;
  }
  return chunks;
}

// Calls body(line, offset) for every line of the chunk that has content; stops when it answers false. A chunk
// ends with a line, and newlines are not looked for beyond it: if the file is cut meanwhile there are none.
template <typename Body>
void for_each_row(std::string_view text, const SvmChunk& chunk, const Body& body) {
  text = text.substr(0, chunk.end);
  for (std::size_t at = chunk.begin; at < chunk.end;) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::string_view row = content(line);
    if (!row.empty() && !body(row, at)) return;
    at += line.size() + 1;
  }
}

// The first pass over a chunk: its rows, its lines and its largest index. Malformed lines are counted as they
// are; the second pass reports them.
void count_rows(std::string_view text, SvmChunk& chunk) {
  chunk.num_lines = count_newlines(text.substr(chunk.begin, chunk.end - chunk.begin));
  for_each_row(text, chunk, [&](std::string_view row, std::size_t) {
    ++chunk.num_rows;
    chunk.max_index = std::max(chunk.max_index, last_index(row));
    return true;
  });
}

// The rest of a BadRow's message: ", token '3:x': ...".
std::string said(std::string_view token, const std::string& why) {
  return ", token '" + printable(token) + "': " + why;
}

// parse_cell, with the quick parser tried first.
CellValue parse_value(std::string_view text) {
  // The quick parser reads on until a byte that cannot belong to a number: the token is copied in front of
  // zeros.
  std::array<char, 48> buffer{};
  if (text.size() < buffer.size()) {
    std::copy(text.begin(), text.end(), buffer.begin());
    CellValue cell{.kind = CellKind::Number};
    const char* end = buffer.data() + text.size();
    if (parse_plain_number(buffer.data(), buffer.data() + buffer.size(), cell.value) == end) return cell;
  }
  return parse_cell(text);
}

// One line into the slots of its row. Indices must ascend, so that none is given twice and the last one is
// the largest: the first pass relied on that.
class RowParser {
 public:
  RowParser(const Table& table, const std::vector<Slot>& slots) : table_(table), slots_(slots) {}

  Issues issues;

  // What is wrong with the row, or nothing.
  std::string parse(std::string_view rest, Index row) {
    const Index label_col = table_.num_columns() - 1;
    const std::string_view label = next_token(rest);
    if (label.find(':') != std::string_view::npos)
      return said(label, "a line begins with its label, then index:value");
    std::string what = store(label, {row, label_col});
    // Invariant: all tokens before `rest` are good, the last of them with index `previous`.
    Index previous = 0;
    std::string_view beyond;  // an index above the line's last: something later in the line is wrong
    while (what.empty()) {
      const std::string_view token = next_token(rest);
      // The line ended without another fault: the large index itself is what is wrong.
      if (token.empty() && !beyond.empty()) return said(beyond, "not index:value");
      if (token.empty()) break;
      const std::size_t colon = token.find(':');
      if (colon == std::string_view::npos) return said(token, "expected index:value");
      const auto index = parse_index(token.substr(0, colon));
      if (!index) return said(token, "the index is not a whole number");
      if (*index == 0) return said(token, "index 0, but indices count from 1; add 1 to all of them");
      if (*index == previous)
        return said(token, "index " + std::to_string(*index) + " is repeated; give it once");
      if (*index < previous) {
        return said(token, "not ascending after index " + std::to_string(previous) +
                               "; sort the indices of each line");
      }
      if (colon + 1 == token.size())
        return said(token, "no value after the colon; leave out zeros altogether");
      previous = *index;
      // No line ends in a larger index, so the line does not ascend, or its end is not index:value. The
      // tokens after this one are read for a better message.
      if (*index > label_col) {
        if (beyond.empty()) beyond = token;
        continue;
      }
      what = store(token.substr(colon + 1), {row, *index - 1});
    }
    return what;
  }

 private:
  std::string store(std::string_view text, CellPlace place) {
    const Slot& slot = slots_[static_cast<std::size_t>(place.col)];
    return slot.base == nullptr ? std::string() : table_.store(parse_value(text), text, place, slot, issues);
  }

  const Table& table_;
  const std::vector<Slot>& slots_;
};

// Rows are found again from the start of their chunk.
class LibsvmOrigin : public Dataset::Origin {
 public:
  LibsvmOrigin(std::shared_ptr<const MappedFile> file, std::string_view text, std::vector<SvmChunk> chunks,
               Index num_columns, Index first_line)
      : file_(std::move(file)),
        text_(text),
        chunks_(std::move(chunks)),
        num_columns_(num_columns),
        first_line_(first_line) {}

  Index line(Index row) const override {
    const SvmChunk& chunk = chunk_of(row);
    const std::size_t at = find(chunk, row).second;
    return first_line_ + chunk.first_line + count_newlines(text_.substr(chunk.begin, at - chunk.begin));
  }

  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts;
    file_->require_whole();
    for (const Index row : rows) {
      const std::string_view line = find(chunk_of(row), row).first;
      auto& cells = texts.emplace_back();
      for (const Index col : cols) cells.push_back(cell_of(line, col));
      file_->require_whole();
    }
    return texts;
  }

 private:
  const SvmChunk& chunk_of(Index row) const {
    // The last chunk that begins at or before the row; chunks without rows share first_row with the next one.
    const auto after =
        std::upper_bound(chunks_.begin(), chunks_.end(), row,
                         [](Index value, const SvmChunk& chunk) { return value < chunk.first_row; });
    return *(after - 1);
  }

  // The content and the offset of a row of the chunk.
  std::pair<std::string_view, std::size_t> find(const SvmChunk& chunk, Index row) const {
    std::pair<std::string_view, std::size_t> found;
    Index left = row - chunk.first_row;
    for_each_row(text_, chunk, [&](std::string_view line, std::size_t at) {
      found = {line, at};
      return left-- > 0;
    });
    return found;
  }

  // The text of one cell of a line; an index that is left out is 0.
  std::string cell_of(std::string_view rest, Index col) const {
    const std::string_view label = next_token(rest);
    if (col == num_columns_ - 1) return std::string(label);
    for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest)) {
      const std::size_t colon = token.find(':');
      if (parse_index(token.substr(0, colon)) == col + 1) return std::string(token.substr(colon + 1));
    }
    return "0";
  }

  std::shared_ptr<const MappedFile> file_;
  std::string_view text_;
  std::vector<SvmChunk> chunks_;
  Index num_columns_;
  Index first_line_;
};

// One decimal below 10 GB, at least 0.1.
std::string in_gigabytes(double bytes) {
  const double gb = bytes / 1e9;
  return shortest(gb < 10 ? std::max(1.0, std::round(gb * 10)) / 10 : std::round(gb)) + " GB";
}

// Chunks of all files: file, chunk.
std::vector<std::pair<std::size_t, std::size_t>> chunks_of(std::span<const SvmFile> files) {
  std::vector<std::pair<std::size_t, std::size_t>> chunks;
  for (std::size_t f = 0; f < files.size(); ++f)
    for (std::size_t k = 0; k < files[f].chunks.size(); ++k) chunks.emplace_back(f, k);
  return chunks;
}

// What is found in a chunk, merged in the order of rows.
struct ChunkFound {
  Issues issues;
  std::optional<BadRow> bad_row;
};

// A chunk has its own parser and issues, and stops at its first bad row.
ChunkFound fill_chunk(const SvmFile& file, const SvmChunk& chunk, const Table& table,
                      const std::vector<Slot>& slots) {
  ChunkFound found;
  RowParser parser(table, slots);
  Index row = file.first_row + chunk.first_row;
  for_each_row(file.text, chunk, [&](std::string_view line, std::size_t at) {
    std::string what = parser.parse(line, row);
    if (!what.empty()) found.bad_row = BadRow{row, at, std::move(what)};
    ++row;
    return !found.bad_row;
  });
  found.issues = std::move(parser.issues);
  return found;
}

}  // namespace

SvmFile::SvmFile(const std::filesystem::path& path)
    : name(printable_path(path)), mapped(std::make_shared<const MappedFile>(MappedFile::open(path))) {
  text = {reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()};
  text_offset = skip_byte_order_mark(text, name);
  text.remove_prefix(text_offset);
}

void SvmFile::restrict_to(std::size_t begin, std::size_t end) {
  // A line begins at 0 and after every newline. Where none is near, the text before goes on to the end of the
  // file, and the line that is too long is refused when it is cut.
  const auto line_from = [this](std::size_t at) {
    if (at <= text_offset) return std::size_t{0};
    if (at - text_offset >= text.size()) return text.size();
    const std::size_t newline =
        text.substr(0, at - text_offset + kLongestLine).find('\n', at - text_offset - 1);
    return newline == std::string_view::npos ? text.size() : newline + 1;
  };
  const std::size_t first = line_from(begin), last = std::max(first, line_from(end));
  text = text.substr(first, last - first);
  text_offset += first;
}

SvmCounts count_rows(std::span<SvmFile> files, std::size_t chunk_bytes, const Executor& executor) {
  for (SvmFile& file : files) file.chunks = cut(file, chunk_bytes);
  const auto chunks = chunks_of(files);
  executor.for_each(std::ssize(chunks), [&](Index i) {
    const auto [f, k] = chunks[at(i)];
    count_rows(files[f].text, files[f].chunks[k]);
    files[f].release(files[f].chunks[k]);
  });
  // Prefix sums over chunks: the first row and line of each.
  SvmCounts counts;
  for (SvmFile& file : files) {
    file.num_rows = file.num_lines = 0;
    for (SvmChunk& chunk : file.chunks) {
      chunk.first_row = std::exchange(file.num_rows, file.num_rows + chunk.num_rows);
      chunk.first_line = std::exchange(file.num_lines, file.num_lines + chunk.num_lines);
      counts.max_index = std::max(counts.max_index, chunk.max_index);
    }
    file.first_row = std::exchange(counts.num_rows, counts.num_rows + file.num_rows);
  }
  return counts;
}

// A single wrong index could otherwise ask for any amount of memory.
void check_dense_size(Index rows, Index cols, std::size_t file_bytes, const std::string& name) {
  const double bytes = 8.0 * static_cast<double>(rows) * static_cast<double>(cols);
  const auto allowed = static_cast<double>(std::max(kDenseBytes, kDenseRatio * file_bytes));
  if (bytes <= allowed && cols < kMaxColumns) return;
  throw DataError(name + ": the largest index is " + std::to_string(cols) +
                  (cols >= kHugeIndex ? " or more: with " : ": with ") + std::to_string(rows) +
                  (rows == 1 ? " row" : " rows") + " dense needs " + in_gigabytes(bytes) +
                  "; check that index, or map the features to fewer columns");
}

std::vector<std::string> svm_names(Index max_index) {
  return default_names(std::max<Index>(max_index, 1) + 1);
}

std::optional<SvmBadRow> fill_rows(std::span<const SvmFile> files, Table& table, const Executor& executor,
                                   const Observer& observer) {
  const std::vector<Slot> slots = table.slots();
  const auto chunks = chunks_of(files);
  std::vector<ChunkFound> found(chunks.size());
  std::size_t bytes = 0, skipped = 0;
  for (const SvmFile& file : files) {
    skipped += file.text_offset;
    bytes += file.text_offset + file.text.size();
  }
  std::atomic<std::size_t> done{skipped};
  // The lowest chunk with a bad row so far: those after it do not count.
  std::atomic<Index> failed{std::ssize(chunks)};
  executor.for_each(std::ssize(chunks), [&](Index i) {
    if (i > failed.load(std::memory_order_relaxed)) return;
    const auto [f, k] = chunks[at(i)];
    const SvmChunk& chunk = files[f].chunks[k];
    found[at(i)] = fill_chunk(files[f], chunk, table, slots);
    if (found[at(i)].bad_row) lower_to(failed, i);
    files[f].release(chunk);
    const std::size_t length = chunk.end - chunk.begin;
    const std::size_t so_far = done.fetch_add(length, std::memory_order_relaxed) + length;
    tell_bytes(observer, so_far, bytes);
  });
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    table.merge(std::move(found[i].issues));
    if (!found[i].bad_row) continue;
    const SvmFile& file = files[chunks[i].first];
    const SvmChunk& chunk = file.chunks[chunks[i].second];
    const Index lines = chunk.first_line +
                        count_newlines(file.text.substr(chunk.begin, found[i].bad_row->offset - chunk.begin));
    return SvmBadRow{std::move(*found[i].bad_row), chunks[i].first, lines};
  }
  return std::nullopt;
}

std::unique_ptr<Dataset::Origin> svm_origin(std::span<SvmFile> files, Index num_columns, Index first_row,
                                            const std::vector<Index>& first_lines) {
  std::vector<std::unique_ptr<Dataset::Origin>> origins;
  std::vector<Index> counts;
  for (std::size_t i = 0; i < files.size(); ++i) {
    SvmFile& file = files[i];
    counts.push_back(file.num_rows);
    origins.push_back(std::make_unique<LibsvmOrigin>(file.mapped, file.text, std::move(file.chunks),
                                                     num_columns, first_lines[i]));
  }
  return joined_origin(std::move(origins), counts, first_row);
}

}  // namespace giga
