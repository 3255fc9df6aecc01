// Estimated sums over rows against the sums: every family and kind of rows, many samples of each.
#include <gtest/gtest.h>

#include "infer/estimate_cases.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

TEST(RowEstimates, AreUnbiasedAndAsFarOffAsTheySay) {
  for (const Family family : kFamilies) {
    for (const RowKind kind : kRowKinds) {
      const Findings findings = check_estimates({.family = family, .kind = kind, .rows = 6000}, 600, 200);
      EXPECT_TRUE(findings.passed()) << findings.text();
    }
  }
}

}  // namespace
}  // namespace giga::test
