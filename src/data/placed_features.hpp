// Features that stay in the .npy files they are in, mapped into memory: for tables that would not fit there
// otherwise. Nothing is copied; numbers of 4 bytes are converted whenever they are asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "giga/base/matrix_view.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/npy.hpp"

namespace giga {

class PlacedFeatures {
 public:
  /// Of matrices one below the other with these columns. Null unless every row has its features side by side,
  /// in their order, as aligned floating-point numbers of 4 or 8 bytes in the order of bytes of this machine,
  /// and all files are alike in that.
  [[nodiscard]] static std::shared_ptr<const PlacedFeatures> of(
      std::vector<std::shared_ptr<const NpyMatrix>> files, std::span<const Column> columns);

  /// As Dataset::features().
  [[nodiscard]] const double* row(Index n, double* room) const;
  [[nodiscard]] bool needs_room() const { return scalar_ == Scalar::Float32; }
  [[nodiscard]] std::size_t bytes() const;
  /// Whether all numbers of some rows are finite.
  [[nodiscard]] bool are_finite(Index first, Index count) const;
  /// Throws IoError if a file was written to since it was opened, or part of it could not be read.
  void require_unchanged() const;

 private:
  struct Part {
    Index first_row;
    const std::byte* features;  // of that row
    Index stride;               // bytes from row to row
  };

  PlacedFeatures(std::vector<std::shared_ptr<const NpyMatrix>> files, Scalar scalar, Index num_features);
  [[nodiscard]] const std::byte* place(Index n) const;

  std::vector<std::shared_ptr<const NpyMatrix>> files_;
  std::vector<Part> parts_;
  Scalar scalar_;
  Index num_features_;
};

}  // namespace giga
