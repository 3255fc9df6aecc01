#include "certificate_record.hpp"

#include <limits>
#include <stdexcept>

#include "giga/base/text.hpp"
#include "giga/report/certificate_text.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

Json estimate_json(const Estimate& estimate) {
  return {{"mean", estimate.mean},
          {"sd", estimate.sd},
          {"mcse_mean", estimate.mcse_mean},
          {"mcse_sd", estimate.mcse_sd}};
}

Json parameters_json(const Certificate& certificate, const std::vector<std::string>& names,
                     Index num_original) {
  const Correction &coreset = certificate.coreset, &laplace = certificate.laplace;
  const std::size_t derived = coreset.quantities_after.size();
  Json parameters = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool first = i < derived;
    const std::size_t at = first ? i : i - derived;
    const auto before = [&](const Correction& one) {
      return estimate_json(first ? one.quantities_before[at] : one.before[at]);
    };
    const auto after = [&](const Correction& one) {
      return estimate_json(first ? one.quantities_after[at] : one.after[at]);
    };
    parameters.push_back({{"name", names[i]},
                          {"scale", static_cast<Index>(i) < num_original ? "original" : "standardised"},
                          {"coreset", before(coreset)},
                          {"corrected", after(coreset)},
                          {"laplace", before(laplace)},
                          {"laplace_corrected", after(laplace)}});
  }
  return parameters;
}

// Counts are whole numbers in the record.
Json number_json(const std::string& name, double value) {
  const bool count = name.starts_with("num_") || name == "laplace_num_draws" || name == "coreset_size" ||
                     name == "suggested_size";
  return count ? Json(static_cast<Index>(value)) : Json(value);
}

}  // namespace

Json certificate_json(const Certificate& certificate, const std::vector<std::string>& names,
                      Index num_original) {
  Json out;
  out["verdict"] = certificate.safe() ? "safe" : "not_safe";
  out["doubt"] = name(certificate.doubt);
  out["sentence"] = spelled(certificate_sentence(certificate));
  for (const auto& [key, value] : certificate_numbers(certificate)) out[key] = number_json(key, value);
  out["num_draws_not_finite"] = certificate.num_draws_not_finite;
  out["max_rhat_allowed"] = certificate.max_rhat_allowed;
  out["min_effective_size"] = certificate.min_effective_size;
  out["exact"] = certificate.coreset.exact;
  out["flat"] = certificate.coreset.flat;
  out["laplace_flat"] = certificate.laplace.flat;
  out["laplace_exact"] = certificate.laplace.exact;
  out["usable"] = certificate.coreset.usable;
  out["laplace_usable"] = certificate.laplace.usable;
  out["laplace_converged"] = certificate.laplace_end == LaplaceEnd::Converged;
  out["parameters"] = parameters_json(certificate, names, num_original);
  return out;
}

namespace {

// A number of a record; null is `absent`.
double number_in(const Json& json, const char* key,
                 double absent = std::numeric_limits<double>::quiet_NaN()) {
  const Json& value = json.at(key);
  return value.is_null() ? absent : value.get<double>();
}

Index count_in(const Json& json, const char* key) {
  return json.at(key).get<Index>();
}

}  // namespace

Certificate certificate_of(const Json& json) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Certificate out;
  out.num_data_rows = count_in(json, "num_rows");
  out.num_rows = count_in(json, "num_distinct_rows");
  out.coreset_size = count_in(json, "coreset_size");
  out.suggested_size = count_in(json, "suggested_size");
  out.max_rhat = number_in(json, "max_rhat");
  out.min_ess = number_in(json, "min_ess");
  out.num_draws_not_finite = count_in(json, "num_draws_not_finite");
  out.max_rhat_allowed = number_in(json, "max_rhat_allowed");
  out.min_effective_size = number_in(json, "min_effective_size");
  out.doubt = enum_of<Doubt>(json.at("doubt"));
  out.coreset.k_hat = number_in(json, "k_hat", kInfinite);
  out.coreset.k_limit = number_in(json, "k_limit");
  out.coreset.effective_size = number_in(json, "effective_size");
  out.coreset.relative_ess = number_in(json, "relative_ess");
  out.coreset.num_draws = count_in(json, "num_draws");
  out.coreset.num_impossible = count_in(json, "num_impossible");
  out.coreset.usable = json.at("usable").get<bool>();
  out.coreset.exact = json.at("exact").get<bool>();
  out.coreset.flat = json.at("flat").get<bool>();
  out.coreset.spread = number_in(json, "spread", kInfinite);
  out.laplace.k_hat = number_in(json, "laplace_k_hat", kInfinite);
  out.laplace.k_limit = number_in(json, "laplace_k_limit");
  out.laplace.effective_size = number_in(json, "laplace_effective_size");
  out.laplace.num_draws = count_in(json, "laplace_num_draws");
  out.laplace.flat = json.at("laplace_flat").get<bool>();
  out.laplace.exact = json.at("laplace_exact").get<bool>();
  out.laplace.usable = json.at("laplace_usable").get<bool>();
  out.disagreement = number_in(json, "disagreement");
  out.num_gradient_draws = count_in(json, "num_gradient_draws");
  const auto fisher = [&json](const std::string& name) {
    return FisherDistance{.value = number_in(json, name.c_str()),
                          .whitened = number_in(json, (name + "_whitened").c_str())};
  };
  out.fisher_coreset = fisher("fisher_coreset");
  out.fisher_full = fisher("fisher_full");
  out.fisher_laplace = fisher("fisher_laplace");
  const auto divergence = [&](const std::string& name) {
    return Divergences{number_in(json, (name + "_of_coreset").c_str(), kInfinite),
                       number_in(json, (name + "_of_full").c_str(), kInfinite)};
  };
  out.kl_laplace = divergence("kl_laplace");
  out.kl_draws = divergence("kl_draws");
  return out;
}

}  // namespace giga::tool
