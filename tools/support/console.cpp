// Bytes to stdout and stderr by write(2): nothing is buffered, so nothing is lost when the process ends, and
// errors are seen where they occur.
#include "support/console.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "giga/base/error.hpp"
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

bool has_value(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

void write_stdout(std::string_view bytes) {
  if (!this_process().leads()) return;
  const int error = write_all(STDOUT_FILENO, bytes);
  if (error == EPIPE) throw ClosedPipe{};
  if (error != 0) throw IoError("stdout: cannot write: " + std::system_category().message(error));
}

void write_stderr(std::string_view text) noexcept {
  if (this_process().leads()) write_stderr_of_rank(text);
}

void write_stderr_of_rank(std::string_view text) noexcept {
  (void)write_all(STDERR_FILENO, text);
}

void say_error(std::string_view message) noexcept {
  try {
    const bool colours = stderr_has_colours();
    std::string line = "giga: ";
    line += colours ? "\x1b[1;31merror:\x1b[0m " : "error: ";
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
  return "\x1b[33m" + text + "\x1b[0m";
}

void Notes::operator()(const std::string& text) const {
  if (!quiet_) write_stderr("giga: note: " + spelled(text) + "\n");
}

}  // namespace giga::tool
