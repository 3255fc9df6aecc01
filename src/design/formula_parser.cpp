// Tokens to a tree, with the precedence of R's operators, from the loosest:
//
//     ~      | ||      &      ! (before one)      < <= > >= == !=      + -      * /
//     %in% %% %/%      :      + - (before one)      ^ (from the right)
//
// What the operators mean, terms or arithmetic, is decided in formula_check.cpp.
#include <algorithm>
#include <utility>

#include "design/formula_check.hpp"
#include "design/formula_lexer.hpp"
#include "giga/base/text.hpp"
#include "giga/design/formula.hpp"

namespace giga {
namespace {

constexpr Index kLongestFormula = 100'000;  // bytes of a formula
constexpr const char* kOneTilde = "a formula has one '~', between the response and the terms";
constexpr int kDeepest = 800;  // calls within calls of the parser: about two for a bracket

// From the loosest to the tightest.
enum Precedence : int { None, Tilde, Or, And, Not, Compare, Sum, Product, Percent, Colon, Sign, Power };

Precedence precedence_of(const Token& token) {
  if (token.kind != Token::Kind::Operator) return None;
  const std::string& op = token.text;
  if (op == "~") return Tilde;
  if (op == "|" || op == "||") return Or;
  if (op == "&") return And;
  if (op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=") return Compare;
  if (op == "+" || op == "-") return Sum;
  if (op == "*" || op == "/") return Product;
  if (op[0] == '%') return Percent;
  if (op == ":") return Colon;
  if (op == "^") return Power;
  return None;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokens_of(text)) {}

  ExpressionPointer whole() {
    if (here().kind == Token::Kind::End) fail(0, "the formula is empty; it looks like y ~ x + z");
    ExpressionPointer tree;
    if (here().is("~")) {
      const Token tilde = take();
      tree = call(tilde, {binary(Tilde + 1)});
    } else {
      tree = binary(Tilde);
    }
    if (here().kind != Token::Kind::End) unexpected();
    return tree;
  }

 private:
  [[nodiscard]] const Token& here() const { return tokens_[next_]; }
  Token take() { return tokens_[next_++]; }

  [[noreturn]] void fail(Index offset, const std::string& sentence) const {
    throw FormulaError(text_, offset, sentence);
  }

  // Something stands where an operator, or the end, was expected.
  [[noreturn]] void unexpected() const {
    const Token& token = here();
    if (token.is(")")) fail(token.offset, "this ')' closes nothing");
    if (token.is(",")) fail(token.offset, "a comma belongs between the arguments of a function");
    if (token.is("=")) fail(token.offset, "write == to compare; = gives a name to an argument of a function");
    if (token.is("~")) fail(token.offset, kOneTilde);
    if (token.is("!")) fail(token.offset, "expected an operator such as + before '!'");
    if (token.is("(")) fail(token.offset, "expected an operator such as + or : before '('");
    fail(token.offset, "expected an operator such as + or : before '" + printable(token.text) + "'");
  }

  static ExpressionPointer call(const Token& op, std::vector<ExpressionPointer> operands) {
    auto node = std::make_shared<Expression>();
    node->kind = Expression::Kind::Call;
    node->text = op.text;
    node->offset = op.offset;
    for (ExpressionPointer& operand : operands) node->arguments.push_back({"", std::move(operand)});
    return node;
  }

  static ExpressionPointer leaf(Expression::Kind kind, const Token& token) {
    auto node = std::make_shared<Expression>();
    node->kind = kind;
    node->text = token.text;
    node->number = token.number;
    node->offset = token.offset;
    return node;
  }

  // Operators of at least this precedence. A chain a + b + c is a loop here but a deep tree for all who walk
  // it: hence the limit on operators.
  ExpressionPointer binary(int least) {
    const Deeper deeper(*this);
    ExpressionPointer left = prefix();
    while (true) {
      const Precedence precedence = precedence_of(here());
      if (precedence == None || precedence < least) return left;
      if (precedence == Tilde && least != Tilde) return left;
      const Token op = take();
      if (op.is("~") && left->is_call("~")) fail(op.offset, kOneTilde);
      if (here().kind == Token::Kind::End) fail(op.offset, after(op));
      ExpressionPointer right = binary(precedence == Power ? Power : precedence + 1);
      if (precedence == Compare && precedence_of(here()) == Compare)
        fail(here().offset, "comparisons cannot be chained; write x > 1 & x < 3");
      if (++operators_ > kMostOperators) fail(op.offset, "the formula has too many operators");
      left = call(op, {std::move(left), std::move(right)});
    }
  }

  static std::string after(const Token& op) {
    if (op.is("~")) return "expected terms after '~', such as x + z, or 1 for an intercept alone";
    return "expected a column, a number or a call after '" + op.text + "'";
  }

  ExpressionPointer prefix() {
    const Deeper deeper(*this);
    if (here().is("!")) {
      const Token op = take();
      if (here().kind == Token::Kind::End) fail(op.offset, after(op));
      return call(op, {binary(Not)});
    }
    if (here().is("-") || here().is("+")) {
      const Token op = take();
      if (here().kind == Token::Kind::End) fail(op.offset, after(op));
      return call(op, {binary(Sign)});
    }
    return primary();
  }

  ExpressionPointer primary() {
    const Token token = here();
    switch (token.kind) {
      case Token::Kind::Number: ++next_; return leaf(Expression::Kind::Number, token);
      case Token::Kind::Text: ++next_; return leaf(Expression::Kind::Text, token);
      case Token::Kind::Dot: ++next_; return leaf(Expression::Kind::Dot, token);
      case Token::Kind::Name:
        ++next_;
        return here().is("(") ? function(token) : leaf(Expression::Kind::Name, token);
      case Token::Kind::End: fail(token.offset, "the formula ends too early");
      case Token::Kind::Operator: break;
    }
    if (!token.is("(")) missing_operand(token);
    ++next_;
    if (here().is(")")) fail(token.offset, "there is nothing between these brackets");
    ExpressionPointer inside = binary(Tilde + 1);
    close(token);
    return call(token, {std::move(inside)});
  }

  [[noreturn]] void missing_operand(const Token& token) const {
    if (next_ == 0) fail(token.offset, "a formula cannot begin with '" + token.text + "'");
    const Token& before = tokens_[next_ - 1];
    if (before.is("(") && token.is(",")) fail(token.offset, "expected an argument before the comma");
    fail(token.offset, "expected a column, a number or a call after '" + printable(before.text) + "', not '" +
                           token.text + "'");
  }

  void close(const Token& open) {
    if (here().is(")")) {
      ++next_;
      return;
    }
    if (here().kind == Token::Kind::End) fail(open.offset, "this '(' is never closed");
    unexpected();
  }

  ExpressionPointer function(const Token& name) {
    const Deeper deeper(*this);
    const Token open = take();
    auto node = std::make_shared<Expression>();
    node->kind = Expression::Kind::Call;
    node->text = name.text;
    node->offset = name.offset;
    if (name.quoted) fail(name.offset, "a function is called without backticks");
    while (!here().is(")")) {
      if (here().kind == Token::Kind::End) fail(open.offset, "this '(' is never closed");
      Expression::Argument argument;
      if (here().kind == Token::Kind::Name && tokens_[next_ + 1].is("=")) {
        argument.name = take().text;
        const Token equals = take();
        if (here().is(")") || here().is(",") || here().kind == Token::Kind::End)
          fail(equals.offset, "expected a value after '='");
      }
      argument.value = binary(Tilde + 1);
      node->arguments.push_back(std::move(argument));
      if (!here().is(",")) break;
      const Token comma = take();
      if (here().is(")")) fail(comma.offset, "expected an argument after the comma");
    }
    close(open);
    return node;
  }

  // Counts how deep the parser is, so that a formula cannot exhaust the stack.
  struct Deeper {
    explicit Deeper(Parser& owner) : parser(owner) {
      if (++parser.depth_ > kDeepest)
        parser.fail(parser.here().offset, "the formula is nested too deeply here");
    }
    ~Deeper() { --parser.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser;
  };

  static constexpr int kMostOperators = 4000;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0, operators_ = 0;
};

}  // namespace

Formula parse_formula(std::string_view text) {
  if (std::ssize(text) > kLongestFormula)
    throw FormulaError(text.substr(0, 200), 0,
                       "it is longer than " + grouped(kLongestFormula) + " bytes; is it a formula?");
  const ExpressionPointer tree = Parser(text).whole();
  if (!tree->is_call("~"))
    throw FormulaError(text, std::ssize(text) - 1,
                       "there is no '~'; a formula is a response, '~' and terms, such as y ~ x + z");
  Formula formula{std::string(text), nullptr, nullptr, {}};
  const bool two_sided = tree->arguments.size() == 2;
  if (two_sided) formula.response = tree->arguments.front().value;
  separate_groups(tree->arguments.back().value, formula);
  check_formula(formula);
  return formula;
}

}  // namespace giga
