// Arrays with an entry for every row of the data, and where they live: in memory, or, beyond a limit, in
// files of a scratch folder that are mapped into it.
//
// The memory of a long array is mapped, not allocated: entries are 0 until they are written to, take no
// memory until then, and growing moves pages and copies nothing.
//
// Where several processes share the rows (executor.hpp), each holds some of them. Its arrays have all places
// nevertheless, so that a row has the same number everywhere; those of rows that it does not hold take
// no memory, and to touch them ends the program: no result is ever made of rows that are not there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "giga/base/types.hpp"

namespace giga {

class RowBytes;

/// Rows begin .. end - 1.
struct RowRange {
  Index begin = 0, end = 0;

  [[nodiscard]] Index size() const { return end - begin; }
  [[nodiscard]] bool contains(Index n) const { return n >= begin && n < end; }
};

/// How many bytes the arrays of a job may take in memory. Beyond that new ones are files without a name in
/// the scratch folder, which the system reads and writes as they are needed, and which are gone when the
/// process ends, however it ends.
class RowMemory {
 public:
  /// No limit.
  RowMemory() = default;
  /// `scratch` must be a folder that can be written to. Input that could be used in the files it is in is
  /// copied to it nevertheless if `copies_files`, as is right where that folder is on a faster disk.
  RowMemory(std::uint64_t limit, std::filesystem::path scratch, bool copies_files = false);

  /// Bytes, of the arrays that there are.
  [[nodiscard]] std::uint64_t in_memory() const { return in_memory_; }
  [[nodiscard]] std::uint64_t in_files() const { return in_files_; }
  /// The most that was ever in files.
  [[nodiscard]] std::uint64_t most_in_files() const { return most_in_files_; }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_; }
  [[nodiscard]] bool copies_files() const { return copies_files_; }
  /// Whether so many bytes more are within the limit: a long array of them would be in memory, and not in a
  /// file. Short ones always are, and do not count.
  [[nodiscard]] bool has_room_for(std::uint64_t bytes) const {
    const std::uint64_t taken = in_memory_;
    return bytes <= limit_ && taken <= limit_ - bytes;
  }

  /// That of whoever sets no limit.
  [[nodiscard]] static RowMemory& unlimited();

 private:
  friend class RowBytes;

  std::uint64_t limit_ = UINT64_MAX;
  std::filesystem::path scratch_;
  bool copies_files_ = false;
  std::atomic<std::uint64_t> in_memory_ = 0, in_files_ = 0, most_in_files_ = 0;
};

/// The bytes of an array; zero at first. RowArray gives them a type.
class RowBytes {
 public:
  explicit RowBytes(RowMemory& memory = RowMemory::unlimited(), std::size_t size = 0) : memory_(&memory) {
    resize(size);
  }
  /// Of `size` bytes only begin .. end - 1 are there. Such an array is not resized.
  RowBytes(RowMemory& memory, std::size_t size, std::size_t begin, std::size_t end);
  ~RowBytes() { release(); }
  RowBytes(RowBytes&& other) noexcept;
  RowBytes& operator=(RowBytes&& other) noexcept;

  /// Of `size` bytes those from `first` on are there: those of `part`, which are moved and not copied where
  /// that can be.
  [[nodiscard]] static RowBytes placed(RowBytes part, std::size_t size, std::size_t first);

  /// The new bytes are 0. Moves them. Throws std::bad_alloc, or IoError if the scratch folder is full.
  void resize(std::size_t size);
  /// Where only some bytes are there, these are from now on as well, and all between.
  void widen(std::size_t begin, std::size_t end);
  /// Where only some bytes are there, none but these are from now on.
  void narrow(std::size_t begin, std::size_t end);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// What begins `offset` bytes after the first, which is aligned for any vector.
  template <typename Element>
  [[nodiscard]] Element* as(std::size_t offset = 0) const {
    return reinterpret_cast<Element*>(data_ + offset);
  }

 private:
  enum class Place { Heap, Mapping, File };  // short ones; long ones; those beyond the limit

  [[nodiscard]] Place place_for(std::size_t size) const;
  void make(Place place, std::size_t size);
  void resize_mapping(std::size_t size);
  void set_file_size(std::size_t size) const;
  void reserve(std::size_t begin, std::size_t end) const;
  [[noreturn]] void fail_to_fit(std::size_t size, int error) const;
  void open_pages(std::size_t begin, std::size_t end) const;
  void count(std::size_t size, bool added) const noexcept;
  // Those that count.
  [[nodiscard]] std::size_t present() const { return partial_ ? end_ - begin_ : size_; }
  void release() noexcept;

  RowMemory* memory_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // what is there, if partial_
  bool partial_ = false;
  std::byte* mapping_ = nullptr;  // what data_ is in, if partial_
  std::size_t mapped_ = 0;
  Place place_ = Place::Heap;
  int file_ = -1;
};

/// first * second, both >= 0; std::bad_alloc if so many bytes could not be addressed.
[[nodiscard]] Index checked_product(Index first, Index second);

/// An array of plain numbers. Movable, not copyable: it may take most of the memory.
template <typename T>
class RowArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  RowArray() = default;
  explicit RowArray(RowMemory& memory, Index count = 0) : bytes_(memory) { resize(count); }
  /// Of `count` entries, those of `held` are there; `each` to a row, which `count` and `held` number.
  RowArray(RowMemory& memory, Index count, const RowRange& held, Index each = 1) : bytes_(memory) {
    const Index unit = checked_product(each, Index{sizeof(T)});
    const std::size_t size = at(checked_product(count, unit));
    if (held.size() == count) {
      bytes_.resize(size);
    } else {
      bytes_ = RowBytes(memory, size, at(held.begin * unit), at(held.end * unit));
    }
  }

  /// Room for exactly `count` entries, the new ones 0. Moves the array. Throws std::bad_alloc or IoError.
  void resize(Index count) { bytes_.resize(at(checked_product(count, Index{sizeof(T)}))); }
  /// Room for at least `count` entries, growing by doubling: all moves together take as long as the last.
  void grow(Index count) {
    const auto present = static_cast<Index>(size());
    if (count > present) resize(std::max(count, 2 * present));
  }

  /// Entries begin .. end - 1 are there from now on as well, and all between these and those that are.
  void widen(Index begin, Index end) { bytes_.widen(at(begin) * sizeof(T), at(end) * sizeof(T)); }
  /// No entries but these are there from now on.
  void narrow(Index begin, Index end) { bytes_.narrow(at(begin) * sizeof(T), at(end) * sizeof(T)); }
  /// Of `count` entries those from `first` on, which are those of `part`.
  [[nodiscard]] static RowArray placed(RowArray part, Index count, Index first) {
    RowArray out;
    out.bytes_ = RowBytes::placed(std::move(part.bytes_), at(checked_product(count, Index{sizeof(T)})),
                                  at(first) * sizeof(T));
    return out;
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size() / sizeof(T); }
  [[nodiscard]] bool empty() const { return bytes_.size() == 0; }
  [[nodiscard]] T* data() { return reinterpret_cast<T*>(bytes_.data()); }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }
  [[nodiscard]] T& operator[](std::size_t i) { return data()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size(); }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size(); }

 private:
  RowBytes bytes_;
};

}  // namespace giga
