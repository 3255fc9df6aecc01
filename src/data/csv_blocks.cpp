// A buffer that is filled from the source and cut after its last whole row; the bytes after the cut move to
// the front before the next read. It doubles, up to max_row_bytes, while it does not hold one whole row.
#include "data/csv_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "giga/base/error.hpp"

namespace giga {

CsvBlocks::CsvBlocks(ByteSource& source, std::string name, const CsvSizes& sizes)
    : source_(source),
      name_(std::move(name)),
      sizes_(sizes),
      buffer_(std::make_unique_for_overwrite<char[]>(sizes.block_bytes)),
      capacity_(sizes.block_bytes) {}

// The position after the last newline outside quotes, 0 if there is none. The buffer begins with a row, so a
// byte lies inside quotes if the number of quotes before it is odd. Walking back from the end, where that
// number is the total, `inside` says it of text[at - 1].
std::size_t CsvBlocks::last_row_end() const {
  const std::string_view text(buffer_.get(), size_);
  const auto quotes = std::count(text.begin(), text.end(), '"');
  bool inside = quotes % 2 != 0;
  for (std::size_t at = size_; at > 0; --at) {
    const char c = text[at - 1];
    if (c == '"') inside = !inside;
    if (c == '\n' && !inside) return at;
  }
  return 0;
}

std::string_view CsvBlocks::next() {
  std::memmove(buffer_.get(), buffer_.get() + used_, size_ - used_);
  size_ -= std::exchange(used_, 0);
  // Invariant: buffer_[0 .. size_) is text that no block has had yet, and begins with a row.
  while (true) {
    if (!ended_) {
      // A source returns less than it was asked for only at its end.
      const std::size_t wanted = capacity_ - size_;
      const std::size_t got = source_.read(buffer_.get() + size_, wanted);
      size_ += got;
      ended_ = got < wanted;
    }
    // At the end whatever is left is a block, its last row perhaps without a newline.
    used_ = ended_ ? size_ : last_row_end();
    if (used_ > 0 || ended_) return {buffer_.get(), used_};
    if (capacity_ >= sizes_.max_row_bytes) {
      throw DataError(name_ + long_row_words(sizes_.max_row_bytes));
    }
    capacity_ = std::min(2 * capacity_, sizes_.max_row_bytes);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    std::memcpy(larger.get(), buffer_.get(), size_);
    buffer_ = std::move(larger);
  }
}

}  // namespace giga
