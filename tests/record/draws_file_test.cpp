#include "giga/record/draws_file.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "report/chains.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

DrawsFile read_back(const std::string& bytes) {
  const TempDir folder;
  write_file(folder / "draws_1.csv", bytes);
  return read_draws(folder / "draws_1.csv");
}

class DrawsOf : public ::testing::TestWithParam<SamplerKind> {};

TEST_P(DrawsOf, AFileReadsBackToTheSameBits) {
  SampleOptions options;
  options.sampler = GetParam();
  options.thin = 3;
  options.draws = 20;
  Chain chain = made_up_chain(20, 3);
  chain.draws[4] = std::numeric_limits<double>::denorm_min();
  chain.draws[5] = -0.0;
  chain.draws[6] = std::nextafter(1.0, 2.0);
  chain.metric = options.sampler == SamplerKind::Rwmh ? MetricKind::Dense : MetricKind::Diagonal;
  chain.inverse_metric.assign(chain.metric == MetricKind::Dense ? 9 : 3, 0.1);
  const DrawsFile written = draws_file({"a", "b", "c"}, options, 1, chain);
  const std::string bytes = draws_csv(written);
  const DrawsFile read = read_back(bytes);
  EXPECT_EQ(read.names, written.names);
  EXPECT_EQ(read.settings, written.settings);
  EXPECT_EQ(bits_of(read.chain.draws), bits_of(chain.draws));
  EXPECT_EQ(read.chain.metric, chain.metric);
  EXPECT_EQ(bits_of(read.chain.inverse_metric), bits_of(chain.inverse_metric));
  EXPECT_EQ(read.chain.step_size, chain.step_size);
  ASSERT_EQ(read.chain.num_draws(), 20);
  for (std::size_t s = 0; s < 20; ++s) {
    const DrawStats &ours = chain.stats[s], &theirs = read.chain.stats[s];
    EXPECT_EQ(std::bit_cast<std::uint64_t>(ours.log_density),
              std::bit_cast<std::uint64_t>(theirs.log_density));
    EXPECT_EQ(ours.accept_stat, theirs.accept_stat);
    EXPECT_EQ(ours.step_size, theirs.step_size);
    EXPECT_EQ(ours.tree_depth, theirs.tree_depth);
    EXPECT_EQ(ours.num_leapfrog, theirs.num_leapfrog);
    EXPECT_EQ(ours.divergent, theirs.divergent);
    EXPECT_EQ(ours.energy, theirs.energy);
  }
  EXPECT_EQ(draws_csv(read), bytes);
}

INSTANTIATE_TEST_SUITE_P(All, DrawsOf,
                         ::testing::Values(SamplerKind::Nuts, SamplerKind::Hmc, SamplerKind::Rwmh));

TEST(DrawsCsv, NanAndInfinityReadBack) {
  Chain chain = made_up_chain(6, 1);
  chain.draws[0] = -std::numeric_limits<double>::quiet_NaN();
  chain.draws[1] = std::numeric_limits<double>::infinity();
  chain.draws[2] = -std::numeric_limits<double>::infinity();
  SampleOptions options;
  options.draws = 6;
  const std::string bytes = draws_csv(draws_file({"a"}, options, 0, chain));
  EXPECT_EQ(bytes.find("-nan"), std::string::npos);
  const DrawsFile read = read_back(bytes);
  EXPECT_TRUE(std::isnan(read.chain.draws[0]));
  EXPECT_EQ(read.chain.draws[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(read.chain.draws[2], -std::numeric_limits<double>::infinity());
}

TEST(DrawsCsv, StanCountsTransitionsWhereWeCountDraws) {
  SampleOptions options;
  options.draws = 6;
  options.thin = 5;
  const DrawsFile file = draws_file({"a"}, options, 2, made_up_chain(6, 1));
  EXPECT_EQ(file.setting("num_samples"), "30");
  EXPECT_EQ(file.setting("thin"), "5");
  EXPECT_EQ(file.setting("id"), "3");
  EXPECT_EQ(file.setting("engine"), "nuts");
  EXPECT_EQ(file.setting("nothing"), std::nullopt);
}

TEST(DrawsCsv, UnsafeNamesAreRefused) {
  for (const char* name : {"a,b", "a\nb", "lp__", ""})
    EXPECT_THROW((void)draws_csv(draws_file({name}, {}, 0, made_up_chain(6, 1))), std::invalid_argument)
        << name;
  EXPECT_THROW((void)draws_file({"a", "b"}, {}, 0, made_up_chain(6, 1)), std::invalid_argument);
}

TEST(SafeColumns, MakesHostileNamesPlain) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"x1", "x1"},
      {"(intercept)", "intercept"},
      {"a,b", "a_b"},
      {"=cmd()", "cmd"},
      {"2nd", "v_2nd"},
      {"lp__", "lp__v"},
      {"", "v"},
      {"x[1,2]", "x_1_2"},
      {"x.1", "x_1"},
      {"a\nb", "a_b"},
      {"\"q\"", "q"},
      {"if", "v_if"},
      {"gr\xC3\xB6\xC3\x9F"
       "e",
       "gr_e"},
      {"std_(intercept)", "std_intercept"},
      {"# c", "c"},
      {"_a", "v__a"},
      {"<script>alert(1)</script>", "script_alert_1_script"}};
  for (const auto& [name, safe] : cases)
    EXPECT_EQ(safe_columns({name}), std::vector<std::string>{safe}) << name;
}

TEST(SafeColumns, AreUniqueAndNamesThatAreSafeStay) {
  const std::vector<std::string> names = {"a.b", "a,b", "a_b", "a_b_2", "a b", "(intercept)", "intercept"};
  const std::vector<std::string> columns = safe_columns(names);
  EXPECT_EQ(columns[2], "a_b");
  EXPECT_EQ(columns[3], "a_b_2");
  EXPECT_EQ(columns[6], "intercept");
  EXPECT_EQ(columns[5], "intercept_2");
  EXPECT_EQ(std::set<std::string>(columns.begin(), columns.end()).size(), names.size());
  EXPECT_EQ(safe_columns(columns), columns);
}

}  // namespace
}  // namespace giga::test
