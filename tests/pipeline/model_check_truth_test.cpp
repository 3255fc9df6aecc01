// The check of models that are right: few findings, whatever the family and the number of rows.
#include <gtest/gtest.h>

#include "pipeline/model_check_data.hpp"

namespace giga::test {
namespace {

class RightModel : public ::testing::TestWithParam<Family> {};

// 24 + 12 + 4 data sets of each family. A finding is at four standard deviations, so that none is expected in
// the 560; what is asserted is that none of them is amber, and that notes are at most one in twenty.
TEST_P(RightModel, IsNotDoubted) {
  const Family family = GetParam();
  Index notes = 0, checks = 0;
  for (const auto& [rows, count] : {std::pair<Index, int>{300, 24}, {3000, 12}, {100'000, 4}}) {
    for (int k = 0; k < count; ++k, ++checks) {
      const auto seed = static_cast<std::uint64_t>(100 + checks);
      const ModelCheck check = check_of(right_data(family, rows, 4, seed), truth_of(family), seed);
      EXPECT_FALSE(check.doubtful()) << rows << " rows, seed " << seed << ":\n" << words_of(check);
      notes += check.findings.empty() ? 0 : 1;
    }
  }
  EXPECT_LE(notes, checks / 20) << family_name(family);
}

std::string family_text(const ::testing::TestParamInfo<Family>& info) {
  return std::string(family_name(info.param)).append("_").append(link_name(info.param)) +
         (describe(info.param).is_given ? "_given" : "");
}

INSTANTIATE_TEST_SUITE_P(ModelCheck, RightModel,
                         ::testing::ValuesIn(all_families().begin(), all_families().end()), family_text);

}  // namespace
}  // namespace giga::test
