// Sources of bytes: a descriptor read to its end, a mapped file, and a gzip file (RFC 1952) inflated by zlib.
// Pages of a mapped file are given back as they are consumed, so memory does not grow with its size.
#include "data/byte_source.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// A descriptor that belongs to somebody else: it is neither opened nor closed here.
class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  std::size_t read(char* out, std::size_t size) override {
    std::size_t done = 0;
    // read() may return fewer bytes than asked for, from a pipe above all; only 0 is the end.
    while (done < size) {
      const ssize_t count = ::read(fd_, out + done, size - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw IoError(name_ + ": cannot read: " + std::system_category().message(errno));
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    taken_ += done;
    return done;
  }
  std::size_t taken() const override { return taken_; }
  std::size_t total() const override { return 0; }

 private:
  int fd_;
  std::string name_;
  std::size_t taken_ = 0;
};

class MappedSource : public ByteSource {
 public:
  explicit MappedSource(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {}

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min(size, total() - taken_);
    std::memcpy(out, file_->bytes().data() + taken_, count);
    file_->release(taken_, count);
    taken_ += count;
    file_->require_whole();
    return count;
  }
  std::size_t taken() const override { return taken_; }
  std::size_t total() const override { return file_->bytes().size(); }

 private:
  std::shared_ptr<const MappedFile> file_;
  std::size_t taken_ = 0;
};

// Compressed bytes given to zlib at a time: the pages behind them are released after each step.
constexpr std::size_t kInputStep = std::size_t{1} << 20;
constexpr int kGzipOnly = 15 + 16;  // largest window, gzip header and trailer

// Members of a gzip file one after the other, as if they were one (`cat a.gz b.gz` is a valid file).
class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::shared_ptr<const MappedFile> file)
      : file_(std::move(file)), name_(printable_path(file_->path())) {
    file_->advise_sequential();
    if (!at_member(0)) fail("not gzip data; if it is plain text, name it .csv");
    if (::inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && !ended_) done += inflate_some(out + done, size - done);
    // Who asks for some bytes alone never comes to the checksum at their end.
    file_->require_whole();
    return done;
  }
  // Progress is told in compressed bytes, whose total is known.
  std::size_t taken() const override { return used_; }
  std::size_t total() const override { return file_->bytes().size(); }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    file_->require_whole();
    throw DataError(name_ + ": " + why);
  }

  // Whether a gzip member begins here: its two magic bytes.
  bool at_member(std::size_t at) const {
    const auto bytes = file_->bytes();
    return bytes.size() - at >= 2 && bytes[at] == std::byte{0x1F} && bytes[at + 1] == std::byte{0x8B};
  }

  // One call of inflate. Invariant: bytes [0, used_) of the file have been consumed. Returns the bytes made,
  // which may be 0 while a member's header or trailer is read.
  std::size_t inflate_some(char* out, std::size_t size) {
    const auto bytes = file_->bytes();
    const std::size_t given = std::min(kInputStep, bytes.size() - used_);
    // zlib counts in 32 bits.
    const std::size_t room = std::min<std::size_t>(size, std::size_t{1} << 30);
    // zlib promises not to write to its input; the cast is for its old interface.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data() + used_));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    // inflate() says what it left over; the rest was consumed or made.
    const std::size_t consumed = given - stream_.avail_in;
    const std::size_t made = room - stream_.avail_out;
    file_->release(used_, consumed);
    used_ += consumed;
    switch (status) {
      case Z_OK: break;
      case Z_STREAM_END: next_member(); break;
      // No progress was possible: seen below, where the file is at its end.
      case Z_BUF_ERROR: break;
      case Z_MEM_ERROR: throw std::bad_alloc();
      default:
        fail("corrupt gzip data near byte " + std::to_string(used_) + " (" +
             (stream_.msg != nullptr ? stream_.msg : "unknown reason") +
             "); copy or compress the file again");
    }
    // Neither read nor written though there was room: the file ended within a member.
    if (!ended_ && consumed == 0 && made == 0)
      fail("the gzip data ends early; the file was cut, copy it again");
    return made;
  }

  // Members follow each other; zeros may pad the last.
  void next_member() {
    const auto bytes = file_->bytes();
    if (used_ < bytes.size() && at_member(used_)) {
      if (::inflateReset2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
      return;
    }
    ended_ = true;
    // Tape drives pad with zeros; anything else after the last member is damage.
    const bool padding = std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(used_), bytes.end(),
                                     [](std::byte byte) { return byte == std::byte{0}; });
    if (!padding)
      fail("bytes that are not gzip follow at byte " + std::to_string(used_) + "; compress the file again");
    used_ = bytes.size();
  }

  std::shared_ptr<const MappedFile> file_;
  std::string name_;
  z_stream stream_{};
  std::size_t used_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> descriptor_source(int fd, std::string name) {
  return std::make_unique<DescriptorSource>(fd, std::move(name));
}

std::unique_ptr<ByteSource> mapped_source(std::shared_ptr<const MappedFile> file) {
  return std::make_unique<MappedSource>(std::move(file));
}

std::unique_ptr<ByteSource> gzip_source(std::shared_ptr<const MappedFile> file) {
  return std::make_unique<GzipSource>(std::move(file));
}

}  // namespace giga
