// A check of the model as a part of records. A number that is not finite is null, and NaN when it is read.
#include "record/forms.hpp"

namespace giga::record {
namespace {

Json form_of(const CheckedStatistic& statistic) {
  return {{"of", name(statistic.of)},
          {"observed", statistic.observed},
          {"mean", statistic.mean},
          {"sd", statistic.sd},
          {"q5", statistic.low},
          {"q95", statistic.high},
          {"share_above", statistic.above},
          {"outside", statistic.outside}};
}

CheckedStatistic statistic_of(const Fields& fields) {
  return {.of = fields.choice<Statistic>("of"),
          .observed = fields.number("observed"),
          .mean = fields.number("mean"),
          .sd = fields.number("sd"),
          .low = fields.number("q5"),
          .high = fields.number("q95"),
          .above = fields.number("share_above"),
          .outside = fields.get<bool>("outside")};
}

Json form_of(const CalibrationBin& bin) {
  return {{"count", bin.count}, {"fitted", bin.fitted}, {"observed", bin.observed},
          {"error", bin.error}, {"q5", bin.low},        {"q95", bin.high}};
}

CalibrationBin bin_of(const Fields& fields) {
  return {fields.number("count"), fields.number("fitted"), fields.number("observed"),
          fields.number("error"), fields.number("q5"),     fields.number("q95")};
}

Json form_of(const Finding& finding) {
  return {{"misfit", name(finding.misfit)},
          {"severity", name(finding.severity)},
          {"size", finding.size},
          {"words", finding.words}};
}

Finding finding_of(const Fields& fields) {
  return {fields.choice<Misfit>("misfit"), fields.choice<Severity>("severity"), fields.number("size"),
          fields.get<std::string>("words")};
}

template <typename Value>
Json forms_of(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values) list.push_back(form_of(value));
  return list;
}

}  // namespace

Json form_of(const ModelCheck& check) {
  return {{"verdict", check.doubtful() ? "doubtful" : "nothing_against_it"},
          {"findings", forms_of(check.findings)},
          {"num_observations", check.num_observations},
          {"num_checked", check.num_checked},
          {"num_replicates", check.num_replicates},
          {"statistics", forms_of(check.statistics)},
          {"shares", check.shares},
          {"calibration", check.calibration},
          {"bins", forms_of(check.bins)}};
}

ModelCheck model_check_of(const Fields& fields) {
  ModelCheck out;
  out.findings = list_of(fields, "findings", finding_of);
  out.num_observations = fields.number("num_observations");
  out.num_checked = fields.get<Index>("num_checked");
  out.num_replicates = fields.get<Index>("num_replicates");
  out.statistics = list_of(fields, "statistics", statistic_of);
  out.shares = fields.get<bool>("shares");
  out.calibration = fields.number("calibration");
  out.bins = list_of(fields, "bins", bin_of);
  return out;
}

}  // namespace giga::record
