// The projection of the paper (section 4.3, after Campbell and Broderick 2017): log-likelihood functions
// become vectors in R^J whose inner products are unbiased estimates of those of a norm under pihat.
//
//     norm        |L_n|^2                        v_nj
//     fisher      E |grad L_n(theta)|^2          sqrt(D/J) dL_n/dtheta_{d_j} (theta_j)
//     whitened    E |C' grad L_n(theta)|^2       sqrt(D/J) <C_{d_j}, grad L_n(theta_j)>
//     l2          E L_n(theta)^2                 L_n(theta_j) / sqrt(J)
//     l2_centred  Var L_n(theta)                 (L_n(theta_j) - mean over j) / sqrt(J - 1)
//
// with theta_j ~ pihat, d_j uniform on 1..D, C C' the covariance of pihat and C_d the columns of C. The
// whitened norm is the gradient in units of the posterior: it does not depend on how the features are scaled
// or mixed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/row_source.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"

namespace giga {

enum class Norm { Fisher, Whitened, L2, L2Centred };
constexpr auto name_table(Norm) {
  using enum Norm;
  return names_are<Norm>({{Fisher, "fisher"}, {Whitened, "whitened"}, {L2, "l2"}, {L2Centred, "l2_centred"}});
}

struct RandomProjectionOptions {
  Norm norm = Norm::Fisher;
  Index dim = 500;  ///< J >= 1, >= 2 for L2Centred
  std::uint64_t seed = 1;
  /// Which of many independent projections of one seed.
  std::string_view purpose = "projection";
};

/// The vectors of all rows, multiplicity included, computed whenever they are asked for; only the J draws are
/// held. A feature depends on the seed, the purpose and its number, so a larger J has the features of a
/// smaller one, up to order and a common factor.
class RandomProjection final : public RowSource {
 public:
  /// Both must outlive this object.
  RandomProjection(const Likelihood& likelihood, const Normal& pihat, const RandomProjectionOptions& options);

  [[nodiscard]] Index num_rows() const override { return likelihood_->num_rows(); }
  [[nodiscard]] Index dim() const override { return options_.dim; }
  void read(Index first, Index count, double* out) const override;
  [[nodiscard]] std::string place(Index n, Index j) const override;
  [[nodiscard]] std::string name() const override { return "the projection"; }

  /// The points theta_j, J x D, and the sum of all rows from what is summed over rows at them: the gradients,
  /// J x D, where `uses_gradients`, else the log-likelihoods.
  [[nodiscard]] std::vector<double> points() const;
  [[nodiscard]] bool uses_gradients() const;
  [[nodiscard]] ExtendedVector sum_from(const ExtendedVector& sums) const;

 private:
  const Likelihood* likelihood_;
  RandomProjectionOptions options_;
  DirectionalFeatures features_;
};

/// Draws theta_j ~ pihat and coordinates d_j, feature by feature, and puts them in order of the coordinates.
/// The scale is sqrt(D / count).
[[nodiscard]] DirectionalFeatures draw_features(const Normal& pihat, Index count, bool whitened,
                                                std::uint64_t seed, std::string_view purpose);

}  // namespace giga
