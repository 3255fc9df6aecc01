// Regression on a linear predictor s = z.beta, z = ((x - mean) / scale, 1): the families of family.hpp.
//
// The parameters are theta = (beta, phi): a coefficient for every column of z, then the extra parameters of
// the family, if it has any.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "giga/data/dataset.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/data/standardise.hpp"
#include "giga/model/family.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

struct RegressionOptions {
  FamilyParameters family;
  bool intercept = true;  ///< The last parameter, with z = 1.
};

class Regression final : public Likelihood {
 public:
  /// `data` must outlive this object and is read in place: nothing of the size of its features is held.
  /// `response` has an entry for every row of `data`.
  Regression(const Dataset& data, const DistinctRows& rows, Standardisation scale,
             std::span<const double> response, const RegressionOptions& options);

  /// Rows z given as they are, row-major, intercept and all. `multiplicity` is empty or has one entry a row.
  Regression(std::vector<double> design, std::vector<double> response, std::vector<double> multiplicity,
             const FamilyParameters& family);

  ~Regression() override;

  [[nodiscard]] Index num_rows() const override;
  /// num_columns() + the extra parameters of the family.
  [[nodiscard]] Index num_parameters() const override;
  [[nodiscard]] double multiplicity(Index n) const override;
  void log_likelihoods(Index first, Index count, const Points& points, double* out) const override;
  void slopes(Index first, Index count, const SlopeFeatures& features, double* out) const override;
  void add_log_likelihoods(Index first, Index count, const Points& points, double* out) const override;
  void add_gradients(Index first, Index count, const Points& points, Index apart, double* out) const override;
  [[nodiscard]] Derivatives evaluate(std::span<const double> theta, Order order,
                                     const Executor& executor) const override;
  [[nodiscard]] std::unique_ptr<Likelihood> subset(std::span<const Index> rows,
                                                   std::span<const double> weights) const override;
  /// 0, but for the intercept, or a last column of ones: the one that fits the mean response alone; extra
  /// parameters where the family says.
  [[nodiscard]] std::vector<double> start() const override;
  [[nodiscard]] std::string parameter_name(Index d) const override;

  [[nodiscard]] const FamilyParameters& family() const;
  [[nodiscard]] double response(Index n) const;
  /// Of z.
  [[nodiscard]] Index num_columns() const;
  /// The rows z_n, n = first .. first + count - 1, row-major.
  void design(Index first, Index count, double* z) const;

  /// Binary families: whether theta puts every row on the side of its label, so that the data are separable.
  [[nodiscard]] bool separates(std::span<const double> theta, const Executor& executor) const;

 private:
  struct Parts;
  void slopes_with_extras(Index first, Index count, const SlopeFeatures& features, double* out) const;

  std::unique_ptr<const Parts> parts_;
};

}  // namespace giga
