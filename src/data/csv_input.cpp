// Mapped files, chunks of all of them side by side; and streams, block by block. Streams are gzip files and
// standard input; they may lie between mapped files, whose runs are then parsed in their turn. Rows go into
// their place in the one table.
#include "data/csv_input.hpp"

#include <algorithm>
#include <stdexcept>

#include "data/csv_origin.hpp"
#include "data/file_kind.hpp"
#include "data/line_ends.hpp"
#include "data/load_progress.hpp"
#include "data/several_files.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// Of a stream, to see its names before its turn comes.
constexpr std::size_t kPeekBytes = std::size_t{1} << 16;

// A block is a buffer of our own: there are no pages to give back.
void keep(std::size_t /*offset*/, std::size_t /*length*/) {}

}  // namespace

void check_csv_options(const ReadOptions& options) {
  // Bytes that the parsers take for something else.
  constexpr std::string_view kForbidden("\"\r\n\0.+-eE0123456789", 19);
  if (kForbidden.find(options.delimiter) != std::string_view::npos) {
    throw std::invalid_argument("delimiter is '" + printable(std::string(1, options.delimiter)) +
                                "', must not be a quote, a line end or part of a number");
  }
  check_max_levels(options);
}

CsvFile plain_file(const std::filesystem::path& path, const CsvForm& form) {
  const auto file = std::make_shared<const MappedFile>(MappedFile::open(path));
  const std::string_view whole(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  CsvFile out{.name = printable_path(path), .form = form};
  if (has_old_line_ends(whole)) {
    out.open = [file] { return with_newlines(mapped_source(file)); };
  } else {
    out.mapped = file;
  }
  return out;
}

CsvFile packed_file(const std::filesystem::path& path, const CsvForm& form) {
  const auto file = std::make_shared<const MappedFile>(MappedFile::open(path));
  CsvFile out{.name = printable_path(path), .form = form};
  out.open = [file] { return with_newlines(gzip_source(file)); };
  return out;
}

std::vector<CsvFile> csv_files(std::span<const std::filesystem::path> paths, const ReadOptions& options) {
  std::vector<CsvFile> files;
  for (const std::filesystem::path& path : paths) {
    // The default delimiter of a .tsv file is a tab; one that was chosen stays.
    const bool tab = is_tabbed(path) && options.delimiter == ReadOptions().delimiter;
    const CsvForm form{tab ? '\t' : options.delimiter, options.header};
    files.push_back(is_packed(path) ? packed_file(path, form) : plain_file(path, form));
  }
  return files;
}

OpenStream::OpenStream(CsvFile& file, const CsvSizes& sizes)
    : source(file.once ? std::move(file.once) : file.open()), blocks(*source, file.name, sizes) {
  text = blocks.next();
  if (text.empty()) throw DataError(file.name + ": file is empty");
  file.bytes = source->total();
  file.start = find_start(text, file.form, file.name);
  text.remove_prefix(file.start.offset);
}

std::unique_ptr<OpenStream> find_starts(std::span<CsvFile> files, const CsvSizes& sizes) {
  const bool several = files.size() > 1;
  CsvSizes first = sizes;
  if (several) first.block_bytes = std::min(sizes.block_bytes, kPeekBytes);
  std::unique_ptr<OpenStream> alone;
  for (CsvFile& file : files) {
    if (file.mapped) {
      file.bytes = file.whole().size();
      file.start = find_start(file.whole(), file.form, file.name);
      file.text_offset = file.start.offset;
      file.text = file.whole().substr(file.text_offset);
      if (several) file.release(0, file.text.size());  // pages around the header, of very many files
    } else {
      auto stream = std::make_unique<OpenStream>(file, first);
      if (several && &file == &files.front()) file.peeked = stream->text;
      if (!several) alone = std::move(stream);
    }
    file.first_line = file.start.line;
    require_same_columns(file.start.names, file.name, files.front().start.names, files.front().name);
  }
  return alone;
}

std::pair<std::string_view, char> first_text(std::span<const CsvFile> files, const OpenStream* alone) {
  if (alone != nullptr) return {alone->text, files.front().form.delimiter};
  for (const CsvFile& file : files)
    for (const std::string_view text : {file.text, std::string_view(file.peeked)})
      if (!text.empty()) return {text, file.form.delimiter};
  return {"", ','};
}

void replan(const std::vector<Suspect>& suspects, std::vector<ColumnPlan>& plan) {
  for (const Suspect& suspect : suspects) plan[suspect.col].mode = suspect.mode;
}

CsvRows::CsvRows(std::vector<CsvFile> files, std::unique_ptr<OpenStream> alone, const Executor& executor,
                 const Observer& observer, const CsvSizes& sizes)
    : files_(std::move(files)),
      alone_(std::move(alone)),
      executor_(executor),
      observer_(observer),
      sizes_(sizes) {
  for (const CsvFile& file : files_) total_bytes_ += file.bytes;
}

bool CsvRows::all_mapped() const {
  return std::ranges::all_of(files_, [](const CsvFile& file) { return file.mapped != nullptr; });
}

Index CsvRows::scan() {
  std::vector<CsvFile*> mapped;
  std::vector<std::string_view> texts;
  std::vector<ReleaseText> releases;
  for (CsvFile& file : files_) {
    if (!file.mapped) continue;
    mapped.push_back(&file);
    texts.push_back(file.text);
    releases.emplace_back([&file](std::size_t offset, std::size_t length) { file.release(offset, length); });
  }
  std::vector<CsvScan> scans = scan_texts(texts, sizes_.chunk_bytes, executor_, releases);
  Index rows = 0;
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    CsvFile& file = *mapped[i];
    file.scan = std::move(scans[i]);
    file.text = file.text.substr(0, file.scan.end);
    file.num_rows = file.scan.num_rows;
    file.num_newlines = file.scan.num_newlines;
    file.one_line_a_row = file.scan.one_line_a_row;
    file.checkpoints.resize(at((file.num_rows + kCheckpointRows - 1) / kCheckpointRows));
    rows += file.num_rows;
  }
  return rows;
}

