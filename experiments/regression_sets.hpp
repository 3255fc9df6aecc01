// The six datasets of the paper's section 4.3.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "experiments/settings.hpp"
#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/model/family.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/regression.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga::experiments {

struct SetInfo {
  const char* name;   ///< of files and folders
  const char* title;  ///< as in the paper
  Family family;
  const char* file;    ///< in the data folder; empty: synthetic
  const char* origin;  ///< where it comes from
};

extern const std::array<SetInfo, 6> kSets;

[[nodiscard]] bool is_synthetic(const SetInfo& info);

/// A dataset ready for inference: distinct rows with multiplicities, real features standardised.
class RegressionSet {
 public:
  /// Throws what read_dataset throws for a file that cannot be used.
  RegressionSet(const SetInfo& info, const Settings& settings, const Executor& executor);

  [[nodiscard]] const SetInfo& info() const { return *info_; }
  [[nodiscard]] const Likelihood& model() const { return problem_ ? problem_->likelihood() : *made_up_; }
  [[nodiscard]] const Normal& prior() const { return prior_; }
  [[nodiscard]] Index num_data_rows() const { return num_data_rows_; }

  /// The posterior's likelihood of some of the rows, row k counted weights[k] times.
  [[nodiscard]] Regression subset(const std::vector<Index>& rows, const std::vector<double>& weights) const;

  /// The distinct row that a row of the data, equal ones counted apart, is.
  [[nodiscard]] Index distinct_row(Index data_row) const;

 private:
  const SetInfo* info_;
  std::unique_ptr<Dataset> data_;
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Regression> made_up_;
  Normal prior_ = Normal::isotropic(1);
  Index num_data_rows_ = 0;
  std::vector<Index> last_;  // data rows up to and with each distinct row, equal rows side by side
};

}  // namespace giga::experiments
