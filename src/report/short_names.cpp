// The names of one category begin with its column and end with their levels, so a third of the room is for
// the beginning and the rest for the end; where names differ in their middle alone, it is shown and the end
// goes. Widths are in columns of a terminal: letters of East Asian scripts and emoji take two.
#include "report/short_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "giga/base/text.hpp"

namespace giga {
namespace {

// Names are cut there whatever they are: a page must stay small.
constexpr std::size_t kLongest = 400;

struct Letter {
  std::string_view bytes;
  std::size_t width;
};

// Of well-formed UTF-8.
std::size_t width_of(std::string_view bytes) {
  // Where blocks of wide letters begin and end.
  constexpr std::array<std::pair<unsigned, unsigned>, 8> kWide = {{{0x1100, 0x115F},
                                                                   {0x2E80, 0xA4CF},
                                                                   {0xAC00, 0xD7A3},
                                                                   {0xF900, 0xFAFF},
                                                                   {0xFE30, 0xFE6F},
                                                                   {0xFF00, 0xFF60},
                                                                   {0x1F300, 0x1FAFF},
                                                                   {0x20000, 0x3FFFD}}};
  unsigned code = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() > 1) code &= 0xFFU >> (bytes.size() + 1);
  for (const char next : bytes.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(next) & 0x3FU);
  return std::ranges::any_of(kWide,
                             [code](auto block) { return code >= block.first && code <= block.second; })
             ? 2
             : 1;
}

using Letters = std::vector<Letter>;

Letters letters_of(std::string_view text) {
  Letters letters;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    const std::string_view bytes = text.substr(i, end - i);
    letters.push_back({bytes, width_of(bytes)});
    i = end;
  }
  return letters;
}

std::size_t width_of(std::span<const Letter> letters) {
  std::size_t width = 0;
  for (const Letter& letter : letters) width += letter.width;
  return width;
}

// The first letters of at most `room` columns.
std::string first_of(std::span<const Letter> letters, std::size_t room) {
  std::string text;
  for (const Letter& letter : letters) {
    if (letter.width > room) break;
    room -= letter.width;
    text += letter.bytes;
  }
  return text;
}

// The last letters of at most `room` columns.
std::string last_of(std::span<const Letter> letters, std::size_t room) {
  std::size_t first = letters.size();
  while (first > 0 && letters[first - 1].width <= room) room -= letters[--first].width;
  return first_of(letters.subspan(first), width_of(letters.subspan(first)));
}

class Shortener {
 public:
  Shortener(std::size_t limit, std::string_view ellipsis)
      : limit_(limit), ellipsis_(ellipsis), gap_(width_of(letters_of(ellipsis))) {}

  // Beginning and end.
  [[nodiscard]] std::string of(const Letters& name) const {
    if (width_of(name) <= limit_) return first_of(name, limit_);
    const std::size_t room = limit_ - std::min(limit_, gap_), front = room / 3;
    return first_of(name, front).append(ellipsis_).append(last_of(name, room - front));
  }

  // Beginning, and what follows letter `from`: the first by which the name differs from others.
  [[nodiscard]] std::string from(const Letters& name, std::size_t from) const {
    const std::size_t room = limit_ - std::min(limit_, gap_), front = room / 3;
    const std::span<const Letter> rest = std::span(name).subspan(std::min(from, name.size()));
    std::string text = first_of(name, front).append(ellipsis_);
    if (width_of(rest) <= room - front) return text.append(last_of(name, room - front));
    const std::size_t back = room - front;
    return text.append(first_of(rest, back - std::min(back, gap_))).append(ellipsis_);
  }

 private:
  std::size_t limit_;
  std::string_view ellipsis_;
  std::size_t gap_;
};

// How many letters all names of a group begin with.
std::size_t common_start(const std::vector<Letters>& names, const std::vector<std::size_t>& group) {
  const Letters& one = names[group.front()];
  std::size_t common = one.size();
  for (const std::size_t k : group) {
    const auto differ = std::ranges::mismatch(one, names[k], {}, &Letter::bytes, &Letter::bytes);
    common = std::min(common, static_cast<std::size_t>(differ.in1 - one.begin()));
  }
  return common;
}

}  // namespace

std::vector<std::string> short_names(std::span<const std::string> names, std::size_t limit,
                                     std::string_view ellipsis) {
  const Shortener shortened(limit, ellipsis);
  std::vector<std::string> whole, out;
  for (const std::string& name : names) whole.push_back(printable(name, kLongest));
  std::vector<Letters> letters;
  for (const std::string& name : whole) {
    letters.push_back(letters_of(name));
    out.push_back(shortened.of(letters.back()));
  }
  // Names of one text are a group. Each pass shows the first letter by which those of a group differ, so a
  // group falls apart until all are alone, or what is left of it is the same throughout.
  for (bool again = true; again;) {
    again = false;
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t k = 0; k < out.size(); ++k) groups[out[k]].push_back(k);
    for (const auto& [text, group] : groups) {
      if (group.size() == 1) continue;
      const std::size_t start = common_start(letters, group);
      for (const std::size_t k : group) {
        out[k] = shortened.from(letters[k], start);
        again = again || out[k] != text;
      }
    }
  }
  std::set<std::string> taken;
  for (std::string& name : out) {
    const std::string as_it_was = name;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = std::string(as_it_was).append(" (").append(std::to_string(number)).append(")");
  }
  return out;
}

}  // namespace giga
