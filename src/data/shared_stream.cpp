// The bytes travel in pieces, and each rank keeps them in a file in memory (memfd), which is then read as the
// stream would have been. A piece without bytes is the end.
#include "data/shared_stream.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <system_error>

#include "giga/base/error.hpp"

namespace giga {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{16} << 20;

[[noreturn]] void fail(const std::string& name, const char* what) {
  throw IoError(name + ": " + what + ": " + std::system_category().message(errno));
}

// Fewer bytes than asked for only at the end.
Bytes next_piece(int descriptor, const std::string& name) {
  Bytes piece(kPieceBytes);
  std::size_t filled = 0;
  while (filled < piece.size()) {
    const ssize_t got = ::read(descriptor, piece.data() + filled, piece.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, "cannot read");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  piece.resize(filled);
  return piece;
}

void append(int descriptor, std::span<const std::byte> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(name, "cannot keep its bytes in memory");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

SharedStream::SharedStream(int descriptor, const std::string& name, const Executor& executor)
    : original_(descriptor) {
  if (executor.num_ranks() == 1) return;
  copy_ = ::memfd_create("giga-input", MFD_CLOEXEC);
  if (copy_ < 0) fail(name, "cannot keep its bytes in memory");
  try {
    while (true) {
      const Bytes piece = executor.spread(1, [&](Index) { return next_piece(original_, name); })[0];
      if (piece.empty()) break;
      append(copy_, piece, name);
    }
    if (::lseek(copy_, 0, SEEK_SET) < 0) fail(name, "cannot go back to its beginning");
  } catch (...) {
    ::close(copy_);
    throw;
  }
}

SharedStream::~SharedStream() {
  if (copy_ >= 0) ::close(copy_);
}

}  // namespace giga
