// The rows of a coreset under construction, in full precision, and their weights. Vectors are held, except
// those of a source that knows their products (RowProducts): these are long and cheap to form, and are formed
// whenever they are needed.
#pragma once

#include <cstdint>
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
  // `source` is, here and below, that of slot_of().

  /// L_n.
  [[nodiscard]] std::shared_ptr<const std::vector<double>> row(const RowSource& source, Index slot) const;
  /// Whether vectors are held.
  [[nodiscard]] static bool holds(const RowSource& source) { return source.products() == nullptr; }
  /// A power of two times L_n, for products in double: 1, but for rows so short that products of theirs would
  /// be rounded to multiples of the smallest number.
  struct Lengthened {
    std::shared_ptr<const std::vector<double>> vector;  // 2^exponent L_n
    int exponent = 0;
    double length = 0;  // of `vector`
  };
  [[nodiscard]] Lengthened lengthened(const RowSource& source, Index slot) const;
  /// l_n = L_n / |L_n|.
  [[nodiscard]] ExtendedVector unit_row(const RowSource& source, Index slot) const;
  /// <l_n, l> in double of every slot; l is the same in every call.
  [[nodiscard]] const std::vector<double>& along(const RowSource& source, const std::vector<double>& l);

  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  void set_weights(std::vector<double> weights) { weights_ = std::move(weights); }

  /// sum of w_n L_n / target_norm, for these weights.
  [[nodiscard]] ExtendedVector combine(const RowSource& source, const std::vector<double>& weights,
                                       Extended target_norm) const;

  /// The same in double, each component within about 1e-15 of the sum of the terms' sizes; components are
  /// shared out among the threads of the executor.
  [[nodiscard]] ExtendedVector combine_quickly(const RowSource& source, const std::vector<double>& weights,
                                               Extended target_norm, const Executor& executor) const;

  /// Forgets slots of weight 0; those behind them move up. Returns which slots were kept.
  std::vector<bool> drop_zeros();

  /// In ascending order of row.
  [[nodiscard]] Coreset coreset() const;

 private:
  std::vector<Index> rows_;
  std::vector<double> weights_;
  std::vector<std::shared_ptr<const std::vector<double>>> vectors_;  // L_n; copies share them; null: not held
  std::vector<std::uint64_t> digests_;                               // equal vectors have equal ones
  std::vector<Extended> norms_;
  std::vector<double> along_;  // as far as was asked for
};

}  // namespace giga
