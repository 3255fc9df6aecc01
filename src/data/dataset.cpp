// A Dataset is a handle to its Parts (dataset_parts.hpp). Rows are numbered after the dropped ones are left
// out; input_row() gives the number in the file, which messages and the text of unused columns need.
#include "giga/data/dataset.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "data/dataset_parts.hpp"
#include "data/iso_time.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// The number that was read for a column of row n, which has these features; not for unused columns, which
// have none.
double number_of(const Dataset& data, const Column& column, Index n, const double* features) {
  switch (column.role) {
    case ColumnRole::Feature: return features[column.feature];
    case ColumnRole::Response: return data.response(n);
    case ColumnRole::Weight: return data.weight(n);
    case ColumnRole::Unused: break;
  }
  return 0;
}

// The cell of a column that was read.
std::string text_of(const Column& column, double value) {
  switch (column.kind) {
    case ColumnKind::Number: break;
    case ColumnKind::Category: return column.levels[static_cast<std::size_t>(value)];
    case ColumnKind::Date: return iso_date(value);
    case ColumnKind::Time: return iso_time(value);
  }
  return shortest(value);
}

}  // namespace

// Users count rows and lines from 1.
std::string row_place(Index input_row, Index line) {
  std::string place = "row " + std::to_string(input_row + 1);
  if (line > 0) place += " (line " + std::to_string(line) + ")";
  return place;
}

// dropped[i] - i rows were kept before the i-th dropped one, a number that does not decrease with i. Those
// with dropped[i] - i <= n come before row n; the bisection counts them: dropped rows [0, low) do, [high, ..)
// do not.
Index kept_input_row(const std::vector<Index>& dropped, Index n) {
  Index low = 0;
  auto high = static_cast<Index>(dropped.size());
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (dropped[at(middle)] - middle <= n) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return n + low;
}

// Files without rows begin where the next one does: the last of those that begin at or before the row has it.
const InputFile& file_with(const std::vector<InputFile>& files, Index input_row) {
  const auto after = std::ranges::upper_bound(files, input_row, {}, &InputFile::first_row);
  return *(after - 1);
}

namespace {

std::string place_on_line(const Dataset::Parts& parts, Index input_row, Index line) {
  if (parts.files.empty()) return row_place(input_row, line);
  const InputFile& file = file_with(parts.files, input_row);
  return row_place(input_row - file.first_row, line) + " of " + file.name;
}

std::string place_without_line(const Dataset::Parts& parts, Index input_row) {
  return place_on_line(parts, input_row, 0);
}

}  // namespace

std::string place_of(const Dataset::Parts& parts, Index input_row) {
  return place_on_line(parts, input_row, parts.origin ? parts.origin->line(input_row) : 0);
}

std::string in_quotes(std::string_view value) {
  return std::string("'").append(printable(value)).append("'");
}

std::string column_place(const std::vector<Column>& columns, Index col) {
  const std::string& name = columns[at(col)].name;
  if (name.empty()) return "column " + std::to_string(col + 1) + " (unnamed)";
  return std::string("column '").append(printable(name)).append("'");
}

// Defined here, where Parts is complete.
Dataset::Dataset(Parts parts) : parts_(std::make_unique<Parts>(std::move(parts))) {
  parts_->column_of.resize(at(parts_->num_features));
  for (std::size_t j = 0; j < parts_->columns.size(); ++j) {
    const Column& column = parts_->columns[j];
    if (column.role == ColumnRole::Feature) parts_->column_of[at(column.feature)] = j;
  }
}
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;
Dataset::~Dataset() = default;

Index Dataset::num_rows() const {
  return parts_->num_rows;
}

Index Dataset::num_features() const {
  return parts_->num_features;
}

namespace {

// Features, response and weight of a row that is not here.
const double* fetched(const Dataset::Parts& parts, Index n) {
  const auto found = parts.shared->numbers.find(n);
  if (found == parts.shared->numbers.end())
    throw std::logic_error("row " + std::to_string(n) + " is of another rank and was not fetched");
  return found->second.data();
}

}  // namespace

const double* Dataset::features(Index n) const {
  if (features_need_room()) throw std::logic_error("the features of " + parts_->name + " need room");
  return features(n, nullptr);
}

bool Dataset::features_need_room() const {
  return parts_->placed && parts_->placed->needs_room();
}

std::uint64_t Dataset::bytes_in_place() const {
  return parts_->placed ? parts_->placed->bytes() : 0;
}

void Dataset::require_unchanged() const {
  if (parts_->placed) parts_->placed->require_unchanged();
}

const double* Dataset::features(Index n, double* room) const {
  if (parts_->placed) return parts_->placed->row(n, room);
  if (parts_->shared && !parts_->shared->is_here(n)) return fetched(*parts_, n);
  return parts_->feature_values() + n * parts_->num_features;
}

double Dataset::response(Index n) const {
  if (parts_->shared && !parts_->shared->is_here(n)) return fetched(*parts_, n)[parts_->num_features];
  return parts_->response.data()[n];
}

std::vector<double> Dataset::first_responses() const {
  if (parts_->shared) return parts_->shared->first_responses;
  std::vector<double> found;
  add_first_responses(response(), found);
  return found;
}

void add_first_responses(std::span<const double> values, std::vector<double>& found) {
  for (const double value : values) {
    if (found.size() == Dataset::kFewResponses) return;
    if (std::ranges::find(found, value) == found.end()) found.push_back(value);
  }
}

