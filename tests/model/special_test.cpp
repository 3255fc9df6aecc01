// Accuracy in units of the last place against long double, and the bits that are promised.
#include "giga/model/special.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "model/reference.hpp"

namespace giga {
namespace {

using test::Real;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kZeroOfLogSoftplus = 0x1.15288806261ccp-1;

struct Function {
  std::string name;
  double (*scalar)(double);
  void (*array)(std::span<const double>, std::span<double>);
  Real (*reference)(Real);
};

const std::vector<Function>& functions() {
  static const std::vector<Function> kAll = {
      {"sigmoid", &sigmoid, &sigmoid, &test::reference_sigmoid},
      {"softplus", &softplus, &softplus, &test::reference_softplus},
      {"log_softplus", &log_softplus, &log_softplus, &test::reference_log_softplus}};
  return kAll;
}

void expect_within_two_ulp(const std::vector<double>& z, const std::string& where) {
  std::vector<double> out(z.size());
  for (const Function& f : functions()) {
    f.array(z, out);
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double error = test::ulps(out[i], f.reference(z[i]));
      if (error > worst) worst = error, at = i;
    }
    EXPECT_LE(worst, 2.0) << f.name << " at " << z[at] << ", " << where;
    ::testing::Test::RecordProperty(f.name + "_" + where, std::to_string(worst));
  }
}

std::vector<double> grid(double from, double to, int count) {
  std::vector<double> z;
  for (int i = 0; i <= count; ++i) z.push_back(from + (to - from) * i / count);
  return z;
}

TEST(Special, IsWithinTwoUlpOnADenseGridAndAtRandomPointsOfTheMiddle) {
  expect_within_two_ulp(grid(-50, 50, 200000), "grid");
  std::vector<double> z(300000);
  Stream random = stream(1, "test");
  for (double& x : z) x = 100 * random.uniform() - 50;
  expect_within_two_ulp(z, "middle");
  for (double& x : z) x = 4 * random.uniform() - 2;
  expect_within_two_ulp(z, "centre");
}

TEST(Special, IsWithinTwoUlpOverTheWholeRangeOfADouble) {
  std::vector<double> z = {0.0, -0.0, 5e-324, -5e-324, kMax, -kMax, 40, -40, 746, -746};
  Stream random = stream(2, "test");
  for (int i = 0; i < 200000; ++i) {
    const double magnitude = std::pow(10.0, -308 + 616 * random.uniform());
    z.push_back(i % 2 == 0 ? magnitude : -magnitude);
  }
  expect_within_two_ulp(z, "whole_range");
}

TEST(Special, IsWithinTwoUlpWhereResultsAreSmallOrSubnormal) {
  expect_within_two_ulp(grid(-750, -690, 100000), "subnormal");
  expect_within_two_ulp(grid(-700, -30, 50000), "tail");
}

TEST(Special, IsWithinTwoUlpAroundTheZeroOfLogSoftplus) {
  std::vector<double> z;
  double up = kZeroOfLogSoftplus, down = up;
  for (int i = 0; i < 1000; ++i) {
    z.push_back(up);
    z.push_back(down);
    up = std::nextafter(up, 1);
    down = std::nextafter(down, 0);
  }
  Stream random = stream(3, "test");
  for (int i = 0; i < 100000; ++i) {
    const double distance = std::pow(10.0, -16 * random.uniform());
    z.push_back(kZeroOfLogSoftplus + (i % 2 == 0 ? distance : -distance));
  }
  expect_within_two_ulp(z, "zero");
  // Where the expansion meets the logarithm, and where log(1 + e) changes its reduction.
  for (const double at :
       {kZeroOfLogSoftplus - 0.5, kZeroOfLogSoftplus + 0.5, std::log(0.5), -std::log(0.5)}) {
    expect_within_two_ulp(grid(at - 1e-3, at + 1e-3, 5000), "seam");
  }
}

TEST(Special, TakesInfinityToTheLimitAndNanToNan) {
  EXPECT_EQ(sigmoid(kInf), 1);
  EXPECT_EQ(sigmoid(-kInf), 0);
  EXPECT_EQ(softplus(kInf), kInf);
  EXPECT_EQ(softplus(-kInf), 0);
  EXPECT_EQ(log_softplus(kInf), kInf);
  EXPECT_EQ(log_softplus(-kInf), -kInf);
  EXPECT_EQ(log_factorial(kInf), kInf);
  for (const Function& f : functions()) EXPECT_TRUE(std::isnan(f.scalar(kNan))) << f.name;
  EXPECT_TRUE(std::isnan(log_factorial(kNan)));
  EXPECT_EQ(sigmoid(0), 0.5);
  EXPECT_EQ(sigmoid(-0.0), 0.5);
  EXPECT_EQ(softplus(1e308), 1e308);
  EXPECT_EQ(log_softplus(-1e308), -1e308);
}

TEST(Special, LogFactorialIsWithinTwoUlpForCountsToABillionAndBeyond) {
  const auto error = [](double y) {
    return test::ulps(log_factorial(y), std::lgamma(static_cast<Real>(y) + 1));
  };
  double worst = 0;
  for (int y = 0; y < 20000; ++y) worst = std::max(worst, error(y));
  Stream random = stream(4, "test");
  for (int i = 0; i < 50000; ++i)
    worst = std::max(worst, error(std::floor(std::pow(10.0, 15 * random.uniform()))));
  for (const double y : {1e9, 1e9 + 1, 1e15, 9007199254740992.0, 1e100, 1e300})
    worst = std::max(worst, error(y));
  EXPECT_LE(worst, 2.0);
  EXPECT_EQ(log_factorial(0), 0);
  EXPECT_EQ(log_factorial(1), 0);
  RecordProperty("log_factorial", std::to_string(worst));
}

// Every alignment and length to four vectors of any width, against the scalar function.
TEST(Special, BitsDependNeitherOnThePositionNorOnTheLength) {
  std::vector<double> z = {0.0, -0.0, kInf, -kInf, -740, -1e308, 1e308, kZeroOfLogSoftplus};
  Stream random = stream(5, "test");
  while (z.size() < 64) z.push_back(20 * random.normal());
  std::vector<Function> all = functions();
  all.push_back({"log_factorial", &log_factorial, &log_factorial, nullptr});
  for (const Function& f : all) {
    for (std::size_t from = 0; from < 9; ++from) {
      for (std::size_t count = 0; count <= 33; ++count) {
        std::vector<double> some(z.begin() + static_cast<Index>(from),
                                 z.begin() + static_cast<Index>(from + count));
        if (f.reference == nullptr) {
          for (double& x : some) x = std::floor(std::abs(x));
        }
        const std::vector<double> argument = some;
        f.array(some, some);
        for (std::size_t i = 0; i < count; ++i) {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(some[i]),
                    std::bit_cast<std::uint64_t>(f.scalar(argument[i])))
              << f.name << " of " << argument[i];
        }
      }
    }
  }
}

