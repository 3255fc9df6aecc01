// One design for the coresets of several shards.
//
// A raw column r_u of the merged design is, on the rows of shard s, made of the shard's own raw columns r_k:
//
//   r_u = a_u + sum_k B_uk r_k.
//
// It is the column of the same name; or 0, for a level that the shard does not have; or 1 less the columns of
// the other levels, for the level that is the base in the shard but not in the merged design. With the means
// and scales of both, the linear predictor is the same for
//
//   theta^s_k = c^s_k sum_u B_uk theta_u / c_u,
//   theta^s_0 = theta_0 + sum_u theta_u (a_u + sum_k B_uk m^s_k - m_u) / c_u:   theta^s = A_s theta.
//
// Means m_u and scales c_u are those of all rows, from the moments of the shards (Chan, Golub and LeVeque).
#pragma once

#include <span>
#include <vector>

#include "giga/data/dataset.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/pipeline/merge_coresets.hpp"

namespace giga {

/// A_s: from the parameters of the merged model to those of a shard.
class ShardMap {
 public:
  ShardMap(Index rows, Index columns) : rows_(rows), columns_(columns), entries_(at(rows * columns), 0) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] double& entry(Index i, Index j) { return entries_[at(i * columns_ + j)]; }
  [[nodiscard]] double entry(Index i, Index j) const { return entries_[at(i * columns_ + j)]; }

  /// A theta.
  [[nodiscard]] std::vector<double> times(std::span<const double> theta) const;
  /// Derivatives in theta, from those of a function of A theta: A'g and A'HA.
  [[nodiscard]] Derivatives pulled_back(const Derivatives& of_shard) const;

 private:
  Index rows_, columns_;
  std::vector<double> entries_;  // row-major
};

struct MergedDesign {
  ModelOptions model;     ///< With the priors found, where they are not told by their options.
  Standardisation scale;  ///< Of all rows.
  std::vector<ShardMap> maps;
  ShardSums sums;  ///< Counts and moments alone.
};

/// Throws DataError where a shard has another model than the first.
void require_one_model(std::span<const Shard> shards);

/// The model that all shards have, with the levels of all. Throws DataError where their designs learnt
/// different numbers.
[[nodiscard]] ModelOptions merged_model(std::span<const Shard> shards);

/// `data` are the rows of all shards (stacked), for its columns; `model` is that of merged_model.
[[nodiscard]] MergedDesign merged_design(std::span<const Shard> shards, ModelOptions model,
                                         const Dataset& data);

}  // namespace giga
