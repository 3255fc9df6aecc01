// A certificate as a part of records. Written are all its numbers and the moments of every parameter; read
// back is what a report shows. JSON has no infinity: fields that may be infinite (k-hat, spread, divergences)
// are null then, and null is read as infinite for those, as NaN for all others.
#include <limits>

#include "giga/report/certificate_text.hpp"
#include "record/forms.hpp"

namespace giga::record {
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
    // The first names belong to the derived quantities, the rest to the parameters themselves.
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

Json form_of(const Certificate& certificate, const std::vector<std::string>& names, Index num_original,
             const std::string& sentence) {
  Json out;
  out["verdict"] = certificate.safe() ? "safe" : "not_safe";
  out["doubt"] = name(certificate.doubt);
  out["sentence"] = sentence.empty() ? certificate_sentence(certificate) : sentence;
  for (const auto& [key, value] : certificate_numbers(certificate)) out[key] = number_json(key, value);
  out["num_draws_not_finite"] = certificate.num_draws_not_finite;
  out["max_rhat_allowed"] = certificate.max_rhat_allowed;
  out["min_effective_size"] = certificate.min_effective_size;
  out["estimated"] = certificate.checked.estimated;
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

Certificate certificate_of(const Fields& fields) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Certificate out;
  out.num_data_rows = fields.get<Index>("num_rows");
  out.num_rows = fields.get<Index>("num_distinct_rows");
  out.coreset_size = fields.get<Index>("coreset_size");
  out.suggested_size = fields.get<Index>("suggested_size");
  out.max_rhat = fields.number("max_rhat");
  out.min_ess = fields.number("min_ess");
  out.num_draws_not_finite = fields.get<Index>("num_draws_not_finite");
  out.max_rhat_allowed = fields.number("max_rhat_allowed");
  out.min_effective_size = fields.number("min_effective_size");
  out.doubt = fields.choice<Doubt>("doubt");
  out.coreset.k_hat = fields.number("k_hat", kInfinite);
  out.coreset.k_limit = fields.number("k_limit");
  out.coreset.effective_size = fields.number("effective_size");
  out.coreset.relative_ess = fields.number("relative_ess");
  out.coreset.num_draws = fields.get<Index>("num_draws");
  out.coreset.num_impossible = fields.get<Index>("num_impossible");
  out.coreset.usable = fields.get<bool>("usable");
  out.coreset.exact = fields.get<bool>("exact");
  out.coreset.flat = fields.get<bool>("flat");
  out.coreset.spread = fields.number("spread", kInfinite);
  out.laplace.k_hat = fields.number("laplace_k_hat", kInfinite);
  out.laplace.k_limit = fields.number("laplace_k_limit");
  out.laplace.effective_size = fields.number("laplace_effective_size");
  out.laplace.num_draws = fields.get<Index>("laplace_num_draws");
  out.laplace.flat = fields.get<bool>("laplace_flat");
  out.laplace.exact = fields.get<bool>("laplace_exact");
  out.laplace.usable = fields.get<bool>("laplace_usable");
  out.disagreement = fields.number("disagreement");
  out.num_gradient_draws = fields.get<Index>("num_gradient_draws");
  // Records of version 0.1 have none of these: all rows were summed.
  out.checked = {.count = out.num_rows, .certain = out.num_rows};
  if (fields.has("estimated")) {
    out.checked = {.count = fields.get<Index>("num_check_rows"),
                   .certain = fields.get<Index>("num_certain_rows"),
                   .estimated = fields.get<bool>("estimated"),
                   .ratio_error = fields.number("ratio_error"),
                   .ratio_error_most = fields.number("ratio_error_most"),
                   .laplace_ratio_error = fields.number("laplace_ratio_error")};
    out.coreset.error_plain = fields.number("error_plain");
    out.coreset.error_corrected = fields.number("error_corrected");
  }
  const auto fisher = [&fields](const std::string& name) {
    return FisherDistance{.value = fields.number(name.c_str()),
                          .whitened = fields.number((name + "_whitened").c_str())};
  };
  out.fisher_coreset = fisher("fisher_coreset");
  out.fisher_full = fisher("fisher_full");
  out.fisher_laplace = fisher("fisher_laplace");
  const auto divergence = [&](const std::string& name) {
    return Divergences{fields.number((name + "_of_coreset").c_str(), kInfinite),
                       fields.number((name + "_of_full").c_str(), kInfinite)};
  };
  out.kl_laplace = divergence("kl_laplace");
  out.kl_draws = divergence("kl_draws");
  return out;
}

}  // namespace giga::record
