// Every family, kind of rows and quality of coreset, at sizes given by GIGA_ESTIMATE_ROWS.
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/estimated_certificates.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

TEST(EstimatedCertificates, AreThoseOfAllRows) {
  Index cases = 0, estimated = 0, safe = 0;
  double beyond = 0, most = 0;
  for (const Index rows : {GIGA_ESTIMATE_ROWS}) {
    for (const Family family : kFamilies) {
      for (const RowKind kind : kRowKinds) {
        for (const Quality quality : kQualities) {
          const EstimateCase which{.family = family, .kind = kind, .rows = rows};
          const Comparison found = compare_certificates(which, quality);
          for (const std::string& failure : found.failures)
            ADD_FAILURE() << which.name() << ", quality " << static_cast<int>(quality) << ": " << failure;
          ++cases;
          safe += found.safe ? 1 : 0;
          estimated += found.estimated ? 1 : 0;
          beyond += found.beyond;
          if (found.beyond > 0.02)
            std::printf("%s, quality %d: %.3f beyond 3 standard errors\n", which.name().c_str(),
                        static_cast<int>(quality), found.beyond);
          most = std::max(most, found.beyond);
        }
      }
    }
  }
  RecordProperty("cases", static_cast<int>(cases));
  RecordProperty("estimated", static_cast<int>(estimated));
  std::printf("%d cases, %d estimated, %d safe; beyond 3 standard errors: %.4f on average, %.3f at most\n",
              static_cast<int>(cases), static_cast<int>(estimated), static_cast<int>(safe),
              beyond / static_cast<double>(std::max<Index>(estimated, 1)), most);
  EXPECT_GE(2 * estimated, cases) << "most certificates should be estimated";
  EXPECT_GT(safe, 0);
  EXPECT_LT(safe, cases);
  // 0.3% of normal errors, 0.5% with standard errors from 64 groups.
  EXPECT_LE(beyond / static_cast<double>(estimated), 0.02);
}

// Draws 16 times as wide as the posterior, where rows matter that do not at its mode.
TEST(EstimatedCertificates, AreAsFarOffAsTheySayWhereTheCoresetFails) {
  // Scale and degrees of freedom are parameters as well: scores by probing.
  const EstimateCase probed{.family = Family::StudentT, .kind = RowKind::HeavyTailed, .rows = 10000};
  EXPECT_LE(share_beyond_of_samples(probed, Quality::Failing, 40), 0.01) << probed.name();
  for (const RowKind kind : {RowKind::HeavyTailed, RowKind::Outliers, RowKind::Alone}) {
    const EstimateCase which{.family = Family::BernoulliLogit, .kind = kind, .rows = 10000};
    EXPECT_LE(share_beyond_of_samples(which, Quality::Failing, 40), 0.01) << which.name();
  }
}

}  // namespace
}  // namespace giga::test
