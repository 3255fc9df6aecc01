// Bytes to stdout and stderr by write(2): nothing is buffered, so nothing is lost when the process ends, and
// errors are seen where they occur.
#include "support/console.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <system_error>

#include "giga/base/error.hpp"
#include "giga/base/printable.hpp"
#include "giga/base/text.hpp"
#include "support/exit_codes.hpp"
#include "support/process.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

constexpr std::size_t kMessageLimit = 8192;

// 0 or the errno that stopped it.
int write_all(int fd, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool is_live(int fd) {
  const char* terminal = std::getenv("TERM");
  return ::isatty(fd) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// What a terminal may be told besides text: to draw a line anew, and in which colour.
constexpr std::string_view kRed = "\x1b[1;31m", kAmber = "\x1b[33m", kCyan = "\x1b[36m", kPlain = "\x1b[0m";
constexpr std::array<std::string_view, 4> kColours = {kRed, kAmber, kCyan, kPlain};
constexpr std::array<std::string_view, 5> kColoursAndLines = {kRed, kAmber, kCyan, kPlain, kNewLine};

// Text as a terminal may see it. What came from a file, a name or an option was made printable where it
// became part of a message; the cells of a table were not, and here nothing passes but our own sequences.
std::string for_terminal(std::string_view text, std::span<const std::string_view> own_sequences) {
  std::string out;
  // Invariant: `out` is what is shown of the text before `text`.
  while (!text.empty()) {
    std::size_t first = std::string_view::npos, length = 0;
    for (const std::string_view own : own_sequences) {
      const std::size_t found = text.find(own);
      if (found < first) first = found, length = own.size();
    }
    if (first == std::string_view::npos) break;
    out += printable_lines(text.substr(0, first));
    out += text.substr(first, length);
    text.remove_prefix(first + length);
  }
  return out + printable_lines(text);
}

bool has_value(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

void write_stdout(std::string_view bytes) {
  if (!this_process().leads()) return;
  // A file or a pipe gets every byte: a table has to be the same when it is read again.
  const int error = ::isatty(STDOUT_FILENO) == 1 ? write_all(STDOUT_FILENO, for_terminal(bytes, kColours))
                                                 : write_all(STDOUT_FILENO, bytes);
  if (error == EPIPE) throw ClosedPipe{};
  if (error != 0) throw IoError("stdout: cannot write: " + std::system_category().message(error));
}

void write_stderr(std::string_view text) noexcept {
  if (this_process().leads()) write_stderr_of_rank(text);
}

void write_stderr_of_rank(std::string_view text) noexcept {
  try {
    (void)write_all(STDERR_FILENO, for_terminal(text, kColoursAndLines));
  } catch (...) {  // no memory left to be careful with
    (void)write_all(STDERR_FILENO, text);
  }
}

void say_error(std::string_view message) noexcept {
  try {
    std::string line = "giga: ";
    line += stderr_has_colours() ? std::string(kRed).append("error:").append(kPlain) : "error:";
    line += " ";
    // Several lines where a caret stands under a place.
    std::string rest = spelled(message);
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
      line += printable(std::string_view(rest).substr(0, end), kMessageLimit) + "\n";
      rest.erase(0, end + 1);
    }
    write_stderr(line + printable(rest, kMessageLimit) + "\n");
  } catch (...) {  // no memory left to be careful with
    write_stderr("giga: error: ");
    write_stderr(message);
    write_stderr("\n");
  }
}

bool stderr_is_live() {
  return is_live(STDERR_FILENO);
}

bool stderr_has_colours() {
  return stderr_is_live() && !has_value("NO_COLOR");
}

bool stdout_has_colours() {
  return is_live(STDOUT_FILENO) && !has_value("NO_COLOR");
}

std::string amber(const std::string& text) {
  return std::string(kAmber).append(text).append(kPlain);
}

std::string cyan(const std::string& text) {
  return std::string(kCyan).append(text).append(kPlain);
}

void Notes::operator()(const std::string& text) const {
  if (!quiet_) write_stderr("giga: note: " + spelled(text) + "\n");
}

}  // namespace giga::tool
