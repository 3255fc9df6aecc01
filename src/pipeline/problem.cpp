#include "giga/pipeline/problem.hpp"

#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

std::string quoted_names(const Dataset& data, const std::vector<Index>& features) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t k = 0; k < features.size() && k < kMost; ++k) {
    text +=
        (text.empty() ? "'" : ", '") + printable(data.feature_names()[static_cast<std::size_t>(features[k])]);
    text += "'";
  }
  return features.size() > kMost ? text + ", ..." : text;
}

void note_constant(const Problem& problem, std::vector<std::string>& notes) {
  const auto& constant = problem.scale().constant;
  if (constant.empty()) return;
  notes.push_back((constant.size() == 1 ? "column " : std::to_string(constant.size()) + " columns ") +
                  quoted_names(problem.data(), constant) +
                  (constant.size() == 1 ? " is constant; its coefficient keeps its prior"
                                        : " are constant; their coefficients keep their prior"));
}

void note_shape(const Problem& problem, std::vector<std::string>& notes) {
  const Index repeats = problem.distinct().num_repeats;
  if (repeats > 0) {
    notes.push_back(std::to_string(repeats) + " of " + std::to_string(problem.data().num_rows()) +
                    (repeats == 1 ? " rows repeats an earlier one" : " rows repeat earlier ones") +
                    "; equal rows are one, with a multiplicity");
  }
  if (problem.model().num_rows() < problem.model().num_parameters()) {
    notes.push_back("there are fewer rows (" + std::to_string(problem.model().num_rows()) +
                    ") than parameters (" + std::to_string(problem.model().num_parameters()) +
                    "); the prior decides the rest");
  }
}

}  // namespace

Problem::Problem(const Dataset& data, const ModelOptions& options, const Executor& executor)
    : Problem(data, options, distinct_rows(data, executor), std::nullopt, executor) {}

Problem::Problem(const Dataset& data, const ModelOptions& options, Standardisation scale,
                 const Executor& executor)
    : Problem(data, options, distinct_rows(data, executor), std::move(scale), executor) {}

Problem::Problem(const Dataset& data, const ModelOptions& options, DistinctRows distinct,
                 std::optional<Standardisation> scale, const Executor& executor)
    : data_(&data),
      options_(options),
      distinct_(std::move(distinct)),
      scale_(scale                 ? std::move(*scale)
             : options.standardise ? standardise(data, distinct_, executor)
                                   : Standardisation::identity(data.num_features())),
      prior_(Normal::isotropic(data.num_features() + (options.intercept ? 1 : 0), options.prior_scale)) {
  if (distinct_.num_rows < 1)
    throw DataError(data.name() + ": every row has weight 0; there is nothing to learn from");
  Response response = describe(options.family.family).read_response(data);
  notes_ = std::move(response.notes);
  model_ = std::make_unique<Regression>(data, distinct_, scale_, response.values,
                                        RegressionOptions{options.family, options.intercept});
  note_constant(*this, notes_);
  note_shape(*this, notes_);
}

BothScales both_scales(const Problem& problem) {
  const ModelOptions& options = problem.options();
  return {problem.data().feature_names(), problem.scale(), options.intercept, options.standardise};
}

}  // namespace giga
