// The posterior modes of the paper's datasets against reference values computed by other means.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/pipeline/problem.hpp"
#include "support/shared_data.hpp"

namespace giga::test {
namespace {

nlohmann::json reference(const std::string& name) {
  std::ifstream file(shared_data("map_reference.json"));
  const nlohmann::json all = nlohmann::json::parse(file);
  for (const auto& set : all["datasets"]) {
    if (set["dataset"] == name) return set;
  }
  throw std::runtime_error("no such dataset: " + name);
}

class Reference : public testing::TestWithParam<const char*> {};

TEST_P(Reference, ModeLogJointAndDeviationsAreMetFromTheDefaultStart) {
  const std::string file = std::string(GetParam()) + ".npz";
  GIGA_NEEDS_SHARED("map_reference.json");
  GIGA_NEEDS_SHARED(file);
  const auto expected = reference(GetParam());
  const Threads executor;
  const Dataset data = read_dataset(shared_data(file), {}, executor);
  const Family family = expected["model"] == "logistic" ? Family::BernoulliLogit : Family::PoissonSoftplus;
  const Problem problem(data, {.family = {family}}, executor);
  const LaplaceResult result = laplace(problem.likelihood(), problem.prior(), executor);
  EXPECT_EQ(result.end, LaplaceEnd::Converged);

  ASSERT_EQ(data.num_rows(), expected["N"]);
  ASSERT_EQ(problem.likelihood().num_parameters(), expected["n_params"]);
  for (std::size_t d = 0; d < problem.table()->design->scale().mean.size(); ++d) {
    const double mean = expected["x_mean"][d], scale = expected["x_std"][d];
    EXPECT_NEAR(problem.table()->design->scale().mean[d], mean, 1e-10 * std::abs(mean) + 1e-13) << d;
    EXPECT_NEAR(problem.table()->design->scale().scale[d], scale, 1e-10 * scale) << d;
  }
  const std::vector<double> sds = result.posterior.standard_deviations();
  for (std::size_t d = 0; d < sds.size(); ++d) {
    const double mode = expected["theta_map"][d], sd = expected["posterior_sd_laplace"][d];
    EXPECT_NEAR(result.posterior.mean()[d], mode, 1e-6 * std::abs(mode)) << d;
    EXPECT_NEAR(sds[d], sd, 1e-6 * sd) << d;
  }
  const double log_joint = expected["log_joint_at_map"];
  EXPECT_NEAR(result.log_joint, log_joint, 1e-8 * std::abs(log_joint));
  EXPECT_NEAR(-result.posterior.log_determinant(), expected["logdet_neg_hessian"], 1e-6);
}

INSTANTIATE_TEST_SUITE_P(PaperDatasets, Reference,
                         testing::Values("phishing", "ds1", "biketrips", "airportdelays"));

}  // namespace
}  // namespace giga::test
