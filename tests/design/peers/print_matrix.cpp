// The columns that formulas make of tables, for model_matrix.R. Reads from standard input
//
//     table 3            rows
//     number x           a column: its name, then a line of hexadecimal numbers
//     0x1p+0 0x1p+1 0x1.8p+1
//     category a 2       a column with 2 levels, one a line, then the indices
//     u
//     v
//     0 1 0
//     formula ~ x * a    as often as wanted
//
// and prints, for each formula, "columns 4", their names, one a line, and a line of values per row; or
// "error" and its words on one line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "design/tables.hpp"
#include "giga/base/threads.hpp"
#include "giga/design/design_state.hpp"

namespace giga::test {
namespace {

std::vector<double> read_numbers(const std::string& line) {
  std::vector<double> numbers;
  const char* here = line.c_str();
  while (true) {
    char* end = nullptr;
    const double number = std::strtod(here, &end);
    if (end == here) return numbers;
    numbers.push_back(number);
    here = end;
  }
}

std::string next_line() {
  std::string line;
  std::getline(std::cin, line);
  return line;
}

void print_matrix(const std::string& text, const Dataset& data) {
  const Threads executor(1);
  const Formula formula = parse_formula(text);
  const DesignState state = learn_design(formula, data, executor);
  const FormulaTerms made = terms_of(state, sources_of(state, data));
  Index columns = 0;
  for (const auto& term : made.terms) columns += term->num_columns();
  std::printf("columns %td\n", columns + (made.intercept ? 1 : 0));
  std::vector<double> matrix(at(columns * data.num_rows()));
  std::vector<const double*> x;
  for (Index n = 0; n < data.num_rows(); ++n) x.push_back(data.features(n));
  if (made.intercept) std::puts("(Intercept)");
  Index begin = 0;
  for (const auto& term : made.terms) {
    const Index some = term->num_columns();
    for (Index c = 0; c < some; ++c) std::puts(term->column_name(c).c_str());
    const std::vector<double> mean(at(some), 0.0), inverse(at(some), 1.0);
    term->write(x.data(), data.num_rows(), {matrix.data() + begin, columns, 1, mean.data(), inverse.data()});
    begin += some;
  }
  for (Index n = 0; n < data.num_rows(); ++n) {
    if (made.intercept) std::printf("1 ");
    for (Index c = 0; c < columns; ++c) std::printf("%.17g ", matrix[at(n * columns + c)]);
    std::puts("");
  }
}

int run() {
  std::vector<TableColumn> columns;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string kind;
    words >> kind >> std::ws;
    if (kind == "table") {
      columns.clear();
    } else if (kind == "number") {
      TableColumn column;
      std::getline(words, column.name);
      column.values = read_numbers(next_line());
      columns.push_back(column);
    } else if (kind == "category") {
      TableColumn column;
      std::size_t levels = 0;
      words >> levels >> std::ws;
      std::getline(words, column.name);
      column.kind = ColumnKind::Category;
      for (std::size_t l = 0; l < levels; ++l) column.levels.push_back(next_line());
      column.values = read_numbers(next_line());
      columns.push_back(column);
    } else if (kind == "formula") {
      std::string text;
      std::getline(words, text);
      try {
        print_matrix(text, make_table(columns));
      } catch (const std::exception& error) {
        std::string words_of = error.what();
        std::replace(words_of.begin(), words_of.end(), '\n', ' ');
        std::printf("error %s\n", words_of.c_str());
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace giga::test

int main() {
  return giga::test::run();
}
