// One JSON form for each type of value that records have: written and read here, and nowhere else.
//
// A number that is not finite is null. Which one it was is known from the field: k-hat and divergences are
// infinite, all others NaN.
#pragma once

#include <string>
#include <vector>

#include "giga/construct/build.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/design/standardise.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/sample.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/full_data_cost.hpp"
#include "giga/pipeline/model_check.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/pipeline/shard_sums.hpp"
#include "giga/report/draws_summary.hpp"
#include "record/json.hpp"

namespace giga::record {

[[nodiscard]] Json form_of(const ModelOptions& model);
[[nodiscard]] ModelOptions model_of(const Fields& fields);
[[nodiscard]] Json form_of(const DesignState& design);
[[nodiscard]] DesignState design_of(const Fields& fields);
/// Its text.
[[nodiscard]] Json form_of(const ScalarPrior& prior);

/// How a table was read.
[[nodiscard]] Json form_of(const ReadOptions& read);
[[nodiscard]] ReadOptions read_of(const Fields& fields);

/// The scale of the features.
struct Scaled {
  std::vector<std::string> features;
  Standardisation scale;
};
[[nodiscard]] Json form_of(const Scaled& scaled);
[[nodiscard]] Scaled scaled_of(const Fields& fields);

/// What belongs to the projection, and what belongs to the construction.
[[nodiscard]] Json projection_form(const CoresetOptions& options);
[[nodiscard]] Json construction_form(const CoresetOptions& options);
/// Of an object with the fields of the construction, and of the projection if it has one.
[[nodiscard]] CoresetOptions coreset_options_of(const Fields& fields);

/// Without what the sampler has no use for.
[[nodiscard]] Json form_of(const SampleOptions& options);
[[nodiscard]] SampleOptions sample_of(const Fields& fields);

[[nodiscard]] Json form_of(const StepRecord& step);
[[nodiscard]] StepRecord step_of(const Fields& fields);

[[nodiscard]] Json form_of(const ProjectionTrial& trial);
[[nodiscard]] ProjectionTrial trial_of(const Fields& fields);

[[nodiscard]] Json form_of(const LaplaceResult& laplace);
[[nodiscard]] LaplaceResult laplace_of(const Fields& fields);

/// "auto", "all" or the number.
[[nodiscard]] Json form_of(const RowCount& count);
[[nodiscard]] RowCount row_count_of(const Fields& fields, const char* key);

[[nodiscard]] Json form_of(const FitRound& round);
[[nodiscard]] FitRound round_of(const Fields& fields);

[[nodiscard]] Json form_of(const StageSeconds& seconds);
[[nodiscard]] StageSeconds seconds_of(const Fields& fields);
[[nodiscard]] Json form_of(const StagePasses& passes);
[[nodiscard]] StagePasses passes_of(const Fields& fields);

[[nodiscard]] Json form_of(const FullDataCost& cost);
[[nodiscard]] FullDataCost cost_of(const Fields& fields);

/// shard_sums_form.cpp: of a model with that many parameters and raw columns that are not of groups.
[[nodiscard]] Json form_of(const ShardSums& sums);
[[nodiscard]] ShardSums sums_of(const Fields& fields, Index num_parameters, Index num_columns);

/// Under the names of R's posterior.
[[nodiscard]] Json form_of(const Quantity& quantity);

/// `names` are those of certificate_text; the first `num_original` are on the scale of the data. What is read
/// is what a report shows: moments of parameters and weights of draws are left out. `sentence` is the verdict
/// as the front end spells it; empty: certificate_sentence.
[[nodiscard]] Json form_of(const Certificate& certificate, const std::vector<std::string>& names,
                           Index num_original, const std::string& sentence = {});
[[nodiscard]] Certificate certificate_of(const Fields& fields);

/// model_check_form.cpp.
[[nodiscard]] Json form_of(const ModelCheck& check);
[[nodiscard]] ModelCheck model_check_of(const Fields& fields);

/// An array of forms, and back.
template <typename Value>
[[nodiscard]] Json list_form(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values) list.push_back(form_of(value));
  return list;
}
template <typename Read>
[[nodiscard]] auto list_of(const Fields& fields, const char* key, const Read& read) {
  std::vector<decltype(read(fields))> values;
  for (const Fields& each : fields.list(key)) values.push_back(read(each));
  return values;
}

}  // namespace giga::record
