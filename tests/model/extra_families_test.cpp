// The families with extra parameters: values against formulas in long double, derivatives against differences
// of those, and the bits that are promised.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "giga/base/random.hpp"
#include "model/family_kernels.hpp"
#include "model/reference.hpp"

namespace giga {
namespace {

using test::Real;

constexpr Real kLogPi = 1.1447298858494001741434L, kLog2Pi = 1.8378770664093454835607L;

// l of y, s and phi, and the sum of the magnitudes of the terms it is computed from.
struct Reference {
  Real exact, magnitude;
};

// What is true of a family: l at any s and phi (as theta has them), and responses of all kinds.
struct Truth {
  FamilyParameters family;
  Reference (*value)(Real y, Real s, const Real* phi);
  double (*response)(Stream& random);
};

Reference gaussian(Real y, Real s, const Real* phi) {
  const Real r = (y - s) * std::exp(-phi[0]);
  return {-r * r / 2 - phi[0] - kLog2Pi / 2, r * r / 2 + std::abs(phi[0]) + 1};
}

// By the product y! and the ratio Gamma(y + phi) / Gamma(phi) = phi (phi + 1) ... (phi + y - 1).
Reference negative_binomial(Real y, Real s, const Real* phi) {
  const Real size = std::exp(phi[0]), mu = std::exp(s);
  Real rising = 0;
  for (Real k = 0; k < y; ++k) rising += std::log1p(k / size) - std::log(k + 1);
  // phi log phi + y s - (y + phi) log(mu + phi), and y log phi of the ratio.
  const Real tail = -size * std::log1p(mu / size), events = y * (s + phi[0] - std::log(mu + size));
  const Real x = y + size;
  return {rising + events + tail, std::abs(y * s) + y + std::lgamma(y + 1) + std::abs(events) +
                                      std::abs(tail) + std::abs(rising) +
                                      x * std::abs(std::log(x / (mu + size))) + 60};
}

Reference gamma(Real y, Real s, const Real* phi) {
  const Real a = std::exp(phi[0]), w = std::log(y) - s, q = std::exp(w);
  const Real terms =
      a * (1 + std::abs(std::log(y)) + std::abs(s) + q) + std::abs(phi[0]) + std::abs(std::log(y));
  return {a * phi[0] + a * w - a * q - std::lgamma(a) - std::log(y), terms + 60};
}

Reference student_t(Real y, Real s, Real log_sigma, Real nu) {
  const Real r = (y - s) * std::exp(-log_sigma);
  const Real tail = (nu + 1) / 2 * std::log1p(r * r / nu);
  const Real c = std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2) - (std::log(nu) + kLogPi) / 2;
  return {c - log_sigma - tail, tail + std::abs(log_sigma) + 60};
}

double any_count(Stream& random) {
  const double u = random.uniform();
  return u < 0.2 ? 0 : std::floor(u < 0.7 ? 10 * random.uniform() : 2000 * random.uniform());
}
double any_real(Stream& random) {
  return 3 * random.normal();
}
double any_positive(Stream& random) {
  return std::exp(2 * random.normal());
}

constexpr FamilyParameters kGiven = {.family = Family::StudentTGiven, .nu = 3.5};

constexpr Truth kTruths[] = {
    {{Family::Gaussian}, gaussian, any_real},
    {{Family::NegativeBinomial}, negative_binomial, any_count},
    {{Family::GammaLog}, gamma, any_positive},
    {{Family::StudentT},
     [](Real y, Real s, const Real* phi) { return student_t(y, s, phi[0], std::exp(phi[1])); },
     any_real},
    {kGiven, [](Real y, Real s, const Real* phi) { return student_t(y, s, phi[0], 3.5L); }, any_real},
};

struct Rows {
  std::vector<double> y, constant, s;
  [[nodiscard]] Index count() const { return std::ssize(s); }
};

Rows some_rows(const Truth& truth, int count) {
  Rows rows;
  Stream random = stream(7, "rows");
  for (int i = 0; i < count; ++i) {
    rows.y.push_back(truth.response(random));
    rows.s.push_back((i % 3 == 0 ? 1 : 4) * random.normal());
  }
  rows.constant = row_constants(truth.family, rows.y);
  rows.constant.resize(rows.y.size());
  return rows;
}

Index num_extras(const Truth& truth) {
  return describe(truth.family.family).num_extras();
}

// Values of phi from narrow to wide.
std::vector<std::vector<double>> some_extras(const Truth& truth) {
  std::vector<std::vector<double>> out;
  for (const double first : {-2.5, -0.7, 0.0, 0.9, 2.6, 5.0}) {
    if (num_extras(truth) == 1) {
      out.push_back({first});
    } else {
      for (const double second : {-1.0, 0.7, 1.4, 3.5}) out.push_back({first, second});
    }
  }
  return out;
}

std::vector<Real> as_real(const std::vector<double>& phi) {
  return {phi.begin(), phi.end()};
}

struct Found {
  std::vector<double> value, slope, curvature, first, mixed, second;
};

Found found(const Truth& truth, const Rows& rows, const std::vector<double>& phi) {
  const auto n = rows.y.size(), extras = static_cast<std::size_t>(num_extras(truth));
  Found out{std::vector<double>(n),          std::vector<double>(n),
            std::vector<double>(n),          std::vector<double>(n * extras),
            std::vector<double>(n * extras), std::vector<double>(n * extras * (extras + 1) / 2)};
  kernels::derivatives(truth.family, rows.y.data(), rows.constant.data(), rows.s.data(), rows.count(),
                       out.value.data(), out.slope.data(), out.curvature.data(), phi.data());
  kernels::of(truth.family)
      .extra_derivatives(truth.family, phi.data(), rows.y.data(), rows.s.data(), rows.count(),
                         out.first.data(), out.mixed.data(), out.second.data());
  return out;
}

TEST(ExtraFamilies, AreAllTestedHere) {
  for (const Family family : all_families()) {
    const bool here = std::ranges::any_of(kTruths, [&](const Truth& t) { return t.family.family == family; });
    EXPECT_EQ(here, describe(family).num_extras() > 0) << describe(family).name;
  }
}

TEST(ExtraFamilies, LogLikelihoodsAreExactToEightRoundingsOfTheirTerms) {
  for (const Truth& truth : kTruths) {
    const Rows rows = some_rows(truth, 3000);
    for (const auto& phi : some_extras(truth)) {
      const Found got = found(truth, rows, phi);
      const std::vector<Real> exact_phi = as_real(phi);
      std::vector<double> values(rows.y.size());
      kernels::log_likelihoods(truth.family, rows.y.data(), rows.constant.data(), rows.s.data(), rows.count(),
                               values.data(), phi.data());
      for (std::size_t i = 0; i < rows.y.size(); ++i) {
        const Reference want = truth.value(rows.y[i], rows.s[i], exact_phi.data());
        const Real bound = 8 * 0x1p-53L * want.magnitude;
        ASSERT_LE(std::abs(got.value[i] - want.exact), bound)
            << describe(truth.family.family).name << " y " << rows.y[i] << " s " << rows.s[i] << " phi "
            << phi[0] << ": " << got.value[i] << ", not " << want.exact;
        ASSERT_LE(std::abs(values[i] - want.exact), bound);
      }
    }
  }
}

// Differences of fourth order in long double, of step h: first and second derivatives along two directions.
class Differences {
 public:
  Differences(const Truth& truth, Real y, Real s, std::vector<Real> phi) : truth_(truth), y_(y) {
    at_.push_back(s);
    at_.insert(at_.end(), phi.begin(), phi.end());
  }
  [[nodiscard]] Real first(std::size_t i) const {
    return slope([&](Real by) { return moved(i, by, i, 0); });
  }
  [[nodiscard]] Real second(std::size_t i, std::size_t j) const {
    return slope([&](Real by) { return slope([&](Real also) { return moved(i, by, j, also); }); });
  }

