// The JSON forms of options and results, each written and read side by side. Names of fields are those of the
// options on the command line, with underscores. "auto" or null stands for a value of 0 that means a default.
#include "record/forms.hpp"

#include <cmath>
#include <limits>
#include <string_view>

#include "giga/base/error.hpp"

namespace giga::record {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

void require_scale(const Fields& fields, const char* key, double value) {
  if (!(std::isfinite(value) && value > 0)) fields.refuse(key, "must be positive");
}

// Nothing where nothing was chosen, as in older files. parameter_priors are those of every parameter, as they
// were found from all the data.
void put_priors(const PriorOptions& priors, Json& json) {
  if (priors.found.empty() && priors.is_default()) return;
  json["prior"] = prior_texts(priors);
  json["prior_intercept"] = priors.intercept ? form_of(*priors.intercept) : Json(nullptr);
  json["autoscale"] = priors.autoscale;
  json["parameter_priors"] = list_form(priors.found);
}

PriorOptions priors_of(const Fields& fields) {
  PriorOptions out;
  if (!fields.has("parameter_priors")) return out;
  const auto texts = fields.get<std::vector<std::string>>("prior");
  const auto intercept = fields.optional<std::string>("prior_intercept");
  const auto found = fields.get<std::vector<std::string>>("parameter_priors");
  out.autoscale = fields.get<bool>("autoscale");
  try {
    for (const std::string& text : texts) add_prior(out, text);
    if (intercept) out.intercept = parse_prior(*intercept);
    for (const std::string& text : found) out.found.push_back(parse_prior(text));
  } catch (const OptionError&) {
    fields.refuse("prior", "has a text that is not a prior");
  }
  return out;
}

}  // namespace

Json form_of(const ScalarPrior& prior) {
  return prior.text();
}

Json form_of(const DesignState& design) {
  Json variables = Json::array(), learnt = Json::array();
  for (const DesignVariable& variable : design.variables) {
    Json json = {{"name", variable.name}, {"kind", name(variable.kind)}};
    if (variable.kind == ColumnKind::Category) json["levels"] = variable.levels;
    if (variable.response_only) json["response_only"] = true;
    variables.push_back(std::move(json));
  }
  for (const LearntCall& call : design.learnt) {
    Json json = {{"call", call.call}};
    const auto put = [&json](const char* key, const auto& values) {
      if (!values.empty()) json[key] = values;
    };
    put("knots", call.knots);
    put("boundary", call.boundary);
    if (!call.norm2.empty()) json["center"] = call.center;
    put("alpha", call.alpha);
    put("norm2", call.norm2);
    put("values", call.values);
    put("levels", call.levels);
    learnt.push_back(std::move(json));
  }
  Json json = {{"formula", design.formula}, {"variables", std::move(variables)}};
  if (!design.dot.empty()) json["dot"] = design.dot;
  if (!learnt.empty()) json["learnt"] = std::move(learnt);
  return json;
}

DesignState design_of(const Fields& fields) {
  DesignState design;
  design.formula = fields.get<std::string>("formula");
  if (fields.has("dot")) design.dot = fields.get<std::vector<std::string>>("dot");
  design.variables = list_of(fields, "variables", [](const Fields& each) {
    DesignVariable variable{each.get<std::string>("name"), each.choice<ColumnKind>("kind")};
    if (variable.kind == ColumnKind::Category) variable.levels = each.get<std::vector<std::string>>("levels");
    variable.response_only = each.optional<bool>("response_only").value_or(false);
    return variable;
  });
  if (!fields.has("learnt")) return design;
  design.learnt = list_of(fields, "learnt", [](const Fields& each) {
    LearntCall call{each.get<std::string>("call")};
    const auto take = [&each](const char* key, auto& values) {
      if (each.has(key)) values = each.get<std::remove_reference_t<decltype(values)>>(key);
    };
    take("knots", call.knots);
    take("boundary", call.boundary);
    take("center", call.center);
    take("alpha", call.alpha);
    take("norm2", call.norm2);
    take("values", call.values);
    take("levels", call.levels);
    return call;
  });
  return design;
}

