// Characters to tokens, by the rules of R: names may have dots, numbers may end in L, texts may be in either
// kind of quotes and have escapes.
#include "design/formula_lexer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "design/near_names.hpp"
#include "giga/base/text.hpp"
#include "giga/design/formula.hpp"

namespace giga {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Bytes above 127 are parts of letters in UTF-8.
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) {
  return begins_name(c) || is_digit(c) || c == '.' || c == '_';
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_reserved(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kReserved = {
      "if", "else", "for", "while", "repeat", "function", "break", "next", "in", "NULL", "NA", "Inf", "NaN"};
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    while (true) {
      while (here_ < text_.size() && is_blank(text_[here_])) ++here_;
      if (here_ == text_.size()) break;
      tokens.push_back(next());
    }
    tokens.push_back({Token::Kind::End, "", 0, static_cast<Index>(text_.size())});
    return tokens;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return here_ + ahead < text_.size() ? text_[here_ + ahead] : '\0';
  }

  [[noreturn]] void fail(std::size_t place, const std::string& sentence) const {
    throw FormulaError(text_, static_cast<Index>(place), sentence);
  }

  Token next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (begins_name(c) || c == '.') return word();
    if (c == '"' || c == '\'') return quoted(c, Token::Kind::Text);
    if (c == '`') return quoted(c, Token::Kind::Name);
    if (c == '%') return percent();
    return symbol();
  }

  Token number() {
    const std::size_t begin = here_;
    while (is_digit(peek())) ++here_;
    if (peek() == '.') ++here_;
    while (is_digit(peek())) ++here_;
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (!is_digit(peek(sign))) fail(here_, "a number has no digits after its exponent sign");
      here_ += sign;
      while (is_digit(peek())) ++here_;
    }
    // parse_double wants digits on both sides of a point.
    std::string digits;
    for (std::size_t i = begin; i < here_; ++i) {
      if (text_[i] == '.' && digits.empty()) digits.push_back('0');
      digits.push_back(text_[i]);
      if (text_[i] == '.' && (i + 1 == here_ || !is_digit(text_[i + 1]))) digits.push_back('0');
    }
    const std::optional<double> value = parse_double(digits);
    if (!value) fail(begin, "this number is too large");
    const bool whole = peek() == 'L';
    if (whole) ++here_;
    if (continues_name(peek()))
      fail(here_, "a name cannot begin with a digit; put such a name into backticks: `" +
                      printable(text_.substr(begin, here_ + 1 - begin)) + "...`");
    return {Token::Kind::Number, deparse(*value) + (whole ? "L" : ""), *value, static_cast<Index>(begin)};
  }

  Token word() {
    const std::size_t begin = here_;
    while (continues_name(peek())) ++here_;
    const std::string name(text_.substr(begin, here_ - begin));
    if (name == ".") return {Token::Kind::Dot, ".", 0, static_cast<Index>(begin)};
    if (is_reserved(name))
      fail(begin, quoted_text(name) + " means something else in R; put a column of this name into backticks");
    return {Token::Kind::Name, name, 0, static_cast<Index>(begin)};
  }

  Token quoted(char quote, Token::Kind kind) {
    const std::size_t begin = here_++;
    std::string inside;
    while (peek() != quote) {
      if (here_ >= text_.size())
        fail(begin, std::string(kind == Token::Kind::Name ? "a backtick" : "a quote") +
                        " is opened here and never closed");
      if (peek() == '\\') {
        ++here_;
        inside += escaped();
      } else {
        inside += text_[here_];
      }
      ++here_;
    }
    ++here_;
    if (kind == Token::Kind::Name && inside.empty()) fail(begin, "there is no name between the backticks");
    return {kind, inside, 0, static_cast<Index>(begin), kind == Token::Kind::Name};
  }

  char escaped() const {
    switch (peek()) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      case '\\':
      case '"':
      case '\'':
      case '`': return peek();
      default: fail(here_, "after a backslash there can be n, t, r, a quote or another backslash");
    }
  }

  Token percent() {
    const std::size_t begin = here_;
    const std::size_t end = text_.find('%', here_ + 1);
    const std::string name(end == std::string_view::npos ? "" : text_.substr(begin, end + 1 - begin));
    if (name != "%%" && name != "%/%" && name != "%in%")
      fail(begin,
           "operators between percent signs are %in% (nested in), %% (remainder) and %/% (whole part)");
    here_ = end + 1;
    return {Token::Kind::Operator, name, 0, static_cast<Index>(begin)};
  }

  Token symbol() {
    const std::size_t begin = here_;
    const auto at_place = static_cast<Index>(begin);
    const std::string_view two = text_.substr(begin, 2);
    if (two == "<-") fail(begin, "'<-' assigns in R; write a comparison with a negative number as x < -1");
    if (two == "&&") fail(begin, "'&&' is not for columns; write &");
    for (const char* op : {"<=", ">=", "==", "!=", "||", "**"})
      if (two == op) {
        here_ += 2;
        return {Token::Kind::Operator, two == "**" ? "^" : op, 0, at_place};
      }
    static constexpr std::string_view kSingle = "~+-*/^:()<>!&|,=";
    if (kSingle.find(text_[begin]) == std::string_view::npos)
      fail(begin, quoted_text(text_.substr(begin, 1)) +
                      " has no meaning in a formula; a column whose name has such a character goes into "
                      "backticks");
    ++here_;
    return {Token::Kind::Operator, std::string(1, text_[begin]), 0, at_place};
  }

  std::string_view text_;
  std::size_t here_ = 0;
};

}  // namespace

bool is_plain_name(std::string_view name) {
  if (name.empty() || is_reserved(name) || name == "TRUE" || name == "FALSE") return false;
  if (!begins_name(name[0]) && (name[0] != '.' || (name.size() > 1 && is_digit(name[1])))) return false;
  return std::all_of(name.begin(), name.end(), continues_name);
}

std::vector<Token> tokens_of(std::string_view formula) {
  return Lexer(formula).all();
}

}  // namespace giga
