// CSV files as a Dataset: where the data begin, a scan that counts rows, room for them, then the parse.
//
//     mapped files   find_start -> scan_texts (all files) -> Table::allocate -> parse_rows -> finish
//     a stream       CsvBlocks -> for each block: scan_rows -> Table::reserve -> parse_rows; then finish
//
// Streams are gzip files and standard input; they may lie between mapped files, whose runs are then parsed in
// their turn. Rows are parsed into their place in the one table, chunks of all mapped files of a run side by
// side. Columns are parsed as column_plan.hpp guesses; where a cell does not fit, its column is something
// else, and all files, or the first block of a stream that is the beginning, are parsed again. Further blocks
// of standard input cannot change a column: what was read of it as numbers is gone. An Origin finds the text
// of a row again, for messages and for unused columns.
#include "data/csv_reader.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "data/byte_source.hpp"
#include "data/column_plan.hpp"
#include "data/column_roles.hpp"
#include "data/csv_blocks.hpp"
#include "data/csv_header.hpp"
#include "data/csv_origin.hpp"
#include "data/csv_parse.hpp"
#include "data/csv_scan.hpp"
#include "data/file_kind.hpp"
#include "data/line_ends.hpp"
#include "data/load_progress.hpp"
#include "data/several_files.hpp"
#include "data/table.hpp"
#include "data/text_columns.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

// Of a stream, to see its names before its turn comes.
constexpr std::size_t kPeekBytes = std::size_t{1} << 16;

void check_options(const ReadOptions& options) {
  // Bytes that the parsers take for something else.
  constexpr std::string_view kForbidden("\"\r\n\0.+-eE0123456789", 19);
  if (kForbidden.find(options.delimiter) != std::string_view::npos) {
    throw std::invalid_argument("delimiter is '" + printable(std::string(1, options.delimiter)) +
                                "', must not be a quote, a line end or part of a number");
  }
  check_max_levels(options);
}

// One file of the table, or standard input. Those that are not mapped are streams.
struct CsvFile {
  std::string name;
  CsvForm form;
  std::shared_ptr<const MappedFile> mapped = {};
  std::function<std::unique_ptr<ByteSource>()> open = {};  // of a stream that can be opened again
  std::unique_ptr<ByteSource> once = {};                   // of one that cannot
  std::size_t bytes = 0;                                   // 0: not known
  CsvStart start = {};
  std::string peeked = {};  // of a stream that is the first of several: its beginning

  // Of a mapped file.
  std::string_view text = {};  // what follows the header
  CsvScan scan = {};
  std::vector<std::size_t> checkpoints = {};  // one for every kCheckpointRows rows

  Index num_rows = 0;
  bool one_line_a_row = true;

  [[nodiscard]] Index line_at(std::size_t offset) const {
    return start.line + count_newlines(text.substr(0, offset));
  }
};

// A stream being read: its source, and the block that comes next.
struct OpenStream {
  OpenStream(CsvFile& file, const CsvSizes& sizes)
      : source(file.once ? std::move(file.once) : file.open()), blocks(*source, file.name, sizes) {
    text = blocks.next();
    if (text.empty()) throw DataError(file.name + ": file is empty");
    file.bytes = source->total();
    file.start = find_start(text, file.form, file.name);
    text.remove_prefix(file.start.offset);
  }

  std::unique_ptr<ByteSource> source;
  CsvBlocks blocks;
  std::string_view text;
};

// How columns that turned out to be something else are read from now on. A column of numbers may become one
// of dates or text, a column of dates text, so that a file is parsed three times at most for each.
void replan(const std::vector<Suspect>& suspects, std::vector<ColumnPlan>& plan) {
  for (const Suspect& suspect : suspects) plan[suspect.col].mode = suspect.mode;
}