Json form_of(const ModelOptions& model) {
  Json json = {{"family", family_name(model.family.family)}, {"link", link_name(model.family.family)}};
  for (const FamilySetting& setting : family_settings()) {
    const auto given = with_setting(model.family.family, setting);
    if (given && *given != model.family.family) {
      json[std::string(setting.name)] = nullptr;                            // learnt
    } else if (given || setting.value == &FamilyParameters::noise_scale) {  // that of every family, as in 0.1
      json[std::string(setting.name)] = model.family.*setting.value;
    }
  }
  json["prior_scale"] = model.prior_scale;
  json["intercept"] = model.intercept;
  json["standardise"] = model.standardise;
  put_priors(model.priors, json);
  if (model.success) json["success"] = *model.success;
  if (model.formula) json["formula"] = *model.formula;
  if (model.design) json["design"] = form_of(*model.design);
  return json;
}

ModelOptions model_of(const Fields& fields) {
  ModelOptions model;
  const auto family = fields.get<std::string>("family"), link = fields.get<std::string>("link");
  const auto found = family_named(family, link);
  if (!found)
    fields.refuse("family", "is '" + printable(family) + "' with the link '" + printable(link) + "'");
  model.family.family = *found;
  for (const FamilySetting& setting : family_settings()) {
    const std::string key(setting.name);
    const auto given = with_setting(*found, setting);
    // Files from before a family was known say nothing of its settings.
    if (!fields.has(key.c_str()) && (!given || *given != *found)) continue;
    if (given && *given != *found && fields.json().at(key).is_null()) continue;  // learnt
    if (given) model.family.family = *given;
    model.family.*setting.value = fields.get<double>(key.c_str());
    require_scale(fields, key.c_str(), model.family.*setting.value);
  }
  model.prior_scale = fields.get<double>("prior_scale");
  model.intercept = fields.get<bool>("intercept");
  model.standardise = fields.get<bool>("standardise");
  model.success = fields.optional<std::string>("success");
  model.formula = fields.optional<std::string>("formula");
  if (fields.has("design")) model.design = design_of(fields.at("design"));
  require_scale(fields, "prior_scale", model.prior_scale);
  model.priors = priors_of(fields);
  return model;
}

Json form_of(const ReadOptions& read) {
  Json json = {{"response", or_null(read.response)},
               {"features", or_null(read.features)},
               {"weights", or_null(read.weights)},
               {"missing", name(read.missing)},
               {"delimiter", std::string(1, read.delimiter)},
               {"header", read.header}};
  // Only where they were given.
  if (!read.categories.empty()) json["categories"] = read.categories;
  if (read.max_levels != ReadOptions().max_levels) json["max_levels"] = read.max_levels;
  if (read.sql) json["sql"] = *read.sql;
  return json;
}