 private:
  template <typename Function>
  static Real slope(const Function& f) {
    constexpr Real kH = 2e-4L;
    return (8 * (f(kH) - f(-kH)) - (f(2 * kH) - f(-2 * kH))) / (12 * kH);
  }
  [[nodiscard]] Real moved(std::size_t i, Real by, std::size_t j, Real also) const {
    std::vector<Real> at = at_;
    at[i] += by;
    at[j] += also;
    return truth_.value(y_, at[0], at.data() + 1).exact;
  }

  const Truth& truth_;
  Real y_;
  std::vector<Real> at_;
};

TEST(ExtraFamilies, DerivativesAreThoseOfTheLogLikelihoodToOneInTenMillion) {
  for (const Truth& truth : kTruths) {
    const Rows rows = some_rows(truth, 60);
    const auto extras = static_cast<std::size_t>(num_extras(truth));
    for (const auto& phi : some_extras(truth)) {
      const Found got = found(truth, rows, phi);
      for (std::size_t i = 0; i < rows.y.size(); ++i) {
        const Differences want(truth, rows.y[i], rows.s[i], as_real(phi));
        const Real magnitude = truth.value(rows.y[i], rows.s[i], as_real(phi).data()).magnitude;
        const auto near = [&](double one, Real other, const char* what) {
          EXPECT_NEAR(one, static_cast<double>(other),
                      static_cast<double>(1e-7L * std::abs(other) + 1e-10L * magnitude))
              << what << " of " << describe(truth.family.family).name << " at y " << rows.y[i] << ", s "
              << rows.s[i] << ", phi " << phi[0];
        };
        near(got.slope[i], want.first(0), "slope");
        near(got.curvature[i], want.second(0, 0), "curvature");
        std::size_t pair = 0;
        for (std::size_t e = 0; e < extras; ++e) {
          near(got.first[e * rows.y.size() + i], want.first(1 + e), "first");
          near(got.mixed[e * rows.y.size() + i], want.second(0, 1 + e), "mixed");
          for (std::size_t f = 0; f <= e; ++f, ++pair)
            near(got.second[pair * rows.y.size() + i], want.second(1 + e, 1 + f), "second");
        }
      }
    }
  }
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& x) {
  std::vector<std::uint64_t> bits;
  for (const double v : x) bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}

// Values, slopes, curvatures and derivatives in the extras; kernels see the rows in pieces.
std::vector<std::uint64_t> everything(const Truth& truth, const Rows& rows, const std::vector<double>& phi,
                                      Index piece) {
  std::vector<std::uint64_t> all;
  for (Index from = 0; from < rows.count(); from += piece) {
    const Index size = std::min(piece, rows.count() - from);
    const auto some = [&](const std::vector<double>& x) {
      return std::vector<double>(x.begin() + from, x.begin() + from + size);
    };
    const Rows part{some(rows.y), some(rows.constant), some(rows.s)};
    const Found got = found(truth, part, phi);
    std::vector<double> value(part.y.size()), slope = value, first = got.first, alone = value;
    kernels::of(truth.family)
        .gradients(truth.family, phi.data(), part.y.data(), part.constant.data(), part.s.data(), size,
                   value.data(), slope.data(), first.data());
    kernels::log_likelihoods(truth.family, part.y.data(), part.constant.data(), part.s.data(), size,
                             alone.data(), phi.data());
    EXPECT_EQ(bits_of(first), bits_of(got.first));
    EXPECT_EQ(bits_of(alone), bits_of(value));
    for (Index i = 0; i < size; ++i) {
      for (const std::vector<double>* each :
           {&got.value, &got.slope, &got.curvature, &std::as_const(value), &std::as_const(slope)})
        all.push_back(std::bit_cast<std::uint64_t>((*each)[static_cast<std::size_t>(i)]));
      for (const auto* each : {&got.first, &got.mixed, &got.second})
        for (std::size_t k = static_cast<std::size_t>(i); k < each->size(); k += part.y.size())
          all.push_back(std::bit_cast<std::uint64_t>((*each)[k]));
    }
  }
  return all;
}

TEST(ExtraFamilies, BitsDependNeitherOnThePositionNorOnTheInstructionSet) {
  for (const Truth& truth : kTruths) {
    const Rows rows = some_rows(truth, 301);
    const std::vector<double> phi = some_extras(truth)[1];
    const auto best = everything(truth, rows, phi, 301);
    for (const Index piece : {1, 3, 7, 16}) EXPECT_TRUE(best == everything(truth, rows, phi, piece));
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      EXPECT_TRUE(best == everything(truth, rows, phi, 301)) << hwy::TargetName(target);
      hwy::SetSupportedTargetsForTest(0);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
  }
}

TEST(ExtraFamilies, OneRowAtManyPointsIsManyRowsAtOne) {
  for (const Truth& truth : kTruths) {
    const Rows rows = some_rows(truth, 5);
    const auto choices = some_extras(truth);
    const auto extras = static_cast<std::size_t>(num_extras(truth));
    const auto num = choices.size();
    std::vector<double> phi(extras * num), s(num, 0.3), values(num), slopes(num);
    for (std::size_t j = 0; j < num; ++j) {
      for (std::size_t e = 0; e < extras; ++e) phi[e * num + j] = choices[j][e];
    }
    const PointExtras at{phi.data(), static_cast<Index>(num)};
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
      kernels::log_likelihoods(truth.family, rows.y[i], rows.constant[i], s.data(), std::ssize(s),
                               values.data(), at);
      kernels::slopes(truth.family, rows.y[i], s.data(), std::ssize(s), slopes.data(), at);
      for (std::size_t j = 0; j < num; ++j) {
        const Found want = found(truth, {{rows.y[i]}, {rows.constant[i]}, {0.3}}, choices[j]);
        EXPECT_NEAR(values[j], want.value[0], 1e-13 * (1 + std::abs(want.value[0])));
        EXPECT_NEAR(slopes[j], want.slope[0], 1e-13 * (1 + std::abs(want.slope[0])));
      }
    }
  }
}

