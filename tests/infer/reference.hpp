// Numbers stored by peers/make_reference.R.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace giga::test {

using Json = nlohmann::ordered_json;

inline Json read_reference(const std::string& name) {
  const std::string path = std::string(GIGA_INFER_REFERENCE) + "/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return Json::parse(file);
}

/// R writes NA, NaN and infinities as text.
inline double number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  if (text == "NA" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  throw std::runtime_error("'" + text + "' is no number");
}

inline std::vector<double> numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& element : json) values.push_back(number(element));
  return values;
}

/// Both NaN, the same infinity, or |actual - expected| <= tolerance max(|expected|, 1e-12).
inline ::testing::AssertionResult agree(double actual, double expected, double tolerance = 1e-9) {
  const bool same = std::isnan(expected) ? std::isnan(actual)
                    : std::isinf(expected)
                        ? actual == expected
                        : std::abs(actual - expected) <= tolerance * std::max(std::abs(expected), 1e-12);
  if (same) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << actual << ", not " << expected << ": off by " << (actual - expected);
}

}  // namespace giga::test
