// Checks of a model made up without data, for tests of the page.
#pragma once

#include "giga/pipeline/model_check.hpp"

namespace giga::test {

/// Counts of 1,000,000 rows against which nothing speaks; the second of its bins is off.
inline ModelCheck calm_check() {
  ModelCheck check{.num_observations = 1e6, .num_checked = 20'000, .num_replicates = 100};
  check.statistics = {{Statistic::Mean, 1.25, 1.2, 0.05, 1.12, 1.28, 0.16, false},
                      {Statistic::Zeros, 0.31, 0.3, 0.01, 0.28, 0.32, 0.2, false}};
  check.bins = {{10'000, 1, 1.05, 0.06, 0.9, 1.1}, {10'000, 2, 1.5, 0.06, 1.9, 2.1}};
  return check;
}

/// The same with a note, and something that matters, whose words must stay text.
inline ModelCheck doubtful_check() {
  ModelCheck check = calm_check();
  check.findings = {{Misfit::Prior, Severity::Note, 0.6, "the prior moves the posterior mode of 'a' by 0.6"},
                    {Misfit::Dispersion, Severity::Amber, 6.3,
                     "the counts vary 6.3 times as much as Poisson counts; use `family = "
                     "<img src=x onerror=alert(4)>`"}};
  return check;
}

/// Shares in ten bins, near the fitted ones.
inline ModelCheck share_check() {
  ModelCheck check{.num_observations = 5000, .num_checked = 5000, .num_replicates = 400, .shares = true};
  check.statistics = {{Statistic::Mean, 0.5, 0.5, 0.01, 0.48, 0.52, 0.5, false}};
  for (int b = 0; b < 10; ++b) {
    const double p = 0.05 + 0.1 * b;
    check.bins.push_back({500, p, p + (b % 2 == 0 ? 0.01 : -0.01), 0.02, p - 0.03, p + 0.03});
  }
  return check;
}

}  // namespace giga::test
