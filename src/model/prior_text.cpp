// Priors as text, read and written:
//
//   prior  = name [ "(" number { "," number } ")" ]
//   named  = [ label "=" ] prior
//
// What is wrong is told with the text and a caret under the place.
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/model/scalar_prior.hpp"

namespace giga {
namespace {

// The numbers of a prior in the order of its text; the words of the table of names tell what they are.
std::vector<double ScalarPrior::*> numbers_of(PriorKind kind) {
  using P = ScalarPrior;
  switch (kind) {
    case PriorKind::Flat: return {};
    case PriorKind::StudentT: return {&P::shape, &P::location, &P::scale};
    case PriorKind::HalfStudentT:
    case PriorKind::Gamma: return {&P::shape, &P::scale};
    case PriorKind::Exponential:
    case PriorKind::HalfNormal:
    case PriorKind::HalfCauchy: return {&P::scale};
    default: return {&P::location, &P::scale};
  }
}

// "student_t(df, location, scale)".
std::string form_of(PriorKind kind) {
  std::string text(name(kind));
  return kind == PriorKind::Flat ? text : text.append("(").append(words(kind)).append(")");
}

// "normal, student_t, ... or gamma".
std::string all_names() {
  std::string text;
  const auto names = names_of<PriorKind>();
  for (std::size_t k = 0; k < names.size(); ++k)
    text.append(k == 0 ? "" : k + 1 == names.size() ? " or " : ", ").append(names[k]);
  return text;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

class PriorReader {
 public:
  // `text` is shown in messages; the prior begins at `from`.
  PriorReader(std::string_view text, std::size_t from, std::string_view field)
      : text_(text), field_(field), at_(from) {}

  ScalarPrior read() {
    skip();
    const std::size_t begin = at_;
    const std::string_view word = taken([](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (word.empty()) refuse(begin, "there is no distribution here; must be " + all_names());
    const auto kind = named<PriorKind>(word);
    if (!kind) refuse(begin, "'" + printable(word, 40) + "' is not a prior; must be " + all_names());
    ScalarPrior prior{.kind = *kind};
    read_numbers(prior);
    skip();
    if (at_ < text_.size()) refuse(at_, "nothing may follow the prior");
    return prior;
  }

 private:
  void read_numbers(ScalarPrior& prior) {
    const auto members = numbers_of(prior.kind);
    const std::string form = form_of(prior.kind);
    skip();
    if (members.empty() && at_ == text_.size()) return;
    expect('(', form);
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (k > 0) expect(',', form);
      const std::size_t begin = (skip(), at_);
      prior.*members[k] = number(form);
      const bool may_be_any = members[k] == &ScalarPrior::location;
      if (!may_be_any && !(prior.*members[k] > 0)) refuse(begin, "must be positive: " + form);
    }
    expect(')', form);
  }

  double number(const std::string& form) {
    skip();
    const std::size_t begin = at_;
    const std::string_view digits = taken([](char c) {
      return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
    });
    const auto value = parse_double(digits);
    if (!value) refuse(begin, "there must be a number here: " + form);
    return *value + 0.0;  // -0 becomes 0
  }

  void expect(char c, const std::string& form) {
    skip();
    if (at_ == text_.size() || text_[at_] != c)
      refuse(at_, std::string("there must be '") + c + "' here: " + form);
    ++at_;
  }

  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  template <typename Belongs>
  std::string_view taken(const Belongs& belongs) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // The caret stands under byte `place`, as far as the text before it is shown as it is.
  [[noreturn]] void refuse(std::size_t place, const std::string& what) const {
    constexpr std::size_t kShown = 200;
    const std::string before = printable(text_.substr(0, place), kShown);
    std::size_t columns = 0;  // characters, not bytes: those that continue one are 10xxxxxx
    for (const char c : before) columns += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    throw OptionError("`" + std::string(field_) + "`: " + what + "\n  " + printable(text_, kShown) + "\n  " +
                      std::string(columns, ' ') + "^");
  }

  std::string_view text_, field_;
  std::size_t at_;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// To so many significant digits; 0: as it is.
double rounded(double value, int digits) {
  if (digits == 0) return value;
  std::array<char, 32> room{};
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::scientific, digits - 1);
  return parse_double({room.data(), end.ptr}).value_or(value);
}

}  // namespace

ScalarPrior parse_prior(std::string_view text, std::string_view field) {
  return PriorReader(text, 0, field).read();
}

NamedPrior parse_named_prior(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return {{}, parse_prior(text)};
  std::string_view label = trimmed(text.substr(0, equals));
  if (label.size() > 2 && label.front() == '`' && label.back() == '`')
    label = label.substr(1, label.size() - 2);
  if (label.empty())
    throw OptionError("`prior`: there must be a name before '='\n  " + printable(text, 200) + "\n  ^");
  return {std::string(label), PriorReader(text, equals + 1, "prior").read()};
}

std::string ScalarPrior::text(int digits) const {
  std::string out(name(kind));
  const auto members = numbers_of(kind);
  for (std::size_t k = 0; k < members.size(); ++k)
    out.append(k == 0 ? "(" : ", ").append(shortest(rounded(this->*members[k], digits)));
  return members.empty() ? out : out + ")";
}

}  // namespace giga
