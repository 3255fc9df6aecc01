// A certificate in words and numbers.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "giga/infer/certificate.hpp"

namespace giga {

/// The verdict: "checked against all 26,733 rows: k-hat 0.21, safe to use", or what is wrong and what to do.
/// One sentence without a full stop.
[[nodiscard]] std::string certificate_sentence(const Certificate& certificate);

/// k-hat in words where the number says nothing: "exact", "flat", else two decimals.
[[nodiscard]] std::string k_hat_text(const Correction& correction);

/// For a terminal: a table of means and standard deviations (of the coreset's posterior, corrected, and by
/// the corrected Laplace approximation), the numbers below it, the sentence last. `names` has one for each of
/// the quantities the certificate was asked for, then one per parameter.
[[nodiscard]] std::string certificate_text(const Certificate& certificate,
                                           std::span<const std::string> names);

/// The numbers of a run record by name, in a fixed order; some may be infinite or NaN. Parameters are not
/// among them.
[[nodiscard]] std::vector<std::pair<std::string, double>> certificate_numbers(const Certificate& certificate);

}  // namespace giga
