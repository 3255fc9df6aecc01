// Matrices on disk, read block by block; the pages of a row-major file are given back as they are used.
#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "data/column_roles.hpp"
#include "data/load_progress.hpp"
#include "data/matrix_reader.hpp"
#include "data/placed_features.hpp"
#include "data/several_files.hpp"
#include "data/share_source.hpp"
#include "data/table.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/npy.hpp"

namespace giga {
namespace {

// Unused columns as text: read again from the matrix. A binary file has no lines.
class NpyOrigin : public Dataset::Origin {
 public:
  /// Rows count from `begin` on.
  NpyOrigin(std::shared_ptr<const NpyMatrix> matrix, Index begin)
      : matrix_(std::move(matrix)), begin_(begin) {}

  Index line(Index) const override { return 0; }
  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts;
    std::vector<double> values(at(matrix_->view().cols));
    for (const Index row : rows) {
      read_rows(matrix_->view(), begin_ + row, 1, values.data());
      auto& cells = texts.emplace_back();
      for (const Index col : cols) cells.push_back(shortest(values[at(col)]));
    }
    matrix_->file().require_whole();
    return texts;
  }

 private:
  std::shared_ptr<const NpyMatrix> matrix_;
  Index begin_;
};

struct NpyFile {
  std::string name;
  std::shared_ptr<const NpyMatrix> matrix;
};

// Rows [begin, begin + count) of a file, which are in the table from first_row on.
struct NpyPart {
  const NpyFile* file;
  Index begin, count, first_row;
};

std::vector<NpyFile> open_files(std::span<const std::filesystem::path> paths) {
  std::vector<NpyFile> files;
  for (const std::filesystem::path& path : paths) {
    const NpyFile& file = files.emplace_back(
        NpyFile{printable_path(path), std::make_shared<const NpyMatrix>(NpyMatrix::open(path))});
    const Index cols = file.matrix->view().cols;
    if (cols > kMaxColumns)
      throw DataError(file.name + ": more than " + std::to_string(kMaxColumns) + " columns");
    require_same_width(cols, file.name, files.front().matrix->view().cols, files.front().name);
  }
  return files;
}

// Rows [begin, end) of all files.
std::vector<NpyPart> parts_of(const std::vector<NpyFile>& files, Index begin, Index end) {
  std::vector<NpyPart> parts;
  Index before = 0;
  for (const NpyFile& file : files) {
    const Index rows = file.matrix->view().rows;
    const Index first = std::max(begin, before), last = std::min(end, before + rows);
    if (first < last) parts.push_back({&file, first - before, last - first, first - begin});
    before += rows;
  }
  return parts;
}

Index rows_of(const std::vector<NpyFile>& files) {
  Index rows = 0;
  for (const NpyFile& file : files) rows += file.matrix->view().rows;
  return rows;
}

// Blocks of about a megabyte of doubles each, however wide the rows.
std::vector<NpyPart> blocks_of(const std::vector<NpyPart>& parts) {
  std::vector<NpyPart> blocks;
  for (const NpyPart& part : parts) {
    const Index size = std::clamp<Index>((Index{1} << 17) / part.file->matrix->view().cols, 1, kBlockRows);
    for (Index first = 0; first < part.count; first += size)
      blocks.push_back(
          {part.file, part.begin + first, std::min(size, part.count - first), part.first_row + first});
  }
  return blocks;
}

// Converts the rows and puts each value where its column wants it. Returns how many had to be rounded.
Index fill_block(const NpyPart& block, const std::vector<Slot>& slots) {
  const MatrixView view = block.file->matrix->view();
  std::vector<double> values(at(block.count * view.cols));
  read_rows(view, block.begin, block.count, values.data());
  const double* value = values.data();
  for (Index row = block.first_row; row < block.first_row + block.count; ++row) {
    for (const Slot& slot : slots) {
      if (slot.base != nullptr) slot.base[row * slot.stride] = *value;
      ++value;
    }
  }
  return count_rounded(view.scalar, values);
}

// Whether the features that stay in the files, if any do, are all finite.
bool fill(const std::vector<NpyPart>& parts, Table& table, const Executor& executor, const Observer& observer,
          const PlacedFeatures* placed = nullptr) {
  const std::vector<Slot> slots = table.slots();
  std::size_t bytes = 0, headers = 0;
  for (const NpyPart& part : parts) {
    const MatrixView view = part.file->matrix->view();
    headers += part.file->matrix->data_offset();
    bytes += part.file->matrix->data_offset() + at(part.count * view.cols) * scalar_bytes(view.scalar);
  }
  const std::vector<NpyPart> blocks = blocks_of(parts);
  std::atomic<std::size_t> done{headers};
  std::atomic<Index> rounded{0};
  std::atomic<bool> finite{true};
  executor.for_each(std::ssize(blocks), [&](Index i) {
    const NpyPart& block = blocks[at(i)];
    rounded.fetch_add(fill_block(block, slots), std::memory_order_relaxed);
    if (placed != nullptr && !placed->are_finite(block.first_row, block.count)) finite = false;
    const NpyMatrix& matrix = *block.file->matrix;
    const MatrixView view = matrix.view();
    const auto length = at(block.count * view.cols) * scalar_bytes(view.scalar);
    // A block of rows of a column-major file touches pages of every column: they are kept until the end.
    if (view.row_stride >= view.col_stride)
      matrix.file().release(matrix.data_offset() + at(block.begin * view.row_stride), length);
    const std::size_t so_far = done.fetch_add(length, std::memory_order_relaxed) + length;
    tell_bytes(observer, so_far, bytes);
  });
  for (const NpyPart& part : parts)
    part.file->matrix->file().release(0, part.file->matrix->file().bytes().size());
  table.merge({.rounded = rounded});
  return finite;
}

std::unique_ptr<Dataset::Origin> origin_of(const std::vector<NpyPart>& parts, Index first_row) {
  std::vector<std::unique_ptr<Dataset::Origin>> origins;
  std::vector<Index> counts;
  for (const NpyPart& part : parts) {
    counts.push_back(part.count);
    origins.push_back(std::make_unique<NpyOrigin>(part.file->matrix, part.begin));
  }
  return joined_origin(std::move(origins), counts, first_row);
}

Table table_of(const std::vector<NpyFile>& files, const std::string& name, const ReadOptions& options,
               RowMemory& memory) {
  return {name, assign_roles(default_names(files.front().matrix->view().cols), options, name), options,
          memory};
}

// Of a table whose features would not fit in memory: those of the files, if they can be used as they are.
std::shared_ptr<const PlacedFeatures> placed_features(const std::vector<NpyFile>& files, const Table& table,
                                                      Index num_rows, const RowMemory& memory) {
  const Index numbers = checked_product(num_rows, table.num_features());
  if (memory.copies_files() || memory.has_room_for(at(numbers) * sizeof(double))) return nullptr;
  std::vector<std::shared_ptr<const NpyMatrix>> matrices;
  for (const NpyFile& file : files) matrices.push_back(file.matrix);
  return PlacedFeatures::of(std::move(matrices), table.columns());
}

class NpyShare : public ShareSource {
 public:
  explicit NpyShare(ShareInput input)
      : ShareSource(std::move(input)),
        files_(open_files(input_.files)),
        table_(table_of(files_, input_.name, input_.options, input_.executor.memory())) {
    const Index rows = rows_of(files_), count = input_.share.count;
    const auto edge = [&](Index k) { return rows / count * k + rows % count * k / count; };
    num_rows_ = edge(input_.share.index + 1) - edge(input_.share.index);
    parts_ = parts_of(files_, edge(input_.share.index), edge(input_.share.index + 1));
  }

