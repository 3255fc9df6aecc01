// From the priors that a user chose to one for every parameter.
#include "giga/pipeline/prior_options.hpp"

#include <algorithm>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/design/group_effect.hpp"

namespace giga {
namespace {

constexpr std::string_view kIntercept = "(intercept)";

// Where group effects are among the columns.
class GroupPlaces {
 public:
  explicit GroupPlaces(const Design& design) : effects_(group_columns(design.scale())) {}

  /// Which effect the column is the standard deviation of; -1: none.
  [[nodiscard]] Index sd(Index c) const {
    const auto found = std::ranges::find(effects_, c, &GroupColumns::sd);
    return found == effects_.end() ? -1 : found - effects_.begin();
  }
  [[nodiscard]] bool is_coefficient(Index c) const {
    return std::ranges::any_of(
        effects_, [c](const GroupColumns& each) { return c >= each.first && c < each.first + each.count; });
  }

 private:
  std::vector<GroupColumns> effects_;
};

// What names can be given to, for a message: columns, terms that are not columns, extras.
std::string known_names(const Design& design, std::span<const ExtraParameter> extras) {
  constexpr std::size_t kMost = 30;
  std::vector<std::string> all;
  const auto add = [&all](const std::string& name) {
    if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  };
  // Coefficients of groups have none to be given.
  const GroupPlaces groups(design);
  for (Index c = 0; c < design.num_columns(); ++c)
    if (!groups.is_coefficient(c)) add(design.term_label(c));
  for (Index c = 0; c < design.num_columns(); ++c)
    if (!groups.is_coefficient(c)) add(design.names()[at(c)]);
  for (const ExtraParameter& extra : extras) add(std::string(extra.name));
  std::string list;
  for (std::size_t k = 0; k < all.size() && k < kMost; ++k)
    list.append(k == 0 ? "'" : ", '").append(printable(all[k], 40)).append("'");
  return all.size() > kMost ? list + ", ..." : list;
}

class PriorFinder {
 public:
  PriorFinder(const PriorOptions& options, double prior_scale, const Design& design,
              std::span<const ExtraParameter> extras, const PriorUnits& units)
      : options_(options),
        prior_scale_(prior_scale),
        prior_scales_(design.prior_scales()),
        design_(design),
        extras_(extras),
        units_(units),
        groups_(design),
        used_(options.named.size(), false) {}

