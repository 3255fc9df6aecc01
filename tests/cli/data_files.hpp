// Tables of observations as files, and what `giga build` makes of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/npy_files.hpp"
#include "data/tables.hpp"
#include "giga/base/text.hpp"

namespace giga::test {

enum class ResponseKind { Labels, Counts, Reals };

/// Rows of `dim` features of four decimals and a response that depends on them, the last column.
inline Matrix regression_table(std::ptrdiff_t rows, std::ptrdiff_t dim, ResponseKind response,
                               unsigned seed = 1) {
  Matrix table{rows, dim + 1, {}};
  unsigned state = 2891336453U * seed + 1;
  const auto uniform = [&state] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / (1 << 24);
  };
  for (std::ptrdiff_t n = 0; n < rows; ++n) {
    double predictor = 0.3;
    for (std::ptrdiff_t d = 0; d < dim; ++d) {
      const double x = std::round(40000 * (uniform() + uniform() + uniform() - 1.5)) / 10000;
      table.values.push_back(x);
      predictor += (d % 2 == 0 ? 0.7 : -0.4) * x;
    }
    const double u = uniform();
    switch (response) {
      case ResponseKind::Labels: table.values.push_back(u < 1 / (1 + std::exp(-predictor)) ? 1 : 0); break;
      case ResponseKind::Counts: table.values.push_back(std::floor(4 * u + std::exp(0.3 * predictor))); break;
      case ResponseKind::Reals: table.values.push_back(predictor + 2 * u - 1); break;
    }
  }
  return table;
}

/// x1, x2, ..., y.
inline std::vector<std::string> usual_names(std::ptrdiff_t cols) {
  std::vector<std::string> names;
  for (std::ptrdiff_t j = 1; j < cols; ++j) names.push_back("x" + std::to_string(j));
  names.emplace_back("y");
  return names;
}

inline std::string joined(const std::vector<std::string>& cells, const std::string& delimiter = ",") {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line.append(i == 0 ? "" : delimiter).append(cells[i]);
  return line;
}

inline std::vector<std::string> row_texts(const Matrix& table, std::ptrdiff_t n) {
  std::vector<std::string> cells;
  for (std::ptrdiff_t j = 0; j < table.cols; ++j) cells.push_back(shortest(table.at(n, j)));
  return cells;
}

inline std::string csv_of(const Matrix& table, const std::string& delimiter = ",", bool header = true,
                          const std::string& line_end = "\n") {
  std::string text = header ? joined(usual_names(table.cols), delimiter) + line_end : "";
  for (std::ptrdiff_t n = 0; n < table.rows; ++n) text += joined(row_texts(table, n), delimiter) + line_end;
  return text;
}

inline std::string libsvm_of(const Matrix& table) {
  std::string text;
  for (std::ptrdiff_t n = 0; n < table.rows; ++n) {
    text += shortest(table.at(n, table.cols - 1));
    for (std::ptrdiff_t j = 0; j + 1 < table.cols; ++j) {
      if (table.at(n, j) != 0) text += " " + std::to_string(j + 1) + ":" + shortest(table.at(n, j));
    }
    text += "\n";
  }
  return text;
}

inline std::string npz_of(const Matrix& table) {
  std::vector<double> features, response;
  for (std::ptrdiff_t n = 0; n < table.rows; ++n) {
    for (std::ptrdiff_t j = 0; j + 1 < table.cols; ++j) features.push_back(table.at(n, j));
    response.push_back(table.at(n, table.cols - 1));
  }
  return zip_of({{"X.npy", npy_of(features, shape_of(table.rows, table.cols - 1))},
                 {"y.npy", npy_of(response, "(" + std::to_string(table.rows) + ",)")}});
}

/// The rows chosen, in this order.
inline Matrix rows_of(const Matrix& table, const std::vector<std::ptrdiff_t>& chosen) {
  Matrix some{static_cast<std::ptrdiff_t>(chosen.size()), table.cols, {}};
  for (const std::ptrdiff_t n : chosen) {
    for (std::ptrdiff_t j = 0; j < table.cols; ++j) some.values.push_back(table.at(n, j));
  }
  return some;
}

