#include "fuzz/support/target.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>

#include "giga/base/text.hpp"

namespace giga::fuzz {

void broken(const std::string& law) {
  std::fprintf(stderr, "fuzz: does not hold: %s\n", law.c_str());
  std::abort();
}

void require_printable(const std::string& message) {
  for (std::string_view rest = message; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (printable(line, line.size() + 1) != line)
      broken("messages are printable: " + printable(message, 1000));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace giga::fuzz
