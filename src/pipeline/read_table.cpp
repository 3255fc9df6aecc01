// Formula -> columns to be read -> table -> what is learnt from it -> response.
#include "giga/pipeline/read_table.hpp"

#include <algorithm>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/data/read_share.hpp"
#include "giga/data/unchanged.hpp"

namespace giga {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// The columns of the right side, then those that only a computed response needs.
ColumnChoice choice_of(const Formula& formula, const FormulaColumns& columns) {
  const bool is_column = formula.response != nullptr && formula.response->kind == Expression::Kind::Name &&
                         columns.response.size() == 1 && !contains(columns.terms, columns.response.front());
  ColumnChoice choice{.features = columns.terms};
  // What a formula takes away from `.` is read as well: R's model frame has it too.
  for (const std::string& name : columns.dot)
    if (!contains(choice.features, name)) choice.features.push_back(name);
  if (is_column) {
    choice.response = columns.response.front();
  } else {
    for (const std::string& name : columns.response)
      if (!contains(choice.features, name)) choice.features.push_back(name);
  }
  return choice;
}

void require_formula_alone(const ReadOptions& read) {
  if (read.response)
    throw OptionError(
        "`response` has no effect with a formula, whose left side is the response; leave it out");
  if (read.features)
    throw OptionError("`features` has no effect with a formula, which names its columns; leave it out");
}

Formula required_two_sided(const std::string& text) {
  Formula formula = parse_formula(text);
  if (formula.response == nullptr)
    throw FormulaError(text, 0, "the formula has no response; write it before the ~, as in y ~ x");
  return formula;
}

}  // namespace

void add_response(const DesignState& design, Dataset& data, const Executor& executor) {
  if (!data.response().empty()) return;
  const FormulaResponse response(design, sources_of(design, data));
  Column column{.name = response.name()};
  if (!response.levels().empty()) {
    column.kind = ColumnKind::Category;
    column.levels = response.levels();
  }
  const auto write = [&](double* values) {
    data.check_together(executor, [&] {
      for_each_block(executor, data.held(), [&](Index first, Index count) {
        std::vector<double> trials(response.has_trials() ? at(count) : 0);
        response.write(data, first, count, values + first, trials.empty() ? nullptr : trials.data());
      });
    });
  };
  if (data.is_shared()) {
    RowArray<double> values;
    on_every_rank(executor, [&] { values = row_array<double>(executor, data.num_rows()); });
    write(values.data());
    return data.set_response(std::move(column), std::move(values), executor);
  }
  std::vector<double> values(at(data.num_rows()));
  write(values.data());
  data.set_response(std::move(column), values);
}

std::vector<double> formula_trials(const DesignState& design, const Dataset& data, const Executor& executor) {
  const FormulaResponse response(design, sources_of(design, data));
  if (!response.has_trials()) return {};
  std::vector<double> values(at(data.num_rows())), trials(values.size());
  for_each_block(executor, data.num_rows(), [&](Index first, Index count) {
    response.write(data, first, count, values.data() + first, trials.data() + first);
  });
  return trials;
}

std::vector<double> formula_offsets(const DesignState& design, const Dataset& data,
                                    const Executor& executor) {
  const FormulaOffset offset(design, sources_of(design, data, false));
  if (offset.empty()) return {};
  std::vector<double> values(at(data.num_rows()));
  for_each_block(executor, data.num_rows(),
                 [&](Index first, Index count) { offset.write(data, first, count, values.data() + first); });
  return values;
}

ModelTable read_table(const std::filesystem::path& path, ReadOptions read, ModelOptions model,
                      const Executor& executor, const Observer& observer) {
  if (!model.formula) return {read_shared(path, read, executor, observer), std::move(model)};
  require_formula_alone(read);
  const Formula formula = required_two_sided(*model.formula);
  std::vector<std::string> excluded = read.unused;
  if (read.weights) excluded.push_back(*read.weights);
  read.choose = [&](const std::vector<std::string>& names) {
    return choice_of(formula, formula_columns(formula, names, excluded));
  };
  Dataset data = read_shared(path, read, executor, observer);
  of_unchanged(data, executor, [&] {
    if (!model.design) model.design = learn_design(formula, data, executor, excluded);
    model.intercept = terms_of(*model.design, sources_of(*model.design, data)).intercept;
    add_response(*model.design, data, executor);
  });
  return {std::move(data), std::move(model)};
}

}  // namespace giga
