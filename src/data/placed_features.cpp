#include "data/placed_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace giga {
namespace {

// The column of the first feature, if the features are side by side from there on, in their order; else -1.
Index first_feature(std::span<const Column> columns) {
  Index first = -1, expected = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j].role != ColumnRole::Feature) continue;
    if (columns[j].kind != ColumnKind::Number || columns[j].feature != expected) return -1;
    if (expected == 0) first = static_cast<Index>(j);
    if (static_cast<Index>(j) != first + expected) return -1;
    ++expected;
  }
  return first;
}

bool is_usable(const MatrixView& view, Scalar scalar) {
  const auto size = static_cast<Index>(scalar_bytes(scalar));
  const bool aligned = reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(size) == 0;
  return view.scalar == scalar && !view.swap_bytes && view.col_stride == size && aligned &&
         view.row_stride % size == 0;
}

template <typename Number>
bool all_finite(const std::byte* at, Index count) {
  for (Index d = 0; d < count; ++d) {
    Number value;
    std::memcpy(&value, at + static_cast<std::size_t>(d) * sizeof(Number), sizeof(Number));
    if (!std::isfinite(value)) return false;
  }
  return true;
}

}  // namespace

PlacedFeatures::PlacedFeatures(std::vector<std::shared_ptr<const NpyMatrix>> files, Scalar scalar,
                               Index num_features)
    : files_(std::move(files)), scalar_(scalar), num_features_(num_features) {}

std::shared_ptr<const PlacedFeatures> PlacedFeatures::of(std::vector<std::shared_ptr<const NpyMatrix>> files,
                                                         std::span<const Column> columns) {
  const Index first = first_feature(columns);
  if (files.empty() || first < 0) return nullptr;
  const Scalar scalar = files.front()->view().scalar;
  if (scalar != Scalar::Float64 && scalar != Scalar::Float32) return nullptr;
  const Index count = std::ranges::count(columns, ColumnRole::Feature, &Column::role);
  std::shared_ptr<PlacedFeatures> out(new PlacedFeatures(std::move(files), scalar, count));
  Index row = 0;
  for (const auto& file : out->files_) {
    const MatrixView view = file->view();
    if (!is_usable(view, scalar)) return nullptr;
    out->parts_.push_back({row, view.data + first * view.col_stride, view.row_stride});
    row += view.rows;
  }
  return out;
}

const std::byte* PlacedFeatures::place(Index n) const {
  const auto after =
      parts_.size() == 1 ? parts_.end() : std::ranges::upper_bound(parts_, n, {}, &Part::first_row);
  const Part& part = *(after - 1);
  return part.features + (n - part.first_row) * part.stride;
}

const double* PlacedFeatures::row(Index n, double* room) const {
  const std::byte* bytes = place(n);
  if (scalar_ == Scalar::Float64) return reinterpret_cast<const double*>(bytes);
  const auto* numbers = reinterpret_cast<const float*>(bytes);
  for (Index d = 0; d < num_features_; ++d) room[d] = static_cast<double>(numbers[d]);
  return room;
}

std::size_t PlacedFeatures::bytes() const {
  std::size_t sum = 0;
  for (const auto& file : files_) sum += file->file().bytes().size();
  return sum;
}

void PlacedFeatures::require_unchanged() const {
  for (const auto& file : files_) file->file().require_unchanged();
}

bool PlacedFeatures::are_finite(Index first, Index count) const {
  for (Index n = first; n < first + count; ++n) {
    const bool finite = scalar_ == Scalar::Float64 ? all_finite<double>(place(n), num_features_)
                                                   : all_finite<float>(place(n), num_features_);
    if (!finite) return false;
  }
  return true;
}

}  // namespace giga