  TableFacts read() override {
    table_.start_again();
    table_.allocate(num_rows_);
    (void)fill(parts_, table_, input_.executor, input_.observer);
    TableFacts facts;
    for (const NpyPart& part : parts_)
      facts.parts.push_back(
          {.share = input_.share.index, .file = part.file - files_.data(), .rows = part.count});
    if (const auto bad_row = look_at_filled(table_, table_.slots(), num_rows_, input_.executor))
      facts.bad_row = RowFact{place_in(facts, bad_row->row, -1), bad_row->what};
    tell_rows(
        table_, [](std::size_t, Index) { return Index{-1}; }, facts);
    return facts;
  }

  bool agrees(const TableFacts& all) override {
    std::vector<std::string> names;
    for (const NpyFile& file : files_) names.push_back(file.name);
    judge_numbers(table_, all, Agreement(all, names, std::vector<Index>(names.size())));
    return true;
  }

  Dataset finish() override {
    return std::move(table_).finish_share(place_.first_input_row, num_rows_, whole_,
                                          origin_of(parts_, place_.first_input_row));
  }

 private:
  std::vector<NpyFile> files_;
  Table table_;
  std::vector<NpyPart> parts_;
  Index num_rows_ = 0;
};

}  // namespace

std::unique_ptr<ShareSource> npy_share(ShareInput input) {
  return std::make_unique<NpyShare>(std::move(input));
}

Dataset read_npy_dataset(std::span<const std::filesystem::path> paths, const std::string& name,
                         const ReadOptions& options, const Executor& executor, const Observer& observer) {
  const std::vector<NpyFile> files = open_files(paths);
  const Index num_rows = rows_of(files);
  const std::vector<NpyPart> parts = parts_of(files, 0, num_rows);
  const auto empty_table = [&] {
    Table table = table_of(files, name, options, executor.memory());
    for (const NpyPart& part : parts)
      if (files.size() > 1) table.add_file(part.file->name, part.first_row);
    return table;
  };
  Table table = empty_table();
  if (const auto placed = placed_features(files, table, num_rows, executor.memory())) {
    table.place_features(placed, num_rows);
    const bool finite = fill(parts, table, executor, observer, placed.get());
    judge_filled(table, table.slots(), num_rows, executor, finite ? nullptr : placed.get());
    // Only rows that are to be dropped are a reason to copy the others.
    if (finite || options.missing == Missing::Refuse)
      return std::move(table).finish(num_rows, origin_of(parts, 0));
    table = empty_table();
  }
  table.allocate(num_rows);
  (void)fill(parts, table, executor, observer);
  // Conversion came first; NaN and infinity are found in the table, in row order.
  judge_filled(table, table.slots(), num_rows, executor);
  return std::move(table).finish(num_rows, origin_of(parts, 0));
}

}  // namespace giga
