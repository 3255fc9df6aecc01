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
#include "data/several_files.hpp"
#include "data/table.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/npy.hpp"

namespace giga {
namespace {

// Unused columns as text: read again from the matrix. A binary file has no lines.
class NpyOrigin : public Dataset::Origin {
 public:
  explicit NpyOrigin(std::shared_ptr<const NpyMatrix> matrix) : matrix_(std::move(matrix)) {}

  Index line(Index) const override { return 0; }
  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts;
    std::vector<double> values(at(matrix_->view().cols));
    for (const Index row : rows) {
      read_rows(matrix_->view(), row, 1, values.data());
      auto& cells = texts.emplace_back();
      for (const Index col : cols) cells.push_back(shortest(values[at(col)]));
    }
    return texts;
  }

 private:
  std::shared_ptr<const NpyMatrix> matrix_;
};

// A matrix, and where its rows begin in the table.
struct NpyFile {
  std::string name;
  std::shared_ptr<const NpyMatrix> matrix;
  Index first_row = 0;
};

// Rows [first, first + count) of a file.
struct NpyBlock {
  const NpyFile* file;
  Index first, count;
};

// Blocks of about a megabyte of doubles each, however wide the rows.
std::vector<NpyBlock> blocks_of(const std::vector<NpyFile>& files) {
  std::vector<NpyBlock> blocks;
  for (const NpyFile& file : files) {
    const MatrixView view = file.matrix->view();
    const Index size = std::clamp<Index>((Index{1} << 17) / view.cols, 1, kBlockRows);
    for (Index first = 0; first < view.rows; first += size)
      blocks.push_back({&file, first, std::min(size, view.rows - first)});
  }
  return blocks;
}

// Converts the rows and puts each value where its column wants it.
void fill_block(const NpyBlock& block, const std::vector<Slot>& slots) {
  const MatrixView view = block.file->matrix->view();
  std::vector<double> values(at(block.count * view.cols));
  read_rows(view, block.first, block.count, values.data());
  const double* value = values.data();
  const Index begin = block.file->first_row + block.first;
  for (Index row = begin; row < begin + block.count; ++row) {
    for (const Slot& slot : slots) {
      if (slot.base != nullptr) slot.base[row * slot.stride] = *value;
      ++value;
    }
  }
}

}  // namespace

Dataset read_npy_dataset(std::span<const std::filesystem::path> paths, const std::string& name,
                         const ReadOptions& options, const Executor& executor, const Observer& observer) {
  std::vector<NpyFile> files;
  Index num_rows = 0;
  std::size_t bytes = 0, headers = 0;
  for (const std::filesystem::path& path : paths) {
    const NpyFile& file = files.emplace_back(
        NpyFile{printable_path(path), std::make_shared<const NpyMatrix>(NpyMatrix::open(path)), num_rows});
    const MatrixView view = file.matrix->view();
    if (view.cols > kMaxColumns)
      throw DataError(file.name + ": more than " + std::to_string(kMaxColumns) + " columns");
    require_same_width(view.cols, file.name, files.front().matrix->view().cols, files.front().name);
    num_rows += view.rows;
    bytes += file.matrix->file().bytes().size();
    headers += file.matrix->data_offset();
  }
  const Index cols = files.front().matrix->view().cols;
  Table table(name, assign_roles(default_names(cols), options, name), options, executor.memory());
  for (const NpyFile& file : files)
    if (files.size() > 1) table.add_file(file.name, file.first_row);
  table.allocate(num_rows);
  const std::vector<Slot> slots = table.slots();
  const std::vector<NpyBlock> blocks = blocks_of(files);
  std::atomic<std::size_t> done{headers};
  executor.for_each(std::ssize(blocks), [&](Index i) {
    const NpyBlock& block = blocks[at(i)];
    fill_block(block, slots);
    const NpyMatrix& matrix = *block.file->matrix;
    const MatrixView view = matrix.view();
    const auto length = at(block.count * view.cols) * scalar_bytes(view.scalar);
    // A block of rows of a column-major file touches pages of every column: they are kept until the end.
    if (view.row_stride >= view.col_stride)
      matrix.file().release(matrix.data_offset() + at(block.first * view.row_stride), length);
    const std::size_t so_far = done.fetch_add(length, std::memory_order_relaxed) + length;
    tell_bytes(observer, so_far, bytes);
  });
  for (const NpyFile& file : files) file.matrix->file().release(0, file.matrix->file().bytes().size());
  // Conversion came first; NaN and infinity are found in the table, in row order.
  judge_filled(table, slots, num_rows, executor);
  std::vector<std::unique_ptr<Dataset::Origin>> origins;
  std::vector<Index> counts;
  for (const NpyFile& file : files) {
    counts.push_back(file.matrix->view().rows);
    origins.push_back(std::make_unique<NpyOrigin>(file.matrix));
  }
  return std::move(table).finish(num_rows, joined_origin(std::move(origins), counts));
}

}  // namespace giga
