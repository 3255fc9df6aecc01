// The role of each column. Order matters: the weights are taken first, then the response, then the features,
// each from what is left, and a column that would get a second role is refused:
//
//     weights    `weights`, else none
//     response   `response`, else y, else the last column without a role; none without `has_response`
//     features   `features`, else every other column that is not in `unused`
#include "data/column_roles.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "data/dataset_parts.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// Names listed in a message before it says how many there are.
constexpr std::size_t kMaxNamesShown = 20;

std::string quoted(const std::string& name) {
  return std::string("'").append(printable(name)).append("'");
}

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamesShown); ++i) {
    list.append(i == 0 ? "" : ", ").append(printable(names[i]));
  }
  if (names.size() > kMaxNamesShown) {
    list += ", ... (" + std::to_string(names.size()) + " in all)";
  }
  return list;
}

// Sorting column numbers by name (stably, so equal names stay in file order) finds repeats in O(C log C) for
// C columns; there may be 2^18 of them.
void refuse_repeated_names(const std::vector<std::string>& names, const std::string& file) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  // The pair whose second column comes first in the file.
  std::optional<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (names[order[k - 1]] == names[order[k]] && (!found || order[k] < found->second)) {
      found = {order[k - 1], order[k]};
    }
  }
  if (!found) return;
  throw DataError(file + ": columns " + std::to_string(found->first + 1) + " and " +
                  std::to_string(found->second + 1) + " are both named " + quoted(names[found->first]) +
                  "; rename one of them");
}

// Columns with the roles given so far. Features are numbered in the order in which they are assigned: the
// order of the option if there is one, else that of the file.
class Roles {
 public:
  Roles(const std::vector<std::string>& names, std::string file) : names_(names), file_(std::move(file)) {
    for (const std::string& name : names) columns_.push_back({name, ColumnRole::Unused, -1});
  }

  std::size_t find(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      // The names that there are help to spot a misspelling.
      throw NoSuchColumn(file_ + ": no column " + quoted(name) + "; have: " + listed(names_));
    }
    return static_cast<std::size_t>(found - names_.begin());
  }

  // `field` is the option that asked for it, for the message.
  void assign(std::size_t col, ColumnRole role, const char* field) {
    if (columns_[col].role != ColumnRole::Unused) {
      throw NoSuchColumn(file_ + ": column " + quoted(names_[col]) + " given with " + field +
                         " has another role already; give every column one role");
    }
    columns_[col].role = role;
    if (role == ColumnRole::Feature) columns_[col].feature = num_features_++;
  }

  // y, else the last column that is not the weights.
  std::size_t default_response() const {
    const auto is_free = [&](std::size_t col) { return columns_[col].role == ColumnRole::Unused; };
    for (std::size_t col = 0; col < names_.size(); ++col) {
      if (names_[col] == "y" && is_free(col)) return col;
    }
    std::size_t col = names_.size() - 1;
    while (col > 0 && !is_free(col)) --col;
    return col;
  }

  // The default: every column that has no role yet and is not listed as unused is a feature.
  void assign_all_others(const std::vector<std::string>& unused) {
    for (Column& column : columns_) {
      const bool left = std::find(unused.begin(), unused.end(), column.name) != unused.end();
      if (column.role == ColumnRole::Unused && !left) {
        column.role = ColumnRole::Feature;
        column.feature = num_features_++;
      }
    }
  }

  // They must be there; weights are numbers.
  void check_categories(const ReadOptions& options) const {
    for (const std::string& name : options.categories) {
      if (columns_[find(name)].role == ColumnRole::Weight)
        throw NoSuchColumn(file_ + ": column " + quoted(name) +
                           " given with `categories` has the weights, which are numbers");
    }
  }

  // A choice of no features is one: an intercept may be all that there is.
  std::vector<Column> take(bool has_response, bool chosen) {
    if (num_features_ == 0 && !(has_response && chosen)) {
      throw DataError(file_ +
                      (has_response ? ": no features beside the response; have: " : ": no features; have: ") +
                      listed(names_));
    }
    return std::move(columns_);
  }

 private:
  const std::vector<std::string>& names_;
  std::string file_;
  std::vector<Column> columns_;
  Index num_features_ = 0;
};

}  // namespace

std::vector<Column> assign_roles(const std::vector<std::string>& names, const ReadOptions& options,
                                 const std::string& name) {
  refuse_repeated_names(names, name);
  if (options.choose) {
    ColumnChoice choice = options.choose(names);
    ReadOptions chosen = options;
    chosen.choose = {};
    chosen.has_response = choice.response.has_value();
    chosen.response = std::move(choice.response);
    chosen.features = std::move(choice.features);
    return assign_roles(names, chosen, name);
  }
  Roles roles(names, name);
  if (options.weights) roles.assign(roles.find(*options.weights), ColumnRole::Weight, "`weights`");
  if (options.has_response) {
    // default_response never takes the weights: they have their role by now.
    roles.assign(options.response ? roles.find(*options.response) : roles.default_response(),
                 ColumnRole::Response, "`response`");
  } else if (options.response) {
    throw std::invalid_argument("`response` is given, and `has_response` is false");
  }
  roles.check_categories(options);
  if (options.features) {
    for (const std::string& feature : *options.features) {
      roles.assign(roles.find(feature), ColumnRole::Feature, "`features`");
    }
  } else {
    roles.assign_all_others(options.unused);
  }
  return roles.take(options.has_response, options.features && options.features->empty());
}

std::vector<std::string> default_names(Index num_columns) {
  std::vector<std::string> names;
  for (Index j = 1; j < num_columns; ++j) names.push_back(std::string("x").append(std::to_string(j)));
  names.emplace_back("y");
  return names;
}

}  // namespace giga
