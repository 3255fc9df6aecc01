// A source in front of another that looks at its first bytes before it hands them on.
#include "data/line_ends.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "data/csv_scan.hpp"

namespace giga {
namespace {

constexpr std::size_t kLookedAt = 1 << 16;

class NewlineSource : public ByteSource {
 public:
  explicit NewlineSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    first_.resize(kLookedAt);
    first_.resize(source_->read(first_.data(), first_.size()));
    ended_ = first_.size() < kLookedAt;
    replaces_ = has_old_line_ends(first_);
  }

  std::size_t read(char* out, std::size_t size) override {
    // First what was looked at, then the rest of the source.
    const std::size_t begun = std::min(size, first_.size() - used_);
    std::memcpy(out, first_.data() + used_, begun);
    used_ += begun;
    std::size_t count = begun;
    if (count < size && !ended_) count += source_->read(out + count, size - count);
    if (replaces_) std::replace(out, out + count, '\r', '\n');
    return count;
  }
  std::size_t taken() const override { return source_->taken(); }
  std::size_t total() const override { return source_->total(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string first_;
  std::size_t used_ = 0;
  bool ended_ = false, replaces_ = false;
};

}  // namespace

bool has_old_line_ends(std::string_view text) {
  text = text.substr(0, kMaxRowBytes);
  return text.find('\n') == std::string_view::npos && text.find('\r') != std::string_view::npos;
}

std::unique_ptr<ByteSource> with_newlines(std::unique_ptr<ByteSource> source) {
  return std::make_unique<NewlineSource>(std::move(source));
}

}  // namespace giga
