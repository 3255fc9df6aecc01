// Trees back to text, as R's deparse() does with all of it on one line.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "design/formula_lexer.hpp"
#include "giga/design/formula.hpp"

namespace giga {
namespace {

std::string in_quotes(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (c == quote || c == '\\') out += '\\';
        out += c;
    }
  }
  return out + quote;
}

// Whether R puts blanks around an operator.
bool is_spaced(const std::string& op) {
  return op != "^" && op != ":" && op != "/" && op != "%%" && op != "%/%";
}

bool is_operator(const std::string& name) {
  static const std::string kSigns = "~+-*/^:<>!&|%=";
  return !name.empty() && kSigns.find(name[0]) != std::string::npos;
}

}  // namespace

// R counts digits: the fewest, at most 15, that give the number to 15 digits; then the shorter of the two
// notations, the fixed one where they are equally long.
std::string deparse(double number) {
  if (number == 0) return "0";
  constexpr int kMostDigits = 15;
  std::array<char, 64> buffer{};
  const auto scientific = [&buffer](double value, int digits) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::scientific, digits - 1);
    return std::string(buffer.data(), end.ptr);
  };
  std::string text = scientific(number, kMostDigits);
  const std::size_t mark = text.find('e');
  std::string mantissa = text.substr(0, mark);
  const int exponent = std::stoi(text.substr(mark + 1));
  while (mantissa.back() == '0') mantissa.pop_back();
  if (mantissa.back() == '.') mantissa.pop_back();
  const int length = static_cast<int>(mantissa.size()) - (number < 0 ? 1 : 0);
  const int digits = length > 1 ? length - 1 : 1;  // the point is no digit
  const int decimals = std::max(0, digits - 1 - exponent);
  const int fixed_width = (exponent >= 0 ? exponent + 1 : 1) + (decimals > 0 ? decimals + 1 : 0);
  const int scientific_width = length + (std::abs(exponent) >= 100 ? 5 : 4);
  if (fixed_width > scientific_width) return mantissa + text.substr(mark);
  std::array<char, 512> wide{};
  const auto end =
      std::to_chars(wide.data(), wide.data() + wide.size(), number, std::chars_format::fixed, decimals);
  return {wide.data(), end.ptr};
}

std::string deparse(const Expression& expression) {
  const auto& arguments = expression.arguments;
  switch (expression.kind) {
    case Expression::Kind::Number: return expression.text;
    case Expression::Kind::Text: return in_quotes(expression.text, '"');
    case Expression::Kind::Dot: return ".";
    case Expression::Kind::Name:
      if (expression.text == "TRUE" || expression.text == "FALSE") return expression.text;
      return is_plain_name(expression.text) ? expression.text : in_quotes(expression.text, '`');
    case Expression::Kind::Call: break;
  }
  const std::string& name = expression.text;
  if (name == "(") return std::string("(").append(deparse(expression.argument(0))).append(")");
  if (is_operator(name)) {
    if (arguments.size() == 1) return name + deparse(expression.argument(0));
    const std::string blank = is_spaced(name) ? " " : "";
    return deparse(expression.argument(0))
        .append(blank)
        .append(name)
        .append(blank)
        .append(deparse(expression.argument(1)));
  }
  std::string text = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    if (!arguments[i].name.empty()) text.append(arguments[i].name).append(" = ");
    text += deparse(*arguments[i].value);
  }
  return text + ")";
}

namespace {

// Whether whatever is written after it would become part of it: `!` takes all that follows.
bool ends_in_negation(const Expression& expression) {
  const Expression* last = &expression;
  while (last->kind == Expression::Kind::Call && is_operator(last->text)) {
    if (last->text == "!" && last->arguments.size() == 1) return true;
    last = last->arguments.back().value.get();
  }
  return false;
}

}  // namespace

std::string deparse(const Formula& formula) {
  std::vector<std::string> parts;
  if (formula.terms != nullptr) parts.push_back(deparse(*formula.terms));
  for (const GroupTerm& group : formula.groups) parts.push_back("(" + group.text + ")");
  if (formula.terms != nullptr && ends_in_negation(*formula.terms))
    std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  std::string text = formula.response == nullptr ? "~" : deparse(*formula.response) + " ~";
  std::string before = " ";
  for (const std::string& part : parts) text.append(std::exchange(before, " + ")).append(part);
  return text;
}

}  // namespace giga
