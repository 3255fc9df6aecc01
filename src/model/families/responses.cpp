// The response column as labels, counts or real numbers. Every value is checked once, here, so that kernels
// need not: labels are -1 and +1, counts are whole numbers that a double holds exactly.
#include "model/families/responses.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga::families {
namespace {

constexpr double kLargestCount = 9007199254740992.0;  // 2^53: above it not every whole number is a double

// The distinct values, ascending; enough to see that there are more than are listed.
std::set<double> distinct(const Dataset& data) {
  const std::vector<double> found = data.first_responses();
  return {found.begin(), found.end()};
}

// Responses of the rows that are held, and the first of them.
std::span<const double> held_responses(const Dataset& data) {
  return data.response().subspan(at(data.held().begin), at(data.held().size()));
}

// Each as it is; none where ranks share the rows.
std::vector<double> values_of(const Dataset& data, const Response& response) {
  std::vector<double> values;
  if (data.is_shared()) return values;
  values.reserve(data.response().size());
  for (const double value : data.response()) values.push_back(response.value_of(value));
  return values;
}

std::string listed(const std::set<double>& values, std::size_t most) {
  std::string text;
  std::size_t count = 0;
  for (const double value : values) {
    if (++count > most) return text + ", ...";
    text += (text.empty() ? "" : ", ") + shortest(value);
  }
  return text;
}

}  // namespace

Response labels(const Dataset& data, std::string_view family) {
  constexpr std::size_t kListed = 8;
  const std::set<double> found = distinct(data);
  const auto only = [&](double low, double high) {
    return std::all_of(found.begin(), found.end(), [&](double v) { return v == low || v == high; });
  };
  // All ones satisfy both; then 1 is success, as in either coding.
  const bool zero_one = only(0, 1), minus_plus = only(-1, 1);
  if (!zero_one && !minus_plus) {
    throw DataError(data.name() + ": column '" + printable(data.response_name()) + "' has the values " +
                    listed(found, kListed) + "; " + std::string(family) + " needs 0 and 1, or -1 and 1: " +
                    (found.size() == 2 ? "say which counts as 1 with `success`" : "recode them") +
                    ", or choose another column with `response`");
  }
  Response out;
  out.success = 1;
  out.values = values_of(data, out);
  const std::string low = zero_one ? "0" : "-1";
  if (found.size() == 1) {
    out.notes.push_back("every label is " + listed(found, 1) +
                        ": one class only; the prior alone keeps the intercept finite");
  } else {
    out.notes.push_back("labels: 1 is success, " + low + " is failure");
  }
  return out;
}

Response counts(const Dataset& data, std::string_view family) {
  const auto y = held_responses(data);
  // NaN cannot occur: a Dataset has finite values only.
  const auto bad = std::find_if(y.begin(), y.end(), [](double value) {
    return value < 0 || value != std::floor(value) || value > kLargestCount;
  });
  if (bad != y.end()) {
    throw DataError(data.name() + ": " + data.response_place(data.held().begin + (bad - y.begin())) + " is " +
                    shortest(*bad) + "; " + std::string(family) + " needs a non-negative integer" +
                    (*bad > kLargestCount ? ", at most 2^53" : ""));
  }
  return {values_of(data, {}), {}};
}

Response positive(const Dataset& data, std::string_view family) {
  const auto y = held_responses(data);
  const auto bad = std::find_if(y.begin(), y.end(), [](double value) { return value <= 0; });
  if (bad != y.end()) {
    throw DataError(data.name() + ": " + data.response_place(data.held().begin + (bad - y.begin())) + " is " +
                    shortest(*bad) + "; " + std::string(family) + " needs numbers above 0");
  }
  return {values_of(data, {}), {}};
}

namespace {

double kept_within(double p) {
  constexpr double kLeast = 1e-3;
  return std::clamp(p, kLeast, 1 - kLeast);
}

}  // namespace

double logit_of(double p) {
  p = kept_within(p);
  return std::log(p / (1 - p));
}

// Newton's method from 0 on the side where the distribution function is convex: every step is towards the
// root and none beyond it.
double probit_of(double p) {
  constexpr int kSteps = 60;
  p = kept_within(p);
  const double small = std::min(p, 1 - p);
  double x = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double below = std::erfc(-x / std::numbers::sqrt2) / 2;
    x -= (below - small) * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
  }
  return p < 0.5 ? x : -x;
}

double cloglog_of(double p) {
  return std::log(-std::log1p(-kept_within(p)));
}

double log_of_scale(const ResponseMoments& response) {
  // Responses that are all the same leave rounding as the only scale.
  constexpr double kOfMean = 1e-6;
  const double scale = response.sd > 0 ? response.sd : kOfMean * std::abs(response.mean);
  return scale > 0 ? std::log(scale) : 0.0;
}

Response reals(const Dataset& data) {
  return {values_of(data, {}), {}};
}

}  // namespace giga::families
