// Rows of z, in either layout, a tile of rows at a time: copied where they were given, else written by the
// Design from the features of the dataset, which are read where they lie.
#include "model/design_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/shared_entries.hpp"
#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"

namespace giga {

using kernels::kTile;

DesignMatrix::DesignMatrix(std::shared_ptr<const Design> design, const Dataset& data, std::vector<Index> rows,
                           const RowRange& held)
    : design_(std::move(design)),
      data_(&data),
      x_(data.all_features()),
      rows_(std::move(rows)),
      num_rows_(rows_.empty() ? data.num_rows() : std::ssize(rows_)),
      num_features_(data.num_features()),
      num_columns_(design_->num_columns()),
      held_(held) {}

DesignMatrix::DesignMatrix(std::vector<double> rows, Index num_columns)
    : own_(std::move(rows)), x_(own_.data()), num_features_(num_columns), num_columns_(num_columns) {
  if (num_columns < 1 || own_.empty() || std::ssize(own_) % num_columns != 0)
    throw std::invalid_argument(std::to_string(own_.size()) + " values are not rows of " +
                                std::to_string(num_columns));
  num_rows_ = std::ssize(own_) / num_columns;
  held_ = {0, num_rows_};
}

DesignMatrix::DesignMatrix(RowArray<double> rows, Index num_columns, const RowRange& held, bool ends_in_ones)
    : shared_(std::move(rows)),
      ends_in_ones_(ends_in_ones),
      x_(shared_.data()),
      num_rows_(std::ssize(shared_) / num_columns),
      num_features_(num_columns),
      num_columns_(num_columns),
      held_(held) {}

DesignMatrix::DesignMatrix(std::shared_ptr<const Design> design, std::vector<double> features,
                           Index num_features, bool ends_in_ones)
    : design_(std::move(design)),
      own_(std::move(features)),
      ends_in_ones_(ends_in_ones),
      x_(own_.data()),
      num_rows_(std::ssize(own_) / num_features),
      num_features_(num_features),
      num_columns_(design_->num_columns()),
      held_{0, num_rows_} {}

// As z, which is made once; or, where that is far more, as the features that it is made of whenever it is
// asked for: of categories, a number for the columns of all levels.
bool DesignMatrix::as_features() const {
  constexpr Index kFarMore = 2;
  return design_ && num_features_ > 0 && num_columns_ >= kFarMore * num_features_;
}

bool DesignMatrix::write_chosen(std::span<const Index> rows, double* numbers) const {
  const bool features_only = as_features();
  const Index each = features_only ? num_features_ : num_columns_;
  std::vector<double> z(features_only ? at(num_columns_) : 0);
  SmallScratch<0> room(room_for(1));
  bool ones = true;
  for (const Index row : rows) {
    double* const made = features_only ? z.data() : numbers;
    by_row(row, 1, made);
    ones = ones && made[num_columns_ - 1] == 1.0;
    if (features_only) std::copy_n(features(row, room.data()), each, numbers);
    numbers += each;
  }
  return ones;
}

DesignMatrix DesignMatrix::chosen(std::span<const Index> rows) const {
  const Index each = as_features() ? num_features_ : num_columns_;
  std::vector<double> numbers(rows.size() * at(each));
  const bool ones = write_chosen(rows, numbers.data());
  if (as_features()) return {design_, std::move(numbers), each, ones};
  return {std::move(numbers), each};
}

DesignMatrix DesignMatrix::chosen(std::span<const Index> rows, const Executor& executor) const {
  if (as_features()) return chosen(rows);
  const auto count = std::ssize(rows);
  RowArray<double> z = row_array<double>(executor, count, num_columns_);
  std::atomic<bool> ones = true;
  for_each_block(executor, {0, count}, [&](Index first, Index some) {
    if (!write_chosen(rows.subspan(at(first), at(some)), z.data() + first * num_columns_)) ones = false;
  });
  return {std::move(z), num_columns_, {0, count}, ones};
}

const double* DesignMatrix::fetched(Index n, double* room) const {
  if (data_ != nullptr) return data_->features(data_row(n), room);
  const auto found = fetched_.find(n);
  if (found == fetched_.end())
    throw std::logic_error("row " + std::to_string(n) + " is of another rank and was not fetched");
  return found->second.data();
}

void DesignMatrix::fetch(std::span<const Index> rows, const Executor& executor) const {
  if (held_.size() == num_rows_) return;
  if (data_ != nullptr) {
    std::vector<Index> of_data;
    for (const Index n : rows) of_data.push_back(data_row(n));
    return data_->fetch(of_data, executor);
  }
  std::vector<Index> wanted(rows.begin(), rows.end());
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const std::size_t each = at(num_columns_) * sizeof(double);
  const Bytes told = told_of_rows(executor, num_rows_, wanted, each, [&](Index row, std::byte* bytes) {
    std::memcpy(bytes, x_ + row * num_columns_, each);
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (held_.contains(wanted[i])) continue;
    std::vector<double>& row = fetched_[wanted[i]];
    row.resize(at(num_columns_));
    std::memcpy(row.data(), told.data() + i * each, each);
  }
}

void DesignMatrix::complete(const Executor& executor) const {
  if (data_ != nullptr) {
    data_->complete(executor);
  } else {
    on_every_rank(executor, [&] { shared_.widen(0, num_rows_ * num_columns_); });
    share_rows(executor, num_rows_, {entries_of(shared_.data(), num_columns_)});
  }
  held_ = {0, num_rows_};
}

// Of given rows every last element is compared, exactly.
bool DesignMatrix::ends_in_ones() const {
  if (ends_in_ones_) return *ends_in_ones_;
  if (design_) return design_->has_intercept();
  for (std::size_t last = static_cast<std::size_t>(num_columns_) - 1; last < own_.size();
       last += static_cast<std::size_t>(num_columns_)) {
    if (own_[last] != 1.0) return false;
  }
  return true;
}

void DesignMatrix::by_row(Index first, Index count, double* z) const {
  if (!design_) {
    if (held_.contains(first)) {
      std::copy_n(x_ + first * num_columns_, count * num_columns_, z);
    } else {
      for (Index i = 0; i < count; ++i)
        std::copy_n(features(first + i, nullptr), num_columns_, z + i * num_columns_);
    }
    return;
  }
  std::array<const double*, kTile> x;
  SmallScratch<0> room(room_for(kTile));
  for (Index begin = 0; begin < count; begin += kTile) {
    const Index some = std::min(kTile, count - begin);
    for (Index i = 0; i < some; ++i) x[at(i)] = features(first + begin + i, room.data() + room_for(i));
    design_->write(x.data(), some, z + begin * num_columns_, num_columns_, 1);
  }
}

void DesignMatrix::by_component(Index first, Index count, double* z) const {
  // Rows beyond the last are zero, so that sums over a whole tile are those of its rows.
  if (count < kTile) std::fill(z, z + num_columns_ * kTile, 0.0);
  if (!design_) {
    for (Index i = 0; i < count; ++i) {
      const double* row = features(first + i, nullptr);
      for (Index d = 0; d < num_columns_; ++d) z[d * kTile + i] = row[d];
    }
    return;
  }
  std::array<const double*, kTile> x;
  SmallScratch<0> room(room_for(count));
  for (Index i = 0; i < count; ++i) x[at(i)] = features(first + i, room.data() + room_for(i));
  // Strides exchanged: rows lie side by side, columns kTile apart.
  design_->write(x.data(), count, z, 1, kTile);
}

}  // namespace giga
