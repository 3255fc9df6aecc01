// Trees to programs. A category is the index of its level wherever it comes from, so that a table with other
// levels, factor() and relevel() are lookups.
#include "design/row_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "design/formula_functions.hpp"
#include "design/formula_terms.hpp"
#include "design/near_names.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

using Operation = RowProgram::Operation;
using Kind = Expression::Kind;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> kAll = {
      {"+", Operation::Add},           {"-", Operation::Subtract},      {"*", Operation::Multiply},
      {"/", Operation::Divide},        {"^", Operation::Power},         {"%%", Operation::Remainder},
      {"%/%", Operation::WholePart},   {"<", Operation::Less},          {"<=", Operation::LessEqual},
      {">", Operation::Greater},       {">=", Operation::GreaterEqual}, {"==", Operation::Equal},
      {"!=", Operation::NotEqual},     {"&", Operation::And},           {"|", Operation::Or},
      {"log", Operation::Log},         {"log2", Operation::Log2},       {"log10", Operation::Log10},
      {"log1p", Operation::Log1p},     {"exp", Operation::Exp},         {"expm1", Operation::Expm1},
      {"sqrt", Operation::Sqrt},       {"abs", Operation::Abs},         {"sin", Operation::Sin},
      {"cos", Operation::Cos},         {"floor", Operation::Floor},     {"ceiling", Operation::Ceiling},
      {"round", Operation::Round},     {"sign", Operation::Sign},       {"month", Operation::Month},
      {"weekday", Operation::Weekday}, {"year", Operation::Year},       {"hour", Operation::Hour},
      {"pmin", Operation::Least},      {"pmax", Operation::Most}};
  return kAll;
}

bool is_comparison(const std::string& op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

// Days since 1970-01-01 of "2024-02-29"; nothing for other texts.
std::optional<double> parse_day(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto number = [&text](std::size_t begin, std::size_t size) {
    int value = -1;
    const auto end = std::from_chars(text.data() + begin, text.data() + begin + size, value);
    return end.ptr == text.data() + begin + size ? value : -1;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::string day_text(double days) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(std::floor(days))))};
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return {text.data(), static_cast<std::size_t>(size)};
}

// Index in `to` of every level of `from`; unknown where there is none.
std::vector<double> level_table(const std::vector<std::string>& from, const std::vector<std::string>& to) {
  std::map<std::string, double> index;
  for (std::size_t i = 0; i < to.size(); ++i) index.emplace(to[i], static_cast<double>(i));
  std::vector<double> table;
  for (const std::string& level : from) {
    const auto found = index.find(level);
    table.push_back(found == index.end() ? kUnknown : found->second);
  }
  return table;
}

class Compiler {
 public:
  explicit Compiler(const CompileContext& context) : context_(context) {}

  RowValue compile(const Expression& expression) {
    value(expression);
    if (value_.type == ValueType::Condition) value_.levels = {"FALSE", "TRUE"};
    if (!value_.is_category()) value_.levels.clear();
    value_.text = deparse(expression);
    return std::move(value_);
  }

 private:
  [[noreturn]] void fail(const Expression& node, const std::string& sentence) const {
    throw FormulaError(context_.formula.text, node.offset, sentence);
  }

  RowProgram& program() { return value_.program; }

  // Pushes the value of a node and leaves its type in value_.type, its levels in value_.levels.
  void value(const Expression& node) {
    switch (node.kind) {
      case Kind::Number: constant(node.number, ValueType::Number); return;
      case Kind::Name: name(node); return;
      case Kind::Text: fail(node, "a text can only be compared with a category or a date");
      case Kind::Dot: fail(node, "'.' has no value");
      case Kind::Call: break;
    }
    if (node.is_call("(") || node.is_call("I")) {
      value(node.argument(0));
    } else if (node.is_call("factor")) {
      factor(node);
    } else if (node.is_call("relevel")) {
      relevel(node);
    } else if (is_comparison(node.text)) {
      comparison(node);
    } else {
      arithmetic(node);
    }
  }

  void constant(double number, ValueType type) {
    program().push(Operation::Constant, 0, number);
    value_.type = type;
  }

  void name(const Expression& node) {
    const Index v = variable_index(context_.state, node.text);
    if (v < 0) {
      if (!is_constant_name(node.text)) fail(node, "there is no column '" + printable(node.text) + "'");
      constant(node.text == "pi" ? std::numbers::pi
               : is_true(node)   ? 1
                                 : 0,
               node.text == "pi" ? ValueType::Number : ValueType::Condition);
      return;
    }
    const DesignVariable& variable = context_.state.variables[at(v)];
    const VariableSource& source = context_.sources[at(v)];
    if (source.feature == VariableSource::kMissing)
      throw DataError("the table has no column '" + printable(variable.name) + "', which the formula needs");
    program().push(source.feature >= 0 ? Operation::Feature : Operation::Response, source.feature, 0);
    value_.variables.push_back(v);
    switch (variable.kind) {
      case ColumnKind::Number: value_.type = ValueType::Number; break;
      case ColumnKind::Date: value_.type = ValueType::Day; break;
      case ColumnKind::Time: value_.type = ValueType::Moment; break;
      case ColumnKind::Category:
        value_.type = ValueType::Category;
        value_.levels = variable.levels;
        if (source.levels != variable.levels) program().look_up(level_table(source.levels, variable.levels));
        break;
    }
  }