CsvParse CsvRows::parse(std::vector<ColumnPlan>& plan, Table& table, TextColumns& texts) {
  num_rows_ = 0;
  done_bytes_ = 0;
  for (std::size_t i = 0; i < files_.size();) {
    const std::size_t begin = i;
    while (i < files_.size() && files_[i].mapped) ++i;
    CsvParse found = i > begin ? parse_mapped(begin, i, plan, table, texts)
                               : parse_stream(files_[i++], plan, table, texts);
    if (found.bad_row || !found.suspects.empty()) return found;
  }
  return {};
}

// Files [begin, end), side by side.
CsvParse CsvRows::parse_mapped(std::size_t begin, std::size_t end, const std::vector<ColumnPlan>& plan,
                               Table& table, TextColumns& texts) {
  std::vector<CsvPiece> pieces;
  for (std::size_t i = begin; i < end; ++i) {
    CsvFile& file = files_[i];
    if (files_.size() > 1) table.add_file(file.name, num_rows_);
    done_bytes_ += file.text_offset;
    pieces.push_back({{file.text, num_rows_, file.form.delimiter},
                      &file.scan,
                      [&file](std::size_t offset) { return file.line_at(offset); },
                      [this, &file](std::size_t offset, std::size_t length) {
                        file.release(offset, length);
                        // Chunks end in any order, so progress is a sum.
                        const std::size_t so_far =
                            done_bytes_.fetch_add(length, std::memory_order_relaxed) + length;
                        tell_bytes(observer_, so_far, total_bytes_);
                      },
                      &file.checkpoints});
    num_rows_ += file.num_rows;
  }
  table.reserve(num_rows_);
  return parse_rows(pieces, plan, table, texts, executor_);
}

// Blocks of whole rows are each scanned and parsed like a file of its own. Row numbers and lines run on;
// offsets do not, so there are no checkpoints.
CsvParse CsvRows::parse_stream(CsvFile& file, std::vector<ColumnPlan>& plan, Table& table,
                               TextColumns& texts) {
  const auto stream = alone_ ? std::exchange(alone_, nullptr) : std::make_unique<OpenStream>(file, sizes_);
  if (files_.size() > 1) table.add_file(file.name, num_rows_);
  file.num_rows = file.num_newlines = 0;
  file.one_line_a_row = true;
  // Invariant: num_rows_ rows are parsed, and num_newlines lines of the file.
  do {
    const std::string_view text = stream->text;
    const CsvScan scan = scan_rows(text, sizes_.chunk_bytes, executor_, keep);
    table.reserve(num_rows_ + scan.num_rows);
    const CsvPiece piece{{text, num_rows_, file.form.delimiter},
                         &scan,
                         [&](std::size_t offset) {
                           return file.first_line + file.num_newlines +
                                  count_newlines(text.substr(0, offset));
                         },
                         keep};
    CsvParse found = parse_block(file, piece, plan, table, texts);
    if (found.bad_row || !found.suspects.empty()) return found;
    num_rows_ += scan.num_rows;
    file.num_rows += scan.num_rows;
    file.num_newlines += scan.num_newlines;
    file.one_line_a_row = file.one_line_a_row && scan.one_line_a_row;
    tell_bytes(observer_, done_bytes_ + stream->source->taken(), total_bytes_);
    stream->text = stream->blocks.next();
  } while (!stream->text.empty());
  done_bytes_ += file.bytes;
  return {};
}

// What is read for the first and last time is parsed again where it is; later it is too late for that.
CsvParse CsvRows::parse_block(const CsvFile& file, const CsvPiece& piece, std::vector<ColumnPlan>& plan,
                              Table& table, TextColumns& texts) const {
  while (true) {
    CsvParse parse = parse_rows({&piece, 1}, plan, table, texts, executor_);
    if (parse.suspects.empty() || file.open) return parse;
    if (num_rows_ > 0) throw_bad_row(table, *parse.first_suspect, piece.line_of(parse.first_suspect->offset));
    replan(parse.suspects, plan);
    texts = TextColumns(plan);
  }
}

std::unique_ptr<Dataset::Origin> CsvRows::take_origin(Index first_row) {
  std::vector<std::unique_ptr<Dataset::Origin>> origins;
  std::vector<Index> counts;
  for (CsvFile& file : files_) {
    counts.push_back(file.num_rows);
    origins.push_back(file.mapped
                          ? mapped_origin({std::move(file.mapped), file.text, file.form.delimiter,
                                           file.first_line, file.one_line_a_row, std::move(file.checkpoints)})
                          : stream_origin({std::move(file.open), file.name, file.form, sizes_,
                                           file.first_line, file.one_line_a_row}));
  }
  return joined_origin(std::move(origins), counts, first_row);
}

}  // namespace giga
