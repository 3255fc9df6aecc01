// The posterior of any likelihood under a prior: a LogDensity.
//
//   log p(theta) + sum_n multiplicity(n) L_n(theta).
#pragma once

#include <memory>

#include "giga/base/executor.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/prior.hpp"

namespace giga {

/// Packed for speed (regression_posterior.hpp) where all parameters of the likelihood are coefficients of one
/// linear predictor; otherwise the likelihood is asked for its gradient.
class Posterior {
 public:
  /// With an executor (which must outlive this object) blocks of rows are evaluated side by side; without
  /// one, by the thread that calls. The bits are the same. Do not share an executor with the chains that
  /// call. `likelihood` must outlive this object.
  Posterior(const Likelihood& likelihood, Prior prior, const Executor* executor = nullptr);

  [[nodiscard]] Index dim() const { return likelihood_->num_parameters(); }
  double log_density(const double* theta, double* gradient) const;

 private:
  const Likelihood* likelihood_;
  Prior prior_;
  const Executor* executor_;
  std::unique_ptr<const RegressionPosterior> packed_;
};

}  // namespace giga