  void number(const Expression& node) {
    value(node);
    if (value_.type != ValueType::Category) return;
    // A column of truths is a condition.
    std::vector<double> table;
    for (const std::string& level : value_.levels) {
      const bool holds = level == "TRUE" || level == "True" || level == "true" || level == "T";
      const bool fails = level == "FALSE" || level == "False" || level == "false" || level == "F";
      if (!holds && !fails)
        fail(node,
             deparse(node) +
                 " is a category, where a number is expected; compare it with a level, as in I(x == \"a\")");
      table.push_back(holds ? 1 : 0);
    }
    program().look_up(std::move(table));
    value_.type = ValueType::Condition;
  }

  void arithmetic(const Expression& node) {
    const auto found = operations().find(node.text);
    const bool one = node.arguments.size() == 1;
    const FormulaFunction* function = formula_function(node.text);
    if (function != nullptr && function->kind == FormulaFunction::Kind::DatePart) {
      value(node.argument(0));
      if (value_.type != ValueType::Day && value_.type != ValueType::Moment)
        fail(node.argument(0), deparse(node.argument(0)) + " is not a date, which " + node.text + "() needs");
      if (node.text == "hour" && value_.type == ValueType::Day)
        fail(node.argument(0), deparse(node.argument(0)) + " has days without a time, so there is no hour");
    } else {
      number(node.argument(0));
    }
    if (one) {
      const Operation operation = node.text == "-"   ? Operation::Negate
                                  : node.text == "!" ? Operation::Not
                                                     : Operation::Add;
      if (operation != Operation::Add)
        program().apply_one(operation);
      else if (node.text != "+")
        program().apply_one(found->second);
    }
    for (std::size_t i = 1; i < node.arguments.size(); ++i) {
      number(*node.arguments[i].value);
      program().apply_two(found->second);
    }
    const bool condition = node.text == "!" || node.text == "&" || node.text == "|";
    value_.type = condition ? ValueType::Condition : ValueType::Number;
  }

  void comparison(const Expression& node) {
    const Expression &left = node.argument(0), &right = node.argument(1);
    if (left.kind == Kind::Text && right.kind == Kind::Text)
      fail(node, "two texts are compared; name a column");
    if (right.kind == Kind::Text) {
      value(left);
      text(node, left, right);
    } else if (left.kind == Kind::Text) {
      // With the operands the other way round, the text is on top all the same: exchange the relation.
      value(right);
      text(node, right, left);
    } else {
      number(left);
      number(right);
    }
    static const std::map<std::string, Operation> kTurned = {
        {"<", Operation::Greater},    {"<=", Operation::GreaterEqual}, {">", Operation::Less},
        {">=", Operation::LessEqual}, {"==", Operation::Equal},        {"!=", Operation::NotEqual}};
    program().apply_two(left.kind == Kind::Text ? kTurned.at(node.text) : operations().at(node.text));
    value_.type = ValueType::Condition;
  }

  // Pushes what a text is beside a value: the index of a level, or a day.
  void text(const Expression& node, const Expression& of, const Expression& text) {
    if (value_.type == ValueType::Day || value_.type == ValueType::Moment) {
      const std::optional<double> day = parse_day(text.text);
      if (!day) fail(text, "a date is written as \"2024-02-29\"");
      program().push(Operation::Constant, 0, *day);
      return;
    }
    if (value_.type != ValueType::Category)
      fail(text, deparse(of) + " is a number, so it cannot be compared with a text");
    if (node.text != "==" && node.text != "!=")
      fail(node, "the levels of a category have no order here; compare them with == or !=");
    const auto found = std::find(value_.levels.begin(), value_.levels.end(), text.text);
    if (found == value_.levels.end()) no_level(of, text);
    program().push(Operation::Constant, 0, static_cast<double>(found - value_.levels.begin()));
  }

  [[noreturn]] void no_level(const Expression& of, const Expression& level) const {
    fail(level, deparse(of) + " has no level " + deparse(level) + did_you_mean(level.text, value_.levels));
  }

