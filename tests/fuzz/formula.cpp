// Formulas: the text as it is, then what it makes of a small table with numbers, categories and dates. Laws:
// a formula that is written is read back to the same text, and makes the same columns; columns are finite;
// what is learnt is read back from its JSON.
#include <cmath>

#include "fuzz/support/memory_files.hpp"
#include "fuzz/support/target.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/design/design_state.hpp"
#include "giga/design/formula.hpp"
#include "record/forms.hpp"

namespace giga::fuzz {
namespace {

const Dataset& table() {
  static const Dataset kData = [] {
    const MemoryFile file("table.csv",
                          "y,x,z,n,g,h,day,odd name\n"
                          "0,0.5,1,3,a,p,2024-01-31,1\n1,-1.5,2,0,b,q,2024-02-29,2\n"
                          "1,2,0.25,7,c,p,1999-12-31,0\n0,3.75,8,1,a,q,2024-03-01,-1\n"
                          "1,-4,16,2,b,p,2000-01-01,0.5\n0,0,5,4,c,q,1970-01-01,2\n"
                          "1,1,3,9,a,p,2020-07-15,3\n0,7,4,6,b,q,2021-11-05,1\n"
                          "1,-2,6,5,c,p,2022-05-20,4\n0,9,7,8,a,q,2023-10-10,-2\n");
    return read_dataset("table.csv", {.has_response = false}, Serial());
  }();
  return kData;
}

// The columns of all rows, one term after the other, as far as they are not very many.
std::vector<double> columns_of(const FormulaTerms& terms) {
  constexpr Index kMost = 200;
  const Index rows = table().num_rows();
  std::vector<const double*> x;
  for (Index n = 0; n < rows; ++n) x.push_back(table().features(n));
  std::vector<double> values;
  for (const auto& term : terms.terms) {
    const Index cols = term->num_columns();
    if (std::ssize(values) + rows * cols > kMost * rows) break;
    const std::vector<double> means(at(cols), 0), scales(at(cols), 1);
    std::vector<double> z(at(rows * cols));
    term->write(x.data(), rows, {z.data(), cols, 1, means.data(), scales.data()});
    values.insert(values.end(), z.begin(), z.end());
    if (cols > 0) (void)term->column_name(cols - 1);
  }
  return values;
}

// The state that a formula makes of the table; refused in words where the two do not fit.
auto learn(const Formula& formula) {
  return attempt([&] { return learn_design(formula, table(), Serial()); });
}

void require_read_back(const DesignState& state) {
  const record::Json json = record::form_of(state), read = record::parsed(record::dumped(json));
  require(record::form_of(record::design_of(record::Fields(read, "state", "none"))) == json,
          "what is learnt is read back from JSON");
}

void require_finite_response(const DesignState& state, const VariableSources& sources) {
  const FormulaResponse response(state, sources);
  std::vector<double> y(at(table().num_rows())), trials(y.size());
  response.write(table(), 0, table().num_rows(), y.data(), response.has_trials() ? trials.data() : nullptr);
  for (const double value : y) require(std::isfinite(value), "responses are finite");
}

void run(std::string_view input) {
  const auto [formula, why] = attempt([&] { return parse_formula(input); });
  if (!formula) return;
  const std::string text = deparse(*formula);
  const auto [again, why_again] = attempt([&] { return parse_formula(text); });
  if (!again) broken("a formula that is written is read: " + why_again);
  if (deparse(*again) != text) broken("it is read to the same text: " + text + " and " + deparse(*again));
  const auto [state, why_state] = learn(*formula);
  if (!state) return;
  require_read_back(*state);
  const VariableSources sources = sources_of(*state, table());
  const std::vector<double> values = columns_of(terms_of(*state, sources));
  for (const double value : values) require(std::isfinite(value), "columns are finite");
  if (formula->response) require_finite_response(*state, sources);
  const auto [written, why_written] = learn(*again);
  if (!written) broken("a formula that is written makes columns: " + text + ": " + why_written);
  require(columns_of(terms_of(*written, sources_of(*written, table()))) == values,
          "a formula that is written makes the same columns");
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
