// The arrays of an .npz archive: members found by name, and their elements as a stream of doubles.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "data/zip_archive.hpp"
#include "giga/base/error.hpp"
#include "giga/base/matrix_view.hpp"
#include "giga/base/text.hpp"
#include "giga/data/npy.hpp"

namespace giga {

// Read at once, to have the header; a longer header than this is refused as cut.
inline constexpr std::size_t kPrefixBytes = std::size_t{1} << 16;
inline constexpr Index kBufferElements = Index{1} << 16;

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
  /// Of the elements so far, those that had to be rounded.
  Index rounded() const { return rounded_; }

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
      const std::span<const double> some(values.data(), static_cast<std::size_t>(count));
      rounded_ += count_rounded(header_.scalar, some);
      body(first, some);
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
  Index count_ = 0, rounded_ = 0;
  std::size_t taken_ = 0;
};

// At most ten names, for messages.
inline std::string listed_members(const std::vector<ZipMember>& members) {
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(members.size(), 10); ++i) {
    list.append(i == 0 ? "'" : ", '").append(printable(members[i].name)).append("'");
  }
  return members.size() > 10 ? list + ", ..." : list;
}

// The member of an array, null if there is none; two of one name are refused, as readers differ in which they
// take.
[[nodiscard]] inline const ZipMember* find_member(const ZipArchive& archive, const std::string& array,
                                                  const std::string& file) {
  const ZipMember* found = nullptr;
  for (const ZipMember& member : archive.members()) {
    if (member.name != array + ".npy") continue;
    if (found != nullptr) throw DataError(file + ": two members are named '" + member.name + "'; keep one");
    found = &member;
  }
  return found;
}

// The same, with a message that lists the members and shows how to save them.
[[nodiscard]] inline const ZipMember& need_member(const ZipArchive& archive, const std::string& array,
                                                  const std::string& file) {
  const ZipMember* member = find_member(archive, array, file);
  if (member != nullptr) return *member;
  throw DataError(file + ": no member '" + array + ".npy'; have: " + listed_members(archive.members()) +
                  "; save the features as X and the response as y: numpy.savez(file, X=X, y=y)");
}

}  // namespace giga
