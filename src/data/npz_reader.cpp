// The arrays X, y and w of an .npz archive, streamed from their compressed bytes straight into the table:
//
//     ZipArchive::Reader -> ArrayStream (header, then elements as doubles) -> slots of the table
//
// Only a buffer of 2^16 elements is held besides. Elements come in the order of the file, C or Fortran, so
// unused columns are found again (NpzOrigin) by a pass over their array. Several archives are read side by
// side.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "data/column_roles.hpp"
#include "data/load_progress.hpp"
#include "data/matrix_reader.hpp"
#include "data/npz_array.hpp"
#include "data/several_files.hpp"
#include "data/share_source.hpp"
#include "data/table.hpp"
#include "giga/base/error.hpp"
#include "giga/base/matrix_view.hpp"
#include "giga/base/text.hpp"
#include "giga/data/npy.hpp"

namespace giga {
namespace {

// Where element e of a matrix lies, in the order of the file: e = row cols + col (C) or col rows + row
// (Fortran).
struct Layout {
  Index rows;
  Index cols;
  bool fortran;

  CellPlace place(Index e) const {
    return fortran ? CellPlace{e % rows, e / rows} : CellPlace{e / cols, e % cols};
  }
  Index element(CellPlace place) const {
    return fortran ? place.col * rows + place.row : place.row * cols + place.col;
  }
};

// X must have two dimensions; their lengths may still be 0.
Layout matrix_layout(const ArrayStream& array) {
  const std::vector<Index>& shape = array.header().shape;
  if (shape.size() != 2) {
    throw DataError(array.name() + ": X has " + std::to_string(shape.size()) +
                    " dimensions, must have 2 (rows, features); reshape it");
  }
  return {shape[0], shape[1], array.header().fortran_order};
}

// The length of a vector, or of a matrix with one column.
Index vector_length(const ArrayStream& array, const char* which, Index rows) {
  const std::vector<Index>& shape = array.header().shape;
  if (shape.size() != 1 && !(shape.size() == 2 && shape[1] == 1)) {
    throw DataError(array.name() + ": " + which + " must be a vector, one number a row of X; reshape it");
  }
  if (shape[0] != rows) {
    throw DataError(array.name() + ": X has " + plural(rows, "row") + ", " + which + " has " +
                    std::to_string(shape[0]) + "; save arrays of equal length");
  }
  return shape[0];
}

// Elements in the order of the file; `at` is carried along instead of a division per element. Calls
// told(elements so far) after every buffer.
template <typename Told>
void fill_matrix(ArrayStream& array, const Layout& layout, const std::vector<Slot>& slots, const Told& told) {
  array.for_each([&](Index first, std::span<const double> values) {
    CellPlace at = layout.place(first);
    for (const double value : values) {
      const Slot& slot = slots[static_cast<std::size_t>(at.col)];
      if (slot.base != nullptr) slot.base[at.row * slot.stride] = value;
      Index& fast = layout.fortran ? at.row : at.col;
      Index& slow = layout.fortran ? at.col : at.row;
      if (++fast == (layout.fortran ? layout.rows : layout.cols)) {
        fast = 0;
        ++slow;
      }
    }
    told(first + std::ssize(values));
  });
}

// The same for a vector; one that is not used is read all the same, for its checksum.
void fill_vector(ArrayStream& array, const Slot& slot) {
  array.for_each([&](Index first, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size() && slot.base != nullptr; ++i) {
      slot.base[(first + static_cast<Index>(i)) * slot.stride] = values[i];
    }
  });
}

// Unused columns are read again from the archive.
class NpzOrigin : public Dataset::Origin {
 public:
  NpzOrigin(std::shared_ptr<const ZipArchive> archive, std::string file, Layout layout, bool has_weights)
      : archive_(std::move(archive)), file_(std::move(file)), layout_(layout), has_weights_(has_weights) {}

  Index line(Index) const override { return 0; }

  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts(rows.size(), std::vector<std::string>(cols.size()));
    try {
      pick("X", rows, cols, 0, layout_.cols, texts);
      pick("y", rows, cols, layout_.cols, layout_.cols + 1, texts);
      if (has_weights_) pick("w", rows, cols, layout_.cols + 1, layout_.cols + 2, texts);
    } catch (const DataError&) {  // checksums tell of any change
      archive_->require_whole();
      throw;
    }
    return texts;
  }

 private:
  // A cell to be found: its element in the array, and its place (i, j) in the answer.
  struct Wanted {
    Index element;
    std::size_t i;
    std::size_t j;
  };

