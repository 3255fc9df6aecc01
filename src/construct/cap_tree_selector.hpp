// Selection by the cap-tree of the paper's appendix, made to pay.
//
// Unit rows are rotated onto the few leading directions b_1 .. b_K of a sample, l_n = B y_n + rest, so a node
// costs K numbers and not J. A node is a cap: a unit vector xi = B c and r with <l_n, xi> = <y_n, c> >= r for
// all its rows; the appendix bounds the score of every row in it by a closed form. Nodes whose bound is below
// the best score known are pruned with all their rows; rows of the leaves that remain are bounded one by one
// from y_n and |rest|, and the few that may win are scored in double.
#pragma once

#include <memory>
#include <vector>

#include "construct/selector.hpp"
#include "construct/spectrum.hpp"

namespace giga {

/// Rows of the tree with <l_n, xi> >= r for all of them.
struct Cap {
  Index begin = 0, end = 0;  // rows, in the order of the tree
  Index left = -1;           // its two children are left and left + 1; -1 for a leaf
  double r = -1;
};

/// The largest geodesic score in the cap, from beta_u = <xi, d> and beta_v = <xi, v> (paper, appendix C).
[[nodiscard]] double geodesic_cap_bound(double beta_u, double beta_v, double r);
/// The largest linear score <l_n, d> in the cap.
[[nodiscard]] double linear_cap_bound(double beta_u, double r);

class CapTreeSelector final : public Selector {
 public:
  [[nodiscard]] Pick best(const Query& query, SearchMemory& memory, SearchStats& stats) const override;
  /// Scores every row: the tables that a tree suits take few points.
  [[nodiscard]] std::vector<Pick> best_several(const Query& query, const Wanted& wanted,
                                               SearchMemory& /*memory*/, SearchStats& stats) const override {
    return best_of_all(query, wanted, rows_, executor_, stats);
  }
  [[nodiscard]] std::size_t bytes() const override;
  /// Its rows were read in the pass that summed them.
  [[nodiscard]] double prepare_bytes_read() const override { return 0; }

 private:
  friend class CapTreeBuilder;
  struct Search;

  CapTreeSelector(const RowSource& rows, const Executor& executor) : rows_(rows), executor_(executor) {}
  /// Numbers kept of a row: y_n and |rest|.
  [[nodiscard]] Index stride() const { return num_directions_ + 1; }
  void search_leaf(const Cap& cap, Search& search) const;

  const RowSource& rows_;
  const Executor& executor_;
  Index num_directions_ = 0;
  Spectrum spectrum_;
  std::vector<Cap> caps_;         // the root first
  std::vector<double> centres_;   // c, num_directions_ per cap
  std::vector<Index> order_;      // rows in the order of the tree
  std::vector<Index> left_out_;   // rows that are not in it, always scored in double
  std::vector<float> projected_;  // y_n, |rest|; leaf by leaf, and within a leaf coordinate by coordinate
};

/// Collects the rows of one pass, then makes the tree.
class CapTreeBuilder {
 public:
  CapTreeBuilder(const RowSource& rows, const Executor& executor);
  /// May be called from several threads for different rows.
  void add(Index first, const double* x, const double* norms, Index count);
  [[nodiscard]] std::unique_ptr<CapTreeSelector> finish();

 private:
  [[nodiscard]] Index widest_coordinate(const Cap& cap) const;
  void split(std::vector<Cap>& caps, std::size_t node, Index depth_limit);
  void enclose(const std::vector<float>& ordered, const Cap& cap, double* centre, double& r) const;

  const RowSource& rows_;
  const Executor& executor_;
  std::unique_ptr<CapTreeSelector> tree_;
  std::vector<float> by_row_;  // y_n, |rest| by row; or a mark
};

}  // namespace giga
