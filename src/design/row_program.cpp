// The steps. Arithmetic is that of R: x^2 is x * x, x %% y has the sign of y, x %/% y is the floor of x / y.
#include "design/row_program.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace giga {
namespace {

using Operation = RowProgram::Operation;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A condition of something that is not a number is not one either.
double truth(bool holds, double x, double y) {
  return std::isunordered(x, y) ? kNaN : holds ? 1 : 0;
}

double power(double x, double y) {
  return y == 2 ? x * x : std::pow(x, y);
}

// x - floor(x / y) y, once more where rounding left a multiple of y.
double remainder(double x, double y) {
  if (y == 0) return kNaN;
  const double quotient = x / y;
  const Extended rest = static_cast<Extended>(x) - static_cast<Extended>(std::floor(quotient)) * y;
  return static_cast<double>(rest - std::floor(rest / y) * y);
}

double whole_part(double x, double y) {
  const double quotient = x / y;
  constexpr double kExact = 1 / std::numeric_limits<double>::epsilon();
  if (y == 0 || !std::isfinite(quotient) || std::abs(quotient) > kExact) return quotient;
  const double floor = std::floor(quotient);
  const Extended rest = static_cast<Extended>(x) - static_cast<Extended>(floor) * y;
  return floor + static_cast<double>(std::floor(rest / y));
}

double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

bool is_day(double days) {
  return std::abs(days) < 1e7;
}

std::chrono::sys_days day_of(double days) {
  return std::chrono::sys_days(std::chrono::days(static_cast<int>(std::floor(days))));
}

double month(double days) {
  if (!is_day(days)) return kNaN;
  return static_cast<unsigned>(std::chrono::year_month_day(day_of(days)).month());
}

double year(double days) {
  if (!is_day(days)) return kNaN;
  return static_cast<int>(std::chrono::year_month_day(day_of(days)).year());
}

// 1 is Monday.
double weekday(double days) {
  if (!is_day(days)) return kNaN;
  return std::chrono::weekday(day_of(days)).iso_encoding();
}

// A moment of these years is within a microsecond; a millisecond more makes a full hour of it.
double hour(double days) {
  if (!is_day(days)) return kNaN;
  constexpr double kSeconds = 86400, kPerHour = 3600, kMilli = 1e-3;
  const double second = (days - std::floor(days)) * kSeconds;
  return std::min(23.0, std::floor((second + kMilli) / kPerHour));
}

double found(const std::vector<double>& table, double value) {
  if (!(value >= 0 && value < static_cast<double>(table.size()))) return kNaN;
  return table[static_cast<std::size_t>(value)];
}

double searched(const std::vector<double>& values, const std::vector<double>& results, double value) {
  const auto place = std::lower_bound(values.begin(), values.end(), value);
  if (place == values.end() || *place != value) return kNaN;
  return results[at(place - values.begin())];
}

template <typename Function>
void each(Index count, double* a, const Function& function) {
  for (Index i = 0; i < count; ++i) a[i] = function(a[i]);
}

template <typename Function>
void each(Index count, double* a, const double* b, const Function& function) {
  for (Index i = 0; i < count; ++i) a[i] = function(a[i], b[i]);
}

}  // namespace

void RowProgram::push(Operation operation, Index feature, double number) {
  steps_.push_back({operation, depth_, feature, number});
  deepest_ = std::max(deepest_, ++depth_);
}

void RowProgram::apply_one(Operation operation) {
  steps_.push_back({operation, depth_ - 1});
}

void RowProgram::apply_two(Operation operation) {
  --depth_;
  steps_.push_back({operation, depth_ - 1});
}

void RowProgram::look_up(std::vector<double> table) {
  steps_.push_back({Operation::Lookup, depth_ - 1, std::ssize(tables_)});
  tables_.push_back(std::move(table));
}

void RowProgram::search(std::vector<double> values, std::vector<double> results) {
  steps_.push_back({Operation::Search, depth_ - 1, std::ssize(tables_)});
  tables_.push_back(std::move(values));
  tables_.push_back(std::move(results));
}

Index RowProgram::plain_feature() const {
  return steps_.size() == 1 && steps_[0].operation == Operation::Feature ? steps_[0].place : -1;
}

bool RowProgram::may_fail() const {
  return steps_.size() > 1;
}

