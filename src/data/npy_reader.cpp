// One matrix on disk, read block by block; the pages of a row-major file are given back as they are used.
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

// Converts rows [first, first + count) and puts each value where its column wants it.
void fill_block(const MatrixView& view, Index first, Index count, const std::vector<Slot>& slots) {
  std::vector<double> values(at(count * view.cols));
  read_rows(view, first, count, values.data());
  const double* value = values.data();
  for (Index row = first; row < first + count; ++row) {
    for (const Slot& slot : slots) {
      if (slot.base != nullptr) slot.base[row * slot.stride] = *value;
      ++value;
    }
  }
}

}  // namespace

Dataset read_npy_dataset(const std::filesystem::path& path, const ReadOptions& options,
                         const Executor& executor, const Observer& observer) {
  const auto matrix = std::make_shared<const NpyMatrix>(NpyMatrix::open(path));
  const std::string name = printable_path(path);
  const MatrixView view = matrix->view();
  if (view.cols > kMaxColumns)
    throw DataError(name + ": more than " + std::to_string(kMaxColumns) + " columns");
  Table table(name, assign_roles(default_names(view.cols), options, name), options, executor.memory());
  table.allocate(view.rows);
  const std::vector<Slot> slots = table.slots();
  // A block of rows of a column-major file touches pages of every column: they are kept until the end.
  const bool row_major = view.row_stride >= view.col_stride;
  // About a megabyte of doubles per block, however wide the rows.
  const Index block_rows = std::clamp<Index>((Index{1} << 17) / view.cols, 1, kBlockRows);
  const Index blocks = (view.rows + block_rows - 1) / block_rows;
  std::atomic<std::size_t> done{0};
  executor.for_each(blocks, [&](Index i) {
    const Index first = i * block_rows;
    const Index count = std::min(block_rows, view.rows - first);
    fill_block(view, first, count, slots);
    const auto bytes = at(count * view.cols) * scalar_bytes(view.scalar);
    if (row_major) {
      matrix->file().release(matrix->data_offset() + at(first * view.row_stride), bytes);
    }
    const std::size_t so_far = done.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    tell_bytes(observer, matrix->data_offset() + so_far, matrix->file().bytes().size());
  });
  matrix->file().release(0, matrix->file().bytes().size());
  // Conversion came first; NaN and infinity are found in the table, in row order.
  judge_filled(table, slots, view.rows, executor);
  return std::move(table).finish(view.rows, std::make_unique<NpyOrigin>(matrix));
}

}  // namespace giga
