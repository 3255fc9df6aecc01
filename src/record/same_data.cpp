// Digests, and the comparison of a table with the coreset that was built from it.
//
// The digest of a table is the digest of the digests of its blocks of rows, in block order: the same for any
// number of threads. The comparison goes from cheap to dear, and from what can be said exactly (a row, a
// column) to what only a digest shows.
#include "giga/record/same_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// FNV-1a over words of 8 bytes, with a shift so that high bits reach the low ones.
class Digest {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001b3U;
    state_ ^= state_ >> 29;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value + 0.0)); }  // -0 is 0
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }

  [[nodiscard]] std::uint64_t value() const { return state_; }
  [[nodiscard]] std::string text() const {
    std::string digits(16, '0');
    for (std::size_t i = 0; i < digits.size(); ++i)
      digits[i] = "0123456789abcdef"[state_ >> (60 - 4 * i) & 15U];
    return digits;
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

[[noreturn]] void refuse(const Dataset& data, const CoresetFile& file, const std::string& what) {
  throw DataError(data.name() + ": is not the table that " + printable_path(file.path) +
                  " was built from: " + what);
}

// The row of the dataset that was the given row of the input; rows may have been dropped.
Index row_of(const Dataset& data, Index input_row) {
  // Bisection; input rows ascend. Invariant: rows before `low` are below input_row, rows from
  // `high` on are not.
  Index low = 0, high = data.num_rows();
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (data.input_row(middle) < input_row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < data.num_rows() && data.input_row(low) == input_row ? low : -1;
}

// The text of the cell of a row in the first column that `is` picks.
std::string text_where(const Dataset& data, Index row, const std::function<bool(const Column&)>& is) {
  const auto cells = data.cells(std::vector<Index>{row});
  for (std::size_t j = 0; j < cells[0].size(); ++j)
    if (is(data.columns()[j])) return cells[0][j];
  return {};
}

std::string text_of_feature(const Dataset& data, Index row, std::size_t feature) {
  return text_where(data, row, [feature](const Column& column) {
    return column.role == ColumnRole::Feature && column.feature == static_cast<Index>(feature);
  });
}

std::string text_of_response(const Dataset& data, Index row) {
  return text_where(data, row, [](const Column& column) { return column.role == ColumnRole::Response; });
}

// Bit for bit: coreset.csv has the text of the input's cells, or numbers that read back exactly.
void require_same_row(const Dataset& data, Index row, const WeightedProblem& coreset, Index k,
                      const CoresetFile& file) {
  const auto differs = [&](const std::string& column, const std::string& here, const std::string& there) {
    refuse(data, file,
           "column '" + printable(column) + "' of " + data.place(row) + " is " + printable(here) +
               ", but the coreset has " + printable(there) + "; were rows changed or put in another order?");
  };
  FeatureRows of_data(data, 1), of_coreset(*coreset.data, 1);
  const double *here = of_data.row(row), *there = of_coreset.row(k);
  for (std::size_t d = 0; d < file.features.size(); ++d) {
    if (here[d] != there[d])
      differs(file.features[d], text_of_feature(data, row, d), text_of_feature(*coreset.data, k, d));
  }
  const double y = data.response(row);
  const double expected = coreset.data->response()[static_cast<std::size_t>(k)];
  if (y != expected) differs(file.response, text_of_response(data, row), text_of_response(*coreset.data, k));
}

void require_same_scale(const Problem& problem, const CoresetFile& file, const Executor& executor) {
  // Relative, so that another order of summation is not taken for other data.
  constexpr double kNear = 1e-9;
  if (!file.model.standardise) return;
  // Columns of groups, the last terms, have no scale.
  const std::span<const std::shared_ptr<const Term>> terms(problem.table()->design->terms());
  Standardisation scale = standardise(terms.first(terms.size() - file.scale.group_sds.size()),
                                      *problem.table()->data, problem.table()->distinct, executor);
  // Version 0.1 centred columns without an intercept too.
  const bool is_centred =
      file.model.intercept || std::ranges::any_of(file.scale.mean, [](double mean) { return mean != 0; });
  if (!is_centred) scale = about_zero(std::move(scale));
  const auto require = [&](std::size_t d, const char* what, double here, double there, double unit) {
    if (std::abs(here - there) <= kNear * std::max({std::abs(here), std::abs(there), unit})) return;
    refuse(*problem.table()->data, file,
           std::string("the ") + what + " of column '" + printable(file.raw_columns[d]) + "' is " +
               shortest(here) + ", but was " + shortest(there));
  };
  for (std::size_t d = 0; d < scale.mean.size(); ++d) {
    require(d, "mean", scale.mean[d], file.scale.mean[d], file.scale.scale[d]);
    require(d, is_centred ? "standard deviation" : "root mean square", scale.scale[d], file.scale.scale[d],
            0);
  }
}

// What the numbers of the features and the response stand for, where that is not themselves.
void add_kinds(const Dataset& data, Digest& digest) {
  const auto add = [&digest](const Column& column) {
    if (column.kind == ColumnKind::Number) return;
    digest.add(std::string_view(name(column.kind)));
    digest.add(static_cast<std::uint64_t>(column.levels.size()));
    for (const std::string& level : column.levels) digest.add(std::string_view(level));
  };
  for (Index d = 0; d < data.num_features(); ++d) add(data.feature_column(d));
  for (const Column& column : data.columns())
    if (column.role == ColumnRole::Response) add(column);
}

}  // namespace

std::string data_digest(const Dataset& data, const Executor& executor) {
  Digest all;
  all.add(static_cast<std::uint64_t>(data.num_rows()));
  all.add(static_cast<std::uint64_t>(data.num_features()));
  add_kinds(data, all);
  const auto response = data.response();
  fold_blocks<std::uint64_t>(
      executor, data.num_rows(), 1, std::span(&all, 1),
      [&data, response](Index first, Index count, Index /*piece*/, std::uint64_t* part) {
        Digest digest;
        FeatureRows features(data, 1);
        for (Index n = first; n < first + count; ++n) {
          const double* x = features.row(n);
          for (Index d = 0; d < data.num_features(); ++d) digest.add(x[d]);
          if (!response.empty()) digest.add(response[at(n)]);
          digest.add(data.weight(n));
        }
        *part = digest.value();
      },
      [](const std::uint64_t* part, Digest* total) { total->add(*part); });
  return all.text();
}

std::string text_digest(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.text();
}

std::string posterior_digest(const CoresetFile& file) {
  Digest digest;
  const ModelOptions& model = file.model;
  digest.add(family_name(model.family.family));
  digest.add(link_name(model.family.family));
  digest.add(model.family.noise_scale);  // of every family, as digests of version 0.1 have it
  for (const FamilySetting& setting : describe(model.family.family).settings)
    if (setting.value != &FamilyParameters::noise_scale) digest.add(model.family.*setting.value);
  if (describe(model.family.family).given) digest.add(std::string_view("learnt"));
  digest.add(model.prior_scale);
  digest.add(static_cast<std::uint64_t>(model.intercept ? 1 : 0));
  digest.add(static_cast<std::uint64_t>(model.standardise ? 1 : 0));
  for (const ScalarPrior& prior : model.priors.found) digest.add(std::string_view(prior.text()));
  if (model.success) digest.add(std::string_view(*model.success));
  if (model.formula) digest.add(std::string_view(*model.formula));
  digest.add(std::string_view(file.response));
  digest.add(static_cast<std::uint64_t>(file.num_rows));
  for (std::size_t d = 0; d < file.raw_columns.size(); ++d) {
    digest.add(std::string_view(file.raw_columns[d]));
    digest.add(file.scale.mean[d]);
    digest.add(file.scale.scale[d]);
  }
  // Where categories make columns, the features have names of their own.
  if (file.features != file.raw_columns)
    for (const std::string& feature : file.features) digest.add(std::string_view(feature));
  for (std::size_t k = 0; k < file.coreset.rows.size(); ++k) {
    digest.add(static_cast<std::uint64_t>(file.coreset.rows[k]));
    digest.add(file.coreset.weights[k]);
  }
  digest.add(std::string_view(file.data_digest));
  return digest.text();
}

namespace {

// Of features and response.
std::uint64_t digest_of(const Dataset& data, Index row) {
  Digest digest;
  FeatureRows features(data, 1);
  const double* x = features.row(row);
  for (Index d = 0; d < data.num_features(); ++d) digest.add(x[d]);
  digest.add(data.response()[at(row)]);
  return digest.value();
}

bool is_same_row(const Dataset& one, Index n, const Dataset& other, Index m) {
  FeatureRows features(one, 1), others(other, 1);
  const double* x = features.row(n);
  return std::equal(x, x + one.num_features(), others.row(m)) &&
         one.response()[at(n)] == other.response()[at(m)];
}

// For every row of the coreset the first row of the data with the same values.
std::vector<Index> rows_by_value(const Dataset& data, const WeightedProblem& coreset, const CoresetFile& file,
                                 const Executor& executor) {
  std::unordered_multimap<std::uint64_t, Index> wanted;
  const Dataset& points = *coreset.data;
  for (Index k = 0; k < points.num_rows(); ++k) wanted.emplace(digest_of(points, k), k);
  // One more than the row; 0 while there is none.
  std::vector<Index> found(at(points.num_rows()), 0);
  fold_blocks<Index>(
      executor, data.num_rows(), points.num_rows(), std::span(found),
      [&](Index first, Index count, Index /*piece*/, Index* part) {
        for (Index n = first; n < first + count; ++n) {
          const auto [begin, end] = wanted.equal_range(digest_of(data, n));
          for (auto it = begin; it != end; ++it) {
            const Index k = it->second;
            if (part[k] == 0 && is_same_row(points, k, data, n)) part[k] = n + 1;
          }
        }
      },
      [size = points.num_rows()](const Index* part, Index* total) {
        for (Index k = 0; k < size; ++k)
          if (total[k] == 0) total[k] = part[k];
      });
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k]-- == 0)
      refuse(data, file,
             "row " + std::to_string(coreset.input_rows[k]) + " of the shard " +
                 printable(file.sums->shards[at(file.shard_of[k])].name, 200) +
                 ", which is in the coreset, is not in it; give the rows of all shards");
  }
  return found;
}

}  // namespace