void RowProgram::run(const RowInput& rows, Index count, double* slots) const {
  for (const Step& step : steps_) {
    double* const a = slots + step.slot * kProgramRows;
    const double* const b = a + kProgramRows;
    switch (step.operation) {
      case Operation::Feature:
        for (Index i = 0; i < count; ++i) a[i] = rows.x[i][step.place];
        break;
      case Operation::Response: std::copy_n(rows.response, count, a); break;
      case Operation::Constant: std::fill_n(a, count, step.number); break;
      case Operation::Add: each(count, a, b, [](double x, double y) { return x + y; }); break;
      case Operation::Subtract: each(count, a, b, [](double x, double y) { return x - y; }); break;
      case Operation::Multiply: each(count, a, b, [](double x, double y) { return x * y; }); break;
      case Operation::Divide: each(count, a, b, [](double x, double y) { return x / y; }); break;
      case Operation::Power: each(count, a, b, power); break;
      case Operation::Remainder: each(count, a, b, remainder); break;
      case Operation::WholePart: each(count, a, b, whole_part); break;
      case Operation::Least:
        each(count, a, b, [](double x, double y) { return y < x || std::isnan(y) ? y : x; });
        break;
      case Operation::Most:
        each(count, a, b, [](double x, double y) { return y > x || std::isnan(y) ? y : x; });
        break;
      case Operation::Less: each(count, a, b, [](double x, double y) { return truth(x < y, x, y); }); break;
      case Operation::LessEqual:
        each(count, a, b, [](double x, double y) { return truth(x <= y, x, y); });
        break;
      case Operation::Greater:
        each(count, a, b, [](double x, double y) { return truth(x > y, x, y); });
        break;
      case Operation::GreaterEqual:
        each(count, a, b, [](double x, double y) { return truth(x >= y, x, y); });
        break;
      case Operation::Equal: each(count, a, b, [](double x, double y) { return truth(x == y, x, y); }); break;
      case Operation::NotEqual:
        each(count, a, b, [](double x, double y) { return truth(x != y, x, y); });
        break;
      case Operation::And:
        each(count, a, b, [](double x, double y) { return truth(x != 0 && y != 0, x, y); });
        break;
      case Operation::Or:
        each(count, a, b, [](double x, double y) { return truth(x != 0 || y != 0, x, y); });
        break;
      case Operation::Not: each(count, a, [](double x) { return truth(x == 0, x, x); }); break;
      case Operation::Negate: each(count, a, [](double x) { return -x; }); break;
      case Operation::Log: each(count, a, [](double x) { return std::log(x); }); break;
      case Operation::Log2: each(count, a, [](double x) { return std::log2(x); }); break;
      case Operation::Log10: each(count, a, [](double x) { return std::log10(x); }); break;
      case Operation::Log1p: each(count, a, [](double x) { return std::log1p(x); }); break;
      case Operation::Exp: each(count, a, [](double x) { return std::exp(x); }); break;
      case Operation::Expm1: each(count, a, [](double x) { return std::expm1(x); }); break;
      case Operation::Sqrt: each(count, a, [](double x) { return std::sqrt(x); }); break;
      case Operation::Abs: each(count, a, [](double x) { return std::abs(x); }); break;
      case Operation::Sin: each(count, a, [](double x) { return std::sin(x); }); break;
      case Operation::Cos: each(count, a, [](double x) { return std::cos(x); }); break;
      case Operation::Floor: each(count, a, [](double x) { return std::floor(x); }); break;
      case Operation::Ceiling: each(count, a, [](double x) { return std::ceil(x); }); break;
      case Operation::Round: each(count, a, [](double x) { return std::nearbyint(x); }); break;
      case Operation::Sign: each(count, a, sign); break;
      case Operation::Month: each(count, a, month); break;
      case Operation::Weekday: each(count, a, weekday); break;
      case Operation::Year: each(count, a, year); break;
      case Operation::Hour: each(count, a, hour); break;
      case Operation::Lookup: {
        const std::vector<double>& table = tables_[at(step.place)];
        each(count, a, [&table](double x) { return found(table, x); });
        break;
      }
      case Operation::Search: {
        const std::vector<double>&values = tables_[at(step.place)], &results = tables_[at(step.place) + 1];
        each(count, a, [&values, &results](double x) { return searched(values, results, x); });
        break;
      }
    }
  }
}

}  // namespace giga
