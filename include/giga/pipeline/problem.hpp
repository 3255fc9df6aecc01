// A dataset and what is to be learnt from it: the distinct rows, the scale of the features, the model and its
// prior.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/design/standardise.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/regression.hpp"
#include "giga/design/both_scales.hpp"

namespace giga {

struct ModelOptions {
  FamilyParameters family;
  double prior_scale = 1;   ///< theta ~ N(0, prior_scale^2 I); > 0
  bool intercept = true;    ///< It has the same prior as the coefficients.
  bool standardise = true;  ///< Features to mean 0 and standard deviation 1 over all rows.
};

class Problem {
 public:
  /// `data` must outlive this object. Throws DataError if the response does not fit the family.
  Problem(const Dataset& data, const ModelOptions& options, const Executor& executor);
  /// The same with a scale that is known already, as that of all the data is to a coreset.
  Problem(const Dataset& data, const ModelOptions& options, Standardisation scale, const Executor& executor);

  [[nodiscard]] const Dataset& data() const { return *data_; }
  [[nodiscard]] const ModelOptions& options() const { return options_; }
  [[nodiscard]] const DistinctRows& distinct() const { return distinct_; }
  [[nodiscard]] const Standardisation& scale() const { return scale_; }
  [[nodiscard]] const Regression& model() const { return *model_; }
  [[nodiscard]] const Normal& prior() const { return prior_; }
  /// What the user should know: how labels were mapped, columns that are constant, rows that repeat.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  Problem(const Dataset& data, const ModelOptions& options, DistinctRows distinct,
          std::optional<Standardisation> scale, const Executor& executor);

  const Dataset* data_;
  ModelOptions options_;
  DistinctRows distinct_;
  Standardisation scale_;
  std::unique_ptr<Regression> model_;
  Normal prior_;
  std::vector<std::string> notes_;
};

/// The scale of the problem's features and that of its parameters.
[[nodiscard]] BothScales both_scales(const Problem& problem);

}  // namespace giga
