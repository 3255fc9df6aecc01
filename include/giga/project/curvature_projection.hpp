// A projection without randomness, for models with a linear predictor s = z.theta.
//
// Let C C' be the covariance of pihat and thetahat its mean. Under pihat s_n ~ N(z_n.thetahat, |u_n|^2) with
// u_n = C'z_n, and the whitened gradient of row n is l'(s) u_n. Cut after its linear term,
//
//     l'(s) = a_n + b_n (s - E s) + remainder,
//
// gradients have the inner products a_n a_m <u_n,u_m> + b_n b_m <u_n,u_m>^2 under pihat, since the covariance
// of s_n and s_m is <u_n,u_m>. The vectors (a_n u_n, b_n svec(u_n u_n')) have the same inner products; svec
// takes each pair d < e once, times sqrt 2. There are two expansions:
//
//     Taylor   a_n = l'(E s), b_n = l''(E s). A coreset whose vectors sum to L has the gradient and the
//              Hessian of all rows at the mode, hence the same Laplace approximation.
//     Hermite  a_n = E l'(s), b_n = E l''(s): the best linear term in the mean square (Stein's lemma). The
//              remainder is then orthogonal to it, so that a block of random features of the remainder adds
//              the rest of the whitened Fisher norm, without bias.
//
// Extra parameters phi of the family are part of theta: with w_e the row of C that belongs to phi_e, the
// whitened gradient and Hessian of a row at the mode are
//
//     l' u + sum_e dl/dphi_e w_e   and
//     l'' u u' + sum_e d^2l/(ds dphi_e) (u w_e' + w_e u') + sum_ef d^2l/(dphi_e dphi_f) w_e w_f',
//
// and the vector is the first and svec of the second. Such families have the Taylor expansion only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/base/row_source.hpp"
#include "giga/model/linear_model.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/predictor_moments.hpp"

namespace giga {

struct RowBlock;     // src/project/row_blocks.hpp
struct SmallMatrix;  // likewise

enum class Expansion { Taylor, Hermite };
constexpr auto name_table(Expansion) {
  return names_are<Expansion>({{Expansion::Taylor, "taylor"}, {Expansion::Hermite, "hermite"}});
}

struct CurvatureProjectionOptions {
  Expansion expansion = Expansion::Taylor;
  Index remainder_dim = 0;  ///< Random features of the remainder; 0: none. Hermite only.
  std::uint64_t seed = 1;   ///< For the random features.
  std::string_view purpose = "remainder";
  /// Of candidates, some of many rows: the derivatives at the mean of pihat of all of them, which `target` is
  /// made of and the vectors must have room for. Taylor only. Must outlive the projection.
  const Derivatives* all_rows = nullptr;
  /// Takes its frame, so that the vectors of both are in one basis: of candidates, the projection of all
  /// rows.
  const class CurvatureProjection* like = nullptr;
  bool hold_rows = true;  ///< Whether products may be known; false for rows that are only read.
};

/// D + D(D+1)/2: the numbers a row takes where the rows span D dimensions.
[[nodiscard]] constexpr Index curvature_dim(Index num_parameters) {
  return num_parameters + num_parameters * (num_parameters + 1) / 2;
}

/// Whether rows are known by their products where they span D dimensions: if they are long, and few enough
/// for u_n and the remainder of all of them to be held in 1 GB.
[[nodiscard]] bool knows_products(Index num_rows, Index num_dimensions, Index remainder_dim);

/// Of every row, for the Taylor expansion and with t the sd of the row's predictor.
struct CurvatureLengths {
  RowArray<float> norms;   ///< |v_n| = sqrt(l'^2 t^2 + l''^2 t^4), multiplicity included.
  RowArray<float> shares;  ///< l''^2 t^4 / |v_n|^2: what the curvature has of the square.
};
/// `moments` are those under pihat; both formulas are those without extra parameters. The arrays of the
/// moments become those of the result: there may be 10^9 rows.
[[nodiscard]] CurvatureLengths curvature_lengths(const LinearModel& model, PredictorMoments moments,
                                                 const Normal& pihat, const Executor& executor);

/// Where knows_products() says so, the rows are known by their products: with T the symmetric
/// matrix of a direction's second part, <v_n, (g, svec T)> = a_n <g, u_n> + b_n u_n' T u_n takes r^2 products
/// and no row of r(r+3)/2 numbers, and <v_n, v_m> = a_n a_m t + b_n b_m t^2 with t = <u_n, u_m> takes r.
class CurvatureProjection final : public RowSource, private RowProducts {
 public:
  static constexpr Index kFewestForProducts = 1024;

  /// Finds a_n and b_n of all rows, to rounding. Throws std::invalid_argument for a remainder of a Taylor
  /// expansion, and for a Hermite expansion of a family with extra parameters. `regression` and `pihat` must
  /// outlive this object.
  CurvatureProjection(const LinearModel& regression, const Normal& pihat, const Executor& executor,
                      const CurvatureProjectionOptions& options = {});

  [[nodiscard]] Index num_rows() const override { return regression_->num_rows(); }
  [[nodiscard]] Index dim() const override;
  void read(Index first, Index count, double* out) const override;
  [[nodiscard]] const RowProducts* products() const override;
  [[nodiscard]] std::string place(Index n, Index j) const override;
  [[nodiscard]] std::string name() const override { return "the projection"; }

  /// The sum of the vectors of all rows, from options.all_rows: (F'g, svec(F'HF)) with F the frame.
  [[nodiscard]] ExtendedVector target() const;

  /// a_n and b_n.
  [[nodiscard]] double slope_at(Index n) const { return slope_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] double curvature_at(Index n) const { return curvature_[static_cast<std::size_t>(n)]; }

 private:
  void norms(Index first, Index count, double* out) const override;
  void with_direction(Index first, Index count, const double* direction, double* out) const override;
  void with_rows(Index n, std::span<const Index> rows, double* out) const override;
  [[nodiscard]] Index num_parts() const override;
  void combine(Index part, std::span<const Index> rows, std::span<const double> factors,
               double* sum) const override;

  void find_coefficients(Index first, Index count);
  [[nodiscard]] Index num_extras() const;
  [[nodiscard]] RowBlock block_at(Index n) const;
  [[nodiscard]] SmallMatrix products_of(const double* un, const double* um) const;
  void write_with_extras(Index n, const double* u, double* v) const;
  struct Strip;
  [[nodiscard]] Strip strip(Index part) const;
  void add_strip(const Strip& strip, Index n, double factor, double* sum) const;
  void hold_rows(const Executor& executor);
  [[nodiscard]] const double* held_frame(Index n) const;
  [[nodiscard]] const double* held_rest(Index n) const;
  void frame_rows(Index first, Index count, double* z, double* u) const;
  void read_remainder(Index first, Index count, const double* z, const double* u, Index apart,
                      double* out) const;

  const LinearModel* regression_;
  const Normal* pihat_;
  CurvatureProjectionOptions options_;
  Points frame_;  // the columns of C, turned where the rows span fewer dimensions
  DirectionalFeatures remainder_;
  std::vector<double> slope_, curvature_;
  // Where the family has extra parameters: w_e in the frame, one after another, and the derivatives in them
  // of every row.
  std::vector<double> shared_, extra_;
  // Where rows are known by their products: u_n, and the features of the remainder. Rows of both lie as far
  // apart as they are long.
  std::vector<double> held_, rest_;
};

}  // namespace giga