  // The cells of columns [begin, end), which are those of one array.
  void pick(const char* which, std::span<const Index> rows, std::span<const Index> cols, Index begin,
            Index end, std::vector<std::vector<std::string>>& texts) const {
    // y and w are vectors: both orders are the same.
    const Layout layout{layout_.rows, end - begin, layout_.fortran && begin == 0};
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < cols.size(); ++j) {
        if (cols[j] >= begin && cols[j] < end)
          wanted.push_back({layout.element({rows[i], cols[j] - begin}), i, j});
      }
    }
    if (wanted.empty()) return;
    // In the order of the file, so that one pass is enough.
    std::sort(wanted.begin(), wanted.end(),
              [](const Wanted& a, const Wanted& b) { return a.element < b.element; });
    ArrayStream array(*archive_, need_member(*archive_, which, file_), file_);
    std::size_t next = 0;
    array.for_each([&](Index first, std::span<const double> values) {
      // Invariant: wanted[0 .. next) are filled in, the others lie at or after `first`.
      for (; next < wanted.size(); ++next) {
        const Index at = wanted[next].element - first;
        if (at >= static_cast<Index>(values.size())) return;
        texts[wanted[next].i][wanted[next].j] = shortest(values[static_cast<std::size_t>(at)]);
      }
    });
  }

  std::shared_ptr<const ZipArchive> archive_;
  std::string file_;
  Layout layout_;
  bool has_weights_;
};

// An archive, its arrays opened and their shapes compared.
class NpzFile {
 public:
  NpzFile(const std::filesystem::path& path, bool weighted)
      : name(printable_path(path)),
        archive(std::make_shared<const ZipArchive>(ZipArchive::open(path))),
        x(*archive, need_member(*archive, "X", name), name),
        y(*archive, need_member(*archive, "y", name), name),
        layout(matrix_layout(x)) {
    if (layout.rows == 0) throw DataError(name + ": 0 data rows");
    if (layout.cols >= kMaxColumns)
      throw DataError(x.name() + ": more than " + std::to_string(kMaxColumns) + " columns");
    vector_length(y, "y", layout.rows);
    // w is read only if it is asked for by that name; otherwise a note says that it was not used.
    weights = weighted ? find_member(*archive, "w", name) : nullptr;
    if (weights == nullptr) return;
    w.emplace(*archive, *weights, name);
    vector_length(*w, "w", layout.rows);
  }

  // Columns: those of X, then y, then w.
  std::vector<std::string> columns() const {
    std::vector<std::string> names = default_names(layout.cols + 1);
    if (w) names.emplace_back("w");
    return names;
  }

  // A few members by name, more of them by their number.
  std::vector<std::string> notes() const {
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> notes;
    std::size_t others = 0;
    for (const ZipMember& member : archive->members()) {
      const bool used = member.name == "X.npy" || member.name == "y.npy" || &member == weights;
      if (used) continue;
      if (notes.size() == kNamed) {
        ++others;
        continue;
      }
      notes.push_back("member '" + printable(member.name) + "' of the archive was not used" +
                      (member.name == "w.npy" ? " (weights: `weights = w`)" : ""));
    }
    if (others > 0) notes.push_back("nor were " + std::to_string(others) + " others");
    return notes;
  }

  // told(bytes): of the archive, those read since the last call. y and w take next to nothing beside X.
  template <typename Told>
  void fill(const std::vector<Slot>& slots, const Told& told) {
    std::size_t before = 0;
    const auto so_far = [&](std::size_t bytes) { told(bytes - std::exchange(before, bytes)); };
    fill_matrix(x, layout, slots, [&](Index elements) {
      const double share = static_cast<double>(elements) / static_cast<double>(x.count());
      so_far(static_cast<std::size_t>(share * static_cast<double>(archive->file_bytes())));
    });
    fill_vector(y, slots[static_cast<std::size_t>(layout.cols)]);
    if (w) fill_vector(*w, slots.back());
    so_far(archive->file_bytes());
  }

  // Of all numbers, those that had to be rounded.
  Index rounded() const { return x.rounded() + y.rounded() + (w ? w->rounded() : 0); }

  std::string name;
  std::shared_ptr<const ZipArchive> archive;
  ArrayStream x, y;
  std::optional<ArrayStream> w;
  const ZipMember* weights = nullptr;
  Layout layout;
  Index first_row = 0;  // of the table
};

// Archives, with names and shapes that agree, and what is to be said of them.
std::vector<std::unique_ptr<NpzFile>> open_files(std::span<const std::filesystem::path> paths,
                                                 const ReadOptions& options) {
  std::vector<std::unique_ptr<NpzFile>> files;
  Index num_rows = 0;
  for (const std::filesystem::path& path : paths) {
    NpzFile& file = *files.emplace_back(std::make_unique<NpzFile>(path, options.weights == "w"));
    require_same_columns(file.columns(), file.name, files.front()->columns(), files.front()->name);
    file.first_row = std::exchange(num_rows, num_rows + file.layout.rows);
  }
  return files;
}

