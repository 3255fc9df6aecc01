// A regression whose rows ranks share: what they tell each other of them.
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/shared_entries.hpp"
#include "model/regression_parts.hpp"

namespace giga {

void RowNumbers::complete(const Executor& executor) const {
  if (shared_.empty()) return;  // those of the data are completed with its features
  const auto count = std::ssize(shared_);
  on_every_rank(executor, [&] { shared_.widen(0, count); });
  share_rows(executor, count, {entries_of(shared_.data())});
}

Regression::Regression(Parts parts) : parts_(std::make_unique<const Parts>(std::move(parts))) {}

Regression::Regression(const Dataset& data, const DistinctRows& rows, std::shared_ptr<const Design> design,
                       RowArray<double> response, RowArray<double> offset, const FamilyParameters& family,
                       const Executor& executor) {
  if (response.empty() &&
      (!rows.rows.empty() || data.response().empty() || describe(family.family).has_trials))
    throw std::invalid_argument("responses of the data are those of all its rows, and without trials");
  const RowRange held = executor.own_rows(rows.num_rows);
  RowNumbers responses = response.empty() ? RowNumbers(data.response()) : RowNumbers(std::move(response));
  RowConstants constants(family, std::span(responses.data() + held.begin, at(held.size())), held.begin);
  std::vector<std::string> names = design->names();
  parts_ = std::make_unique<const Parts>(Parts{DesignMatrix(std::move(design), data, rows.rows, held),
                                               std::move(responses), rows.multiplicity, std::move(constants),
                                               family, std::move(names), RowNumbers(std::move(offset))});
}

bool Regression::is_shared() const {
  return held().size() != num_rows();
}

RowRange Regression::held() const {
  return parts_->design.held();
}

void Regression::fetch(std::span<const Index> rows, const Executor& executor) const {
  if (!is_shared()) return;
  parts_->design.fetch(rows, executor);
  std::vector<Index> wanted(rows.begin(), rows.end());
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  using Pair = std::array<double, 2>;
  const Bytes told = told_of_rows(executor, num_rows(), wanted, sizeof(Pair), [&](Index n, std::byte* bytes) {
    const Pair pair{response(n), offset(n)};
    std::memcpy(bytes, pair.data(), sizeof(Pair));
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (parts_->is_here(wanted[i])) continue;
    Pair pair;
    std::memcpy(pair.data(), told.data() + i * sizeof(Pair), sizeof(Pair));
    parts_->fetched[wanted[i]] = {pair[0], pair[1]};
  }
}

void Regression::complete(const Executor& executor) const {
  if (!is_shared()) return;
  parts_->response.complete(executor);
  if (has_offset()) parts_->offset.complete(executor);
  parts_->design.complete(executor);
}

// Every rank knows all rows of the subset, and who holds them: it sends others the rows that are theirs
// there. Of each z, the response and the offset.
std::unique_ptr<Likelihood> Regression::shared_subset(std::span<const Index> rows,
                                                      std::span<const double> weights,
                                                      const Executor& executor) const {
  const auto count = std::ssize(rows);
  const RowRange own = executor.own_rows(count);
  if (count == 0 || weights.size() != rows.size()) return subset(rows, weights);  // which refuses them
  if (!is_shared() || own.size() == count) {
    fetch(rows, executor);
    return subset_of(parts_->design.chosen(rows, executor.local()), rows, weights);
  }
  const int ranks = executor.num_ranks();
  const Index dim = num_columns(), each = dim + 2;
  // Those of the subset's rows that `to` gets from `from`.
  const auto sent = [&](int from, int to) {
    const RowRange part = executor.rows_of(to, count), there = executor.rows_of(from, num_rows());
    const auto some = rows.subspan(at(part.begin), at(part.size()));
    return RowRange{part.begin + (std::ranges::lower_bound(some, there.begin) - some.begin()),
                    part.begin + (std::ranges::lower_bound(some, there.end) - some.begin())};
  };
  std::vector<Bytes> given(at(ranks));
  RowArray<double> z, y, shifts;
  on_every_rank(executor, [&] {
    z = row_array<double>(executor, count, dim);
    y = row_array<double>(executor, count);
    if (has_offset()) shifts = row_array<double>(executor, count);
    executor.local().for_each(ranks, [&](Index to) {
      const RowRange part = sent(executor.rank(), static_cast<int>(to));
      std::vector<double> numbers(at(part.size() * each));
      for (Index k = part.begin; k < part.end; ++k) {
        const Index n = rows[at(k)];
        double* place = numbers.data() + (k - part.begin) * each;
        design(n, 1, place);
        place[dim] = response(n);
        place[dim + 1] = offset(n);
      }
      const auto bytes = std::as_bytes(std::span(numbers));
      given[at(to)].assign(bytes.begin(), bytes.end());
    });
  });
  const std::vector<Bytes> got = executor.exchange(std::move(given));
  for (int from = 0; from < ranks; ++from) {
    const RowRange part = sent(from, executor.rank());
    const std::byte* place = got[at(from)].data();
    for (Index k = part.begin; k < part.end; ++k, place += at(each) * sizeof(double)) {
      std::memcpy(z.data() + k * dim, place, at(dim) * sizeof(double));
      std::memcpy(y.data() + k, place + at(dim) * sizeof(double), sizeof(double));
      if (has_offset()) std::memcpy(shifts.data() + k, place + at(dim + 1) * sizeof(double), sizeof(double));
    }
  }
  bool ones = true;
  for (const Bytes& all : gathered(executor, [&] {
         for (Index k = own.begin; k < own.end; ++k) ones = ones && z[at(k * dim + dim - 1)] == 1.0;
         return Bytes(1, ones ? std::byte{1} : std::byte{0});
       }))
    ones = ones && all[0] == std::byte{1};
  RowConstants constants(parts_->family, std::span(y.data() + own.begin, at(own.size())), own.begin);
  return std::unique_ptr<Regression>(new Regression(Parts{DesignMatrix(std::move(z), dim, own, ones),
                                                          RowNumbers(std::move(y)),
                                                          std::vector<double>(weights.begin(), weights.end()),
                                                          std::move(constants),
                                                          parts_->family,
                                                          {},
                                                          RowNumbers(std::move(shifts))}));
}

}  // namespace giga