TEST(Special, BitsAreTheSameForEveryInstructionSetOfThisMachine) {
  std::vector<double> z = {0.0, -0.0, kInf, -kInf, -740, -745.2, -1e308, 1e308, kZeroOfLogSoftplus, 5e-324};
  Stream random = stream(6, "test");
  while (z.size() < 20001) z.push_back((z.size() % 2 == 0 ? 5 : 300) * random.normal());
  std::vector<double> counts;
  for (const double x : z) counts.push_back(std::floor(std::abs(x)));
  const auto everything = [&] {
    std::vector<double> out(4 * z.size());
    const std::span<double> all(out);
    for (std::size_t k = 0; k < 3; ++k) functions()[k].array(z, all.subspan(k * z.size(), z.size()));
    log_factorial(counts, all.subspan(3 * z.size()));
    return out;
  };
  const std::vector<double> best = everything();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const std::vector<double> here = everything();
    for (std::size_t i = 0; i < best.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(here[i]), std::bit_cast<std::uint64_t>(best[i]))
          << hwy::TargetName(target) << ", entry " << i;
    }
    for (const Function& f : functions()) EXPECT_TRUE(std::isnan(f.scalar(kNan))) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Special, RefusesAnOutputOfAnotherSize) {
  const std::vector<double> z(3);
  std::vector<double> out(2);
  EXPECT_THROW(sigmoid(z, out), std::invalid_argument);
}

}  // namespace
}  // namespace giga
