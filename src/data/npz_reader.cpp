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
#include "data/several_files.hpp"
#include "data/table.hpp"
#include "data/zip_archive.hpp"
#include "giga/base/error.hpp"
#include "giga/base/matrix_view.hpp"
#include "giga/base/text.hpp"
#include "giga/data/npy.hpp"

namespace giga {
namespace {

// Read at once, to have the header; a longer header than this is refused as cut.
constexpr std::size_t kPrefixBytes = std::size_t{1} << 16;
constexpr Index kBufferElements = Index{1} << 16;

// One member: its header at once, its elements on demand, in the order of the file.
class ArrayStream {
 public:
  ArrayStream(const ZipArchive& archive, const ZipMember& member, const std::string& file)
      : name_(file + ": member '" + printable(member.name) + "'"), reader_(archive, member, name_) {
    prefix_.resize(std::min(kPrefixBytes, member.bytes));
    reader_.read(prefix_.data(), prefix_.size());
    header_ = parse_npy_header(prefix_, name_);
    // The number of elements; parse_npy_header has checked that it fits, unless a length is 0.
    const bool empty = std::find(header_.shape.begin(), header_.shape.end(), 0) != header_.shape.end();
    count_ = empty ? 0 : 1;
    for (const Index length : header_.shape) count_ *= empty ? 0 : length;
    // The size stated in the archive must be the one the header needs, before anything is allocated.
    const std::size_t needed =
        header_.data_offset + static_cast<std::size_t>(count_) * scalar_bytes(header_.scalar);
    if (needed != member.bytes) {
      throw DataError(name_ + ": the member has " + std::to_string(member.bytes) +
                      " bytes, its header promises " + std::to_string(needed) +
                      "; save it again with numpy.savez");
    }
  }

  const std::string& name() const { return name_; }
  const NpyHeader& header() const { return header_; }
  Index count() const { return count_; }

  // body(first, values): elements [first, first + values.size()). Once.
  template <typename Body>
  void for_each(const Body& body) {
    const std::size_t width = scalar_bytes(header_.scalar);
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(count_, kBufferElements)) * width);
    std::vector<double> values(bytes.size() / width);
    // Invariant: elements [0, first) have been given to body.
    for (Index first = 0; first < count_;) {
      const Index count = std::min(kBufferElements, count_ - first);
      take(bytes.data(), static_cast<std::size_t>(count) * width);
      const auto stride = static_cast<Index>(width);
      read_rows({bytes.data(), header_.scalar, header_.swap_bytes, count, 1, stride, stride}, 0, count,
                values.data());
      body(first, std::span<const double>(values.data(), static_cast<std::size_t>(count)));
      first += count;
    }
    reader_.finish();
  }

 private:
  // What the prefix has beyond the header, then the stream.
  void take(std::byte* out, std::size_t size) {
    // `at` is a position in the member; the first prefix_.size() bytes are in memory already.
    const std::size_t at = header_.data_offset + taken_;
    const std::size_t ready = at < prefix_.size() ? std::min(size, prefix_.size() - at) : 0;
    std::copy_n(prefix_.data() + std::min(at, prefix_.size()), ready, out);
    reader_.read(out + ready, size - ready);
    taken_ += size;
  }

  std::string name_;
  ZipArchive::Reader reader_;
  std::vector<std::byte> prefix_;
  NpyHeader header_;
  Index count_ = 0;
  std::size_t taken_ = 0;
};

// At most ten names, for messages.
std::string listed(const std::vector<ZipMember>& members) {
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(members.size(), 10); ++i) {
    list.append(i == 0 ? "'" : ", '").append(printable(members[i].name)).append("'");
  }
  return members.size() > 10 ? list + ", ..." : list;
}

// The member of an array, null if there is none; two of one name are refused, as readers differ in which they
// take.
const ZipMember* find_member(const ZipArchive& archive, const std::string& array, const std::string& file) {
  const ZipMember* found = nullptr;
  for (const ZipMember& member : archive.members()) {
    if (member.name != array + ".npy") continue;
    if (found != nullptr) throw DataError(file + ": two members are named '" + member.name + "'; keep one");
    found = &member;
  }
  return found;
}

// The same, with a message that lists the members and shows how to save them.
const ZipMember& need_member(const ZipArchive& archive, const std::string& array, const std::string& file) {
  const ZipMember* member = find_member(archive, array, file);
  if (member != nullptr) return *member;
  throw DataError(file + ": no member '" + array + ".npy'; have: " + listed(archive.members()) +
                  "; save the features as X and the response as y: numpy.savez(file, X=X, y=y)");
}

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
    pick("X", rows, cols, 0, layout_.cols, texts);
    pick("y", rows, cols, layout_.cols, layout_.cols + 1, texts);
    if (has_weights_) pick("w", rows, cols, layout_.cols + 1, layout_.cols + 2, texts);
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

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const ZipMember& member : archive->members()) {
      const bool used = member.name == "X.npy" || member.name == "y.npy" || &member == weights;
      if (used) continue;
      notes.push_back("member '" + printable(member.name) + "' of the archive was not used" +
                      (member.name == "w.npy" ? " (weights: `weights = w`)" : ""));
    }
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

  std::string name;
  std::shared_ptr<const ZipArchive> archive;
  ArrayStream x, y;
  std::optional<ArrayStream> w;
  const ZipMember* weights = nullptr;
  Layout layout;
  Index first_row = 0;  // of the table
};

}  // namespace

// Shapes are compared before anything is allocated; then X, y and w of each are read in turn, and judged
// together.
Dataset read_npz_dataset(std::span<const std::filesystem::path> paths, const std::string& name,
                         const ReadOptions& options, const Executor& executor, const Observer& observer) {
  std::vector<std::unique_ptr<NpzFile>> files;
  Index num_rows = 0;
  std::size_t bytes = 0;
  for (const std::filesystem::path& path : paths) {
    NpzFile& file = *files.emplace_back(std::make_unique<NpzFile>(path, options.weights == "w"));
    require_same_columns(file.columns(), file.name, files.front()->columns(), files.front()->name);
    file.first_row = std::exchange(num_rows, num_rows + file.layout.rows);
    bytes += file.archive->file_bytes();
  }
  Table table(name, assign_roles(files.front()->columns(), options, name), options, executor.memory());
  std::set<std::string> said;
  for (const auto& file : files) {
    for (const std::string& note : file->notes())
      if (said.insert(note).second) table.add_note(note);
    if (files.size() > 1) table.add_file(file->name, file->first_row);
  }
  table.allocate(num_rows);
  std::atomic<std::size_t> done{0};
  const auto told = [&](std::size_t more) {
    tell_bytes(observer, done.fetch_add(more, std::memory_order_relaxed) + more, bytes);
  };
  if (files.size() == 1) {
    files.front()->fill(table.slots(), told);
  } else {
    executor.for_each(std::ssize(files),
                      [&](Index i) { files[at(i)]->fill(slots_from(table, files[at(i)]->first_row), told); });
  }
  judge_filled(table, table.slots(), num_rows, executor);
  std::vector<std::unique_ptr<Dataset::Origin>> origins;
  std::vector<Index> counts;
  for (const auto& file : files) {
    counts.push_back(file->layout.rows);
    origins.push_back(
        std::make_unique<NpzOrigin>(file->archive, file->name, file->layout, file->weights != nullptr));
  }
  return std::move(table).finish(num_rows, joined_origin(std::move(origins), counts));
}

}  // namespace giga