ReadOptions read_of(const Fields& fields) {
  ReadOptions read;
  read.response = fields.optional<std::string>("response");
  read.features = fields.optional<std::vector<std::string>>("features");
  read.weights = fields.optional<std::string>("weights");
  read.missing = fields.choice<Missing>("missing");
  const auto delimiter = fields.get<std::string>("delimiter");
  // What the reader of tables accepts: anything else could not have been written by it.
  if (delimiter.size() != 1 ||
      std::string_view("\"\r\n\0.+-eE0123456789", 19).find(delimiter) != std::string_view::npos)
    fields.refuse("delimiter", "must be one character that is not part of a number");
  read.delimiter = delimiter[0];
  read.header = fields.get<bool>("header");
  read.categories = fields.optional<std::vector<std::string>>("categories").value_or(read.categories);
  read.max_levels = fields.optional<Index>("max_levels").value_or(read.max_levels);
  if (read.max_levels < 1 || read.max_levels > 65'536) fields.refuse("max_levels", "must be 1 to 65,536");
  read.sql = fields.optional<std::string>("sql");
  return read;
}

Json form_of(const Scaled& scaled) {
  Json json = {{"features", scaled.features}, {"mean", scaled.scale.mean}, {"scale", scaled.scale.scale}};
  if (!scaled.scale.group_sds.empty()) json["group_sds"] = scaled.scale.group_sds;
  return json;
}

Scaled scaled_of(const Fields& fields) {
  Scaled out;
  out.features = fields.get<std::vector<std::string>>("features");
  out.scale.mean = fields.get<std::vector<double>>("mean");
  out.scale.scale = fields.get<std::vector<double>>("scale");
  if (out.scale.mean.size() != out.features.size() || out.scale.scale.size() != out.features.size())
    fields.refuse("mean", "and 'scale' do not have one entry per feature");
  // z = (x - mean) / scale must exist for every feature.
  for (std::size_t d = 0; d < out.features.size(); ++d) {
    if (!std::isfinite(out.scale.mean[d]) || !std::isfinite(out.scale.scale[d]) || out.scale.scale[d] <= 0)
      fields.refuse("scale", "has a scale that is not positive, or a mean that is not finite");
  }
  if (fields.has("group_sds")) {
    out.scale.group_sds = fields.get<std::vector<Index>>("group_sds");
    // Each has at least the columns of two groups after it.
    const auto& sds = out.scale.group_sds;
    for (std::size_t k = 0; k < sds.size(); ++k) {
      const Index end = k + 1 < sds.size() ? sds[k + 1] : std::ssize(out.features);
      if (sds[k] < 0 || end - sds[k] < 3) fields.refuse("group_sds", "are not places among the features");
    }
  }
  return out;
}

Json projection_form(const CoresetOptions& options) {
  return {{"projection", name(options.projection)},
          {"norm", name(options.norm)},
          {"projection_dim", options.projection_dim > 0 ? Json(options.projection_dim) : Json("auto")},
          {"expansion", name(options.expansion)},
          {"remainder_dim", options.remainder_dim},
          {"heldout_dim", options.heldout_dim},
          {"candidates", form_of(options.candidates)},
          {"posterior_units", options.posterior_units},
          {"pihat", name(options.pihat)},
          {"pihat_rows", options.subsample_rows > 0 ? Json(options.subsample_rows) : Json(nullptr)}};
}

Json construction_form(const CoresetOptions& options) {
  return {{"method", name(options.method)},
          {"selector", name(options.selector)},
          {"size", options.size},
          {"max_steps", options.max_steps > 0 ? Json(options.max_steps) : Json(nullptr)},
          {"tolerance", options.tolerance}};
}

CoresetOptions coreset_options_of(const Fields& fields) {
  CoresetOptions out;
  if (fields.has("projection")) {
    out.projection = fields.choice<ProjectionKind>("projection");
    out.norm = fields.choice<Norm>("norm");
    out.projection_dim =
        fields.json().value("projection_dim", Json()) == "auto" ? 0 : fields.get<Index>("projection_dim");
    out.expansion = fields.choice<Expansion>("expansion");
    out.remainder_dim = fields.get<Index>("remainder_dim");
    out.heldout_dim = fields.get<Index>("heldout_dim");
    out.pihat = fields.choice<PihatKind>("pihat");
    out.subsample_rows = fields.optional<Index>("pihat_rows").value_or(0);
    // Older files lack it: points were chosen from all rows.
    out.posterior_units = fields.optional<bool>("posterior_units").value_or(false);
    out.candidates = fields.has("candidates") ? row_count_of(fields, "candidates") : RowCount::all();
  }
  out.method = fields.choice<Method>("method");
  out.selector = fields.choice<SelectorKind>("selector");
  out.size = fields.get<Index>("size");
  out.max_steps = fields.optional<Index>("max_steps").value_or(0);
  out.tolerance = fields.number("tolerance");
  out.seed = fields.optional<std::uint64_t>("seed").value_or(out.seed);
  return out;
}

Json form_of(const SampleOptions& options) {
  const bool nuts = options.sampler == SamplerKind::Nuts, hmc = options.sampler == SamplerKind::Hmc;
  return {{"metric", name(options.metric)},
          {"warmup", options.warmup},
          {"draws", options.draws},
          {"thin", options.thin},
          {"target_accept", nuts || hmc ? Json(options.target_accept) : Json(nullptr)},
          {"max_depth", nuts ? Json(options.max_depth) : Json(nullptr)},
          {"leapfrog_steps", hmc ? Json(options.leapfrog_steps) : Json(nullptr)},
          {"step_jitter", hmc ? Json(options.step_jitter) : Json(nullptr)}};
}

SampleOptions sample_of(const Fields& fields) {
  SampleOptions out;
  out.sampler = fields.choice<SamplerKind>("sampler");
  out.metric = fields.choice<MetricKind>("metric");
  out.warmup = fields.get<Index>("warmup");
  out.draws = fields.get<Index>("draws");
  out.thin = fields.get<Index>("thin");
  out.target_accept = fields.number("target_accept", out.target_accept);
  out.max_depth = fields.optional<Index>("max_depth").value_or(out.max_depth);
  out.leapfrog_steps = fields.optional<Index>("leapfrog_steps").value_or(out.leapfrog_steps);
  out.step_jitter = fields.number("step_jitter", out.step_jitter);
  return out;
}

Json form_of(const StepRecord& step) {
  return {{"step", step.step},
          {"row", step.row},
          {"size", step.size},
          {"gamma", step.step_length},
          {"alignment", step.alignment},
          {"relative_error", step.relative_error},
          {"heldout_error", step.heldout_error},
          {"bound", step.bound}};
}

StepRecord step_of(const Fields& fields) {
  return {.step = fields.get<Index>("step"),
          .row = fields.get<Index>("row"),
          .size = fields.get<Index>("size"),
          .step_length = fields.number("gamma"),
          .alignment = fields.number("alignment"),
          .relative_error = fields.number("relative_error"),
          .bound = fields.number("bound"),
          .heldout_error = fields.number("heldout_error")};
}

Json form_of(const ProjectionTrial& trial) {
  return {{"J", trial.dim},
          {"size", trial.size},
          {"relative_error", trial.relative_error},
          {"heldout_error", trial.heldout_error}};
}

ProjectionTrial trial_of(const Fields& fields) {
  return {.dim = fields.get<Index>("J"),
          .relative_error = fields.number("relative_error"),
          .heldout_error = fields.number("heldout_error"),
          .size = fields.get<Index>("size")};
}

// The derivatives at the mode are kept as they were found: computed anew they may have other bits.
Json form_of(const LaplaceResult& laplace) {
  Json out = {{"mean", laplace.posterior.mean()}, {"precision", laplace.posterior.precision()},
              {"log_joint", laplace.log_joint},   {"log_likelihood", laplace.log_likelihood},
              {"log_prior", laplace.log_prior},   {"iterations", laplace.iterations},
              {"decrement", laplace.decrement},   {"end", name(laplace.end)}};
  if (laplace.at_mode)
    out["at_mode"] = {{"value", laplace.at_mode->value},
                      {"gradient", laplace.at_mode->gradient},
                      {"hessian", laplace.at_mode->hessian}};
  return out;
}

LaplaceResult laplace_of(const Fields& fields) {
  LaplaceResult out{Normal::with_precision(fields.get<std::vector<double>>("mean"),
                                           fields.get<std::vector<double>>("precision"))};
  out.log_joint = fields.number("log_joint");
  out.log_likelihood = fields.number("log_likelihood");
  out.log_prior = fields.number("log_prior");
  out.iterations = fields.get<Index>("iterations");
  out.decrement = fields.number("decrement");
  out.end = fields.choice<LaplaceEnd>("end");
  if (!fields.has("at_mode")) return out;
  const Fields at_mode = fields.at("at_mode");
  out.at_mode = Derivatives{at_mode.number("value"), at_mode.get<std::vector<double>>("gradient"),
                            at_mode.get<std::vector<double>>("hessian")};
  const auto dim = static_cast<std::size_t>(out.posterior.dim());
  if (out.at_mode->gradient.size() != dim) at_mode.refuse("gradient", "is not of the parameters");
  if (out.at_mode->hessian.size() != dim * dim) at_mode.refuse("hessian", "is not of the parameters");
  return out;
}

Json form_of(const RowCount& count) {
  return count.kind == RowCount::Kind::Number ? Json(count.number) : Json(text_of(count));
}

RowCount row_count_of(const Fields& fields, const char* key) {
  const Json& json = fields.json()[key];
  if (json.is_string() && json == "auto") return {};
  if (json.is_string() && json == "all") return RowCount::all();
  return RowCount::of(fields.get<Index>(key));
}

Json form_of(const FitRound& round) {
  return {{"size", round.size},
          {"relative_error", round.relative_error},
          {"heldout_error", round.heldout_error},
          {"k_hat", round.k_hat},
          {"effective_size", round.effective_size},
          {"doubt", name(round.doubt)}};
}

FitRound round_of(const Fields& fields) {
  return {fields.get<Index>("size"),         fields.number("relative_error"), fields.number("heldout_error"),
          fields.number("k_hat", kInfinite), fields.number("effective_size"), fields.choice<Doubt>("doubt")};
}

Json form_of(const StageSeconds& s) {
  return {{"load", s.load},           {"laplace", s.laplace}, {"project", s.project}, {"prepare", s.prepare},
          {"construct", s.construct}, {"sample", s.sample},   {"certify", s.certify}, {"report", s.report}};
}

StageSeconds seconds_of(const Fields& fields) {
  // Stages that a version or a command does not have took no time.
  const auto stage = [&fields](const char* key) { return fields.has(key) ? fields.number(key) : 0.0; };
  return {stage("load"),      stage("laplace"), stage("project"), stage("prepare"),
          stage("construct"), stage("sample"),  stage("certify"), stage("report")};
}

Json form_of(const StagePasses& passes) {
  return {{"laplace", passes.laplace},
          {"project", passes.project},
          {"prepare", passes.prepare},
          {"certify", passes.certify}};
}

StagePasses passes_of(const Fields& fields) {
  return {fields.get<Index>("laplace"), fields.get<Index>("project"), fields.get<Index>("prepare"),
          fields.get<Index>("certify")};
}

Json form_of(const FullDataCost& cost) {
  return {{"gradients", cost.gradients},
          {"gradient_seconds", cost.gradient_seconds},
          {"parallel_chains", cost.parallel_chains},
          {"seconds", cost.seconds()}};
}

FullDataCost cost_of(const Fields& fields) {
  return {fields.number("gradients"), fields.number("gradient_seconds"), fields.number("parallel_chains")};
}

Json form_of(const Quantity& quantity) {
  const QuantitySummary& s = quantity.summary;
  return {{"variable", quantity.name},
          {"mean", s.mean},
          {"median", s.median},
          {"sd", s.sd},
          {"mad", s.mad},
          {"q5", s.q5},
          {"q95", s.q95},
          {"rhat", s.rhat},
          {"ess_bulk", s.ess_bulk},
          {"ess_tail", s.ess_tail},
          {"mcse_mean", s.mcse_mean},
          {"mcse_sd", s.mcse_sd}};
}

}  // namespace giga::record