Coreset coreset_within(const Problem& problem, const WeightedProblem& coreset, const CoresetFile& file,
                       const Executor& executor) {
  const Dataset& data = *problem.table()->data;
  if (data.num_rows() != file.num_rows)
    refuse(data, file, "it has " + plural(data.num_rows(), "row") + ", not " + std::to_string(file.num_rows));
  Coreset out;
  if (file.is_merged()) {
    require_same_scale(problem, file, executor);
    return {rows_by_value(data, coreset, file, executor), file.coreset.weights};
  }
  std::vector<Index> rows, present;
  for (const Index input_row : coreset.input_rows) {
    rows.push_back(row_of(data, input_row));
    if (rows.back() >= 0) present.push_back(rows.back());
  }
  data.fetch_cells(present, executor);
  data.check_together(executor, [&] {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows[k] < 0)
        refuse(data, file,
               "the coreset has row " + std::to_string(coreset.input_rows[k]) +
                   ", which is missing from this table, or incomplete in it");
      require_same_row(data, rows[k], coreset, static_cast<Index>(k), file);
    }
  });
  out = {std::move(rows), file.coreset.weights};
  require_same_scale(problem, file, executor);
  if (!file.data_digest.empty() && file.data_digest != data_digest(data, executor))
    refuse(data, file, "some of the rows that are not in the coreset, or their weights, have changed");
  return out;
}

}  // namespace giga
