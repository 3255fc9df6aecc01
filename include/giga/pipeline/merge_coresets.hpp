// Coresets of shards, made apart, to one coreset of all their rows, without the rows.
//
// With L_s, L_s(w) and their difference q_s + R_s as in shard_sums.hpp, what is known of all rows is
//
//   T(theta) = sum_s (L_s(w, theta) - q_s(theta)),
//
// the weighted union of the coresets, corrected by what is known exactly. At the mode of every shard its part
// of T has the value, the gradient and the Hessian of all rows of the shard; elsewhere the coreset says how
// they change. The mode of T and the prior, which counts once, is where the vectors of the union's points are
// taken; their target is the sum of T, and a subset of the points is weighted anew to meet it.
//
// Shards may differ in the scale and the levels of their columns: with A_s the matrix that takes the
// parameters of the merged model to those of the shard, L_s depends on A_s theta. docs/merge.md has the
// equations and what they promise.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/pipeline/shard_sums.hpp"

namespace giga {

/// A coreset to be merged.
struct Shard {
  std::string name;                  ///< For messages: its file.
  const Problem* problem = nullptr;  ///< Its points as a weighted regression, in its own design.
  /// The same points, with the names and levels of the input.
  const Dataset* data = nullptr;
  std::vector<std::string> columns = {};  ///< Raw columns of its design, as the input calls them.
  const ShardSums* sums = nullptr;
};

struct MergeOptions {
  /// How the union is reduced; projection, norm and candidates are chosen here.
  CoresetOptions coreset = fit_coreset_options();
  bool reduce = true;  ///< If not, the union is the result: all points, with the weights they have.
};

/// A row of the union: row `row` of the data of shard `shard`.
struct ShardRow {
  Index shard = 0, row = 0;
};

struct MergeResult {
  std::unique_ptr<Dataset> data;     ///< The points of all coresets.
  std::vector<ShardRow> origin;      ///< Where each of them is from: shards as they were given.
  std::unique_ptr<Problem> problem;  ///< The same as a weighted regression in the merged design.
  CoresetResult coreset;             ///< Rows of `data`.
  ShardSums sums;                    ///< Of all rows of all shards.
  /// How far the mode of all is from that of each shard, in standard deviations of the shard's likelihood per
  /// parameter. Shards of one distribution have about 1.
  std::vector<double> distances;
  std::vector<std::string> notes;
};

/// From 2 shards. The same bits for any order of the shards and any executor. Throws DataError, with the
/// names of two shards, where they are not of one model, where one has rows that the other has, and where
/// their designs cannot be made one.
[[nodiscard]] MergeResult merge_coresets(std::span<const Shard> shards, const MergeOptions& options,
                                         const Executor& executor, const Observer& observer = {});

}  // namespace giga