  // Levels by label: numbers that R writes alike are one level.
  void number_levels(const std::vector<double>& values) {
    std::vector<std::string> levels;
    std::map<double, double> index;
    for (const double value : values) {
      const std::string label = value_.type == ValueType::Condition ? (value != 0 ? "TRUE" : "FALSE")
                                : value_.type == ValueType::Day     ? day_text(value)
                                                                    : deparse(value);
      const auto place = std::find(levels.begin(), levels.end(), label);
      index.emplace(value, static_cast<double>(place - levels.begin()));
      if (place == levels.end()) levels.push_back(label);
    }
    std::vector<double> keys, results;
    for (const auto& [value, level] : index) {
      keys.push_back(value);
      results.push_back(level);
    }
    program().search(keys, results);
    value_.levels = std::move(levels);
  }

  void text_levels(const std::vector<std::string>& levels) {
    program().look_up(level_table(value_.levels, levels));
    value_.levels = levels;
  }

  void factor(const Expression& node) {
    const MatchedArguments matched(node, context_.formula);
    value(*matched["x"]);
    const bool texts = value_.type == ValueType::Category;
    if (const Expression* given = matched["levels"]; given != nullptr) {
      const bool given_texts =
          given->kind == Kind::Text || (given->is_call("c") && given->argument(0).kind == Kind::Text);
      if (texts != given_texts)
        fail(*given, deparse(*matched["x"]) + (texts ? " has texts as levels" : " has numbers as levels"));
      if (texts) {
        std::vector<std::string> levels;
        for_each_node(*given, [&levels](const Expression& each) {
          if (each.kind == Kind::Text) levels.push_back(each.text);
        });
        text_levels(levels);
      } else {
        number_levels(constant_numbers(*given, context_.formula, "levels"));
      }
    } else {
      const LearntCall& learnt = learnt_call(context_.state, deparse(node));
      if (texts)
        text_levels(learnt.levels);
      else
        number_levels(learnt.values);
    }
    value_.type = ValueType::Category;
  }

  void relevel(const Expression& node) {
    const MatchedArguments matched(node, context_.formula);
    value(*matched["x"]);
    if (value_.type == ValueType::Condition) {
      value_.levels = {"FALSE", "TRUE"};
      value_.type = ValueType::Category;
    }
    if (value_.type != ValueType::Category)
      fail(*matched["x"], deparse(*matched["x"]) + " is a number; write relevel(factor(" +
                              deparse(*matched["x"]) + "), ref = ...)");
    std::vector<std::string> levels = value_.levels;
    const auto base = std::find(levels.begin(), levels.end(), matched["ref"]->text);
    if (base == levels.end()) no_level(*matched["x"], *matched["ref"]);
    std::rotate(levels.begin(), base, base + 1);
    text_levels(levels);
  }

  const CompileContext& context_;
  RowValue value_;
};

}  // namespace

RowValue compile_value(const Expression& expression, const CompileContext& context) {
  return Compiler(context).compile(expression);
}

Index variable_index(const DesignState& state, const std::string& name) {
  for (std::size_t v = 0; v < state.variables.size(); ++v)
    if (state.variables[v].name == name) return static_cast<Index>(v);
  return -1;
}

const LearntCall& learnt_call(const DesignState& state, const std::string& call) {
  for (const LearntCall& learnt : state.learnt)
    if (learnt.call == call) return learnt;
  throw DataError("nothing was learnt for " + printable(call) + ", which the formula has");
}

void RowValue::evaluate(const Dataset& data, Index first, Index count, double* values) const {
  std::vector<double> slots(at(program.num_slots() * kProgramRows));
  FeatureRows features(data, std::min(kProgramRows, count));
  for (Index begin = 0; begin < count; begin += kProgramRows) {
    const Index some = std::min(kProgramRows, count - begin);
    program.run({features.from(first + begin, some), data.response().data() + first + begin}, some,
                slots.data());
    std::copy_n(slots.data(), some, values + begin);
  }
}

std::string value_text(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  return shortest(value);
}

std::string unusable(const RowValue& value, double result, const DesignState& state,
                     const VariableSources& sources, const Dataset& data, Index n) {
  std::string why;
  FeatureRows features(data, 1);
  for (const Index v : value.variables) {
    const VariableSource& source = sources[at(v)];
    const double number = source.feature >= 0 ? features.row(n)[source.feature] : data.response()[at(n)];
    const DesignVariable& variable = state.variables[at(v)];
    const bool text = variable.kind == ColumnKind::Category && number >= 0 &&
                      number < static_cast<double>(source.levels.size());
    why += why.empty() ? " (" : ", ";
    why += printable(variable.name) + " is " +
           (text ? quoted_text(source.levels[static_cast<std::size_t>(number)]) : shortest(number));
  }
  if (!why.empty()) why += ")";
  const std::string place = data.name() + ", " + data.place(n) + ": ";
  if (value.is_category() && std::isnan(result))
    return place + value.text + " has a level that was not learnt" + why;
  return place + value.text + " is " + value_text(result) + why;
}

Index first_unusable(const Dataset& data, Index first, Index count, const double* values) {
  for (Index i = 0; i < count; ++i)
    if (!std::isfinite(values[i]) && data.weight(first + i) > 0) return first + i;
  return -1;
}

}  // namespace giga
