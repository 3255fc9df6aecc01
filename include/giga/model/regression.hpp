// Regression on a linear predictor s = <z, beta> + o, z the columns of a Design and o an offset that is known
// (0 unless it is given): the families of family.hpp.
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
#include "giga/design/design.hpp"
#include "giga/model/family.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/linear_model.hpp"

namespace giga {

/// What rows may have besides columns and response. Each is empty or has an entry for every row.
struct RowTerms {
  std::vector<double> offset = {};  ///< s_n = <z_n, beta> + offset_n.
  std::vector<double> trials = {};  ///< Binomial families: how many trials the successes are of.
};

class DesignMatrix;

class Regression final : public Likelihood, public LinearModel {
 public:
  /// `data` must outlive this object and is read in place: nothing of the size of its features is held.
  /// `response` and `terms` have entries for every row of `data`; of rows that are taken as equal, those of
  /// the first count.
  Regression(const Dataset& data, const DistinctRows& rows, std::shared_ptr<const Design> design,
             std::vector<double> response, const FamilyParameters& family, RowTerms terms = {});

  /// The same of a table that ranks share, made by all of them: each has responses and offsets of the
  /// rows that are its own here, and holds their features (Dataset::hold). Without responses, which
  /// takes all rows and no trials, they are those of `data`; without offsets these are 0. Those of a binomial
  /// family have the trials in them (family.hpp).
  Regression(const Dataset& data, const DistinctRows& rows, std::shared_ptr<const Design> design,
             RowArray<double> response, RowArray<double> offset, const FamilyParameters& family,
             const Executor& executor);

  /// Rows z given as they are, row-major, intercept and all. `multiplicity` is empty or has one entry per
  /// row.
  Regression(std::vector<double> design, std::vector<double> response, std::vector<double> multiplicity,
             const FamilyParameters& family, RowTerms terms = {});

  ~Regression() override;

  [[nodiscard]] Index num_rows() const override;
  /// num_columns() + the extra parameters of the family.
  [[nodiscard]] Index num_parameters() const override;
  [[nodiscard]] double multiplicity(Index n) const override;
  [[nodiscard]] bool counts_once() const override;
  void log_likelihoods(Index first, Index count, const Points& points, double* out) const override;
  void directional_derivatives(Index first, Index count, const DirectionalFeatures& features,
                               double* out) const override;
  void add_log_likelihoods(Index first, Index count, const Points& points, double* out) const override;
  void add_gradients(Index first, Index count, const Points& points, Index apart, double* out) const override;
  [[nodiscard]] Derivatives evaluate(std::span<const double> theta, Order order,
                                     const Executor& executor) const override;
  [[nodiscard]] std::unique_ptr<Likelihood> subset(std::span<const Index> rows,
                                                   std::span<const double> weights) const override;
  [[nodiscard]] bool is_shared() const override;
  [[nodiscard]] RowRange held() const override;
  void fetch(std::span<const Index> rows, const Executor& executor) const override;
  void complete(const Executor& executor) const override;
  [[nodiscard]] std::unique_ptr<Likelihood> shared_subset(std::span<const Index> rows,
                                                          std::span<const double> weights,
                                                          const Executor& executor) const override;
  /// 0, except for the intercept, or a last column of ones, which starts where it fits the mean response
  /// alone; extra parameters start where the family says, which may depend on the response.
  [[nodiscard]] std::vector<double> start(const Executor& executor) const override;
  [[nodiscard]] std::string parameter_name(Index d) const override;
  [[nodiscard]] const LinearModel* linear_model() const override { return this; }

  [[nodiscard]] Index num_columns() const override;
  [[nodiscard]] const FamilyParameters& family() const override;
  [[nodiscard]] double response(Index n) const override;
  [[nodiscard]] bool has_offset() const override;
  [[nodiscard]] double offset(Index n) const override;
  void design(Index first, Index count, double* z) const override;
  [[nodiscard]] bool separates(std::span<const double> theta, const Executor& executor) const override;

 private:
  struct Parts;
  explicit Regression(Parts parts);
  [[nodiscard]] std::unique_ptr<Likelihood> subset_of(DesignMatrix&& design, std::span<const Index> rows,
                                                      std::span<const double> weights) const;
  [[nodiscard]] ResponseMoments response_moments(double* mean_offset, const Executor& executor) const;
  void log_likelihoods_with_extras(Index first, Index count, const Points& points, double* out) const;
  void add_log_likelihoods_with_extras(Index first, Index count, const Points& points, double* out) const;
  void add_gradients_with_extras(Index first, Index count, const Points& points, Index apart,
                                 double* out) const;
  void directional_derivatives_with_extras(Index first, Index count, const DirectionalFeatures& features,
                                           double* out) const;

  std::unique_ptr<const Parts> parts_;
};

}  // namespace giga