// Throws the error of the first bad row or text, if there is any.
void require_good(const CsvParse& parse, const TextColumns& text, const Table& table) {
  const Index before = parse.bad_row ? parse.bad_row->row : std::numeric_limits<Index>::max();
  if (const auto fault = text.fault_before(before, table)) throw_bad_row(table, fault->bad_row, fault->line);
  if (parse.bad_row) throw_bad_row(table, *parse.bad_row, parse.bad_line);
}

class CsvReader {
 public:
  CsvReader(std::string name, std::vector<CsvFile> files, const ReadOptions& options,
            const Executor& executor, const Observer& observer, const CsvSizes& sizes)
      : name_(std::move(name)),
        files_(std::move(files)),
        options_(options),
        executor_(executor),
        observer_(observer),
        sizes_(sizes) {}

  Dataset read() {
    find_starts();
    const Index mapped_rows = scan_mapped();
    Table table(name_, assign_roles(files_.front().start.names, options_, name_), options_,
                executor_.memory());
    table.allow_categories();
    // Where all is mapped, exactly the memory of its rows is allocated.
    const bool streams = std::ranges::any_of(files_, [](const CsvFile& file) { return !file.mapped; });
    if (!streams && mapped_rows == 0)
      throw DataError(name_ + ": 0 data rows after the header" + (several() ? "s" : ""));
    if (!streams) table.allocate(mapped_rows);
    const auto [first, delimiter] = first_text();
    plan_ = plan_columns(first, delimiter, table.columns(), options_);
    while (!read_all(table)) {
    }
    note_empty_files(table, num_rows_);
    return std::move(table).finish(num_rows_, take_origin());
  }

 private:
  bool several() const { return files_.size() > 1; }

  // Names of all files, which must agree. A stream that is alone is opened for good.
  void find_starts() {
    CsvSizes sizes = sizes_;
    if (several()) sizes.block_bytes = std::min(sizes.block_bytes, kPeekBytes);
    for (CsvFile& file : files_) {
      if (file.mapped) {
        const auto bytes = file.mapped->bytes();
        const std::string_view whole(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        file.bytes = whole.size();
        file.start = find_start(whole, file.form, file.name);
        file.text = whole.substr(file.start.offset);
      } else {
        stream_ = std::make_unique<OpenStream>(file, sizes);
        if (several()) {
          if (&file == &files_.front()) file.peeked = stream_->text;
          stream_.reset();
        }
      }
      total_bytes_ += file.bytes;
      require_same_columns(file.start.names, file.name, files_.front().start.names, files_.front().name);
    }
  }

  // For the guess at kinds: the first text that has anything, and its delimiter.
  std::pair<std::string_view, char> first_text() const {
    if (stream_) return {stream_->text, files_.front().form.delimiter};
    for (const CsvFile& file : files_)
      for (const std::string_view text : {file.text, std::string_view(file.peeked)})
        if (!text.empty()) return {text, file.form.delimiter};
    return {"", ','};
  }

  // First pass over mapped files: the number of their rows. Pages are given back.
  Index scan_mapped() {
    std::vector<CsvFile*> mapped;
    std::vector<std::string_view> texts;
    std::vector<ReleaseText> releases;
    for (CsvFile& file : files_) {
      if (!file.mapped) continue;
      mapped.push_back(&file);
      texts.push_back(file.text);
      releases.emplace_back([&file](std::size_t offset, std::size_t length) {
        file.mapped->release(file.start.offset + offset, length);
      });
    }
    std::vector<CsvScan> scans = scan_texts(texts, sizes_.chunk_bytes, executor_, releases);
    Index rows = 0;
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      CsvFile& file = *mapped[i];
      file.scan = std::move(scans[i]);
      file.num_rows = file.scan.num_rows;
      file.one_line_a_row = file.scan.one_line_a_row;
      file.checkpoints.resize(at((file.num_rows + kCheckpointRows - 1) / kCheckpointRows));
      rows += file.num_rows;
    }
    return rows;
  }

