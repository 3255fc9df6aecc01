// A likelihood less a quadratic function of theta: L(theta) - q(theta).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "giga/infer/row_estimate.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

/// For the search of a mode, which asks for sums over all rows: only evaluate() is corrected, since no row
/// has a share in q.
class CorrectedLikelihood final : public Likelihood {
 public:
  /// Both must outlive this object.
  CorrectedLikelihood(const Likelihood& rows, const Quadratic& excess) : rows_(rows), excess_(excess) {}

  [[nodiscard]] Derivatives evaluate(std::span<const double> theta, Order order,
                                     const Executor& executor) const override;

  [[nodiscard]] Index num_rows() const override { return rows_.num_rows(); }
  [[nodiscard]] Index num_parameters() const override { return rows_.num_parameters(); }
  [[nodiscard]] double multiplicity(Index n) const override { return rows_.multiplicity(n); }
  void log_likelihoods(Index first, Index count, const Points& points, double* out) const override {
    rows_.log_likelihoods(first, count, points, out);
  }
  void directional_derivatives(Index first, Index count, const DirectionalFeatures& features,
                               double* out) const override {
    rows_.directional_derivatives(first, count, features, out);
  }
  void add_log_likelihoods(Index first, Index count, const Points& points, double* out) const override {
    rows_.add_log_likelihoods(first, count, points, out);
  }
  void add_gradients(Index first, Index count, const Points& points, Index apart,
                     double* out) const override {
    rows_.add_gradients(first, count, points, apart, out);
  }
  [[nodiscard]] std::unique_ptr<Likelihood> subset(std::span<const Index> rows,
                                                   std::span<const double> weights) const override {
    return rows_.subset(rows, weights);
  }
  [[nodiscard]] std::vector<double> start(const Executor& executor) const override {
    return rows_.start(executor);
  }
  [[nodiscard]] std::string parameter_name(Index d) const override { return rows_.parameter_name(d); }

 private:
  const Likelihood& rows_;
  const Quadratic& excess_;
};

/// The function moved to another centre: the same values everywhere.
[[nodiscard]] Quadratic recentred(const Quadratic& function, std::span<const double> centre);

/// Adds up functions of one centre.
void add_to(Derivatives& sum, const Derivatives& other);

}  // namespace giga
