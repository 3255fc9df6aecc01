// The rows of a coreset under construction, held in full precision, and their weights.
#pragma once

#include <memory>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/construct/build.hpp"

namespace giga {

class ActiveSet {
 public:
  [[nodiscard]] Index size() const { return static_cast<Index>(rows_.size()); }
  /// Points with a positive weight.
  [[nodiscard]] Index num_points() const;

  /// The slot of a row, which is added with weight 0 if it is not there. A row whose vector equals one that
  /// is there already gets the slot of that one: identical vectors are merged.
  Index slot_of(const RowSource& source, Index row);

  [[nodiscard]] Extended norm_of(Index slot) const { return norms_[at(slot)]; }
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
  /// L_n.
  [[nodiscard]] const std::vector<double>& row(Index slot) const { return *vectors_[at(slot)]; }
  /// The same, for who keeps it as well.
  [[nodiscard]] const std::shared_ptr<const std::vector<double>>& shared_row(Index slot) const {
    return vectors_[at(slot)];
  }
  /// l_n = L_n / |L_n|.
  [[nodiscard]] ExtendedVector unit_row(Index slot) const;

  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  void set_weights(std::vector<double> weights) { weights_ = std::move(weights); }

  /// sum of w_n L_n / target_norm, for these weights.
  [[nodiscard]] ExtendedVector combine(const std::vector<double>& weights, Extended target_norm) const;

  /// The same in double, each component within about 1e-15 of the sum of the terms' sizes; components are
  /// shared out among the threads of the executor.
  [[nodiscard]] ExtendedVector combine_quickly(const std::vector<double>& weights, Extended target_norm,
                                               const Executor& executor) const;

  /// Forgets slots of weight 0; those behind them move up. Returns which slots were kept.
  std::vector<bool> drop_zeros();

  /// In ascending order of row.
  [[nodiscard]] Coreset coreset() const;

 private:
  std::vector<Index> rows_;
  std::vector<double> weights_;
  std::vector<std::shared_ptr<const std::vector<double>>> vectors_;  // L_n; copies of the set share them
  std::vector<Extended> norms_;
};

}  // namespace giga
