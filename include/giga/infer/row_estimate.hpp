// Sums over all rows from some of them: log-likelihoods and gradients at many points, with standard errors.
//
// Let m be the mode, d = theta - m, and split every row at its second-order expansion there,
//
//   L_n(theta) = q_n(theta) + R_n(theta),   q_n = L_n(m) + <g_n, d> + d' H_n d / 2.
//
// The q_n of all rows add up to Q, which one pass over the rows gives exactly. The remainders R_n are
// sampled: row n is taken with probability p_n and then counts 1 / p_n times,
//
//   L^(theta) = Q(theta) + sum_{n in S} R_n(theta) / p_n = (Q - Q_S)(theta) + L_S(theta),
//
// where L_S is the likelihood of the sample with these counts and Q_S its expansion. L^ is unbiased, and
// exact to second order at the mode. Since p_n = min(1, a_n / tau) grows with a_n, the spread of R_n under
// the Laplace approximation, the rows that bend the posterior are taken for certain; what is left is many
// small remainders of about equal size, which a sample of thousands knows well whatever the number of rows.
// docs/certificate.md derives the rules; certify() uses this class.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/row_count.hpp"
#include "giga/base/threads.hpp"
#include "giga/base/types.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/predictor_moments.hpp"

namespace giga {

/// What one function has more than another.
[[nodiscard]] Derivatives difference(Derivatives a, const Derivatives& b);

/// A log-likelihood expanded to second order at `centre`.
struct Quadratic {
  std::vector<double> centre;
  Derivatives at_centre;  ///< Value, gradient and Hessian.

  [[nodiscard]] Extended value(std::span<const double> theta) const;
  /// Adds the gradient at theta to `out`, which has D entries.
  void add_gradient(std::span<const double> theta, Extended* out) const;
};

/// a_n for every row: multiplicity(n) times the root mean square of R_n(theta) for theta ~ pihat, whose mean
/// is the mode. For a linear predictor by quadrature in s_n ~ N(z_n.m, |C'z_n|^2); for other models from
/// differences of L_n along `kProbes` directions drawn from pihat, without those points at which no row of a
/// block is possible. One pass over all rows, a light one where the moments of the predictors are known
/// already.
[[nodiscard]] RowArray<float> remainder_scores(const Likelihood& likelihood, const Normal& pihat,
                                               const Executor& executor,
                                               const PredictorMoments* moments = nullptr);

/// Rows drawn without replacement with unequal probabilities; see priority_sample.
struct RowSample {
  std::vector<Index> rows;     ///< Ascending.
  std::vector<double> counts;  ///< 1 / p_n for each.
  Index num_certain = 0;       ///< Rows with p_n = 1.
};

/// Priority sampling (Duffield, Lund and Thorup 2007): the `size` rows of largest a_n / u_n, with u_n
/// uniform, and tau the next largest; p_n = min(1, a_n / tau). sum x_n / p_n over the sample is then unbiased
/// for the sum of any x over all rows, and the rows' contributions are uncorrelated. A tenth of the average
/// score is added to each score, so that rows judged too low are still drawn. A larger sample of the same
/// seed contains a smaller one. All rows, once each, if size >= N. a_n is scores[n] to the given power.
[[nodiscard]] RowSample priority_sample(std::span<const float> scores, Index size, std::uint64_t seed,
                                        const Executor& executor = Serial(), int power = 1);

/// How well estimated log-likelihoods are known, up to a constant that is common to all points.
struct EstimateError {
  std::vector<double> each;  ///< Standard error at each point.
  double rms = 0, most = 0;  ///< Over the points.
};

class RowEstimate {
 public:
  /// `at_mode` are the derivatives of `full` at the mode, summed over all rows. Rows with p_n < 1 are put
  /// into random groups, by which standard errors are found.
  RowEstimate(const Likelihood& full, std::span<const double> mode, const Derivatives& at_mode,
              const RowSample& sample, std::uint64_t seed, const Executor& executor);
  ~RowEstimate();
  RowEstimate(RowEstimate&&) noexcept;
  RowEstimate& operator=(RowEstimate&&) noexcept;

  [[nodiscard]] Index num_rows() const;     ///< Rows in the sample.
  [[nodiscard]] Index num_certain() const;  ///< Those of them that are summed exactly.

  /// Points are S x D, row-major. Entry s is L^(theta_s).
  [[nodiscard]] ExtendedVector log_likelihoods(std::span<const double> points,
                                               const Executor& executor) const;
  /// Entry s * D + d is the derivative of L^ in theta_d.
  [[nodiscard]] ExtendedVector gradients(std::span<const double> points, const Executor& executor) const;

  /// Standard errors of log_likelihoods(points). It costs as much again and `groups` D^2 per point: give it
  /// some of the points.
  [[nodiscard]] EstimateError error(std::span<const double> points, const Executor& executor) const;
  /// E |F' e|^2 at each point, e the error of its gradient and F the D x D matrix `frame`, row-major; without
  /// one, E |e|^2.
  [[nodiscard]] std::vector<double> gradient_noise(std::span<const double> points,
                                                   std::span<const double> frame,
                                                   const Executor& executor) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

struct RowEstimateOptions {
  /// A number: that many, and more where `max_error` takes more. Auto: as many as it takes, from 2000 on; all
  /// where that is more than a third of them, or where there are fewer than 8000.
  RowCount rows = {};
  /// The standard error of log ratios, in the root mean square over the points, is at most this times
  /// max(1, (s/2)^2) with s the standard deviation of the ratios: where weights vary much, more is not
  /// needed.
  double max_error = 0.01;
  std::uint64_t seed = 1;
  const RowArray<float>* scores = nullptr;  ///< remainder_scores(), where they are known already.
};

/// Some of `points`, spread evenly over them, at most `count`.
[[nodiscard]] std::vector<double> spread_points(std::span<const double> points, Index dim, Index count);

struct EstimatedRows {
  std::optional<RowEstimate> estimate;  ///< Nothing where all rows are to be summed.
  Index passes = 0;                     ///< Over all rows, that were made to find that out.
  bool found_scores = false;            ///< One of them was for the scores that the options may give.
};

/// The estimate by which the log ratios L - L(w) at `points` (draws of the posterior of `coreset`, null for
/// the empty one) are known as well as `options` ask. Passes over all rows: one for the scores if the options
/// do not give them, one for other scores if the points are much wider than the Laplace approximation, and
/// one for derivatives that `laplace` lacks.
[[nodiscard]] EstimatedRows estimate_rows(const Likelihood& full, const Likelihood* coreset,
                                          const LaplaceResult& laplace, std::span<const double> points,
                                          const RowEstimateOptions& options, const Executor& executor);

}  // namespace giga
