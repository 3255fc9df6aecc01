// The certificate of coresets of ds1, against a long run of NUTS on all of its rows.
#include "giga/infer/certificate.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

#include "giga/data/read_dataset.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/infer/sample.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "pipeline/ds1.hpp"

namespace giga::test {
namespace {

// Lines of name,mean,sd,mcse_mean,mcse_sd as posterior_reference writes them.
std::vector<Estimate> long_run() {
  std::ifstream file(GIGA_PIPELINE_REFERENCE "/ds1_posterior.csv");
  std::vector<Estimate> out;
  std::string line, name;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#' || line.starts_with("name,")) continue;
    std::istringstream fields(line);
    std::getline(fields, name, ',');
    Estimate one;
    char comma = 0;
    fields >> one.mean >> comma >> one.sd >> comma >> one.mcse_mean >> comma >> one.mcse_sd;
    EXPECT_FALSE(fields.fail()) << line;
    out.push_back(one);
  }
  return out;
}

class Ds1Certificate : public Ds1Problem {
 protected:
  std::vector<Chain> chains_of(const Coreset& coreset, Index draws) const {
    const auto model = coreset_model(*problem_, coreset);
    const Posterior posterior(*model, problem_->prior());
    const Normal about = laplace(*model, problem_->prior(), executor_).posterior;
    return sample_about(posterior, about, 4, {.draws = draws}, executor_);
  }
};

// 40,000 draws: the standard error of a mean is then about 0.005 standard deviations.
TEST_F(Ds1Certificate, AHundredPointsAreSafeAndCorrectedToTheMeansOfALongRunOnAllRows) {
  const std::vector<Estimate> expected = long_run();
  ASSERT_EQ(std::ssize(expected), problem_->likelihood().num_parameters());
  const Coreset coreset = build_coreset(*problem_, {.size = 100}, executor_).coreset;
  const Certificate out = certify_coreset(*problem_, coreset, chains_of(coreset, 10'000), executor_);
  EXPECT_TRUE(out.safe()) << name(out.doubt);
  EXPECT_LT(out.coreset.k_hat, 0.7);
  EXPECT_EQ(out.num_data_rows, 26'733);
  for (std::size_t d = 0; d < expected.size(); ++d) {
    ASSERT_LE(expected[d].mcse_mean, 0.005 * expected[d].sd);
    EXPECT_NEAR(out.coreset.after[d].mean, expected[d].mean, 0.02 * expected[d].sd) << d;
    EXPECT_NEAR(out.coreset.after[d].sd, expected[d].sd, 0.02 * expected[d].sd) << d;
    const double error = std::hypot(out.coreset.after[d].mcse_mean, expected[d].mcse_mean);
    EXPECT_LE(std::abs(out.coreset.after[d].mean - expected[d].mean), 4 * error) << d;
  }
  RecordProperty("k_hat", std::to_string(out.coreset.k_hat));
}

TEST_F(Ds1Certificate, ThirtyUniformPointsAreNotSafe) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Coreset coreset =
        build_coreset(*problem_, {.method = Method::Uniform, .size = 30, .seed = seed}, executor_).coreset;
    const Certificate out = certify_coreset(*problem_, coreset, chains_of(coreset, 1000), executor_);
    EXPECT_FALSE(out.safe());
    EXPECT_EQ(out.doubt, Doubt::HighKhat) << name(out.doubt);
    EXPECT_EQ(out.suggested_size, 60);
  }
}

TEST_F(Ds1Certificate, AModelOfChosenRowsIsTheSubsetOfTheProblem) {
  const Coreset coreset = {{5, 17, 4000}, {2.5, 0, 7}};
  const auto model = coreset_model(*problem_, coreset);
  ASSERT_EQ(model->num_rows(), 2);
  EXPECT_EQ(model->multiplicity(1), 7);
  std::vector<double> z(11), expected(11);
  for (const Index k : {0, 1}) {
    const Index row = coreset.rows[static_cast<std::size_t>(2 * k)];
    Index distinct = 0;
    while (problem_->table()->distinct.row(distinct) < row) ++distinct;
    ASSERT_EQ(problem_->table()->distinct.row(distinct), row);
    model->linear_model()->design(k, 1, z.data());
    problem_->likelihood().linear_model()->design(distinct, 1, expected.data());
    EXPECT_EQ(z, expected);
    EXPECT_EQ(model->linear_model()->response(k), problem_->likelihood().linear_model()->response(distinct));
  }
  EXPECT_EQ(coreset_model(*problem_, {}), nullptr);
  EXPECT_THROW((void)coreset_model(*problem_, {{26'733}, {1}}), std::invalid_argument);
  EXPECT_THROW((void)coreset_model(*problem_, {{-1}, {1}}), std::invalid_argument);
  EXPECT_THROW((void)coreset_model(*problem_, {{1}, {-1}}), std::invalid_argument);
  EXPECT_THROW((void)coreset_model(*problem_, {{1}, {}}), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