std::span<const double> Dataset::response() const {
  if (parts_->response.data() == nullptr) return {};
  return {parts_->response.data(), at(parts_->num_rows)};
}

std::span<const double> Dataset::weights() const {
  if (parts_->weights.data() == nullptr) return {};
  return {parts_->weights.data(), at(parts_->num_rows)};
}

double Dataset::weight(Index n) const {
  // hold() does not bring weights.
  if (parts_->shared && !parts_->shared->complete && !parts_->shared->held.contains(n) &&
      parts_->weights.data() != nullptr)
    return fetched(*parts_, n)[parts_->num_features + 1];
  return parts_->weights.data() == nullptr ? 1.0 : parts_->weights.data()[n];
}

const std::vector<std::string>& Dataset::feature_names() const {
  return parts_->feature_names;
}

const std::string& Dataset::response_name() const {
  return parts_->response_name;
}

const std::vector<Column>& Dataset::columns() const {
  return parts_->columns;
}

const Column& Dataset::feature_column(Index feature) const {
  if (feature < 0 || feature >= parts_->num_features)
    throw std::invalid_argument("there is no feature " + std::to_string(feature));
  return parts_->columns[parts_->column_of[at(feature)]];
}

const Column& Dataset::response_column() const {
  if (parts_->computed_response) return *parts_->computed_response;
  const auto found = std::ranges::find(parts_->columns, ColumnRole::Response, &Column::role);
  if (found == parts_->columns.end())
    throw std::invalid_argument(parts_->name + ": the table was read without a response");
  return *found;
}

void Dataset::rename_feature(Index feature, const std::string& name, const std::vector<std::string>& levels) {
  Column& column = parts_->columns[parts_->column_of[at(feature)]];
  if (levels.size() != column.levels.size())
    throw std::invalid_argument("there must be a word for every level of " + name);
  column.name = name;
  column.levels = levels;
  parts_->feature_names[at(feature)] = name;
}

void Dataset::set_response(Column column, const std::vector<double>& values) {
  if (!response().empty()) throw std::invalid_argument(parts_->name + ": there is a response already");
  if (std::ssize(values) != parts_->num_rows)
    throw std::invalid_argument("there must be a response for every row");
  parts_->response.resize(parts_->num_rows);
  std::ranges::copy(values, parts_->response.data());
  parts_->name_response(std::move(column));
}

void Dataset::Parts::name_response(Column column) {
  column.role = ColumnRole::Response;
  response_name = column.name;
  computed_response = std::move(column);
}

Index Dataset::input_row(Index n) const {
  return parts_->first_row + kept_input_row(parts_->dropped, n);
}

std::string Dataset::place(Index n) const {
  if (parts_->shared && !parts_->shared->read.contains(n)) {
    const auto found = parts_->shared->places.find(n);
    if (found != parts_->shared->places.end()) return found->second;
    if (parts_->shared->asks) throw ReadElsewhere{n};
    return place_without_line(*parts_, input_row(n));
  }
  return place_of(*parts_, input_row(n));
}

std::string Dataset::response_place(Index n) const {
  if (parts_->computed_response)
    return place(n) + ", response '" + printable(parts_->computed_response->name) + "'";
  const auto& columns = parts_->columns;
  // A Dataset has one response column at most.
  const auto response = std::ranges::find(columns, ColumnRole::Response, &Column::role);
  if (response == columns.end()) return place(n);
  return place(n) + ", " + column_place(columns, response - columns.begin());
}

const std::string& Dataset::name() const {
  return parts_->name;
}

const std::vector<InputFile>& Dataset::files() const {
  return parts_->files;
}

const std::vector<std::string>& Dataset::notes() const {
  return parts_->notes;
}

std::vector<std::vector<std::string>> Dataset::cells(std::span<const Index> rows) const {
  const auto& columns = parts_->columns;
  // What was read comes from the table, unused columns from the input.
  std::vector<Index> unused;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j].role == ColumnRole::Unused) unused.push_back(static_cast<Index>(j));
  }
  for (const Index n : rows) {
    if (n < 0 || n >= parts_->num_rows) {
      throw std::invalid_argument("cells: row " + std::to_string(n) + " is not in [0, " +
                                  std::to_string(parts_->num_rows) + ")");
    }
  }
  std::vector<std::vector<std::string>> cells(rows.size(), std::vector<std::string>(columns.size()));
  FeatureRows feature_rows(*this, 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* const features = num_features() > 0 ? feature_rows.row(rows[i]) : nullptr;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j].role != ColumnRole::Unused)
        cells[i][j] = text_of(columns[j], number_of(*this, columns[j], rows[i], features));
    }
  }
  if (unused.empty() || parts_->origin == nullptr) return cells;
  if (parts_->shared) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<std::string>& texts = parts_->shared->texts.at(rows[i]);
      for (std::size_t j = 0; j < unused.size(); ++j) cells[i][at(unused[j])] = texts[j];
    }
    return cells;
  }

  // An Origin wants ascending rows, so that one pass over the input is enough; the caller's order is
  // restored.
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  std::vector<Index> sorted;
  for (const std::size_t i : order) sorted.push_back(input_row(rows[i]));
  const auto texts = parts_->origin->texts(sorted, unused);
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t j = 0; j < unused.size(); ++j) cells[order[k]][at(unused[j])] = texts[k][j];
  }
  return cells;
}

}  // namespace giga