// As phi grows, counts become Poisson's, and the t distribution normal: no digits are lost on the way.
TEST(ExtraFamilies, LimitsAreReachedWithoutCancellation) {
  for (const double y : {0.0, 3.0, 250.0}) {
    const double s = 1.2, phi = std::log(1e14);
    const std::vector<double> poisson = row_constants({Family::PoissonLog}, std::span(&y, 1));
    double got = 0, want = 0;
    kernels::log_likelihoods({Family::NegativeBinomial}, &y, poisson.data(), &s, 1, &got, &phi);
    kernels::log_likelihoods({Family::PoissonLog}, &y, poisson.data(), &s, 1, &want);
    EXPECT_NEAR(got, want, 1e-10 * std::abs(want)) << y;
  }
  const double y = 1.7, s = 0.2, phi[] = {0.3, std::log(1e14)};
  double got = 0, want = 0;
  kernels::log_likelihoods({Family::StudentT}, &y, nullptr, &s, 1, &got, phi);
  kernels::log_likelihoods({Family::Gaussian}, &y, nullptr, &s, 1, &want, phi);
  EXPECT_NEAR(got, want, 1e-12);
}

TEST(ExtraFamilies, NanGivesNan) {
  for (const Truth& truth : kTruths) {
    const Found got = found(truth, {{1.0}, {0.0}, {std::numeric_limits<double>::quiet_NaN()}}, {0.1, 0.2});
    EXPECT_TRUE(std::isnan(got.value[0]) && std::isnan(got.slope[0]) && std::isnan(got.first[0]));
  }
}

}  // namespace
}  // namespace giga
