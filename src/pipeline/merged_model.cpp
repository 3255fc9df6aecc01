// Whether shards have one model, and the model that they have. What differs is said with the names of two
// shards, the first and the one that differs from it.
#include <algorithm>
#include <set>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/stack.hpp"
#include "pipeline/merged_design.hpp"

namespace giga {
namespace {

constexpr const char* kShareDesign =
    "; build the shards with one design: `design_from` one of them, or of a sample of all";

class SameModel {
 public:
  SameModel(const Shard& first, const Shard& other) : first_(first), other_(other) {}

  void check() const {
    const ModelOptions &a = model(first_), &b = model(other_);
    same("the family", family_words(a), family_words(b));
    same("the prior", prior_words(a), prior_words(b));
    same("the formula", a.formula.value_or("none"), b.formula.value_or("none"));
    same("the intercept", a.intercept ? "present" : "absent", b.intercept ? "present" : "absent");
    same("the scale of the features", a.standardise ? "standardised" : "as they are",
         b.standardise ? "standardised" : "as they are");
    same("`success`", a.success.value_or("not given"), b.success.value_or("not given"));
    check_columns();
  }

 private:
  static const ModelOptions& model(const Shard& shard) { return shard.problem->table()->options; }

  static std::string family_words(const ModelOptions& model) {
    std::string text(family_name(model.family.family));
    text.append(" with ").append(link_name(model.family.family)).append(" link");
    for (const FamilySetting& setting : describe(model.family.family).settings)
      text.append(", ").append(setting.name).append(" ").append(shortest(model.family.*setting.value));
    return describe(model.family.family).extras.empty() ? text : text + ", noise learnt";
  }

  static std::string prior_words(const ModelOptions& model) {
    return giga::prior_words(model.priors, model.prior_scale);
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(other_.name + " and " + first_.name + ": cannot be merged: " + what);
  }

  void same(const std::string& what, const std::string& first, const std::string& other) const {
    if (first == other) return;
    refuse(what + " is " + printable(other, 200) + " in the one and " + printable(first, 200) +
           " in the other; build both with the same");
  }

  // Names, order and kinds; levels may differ, except those of a response, whose order says what is success.
  void check_columns() const {
    const Dataset &a = *first_.data, &b = *other_.data;
    same("the response", a.response_name(), b.response_name());
    for (Index d = 0; d < std::max(a.num_features(), b.num_features()); ++d) {
      const auto name_in = [d](const Dataset& data) {
        return d < data.num_features() ? data.feature_names()[at(d)] : std::string("absent");
      };
      same("feature " + std::to_string(d + 1), name_in(a), name_in(b));
      same_kind(a.feature_column(d), b.feature_column(d));
    }
    same_kind(a.response_column(), b.response_column());
    const bool words = a.response_column().kind == ColumnKind::Category;
    if (words && a.response_column().levels != b.response_column().levels && !model(first_).success)
      refuse(
          "the labels of the response are not the same in both, so that which of them is success may "
          "differ; build both with `success`");
  }

  void same_kind(const Column& a, const Column& b) const {
    if (a.kind == b.kind) return;
    refuse("column '" + printable(a.name) + "' is a " + std::string(name(b.kind)) + " in the one and a " +
           std::string(name(a.kind)) + " in the other; name it in `categories` for both");
  }

  const Shard &first_, &other_;
};

// Levels are joined; whatever else was learnt must be the same.
DesignState joined_state(std::span<const Shard> shards) {
  const auto state_of = [](const Shard& shard) -> const DesignState& {
    return *shard.problem->table()->options.design;
  };
  DesignState joined = state_of(shards.front());
  for (const Shard& shard : shards) {
    const DesignState& state = state_of(shard);
    const auto refuse = [&](const std::string& what) {
      throw DataError(shard.name + " and " + shards.front().name + ": cannot be merged: " + what +
                      kShareDesign);
    };
    if (state.dot != joined.dot || state.variables.size() != joined.variables.size() ||
        state.learnt.size() != joined.learnt.size())
      refuse("the formula stands for other columns in the one than in the other");
    for (std::size_t k = 0; k < joined.learnt.size(); ++k) {
      LearntCall ours = joined.learnt[k], theirs = state.learnt[k];
      for (LearntCall* call : {&ours, &theirs}) {
        call->levels.clear();
        call->values.clear();
      }
      if (ours != theirs) refuse(printable(ours.call) + " learnt other numbers in the one than in the other");
      std::set<double> values(joined.learnt[k].values.begin(), joined.learnt[k].values.end());
      values.insert(state.learnt[k].values.begin(), state.learnt[k].values.end());
      joined.learnt[k].values.assign(values.begin(), values.end());
    }
  }
  const auto join = [&](const auto& levels_in) {
    std::vector<std::vector<std::string>> lists;
    for (const Shard& shard : shards) lists.push_back(levels_in(state_of(shard)));
    return joined_levels(lists);
  };
  for (std::size_t k = 0; k < joined.variables.size(); ++k)
    joined.variables[k].levels = join([k](const DesignState& state) { return state.variables[k].levels; });
  for (std::size_t k = 0; k < joined.learnt.size(); ++k)
    joined.learnt[k].levels = join([k](const DesignState& state) { return state.learnt[k].levels; });
  return joined;
}

}  // namespace

void require_one_model(std::span<const Shard> shards) {
  for (const Shard& shard : shards.subspan(1)) SameModel(shards.front(), shard).check();
}

ModelOptions merged_model(std::span<const Shard> shards) {
  ModelOptions model = shards.front().problem->table()->options;
  model.priors.found.clear();
  if (model.design) model.design = joined_state(shards);
  return model;
}

}  // namespace giga