/// Lines of a CSV file without quotes, split at the commas; the header is the first.
inline std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t at = 0; at < csv.size();) {
    const std::size_t end = std::min(csv.find('\n', at), csv.size());
    auto& cells = lines.emplace_back(1);
    for (const char c : csv.substr(at, end - at)) {
      if (c == ',') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    at = end + 1;
  }
  return lines;
}

struct DataBuild {
  Outcome outcome;
  std::string csv, companion;
  nlohmann::json record;

  [[nodiscard]] bool notes(const std::string& words) const {
    return outcome.error.find(words) != std::string::npos;
  }
  [[nodiscard]] std::vector<double> weights() const { return record["coreset"]["weights"]; }
  [[nodiscard]] std::vector<std::ptrdiff_t> rows() const { return record["coreset"]["rows"]; }
};

/// Every number is finite, else it is null.
inline void expect_finite_numbers(const nlohmann::json& value, const std::string& where = "") {
  if (value.is_number_float()) {
    EXPECT_TRUE(std::isfinite(value.get<double>())) << where;
  }
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) expect_finite_numbers(inner, where + "/" + key);
}

/// A file that no command takes, and what the refusal says of it.
struct BadFile {
  std::string bytes;
  std::vector<std::string> words;
};

inline std::vector<BadFile> damaged_archives() {
  const std::string x = npy_of(std::vector<double>{1, 2, 3, 4}, "(2, 2)");
  const std::string y = npy_of(std::vector<double>{1, 2}, "(2,)");
  const std::string bomb = npy_of(dict_of("<f8", "(2, 2)"), std::string(8'000'000, '\0'));
  return {
      {"no archive at all", {"zip"}},
      {zip_of({{"X.npy", x, true, ~std::uint64_t{0}, 1}, {"y.npy", y}}), {"X.npy", "CRC"}},
      {zip_of({{"X.npy", bomb, true, x.size()}, {"y.npy", y}}), {"X.npy", "stated"}},
      {zip_of({{"X.npy", x, true, 4'000'000'000}, {"y.npy", y}}), {"X.npy"}},
      {zip_of({{"../../X.npy", x}, {"y.npy", y}}), {"'../../X.npy'", "points out of the archive"}},
      {zip_of({{"X.npy", x}, {"y.npy", npy_of(std::vector<double>{1}, "(1,)")}}), {"y has 1", "2 rows"}},
      {zip_of({{"X.npy", x}}), {"no member 'y.npy'", "numpy.savez"}},
  };
}

/// Runs the command in a folder of its own.
class DataCommand : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome build(const std::string& file, std::vector<std::string> more) const {
    more.insert(more.begin(), {"build", file});
    return run(Launch{.arguments = more, .folder = folder_.path()});
  }

  /// Must succeed. The files are in the folder as c.csv and c.json.
  [[nodiscard]] DataBuild built(const std::string& file, const std::string& content,
                                std::vector<std::string> more) const {
    write_file(folder_ / file, content);
    more.insert(more.end(), {"--out", "c.csv", "--json", "--force"});
    DataBuild result{build(file, more), read_file(folder_ / "c.csv"), read_file(folder_ / "c.json"), {}};
    EXPECT_EQ(result.outcome.code, 0) << result.outcome.error;
    result.record = nlohmann::json::parse(result.outcome.out, nullptr, false);
    EXPECT_FALSE(result.record.is_discarded()) << result.outcome.out;
    EXPECT_EQ(result.csv.find("nan"), std::string::npos) << result.csv;
    EXPECT_FALSE(nlohmann::json::parse(result.companion, nullptr, false).is_discarded());
    expect_finite_numbers(result.record);
    return result;
  }

  TempDir folder_;
};

}  // namespace giga::test
