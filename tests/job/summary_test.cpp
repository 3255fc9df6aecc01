#include "giga/job/summary.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "giga/base/threads.hpp"
#include "report/chains.hpp"

namespace giga::test {
namespace {

TEST(SummaryRun, NumbersThatAreNotFiniteAreNullInItsRecord) {
  std::vector<Chain> chains = {made_up_chain(100, 2), made_up_chain(100, 2, 2)};
  chains[0].draws[0] = std::numeric_limits<double>::quiet_NaN();
  SummaryRun run;
  run.quantities = summarise_chains(chains, {"=a,b", "b"}, false, Threads(1));
  const auto record = nlohmann::json::parse(summary_json(run));
  ASSERT_EQ(record["quantities"].size(), 2U);
  EXPECT_EQ(record["quantities"][0]["variable"], "=a,b");
  EXPECT_TRUE(record["quantities"][0]["mean"].is_null());
  EXPECT_EQ(record["quantities"][1]["mean"], run.quantities[1].summary.mean);
}

}  // namespace
}  // namespace giga::test