Table table_of(const std::vector<std::unique_ptr<NpzFile>>& files, const std::string& name,
               const ReadOptions& options, RowMemory& memory) {
  Table table(name, assign_roles(files.front()->columns(), options, name), options, memory);
  std::set<std::string> said;
  for (const auto& file : files)
    for (const std::string& note : file->notes())
      if (said.insert(note).second) table.add_note(note);
  return table;
}

// Archives side by side, each from its row of the table on: first_row less `before`.
void fill_all(std::span<const std::unique_ptr<NpzFile>> files, Index before, Table& table,
              const Executor& executor, const Observer& observer) {
  std::size_t bytes = 0;
  for (const auto& file : files) bytes += file->archive->file_bytes();
  std::atomic<std::size_t> done{0};
  const auto told = [&](std::size_t more) {
    tell_bytes(observer, done.fetch_add(more, std::memory_order_relaxed) + more, bytes);
  };
  const auto fill_one = [&](NpzFile& file) { file.fill(slots_from(table, file.first_row - before), told); };
  if (files.size() == 1) {
    fill_one(*files.front());
  } else {
    executor.for_each(std::ssize(files), [&](Index i) { fill_one(*files[at(i)]); });
  }
  for (const auto& file : files) table.merge({.rounded = file->rounded()});
}

std::unique_ptr<Dataset::Origin> origin_of(std::span<const std::unique_ptr<NpzFile>> files, Index first_row) {
  std::vector<std::unique_ptr<Dataset::Origin>> origins;
  std::vector<Index> counts;
  for (const auto& file : files) {
    counts.push_back(file->layout.rows);
    origins.push_back(
        std::make_unique<NpzOrigin>(file->archive, file->name, file->layout, file->weights != nullptr));
  }
  return joined_origin(std::move(origins), counts, first_row);
}

// Archives are not cut: those whose first byte falls to the share.
class NpzShare : public ShareSource {
 public:
  explicit NpzShare(ShareInput input)
      : ShareSource(std::move(input)),
        files_(open_files(input_.files, input_.options)),
        table_(table_of(files_, input_.name, input_.options, input_.executor.memory())) {
    std::vector<std::size_t> sizes;
    for (const auto& file : files_) sizes.push_back(file->archive->file_bytes());
    for (const Range& range : byte_ranges(sizes)) {
      if (range.begin > 0) continue;
      if (count_++ == 0) first_ = at(range.file);
      num_rows_ += files_[at(range.file)]->layout.rows;
    }
  }

  TableFacts read() override {
    const auto own = std::span(files_).subspan(first_, count_);
    table_.start_again();
    table_.allocate(num_rows_);
    if (count_ > 0) fill_all(own, own.front()->first_row, table_, input_.executor, input_.observer);
    TableFacts facts;
    for (std::size_t i = 0; i < count_; ++i)
      facts.parts.push_back(
          {.share = input_.share.index, .file = static_cast<Index>(first_ + i), .rows = own[i]->layout.rows});
    if (const auto bad_row = look_at_filled(table_, table_.slots(), num_rows_, input_.executor))
      facts.bad_row = RowFact{place_in(facts, bad_row->row, -1), bad_row->what};
    tell_rows(
        table_, [](std::size_t, Index) { return Index{-1}; }, facts);
    return facts;
  }

  bool agrees(const TableFacts& all) override {
    std::vector<std::string> names;
    for (const auto& file : files_) names.push_back(file->name);
    judge_numbers(table_, all, Agreement(all, names, std::vector<Index>(names.size())));
    return true;
  }

  Dataset finish() override {
    return std::move(table_).finish_share(
        place_.first_input_row, num_rows_, whole_,
        origin_of(std::span(files_).subspan(first_, count_), place_.first_input_row));
  }

 private:
  std::vector<std::unique_ptr<NpzFile>> files_;
  Table table_;
  std::size_t first_ = 0, count_ = 0;  // of this share
  Index num_rows_ = 0;
};

}  // namespace

std::unique_ptr<ShareSource> npz_share(ShareInput input) {
  return std::make_unique<NpzShare>(std::move(input));
}

// Shapes are compared before anything is allocated; then X, y and w of each are read in turn, and judged
// together.
Dataset read_npz_dataset(std::span<const std::filesystem::path> paths, const std::string& name,
                         const ReadOptions& options, const Executor& executor, const Observer& observer) {
  const std::vector<std::unique_ptr<NpzFile>> files = open_files(paths, options);
  Table table = table_of(files, name, options, executor.memory());
  for (const auto& file : files)
    if (files.size() > 1) table.add_file(file->name, file->first_row);
  const Index num_rows = files.back()->first_row + files.back()->layout.rows;
  table.allocate(num_rows);
  fill_all(files, 0, table, executor, observer);
  judge_filled(table, table.slots(), num_rows, executor);
  return std::move(table).finish(num_rows, origin_of(files, 0));
}

}  // namespace giga
