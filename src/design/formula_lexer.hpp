// A formula cut into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

struct Token {
  enum class Kind { Number, Text, Name, Dot, Operator, End };

  Kind kind;
  std::string text;     // a name without backticks, a text without quotes, an operator
  double number = 0;    // of a Number; `text` is then how R writes it
  Index offset = 0;     // where it begins
  bool quoted = false;  // a name in backticks

  [[nodiscard]] bool is(std::string_view op) const { return kind == Kind::Operator && text == op; }
};

/// Whether a name needs no backticks.
[[nodiscard]] bool is_plain_name(std::string_view name);

/// The tokens in their order, an End after the last. Throws FormulaError.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view formula);

}  // namespace giga
