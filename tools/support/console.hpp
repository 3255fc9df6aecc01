// The two standard streams: results go to stdout and must arrive, messages go to stderr and may be lost.
// Nothing here depends on the locale. Of several ranks (process.hpp) only the one that leads is heard.
#pragma once

#include <string>
#include <string_view>

namespace giga::tool {

/// A part of the output with an empty line before it; nothing where there is no such part.
[[nodiscard]] inline std::string after_blank(const std::string& part) {
  return part.empty() ? part : "\n" + part;
}

/// Back to the first column, and away with what is there.
inline constexpr std::string_view kNewLine = "\r\x1b[K";

/// Throws IoError when the bytes cannot be written, ClosedPipe when nobody reads them any more. A terminal
/// gets them in printable form, with colours.
void write_stdout(std::string_view bytes);

/// In printable form; a live terminal gets colours and kNewLine.
void write_stderr(std::string_view text) noexcept;

/// Of any rank: for its last words.
void write_stderr_of_rank(std::string_view text) noexcept;

/// "giga: error: ..." in one line, whatever the message holds; fields are spelled as options (spelling.hpp).
void say_error(std::string_view message) noexcept;

/// stderr is a terminal that can redraw a line.
[[nodiscard]] bool stderr_is_live();

/// Colours are welcome on stderr: a live terminal, and NO_COLOR is unset or empty (no-color.org).
[[nodiscard]] bool stderr_has_colours();

/// The same of stdout.
[[nodiscard]] bool stdout_has_colours();

/// Text in the colour of a doubt.
[[nodiscard]] std::string amber(const std::string& text);

/// Text in the colour of work being done.
[[nodiscard]] std::string cyan(const std::string& text);

/// Remarks on stderr that change nothing: "giga: note: ...", with fields spelled as options (spelling.hpp).
class Notes {
 public:
  explicit Notes(bool quiet) : quiet_(quiet) {}
  void operator()(const std::string& text) const;

 private:
  bool quiet_;
};

}  // namespace giga::tool
