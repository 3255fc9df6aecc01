// Where a formula is wrong, drawn:
//
//     y ~ x + lgo(z)
//             ^
//
// A formula of more than kWidth characters is cut to those around the place. Control characters are drawn as
// blanks, so that the caret stands where it should.
#include <algorithm>

#include "giga/base/text.hpp"
#include "giga/design/formula.hpp"

namespace giga {
namespace {

constexpr Index kWidth = 100;
constexpr std::size_t kLongestSentence = 4096;  // of a sentence, which may have words of the formula in it

// One entry per character, bytes that continue a UTF-8 character with the one they belong to.
struct Characters {
  std::vector<std::string> drawn;
  Index place = 0;  // the character of the offset
};

Characters characters_of(std::string_view text, Index offset) {
  Characters found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80 && byte < 0xC0 && !found.drawn.empty()) {
      found.drawn.back() += text[i];
    } else {
      found.drawn.emplace_back(1, byte < 0x20 || byte == 0x7F ? ' ' : text[i]);
    }
    if (static_cast<Index>(i) == offset) found.place = std::ssize(found.drawn) - 1;
  }
  return found;
}

std::string draw(std::string_view text, Index offset) {
  const Characters all = characters_of(text, offset);
  const Index size = std::ssize(all.drawn);
  const Index first = size <= kWidth ? 0 : std::clamp<Index>(all.place - kWidth / 2, 0, size - kWidth);
  const Index last = std::min(size, first + kWidth);
  std::string line = first > 0 ? "..." : "";
  const Index caret = std::ssize(line) + all.place - first;
  for (Index i = first; i < last; ++i) {
    // Bytes that are not UTF-8 could upset a terminal: one mark each.
    const std::string safe = printable(all.drawn[at(i)]);
    line += safe.size() == all.drawn[at(i)].size() ? safe : "?";
  }
  if (last < size) line += "...";
  return line + '\n' + std::string(at(caret), ' ') + '^';
}

Index inside(std::string_view text, Index offset) {
  return std::clamp<Index>(offset, 0, std::max<Index>(std::ssize(text) - 1, 0));
}

}  // namespace

struct FormulaError::Drawn {
  Index offset;
  std::string sentence, rendering;
};

FormulaError::FormulaError(std::string_view formula, Index offset, const std::string& sentence)
    : FormulaError(Drawn{inside(formula, offset), printable(sentence, kLongestSentence),
                         draw(formula, inside(formula, offset))}) {}

FormulaError::FormulaError(const Drawn& drawn)
    : OptionError("`formula`: " + drawn.sentence + "\n" + drawn.rendering),
      offset_(drawn.offset),
      sentence_(drawn.sentence),
      rendering_(drawn.rendering) {}

}  // namespace giga