  std::vector<ScalarPrior> find() {
    std::vector<ScalarPrior> out;
    for (Index c = 0; c < design_.num_columns(); ++c)
      out.push_back(is_intercept(c) ? of_intercept(c) : of_column(c));
    for (const ExtraParameter& extra : extras_) out.push_back(of_extra(extra));
    for (std::size_t k = 0; k < used_.size(); ++k) {
      if (!used_[k] && options_.named[k].name == kGroupSds)
        throw OptionError("`prior_group`: there are no group effects, such as (1 | g) in the formula, for " +
                          options_.named[k].prior.text() + "; leave it out");
      if (!used_[k])
        throw OptionError("`prior`: there is no '" + printable(options_.named[k].name, 40) +
                          "' to give a prior to; there are " + known_names(design_, extras_));
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_intercept(Index c) const {
    return design_.has_intercept() && c + 1 == design_.num_columns();
  }

  // The prior that was given to a name, if one was.
  const ScalarPrior* named(std::string_view name) {
    for (std::size_t k = 0; k < used_.size(); ++k) {
      if (options_.named[k].name != name) continue;
      used_[k] = true;
      return &options_.named[k].prior;
    }
    return nullptr;
  }

  [[nodiscard]] ScalarPrior usual(Index c) const {
    return options_.coefficients.value_or(ScalarPrior::normal(0, prior_scales_[static_cast<std::size_t>(c)]));
  }

  ScalarPrior of_column(Index c) {
    if (groups_.is_coefficient(c)) return ScalarPrior::normal(0, 1);
    if (groups_.sd(c) >= 0) return of_group_sd(c);
    const auto k = static_cast<std::size_t>(c);
    const std::string& name = design_.names()[k];
    // Both are asked, so that the name of a term whose columns all have priors of their own is no error.
    const ScalarPrior* of_term = named(design_.term_label(c));
    const ScalarPrior* own = named(name);
    const ScalarPrior prior = own != nullptr ? *own : of_term != nullptr ? *of_term : usual(c);
    require_real(prior, name);
    if (!options_.autoscale) return prior;
    const double sd = units_.column_sds.empty() ? 1 : units_.column_sds[k];
    return scaled(prior, units_.response_sd / sd);
  }

  ScalarPrior of_intercept(Index c) {
    const ScalarPrior* own = named(kIntercept);
    if (own == nullptr && options_.intercept) own = &*options_.intercept;
    ScalarPrior prior = own != nullptr ? *own : usual(c);
    require_real(prior, std::string(kIntercept));
    if (!options_.autoscale) return prior;
    if (own == nullptr) prior.location += units_.response_mean;
    return scaled(prior, units_.response_sd);
  }

  ScalarPrior of_group_sd(Index c) {
    const auto effect = static_cast<std::size_t>(groups_.sd(c));
    const std::string& name = design_.names()[static_cast<std::size_t>(c)];
    const ScalarPrior* of_all = named(kGroupSds);
    const ScalarPrior* own = named(name);
    if (own == nullptr) own = of_all;
    const double unit = units_.response_sd / (units_.group_sds.empty() ? 1 : units_.group_sds[effect]);
    if (own == nullptr) return scaled({.kind = PriorKind::Exponential, .scale = 1}, unit);
    require_positive(*own, name);
    return options_.autoscale ? scaled(*own, unit) : *own;
  }

  ScalarPrior of_extra(const ExtraParameter& extra) {
    const ScalarPrior* own = named(extra.name);
    if (own == nullptr) return usual_of(extra);
    require_positive(*own, std::string(extra.name));
    return options_.autoscale && extra.prior.autoscale ? scaled(*own, units_.response_sd) : *own;
  }

  // What its family says; in units of the response where the parameter is one of its size.
  [[nodiscard]] ScalarPrior usual_of(const ExtraParameter& extra) const {
    ScalarPrior prior{.kind = PriorKind::LogNormal, .scale = prior_scale_};
    switch (extra.prior.kind) {
      case ExtraPrior::Kind::None: return prior;
      case ExtraPrior::Kind::Exponential:
        prior = {.kind = PriorKind::Exponential, .scale = extra.prior.rate};
        break;
      case ExtraPrior::Kind::Gamma:
        prior = {.kind = PriorKind::Gamma, .shape = extra.prior.shape, .scale = extra.prior.rate};
        break;
    }
    return extra.prior.autoscale ? scaled(prior, units_.response_sd) : prior;
  }

  static ScalarPrior scaled(const ScalarPrior& prior, double factor) {
    return factor == 1 ? prior : prior.stretched(factor);
  }

  static void require_positive(const ScalarPrior& prior, const std::string& name) {
    if (!prior.is_positive())
      throw OptionError("`prior`: " + prior.text() + " of '" + printable(name, 40) +
                        "', which is positive; must be lognormal, exponential, half_normal, half_student_t, "
                        "half_cauchy or gamma");
  }

  static void require_real(const ScalarPrior& prior, const std::string& name) {
    if (prior.is_positive())
      throw OptionError("`prior`: " + prior.text() + " is of a positive parameter, and '" +
                        printable(name, 40) +
                        "' may be negative; must be normal, student_t, cauchy, laplace, logistic or flat");
  }

  const PriorOptions& options_;
  double prior_scale_;
  std::vector<double> prior_scales_;
  const Design& design_;
  std::span<const ExtraParameter> extras_;
  const PriorUnits& units_;
  GroupPlaces groups_;
  std::vector<bool> used_;
};

}  // namespace

void add_prior(PriorOptions& options, std::string_view text) {
  add_prior(options, parse_named_prior(text));
}

void add_prior(PriorOptions& options, NamedPrior given) {
  const bool repeated = given.name.empty()
                            ? options.coefficients.has_value()
                            : std::ranges::any_of(options.named, [&given](const NamedPrior& other) {
                                return other.name == given.name;
                              });
  if (repeated)
    throw OptionError("`prior` is given twice" +
                      (given.name.empty() ? " without a name" : " to '" + printable(given.name, 40) + "'") +
                      "; give it once");
  if (given.name.empty()) {
    options.coefficients = given.prior;
  } else {
    options.named.push_back(std::move(given));
  }
}

std::vector<std::string> prior_texts(const PriorOptions& options) {
  std::vector<std::string> out;
  if (options.coefficients) out.push_back(options.coefficients->text());
  for (const NamedPrior& each : options.named) out.push_back(each.name + " = " + each.prior.text());
  return out;
}

std::vector<ScalarPrior> find_priors(const PriorOptions& options, double prior_scale, const Design& design,
                                     std::span<const ExtraParameter> extras, const PriorUnits& units) {
  return PriorFinder(options, prior_scale, design, extras, units).find();
}

std::string prior_words(const PriorOptions& options, double prior_scale) {
  if (options.is_default()) return "prior N(0, " + shortest(prior_scale) + "^2)";
  const ScalarPrior all = options.coefficients.value_or(ScalarPrior::normal(0, prior_scale));
  std::string text = "prior " + all.text();
  if (options.intercept) text += ", of the intercept " + options.intercept->text();
  for (const NamedPrior& each : options.named)
    text += ", of " + printable(each.name, 40) + " " + each.prior.text();
  return options.autoscale ? text + ", scales in units of the data" : text;
}

}  // namespace giga