  // Second pass: the numbers. False if the plan changed: then all is to be read again.
  bool read_all(Table& table) {
    table.start_again();
    TextColumns texts(plan_);
    num_rows_ = 0;
    done_bytes_ = 0;
    for (std::size_t i = 0; i < files_.size();) {
      const std::size_t begin = i;
      while (i < files_.size() && files_[i].mapped) ++i;
      if (i > begin && !read_mapped(begin, i, table, texts)) return false;
      if (i > begin) continue;
      if (!read_stream(files_[i++], table, texts)) return false;
    }
    require_good({}, texts, table);
    texts.settle(plan_, table, options_, executor_);
    return true;
  }

  // Files [begin, end), side by side.
  bool read_mapped(std::size_t begin, std::size_t end, Table& table, TextColumns& texts) {
    std::vector<CsvPiece> pieces;
    for (std::size_t i = begin; i < end; ++i) {
      CsvFile& file = files_[i];
      if (several()) table.add_file(file.name, num_rows_);
      done_bytes_ += file.start.offset;
      pieces.push_back({{file.text, num_rows_, file.form.delimiter},
                        &file.scan,
                        [&file](std::size_t offset) { return file.line_at(offset); },
                        [this, &file](std::size_t offset, std::size_t length) {
                          file.mapped->release(file.start.offset + offset, length);
                          // Chunks end in any order, so progress is a sum.
                          const std::size_t so_far =
                              done_bytes_.fetch_add(length, std::memory_order_relaxed) + length;
                          tell_bytes(observer_, so_far, total_bytes_);
                        },
                        &file.checkpoints});
      num_rows_ += file.num_rows;
    }
    table.reserve(num_rows_);
    const CsvParse parse = parse_rows(pieces, plan_, table, texts, executor_);
    if (!parse.suspects.empty()) {
      replan(parse.suspects, plan_);
      return false;
    }
    if (parse.bad_row) require_good(parse, texts, table);
    return true;
  }

  // Blocks of whole rows are each scanned and parsed like a file of its own. Row numbers and lines run on;
  // offsets do not, so there are no checkpoints.
  bool read_stream(CsvFile& file, Table& table, TextColumns& texts) {
    const auto stream =
        stream_ ? std::exchange(stream_, nullptr) : std::make_unique<OpenStream>(file, sizes_);
    if (several()) table.add_file(file.name, num_rows_);
    file.num_rows = 0;
    file.one_line_a_row = true;
    Index line = file.start.line;
    // Invariant: num_rows_ rows are parsed, and the text begins on line `line` of the file.
    do {
      const std::string_view text = stream->text;
      const CsvScan scan = scan_rows(text, sizes_.chunk_bytes, executor_, keep);
      table.reserve(num_rows_ + scan.num_rows);
      const CsvPiece piece{{text, num_rows_, file.form.delimiter},
                           &scan,
                           [&](std::size_t offset) { return line + count_newlines(text.substr(0, offset)); },
                           keep};
      while (!parse_block(file, piece, table, texts)) {
        if (num_rows_ > 0) return false;
        texts = TextColumns(plan_);
      }
      num_rows_ += scan.num_rows;
      file.num_rows += scan.num_rows;
      line += scan.num_newlines;
      file.one_line_a_row = file.one_line_a_row && scan.one_line_a_row;
      tell_bytes(observer_, done_bytes_ + stream->source->taken(), total_bytes_);
      stream->text = stream->blocks.next();
    } while (!stream->text.empty());
    done_bytes_ += file.bytes;
    return true;
  }

  // A block is a buffer of our own: there are no pages to give back.
  static void keep(std::size_t /*offset*/, std::size_t /*length*/) {}

  // False if it is to be parsed again, by another plan.
  bool parse_block(const CsvFile& file, const CsvPiece& piece, Table& table, TextColumns& texts) {
    const CsvParse parse = parse_rows({&piece, 1}, plan_, table, texts, executor_);
    if (parse.suspects.empty()) {
      if (parse.bad_row) require_good(parse, texts, table);
      return true;
    }
    if (num_rows_ > 0 && !file.open)
      throw_bad_row(table, *parse.first_suspect, piece.line_of(parse.first_suspect->offset));
    replan(parse.suspects, plan_);
    return false;
  }

