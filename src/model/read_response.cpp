// The response of a table for its family. Numbers are read by the family itself; words, and numbers of which
// one is named as the success, become labels here.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/dataset.hpp"
#include "giga/model/family.hpp"

namespace giga {
namespace {

constexpr std::size_t kListed = 8;

std::string in_quotes(std::string_view text) {
  return std::string("'").append(printable(text)).append("'");
}

// The response column in a message.
std::string column_of(const Dataset& data) {
  return data.name() + ": column " + in_quotes(data.response_name());
}

std::string listed(const std::vector<std::string>& texts) {
  std::string list;
  for (std::size_t k = 0; k < std::min(texts.size(), kListed); ++k)
    list.append(k == 0 ? "" : ", ").append(in_quotes(texts[k]));
  return texts.size() > kListed ? list + ", ..." : list;
}

// The labels of the column: numbers and the texts they stand for. One more than `kListed` at most.
struct Labels {
  std::vector<double> values;
  std::vector<std::string> texts;
};

Labels labels_of(const Dataset& data, const Column& column) {
  Labels labels;
  if (column.kind == ColumnKind::Category) {
    labels.texts = column.levels;
    for (std::size_t k = 0; k < column.levels.size(); ++k) labels.values.push_back(static_cast<double>(k));
    return labels;
  }
  std::set<double> found;
  for (const double value : data.first_responses()) {
    found.insert(value);
    if (found.size() > kListed) break;
  }
  for (const double value : found) {
    labels.values.push_back(value);
    labels.texts.push_back(shortest(value));
  }
  return labels;
}

// The number that is the success. A number that no row has is one all the same where only one other occurs:
// rows of a coreset may all be failures.
double success_of(const Dataset& data, const Column& column, const Labels& labels,
                  const std::optional<std::string>& success) {
  if (!success) return 1;
  const auto found = std::find(labels.texts.begin(), labels.texts.end(), *success);
  if (found != labels.texts.end())
    return labels.values[static_cast<std::size_t>(found - labels.texts.begin())];
  const auto number = column.kind == ColumnKind::Category ? std::nullopt : parse_double(*success);
  if (number &&
      (labels.values.size() < 2 || std::ranges::find(labels.values, *number) != labels.values.end()))
    return *number;
  throw OptionError(column_of(data) + " has the labels " + listed(labels.texts) + "; `success` is " +
                    in_quotes(*success) + ", which is none of them");
}

Response two_labels(const Dataset& data, const Column& column, std::string_view family,
                    const std::optional<std::string>& success) {
  const Labels labels = labels_of(data, column);
  if (labels.values.size() > 2) {
    throw DataError(column_of(data) + " has " +
                    (column.kind == ColumnKind::Category ? plural(std::ssize(labels.texts), "level") + ": "
                                                         : "the values ") +
                    listed(labels.texts) + "; " + std::string(family) +
                    " needs two: put levels together, or choose another column with `response`");
  }
  const double one = success_of(data, column, labels, success);
  Response out;
  out.success = one;
  if (!data.is_shared()) {
    out.values.reserve(data.response().size());
    for (const double value : data.response()) out.values.push_back(out.value_of(value));
  }
  const bool first = labels.values.front() == one;
  if (labels.texts.size() == 2) {
    out.notes.push_back("labels: " + in_quotes(labels.texts[first ? 0 : 1]) + " is success, " +
                        in_quotes(labels.texts[first ? 1 : 0]) + " is failure");
  } else {
    out.notes.push_back("every label is " + in_quotes(labels.texts[0]) + ", taken as " +
                        (first ? "success" : "failure") +
                        ": one class only; the prior alone keeps the intercept finite");
  }
  return out;
}

}  // namespace

Response read_response(const Dataset& data, Family family, const std::optional<std::string>& success) {
  const FamilyDescription& described = describe(family);
  const Column& column = data.response_column();
  const bool words = column.kind == ColumnKind::Category;
  if (described.is_binary && (words || success)) return two_labels(data, column, described.name, success);
  if (success)
    throw OptionError("`success` has no effect with family " + std::string(described.name) +
                      "; leave it out");
  if (words) {
    throw DataError(column_of(data) + " is text, with the levels " + listed(column.levels) + "; " +
                    std::string(described.name) + " needs " + std::string(described.responses) +
                    ": choose another column with `response`");
  }
  return described.read_response(data);
}

}  // namespace giga