  std::unique_ptr<Dataset::Origin> take_origin() {
    std::vector<std::unique_ptr<Dataset::Origin>> origins;
    std::vector<Index> counts;
    for (CsvFile& file : files_) {
      counts.push_back(file.num_rows);
      origins.push_back(
          file.mapped ? mapped_origin({std::move(file.mapped), file.text, file.form.delimiter,
                                       file.start.line, file.one_line_a_row, std::move(file.checkpoints)})
                      : stream_origin({std::move(file.open), file.name, file.form, sizes_, file.start.line,
                                       file.one_line_a_row}));
    }
    return joined_origin(std::move(origins), counts);
  }

  std::string name_;
  std::vector<CsvFile> files_;
  const ReadOptions& options_;
  const Executor& executor_;
  const Observer& observer_;
  CsvSizes sizes_;
  std::unique_ptr<OpenStream> stream_;  // opened, and not yet read
  std::vector<ColumnPlan> plan_;
  Index num_rows_ = 0;
  std::size_t total_bytes_ = 0;
  std::atomic<std::size_t> done_bytes_{0};
};

CsvFile plain_file(const std::filesystem::path& path, const CsvForm& form) {
  const auto file = std::make_shared<const MappedFile>(MappedFile::open(path));
  const std::string_view whole(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  CsvFile out{.name = printable_path(path), .form = form};
  if (has_old_line_ends(whole)) {
    out.open = [file, whole] { return with_newlines(text_source(whole)); };
  } else {
    out.mapped = file;
  }
  return out;
}

CsvFile packed_file(const std::filesystem::path& path, const CsvForm& form) {
  CsvFile out{.name = printable_path(path), .form = form};
  out.open = [path] { return with_newlines(gzip_source(path)); };
  return out;
}

Dataset read_one(CsvFile file, const ReadOptions& options, const Executor& executor, const Observer& observer,
                 const CsvSizes& sizes) {
  const std::string name = file.name;
  std::vector<CsvFile> files;
  files.push_back(std::move(file));
  return CsvReader(name, std::move(files), options, executor, observer, sizes).read();
}

}  // namespace

Dataset read_csv_files(std::span<const std::filesystem::path> paths, const std::string& name,
                       const ReadOptions& options, const Executor& executor, const Observer& observer,
                       const CsvSizes& sizes) {
  check_options(options);
  std::vector<CsvFile> files;
  for (const std::filesystem::path& path : paths) {
    // The default delimiter of a .tsv file is a tab; one that was chosen stays.
    const bool tab = is_tabbed(path) && options.delimiter == ReadOptions().delimiter;
    const CsvForm form{tab ? '\t' : options.delimiter, options.header};
    files.push_back(is_packed(path) ? packed_file(path, form) : plain_file(path, form));
  }
  return CsvReader(name, std::move(files), options, executor, observer, sizes).read();
}

Dataset read_csv(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                 const Observer& observer, const CsvSizes& sizes) {
  check_options(options);
  return read_one(plain_file(path, {options.delimiter, options.header}), options, executor, observer, sizes);
}

Dataset read_gzip_csv(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                      const Observer& observer, const CsvSizes& sizes) {
  check_options(options);
  return read_one(packed_file(path, {options.delimiter, options.header}), options, executor, observer, sizes);
}

Dataset read_csv_stream(int fd, const std::string& name, const ReadOptions& options, const Executor& executor,
                        const Observer& observer, const CsvSizes& sizes) {
  check_options(options);
  CsvFile file{.name = name, .form = {options.delimiter, options.header}};
  file.once = with_newlines(descriptor_source(fd, name));
  return read_one(std::move(file), options, executor, observer, sizes);
}

}  // namespace giga
