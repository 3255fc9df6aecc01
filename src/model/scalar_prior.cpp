// Densities of one parameter. Notation as in the header, with r = (x - m) / s; of positive ones v = e^x and
// log p(x) = log f(v) + x, so that with q = (v / s)^2 or b v
//
//   exponential      log b + x - b v              slope 1 - b v               curvature -b v
//   gamma            a log b - lgamma a + a x - b v     a - b v                         -b v
//   half_normal      log(2 / pi) / 2 - log s - q / 2 + x     1 - q                     -2 q
//   half_student_t   log 2 + c - (n + 1) / 2 log(1 + q / n) + x    1 - (n + 1) h    -2 (n + 1) h (1 - h),
//
// h = q / (n + q), and c the constant of student_t.
#include "giga/model/scalar_prior.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/model/special.hpp"

namespace giga {
namespace {

constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1;
constexpr double kEuler = std::numbers::egamma;
// The sd of a normal whose quartiles are -1 and 1, as those of the standard cauchy are.
constexpr double kQuartileSd = 1.482602218505602;

// Of student_t with scale 1, without the power.
double student_constant(double df) {
  return log_gamma((df + 1) / 2) - log_gamma(df / 2) - std::log(df * std::numbers::pi) / 2;
}

ScalarDensity student(double r, double scale, double df) {
  const double square = r * r;
  return {student_constant(df) - std::log(scale) - (df + 1) / 2 * std::log1p(square / df),
          -(df + 1) * r / (df + square) / scale,
          -(df + 1) * (df - square) / ((df + square) * (df + square)) / (scale * scale)};
}

// |x - m| is |away|, or rounded off to hypot(away, width).
ScalarDensity double_exponential(double away, double scale, double width) {
  const double length = width > 0 ? std::hypot(away, width) : std::abs(away);
  const double sign = length > 0 ? away / length : 0;
  const double bend = width > 0 ? (width / length) * (width / length) / length : 0;
  return {-std::log(2 * scale) - length / scale, -sign / scale, -bend / scale};
}

ScalarDensity logistic(double r, double scale) {
  const double t = std::tanh(r / 2);
  return {-std::log(scale) - std::abs(r) - 2 * std::log1p(std::exp(-std::abs(r))), -t / scale,
          -(1 - t * t) / (2 * scale * scale)};
}

ScalarDensity half_student(double x, double scale, double df) {
  const double r = std::exp(x) / scale, q = r * r, h = 1 / (1 + df / q);
  return {std::numbers::ln2 + student_constant(df) - std::log(scale) - (df + 1) / 2 * std::log1p(q / df) + x,
          1 - (df + 1) * h, -2 * (df + 1) * h * (1 - h)};
}

// The logarithm of a draw of gamma(shape, 1), by Marsaglia and Tsang (2000); below 1 it is that of shape + 1
// times u^(1 / shape).
double log_gamma_draw(double shape, Stream& random) {
  if (shape < 1) return log_gamma_draw(shape + 1, random) + std::log1p(-random.uniform()) / shape;
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double z = random.normal(), root = 1 + c * z;
    if (root <= 0) continue;
    const double cube = root * root * root;
    if (std::log1p(-random.uniform()) < z * z / 2 + d - d * cube + d * std::log(cube))
      return std::log(d) + std::log(cube);
  }
}

// log |t| for t of student_t(df, 0, 1), and t itself.
double student_draw(double df, Stream& random) {
  const double z = random.normal();
  // chi^2_df / df = 2 gamma(df / 2, 1) / df.
  return z * std::exp(-(log_gamma_draw(df / 2, random) + std::numbers::ln2 - std::log(df)) / 2);
}

double degrees(const ScalarPrior& prior) {
  return prior.kind == PriorKind::Cauchy || prior.kind == PriorKind::HalfCauchy ? 1 : prior.shape;
}

}  // namespace

ScalarPrior ScalarPrior::normal(double location, double scale) {
  return {.kind = PriorKind::Normal, .location = location, .scale = scale};
}

void require_valid(const ScalarPrior& prior) {
  const auto positive = [](double value, const char* what) {
    if (!(value > 0) || !std::isfinite(value))
      throw std::invalid_argument(std::string("the ") + what + " of a prior is " + shortest(value) +
                                  ", must be positive");
  };
  positive(prior.scale, "scale");
  positive(prior.shape, "shape");
  if (!std::isfinite(prior.location)) throw std::invalid_argument("the location of a prior is not finite");
}

ScalarDensity ScalarPrior::density(double x, double width) const {
  const double r = (x - location) / scale;
  switch (kind) {
    case PriorKind::Normal:
    case PriorKind::LogNormal:
      return {-r * r / 2 - std::log(scale) - kHalfLog2Pi, -r / scale, -1 / (scale * scale)};
    case PriorKind::StudentT:
    case PriorKind::Cauchy: return student(r, scale, degrees(*this));
    case PriorKind::Laplace: return double_exponential(x - location, scale, width);
    case PriorKind::Logistic: return logistic(r, scale);
    case PriorKind::Flat: return {};
    case PriorKind::Exponential: {
      const double q = scale * std::exp(x);
      return {std::log(scale) + x - q, 1 - q, -q};
    }
    case PriorKind::Gamma: {
      const double q = scale * std::exp(x);
      return {shape * std::log(scale) - log_gamma(shape) + shape * x - q, shape - q, -q};
    }
    case PriorKind::HalfNormal: {
      const double v = std::exp(x) / scale, q = v * v;
      return {std::numbers::ln2 - kHalfLog2Pi - std::log(scale) - q / 2 + x, 1 - q, -2 * q};
    }
    case PriorKind::HalfStudentT:
    case PriorKind::HalfCauchy: return half_student(x, scale, degrees(*this));
  }
  throw std::invalid_argument("there is no such prior");
}

double ScalarPrior::draw(Stream& random) const {
  switch (kind) {
    case PriorKind::Normal:
    case PriorKind::LogNormal: return location + scale * random.normal();
    case PriorKind::StudentT:
    case PriorKind::Cauchy: return location + scale * student_draw(degrees(*this), random);
    case PriorKind::Laplace: {
      // A sign, and an exponential length.
      const double sign = random.below(2) == 0 ? -1 : 1;
      return location - sign * scale * std::log1p(-random.uniform());
    }
    case PriorKind::Logistic: {
      constexpr double kHalfStep = 0x1p-54;  // u is never 0
      const double u = random.uniform() + kHalfStep;
      return location + scale * (std::log(u) - std::log1p(-u));
    }
    case PriorKind::Flat:
      throw OptionError("nothing can be drawn from a flat `prior`: it is not a distribution");
    case PriorKind::Exponential: return log_gamma_draw(1, random) - std::log(scale);
    case PriorKind::Gamma: return log_gamma_draw(shape, random) - std::log(scale);
    case PriorKind::HalfNormal: return std::log(std::abs(random.normal())) + std::log(scale);
    case PriorKind::HalfStudentT:
    case PriorKind::HalfCauchy:
      return std::log(std::abs(student_draw(degrees(*this), random))) + std::log(scale);
  }
  throw std::invalid_argument("there is no such prior");
}

// Of log v for positive ones: log |z| has mean -(gamma + log 2) / 2 and variance pi^2 / 8 for a standard
// normal z; log of gamma(a, 1) has mean psi(a) and variance psi'(a).
std::optional<double> ScalarPrior::mean() const {
  const double half_normal = -(kEuler + std::numbers::ln2) / 2, df = degrees(*this);
  switch (kind) {
    case PriorKind::Flat:
    case PriorKind::Cauchy: return std::nullopt;
    case PriorKind::StudentT: return df > 1 ? std::optional(location) : std::nullopt;
    case PriorKind::Exponential: return -kEuler - std::log(scale);
    case PriorKind::Gamma: return digamma(shape) - std::log(scale);
    case PriorKind::HalfNormal: return half_normal + std::log(scale);
    case PriorKind::HalfStudentT:
    case PriorKind::HalfCauchy:
      return half_normal - (digamma(df / 2) + std::numbers::ln2 - std::log(df)) / 2 + std::log(scale);
    default: return location;
  }
}

std::optional<double> ScalarPrior::sd() const {
  constexpr double kPi = std::numbers::pi;
  const double df = degrees(*this);
  switch (kind) {
    case PriorKind::Flat:
    case PriorKind::Cauchy: return std::nullopt;
    case PriorKind::StudentT: return df > 2 ? std::optional(scale * std::sqrt(df / (df - 2))) : std::nullopt;
    case PriorKind::Laplace: return scale * std::numbers::sqrt2;
    case PriorKind::Logistic: return scale * kPi / std::numbers::sqrt3;
    case PriorKind::Exponential: return std::sqrt(trigamma(1));
    case PriorKind::Gamma: return std::sqrt(trigamma(shape));
    case PriorKind::HalfNormal: return kPi / std::sqrt(8);
    case PriorKind::HalfStudentT:
    case PriorKind::HalfCauchy: return std::sqrt(kPi * kPi / 8 + trigamma(df / 2) / 4);
    default: return scale;
  }
}

double ScalarPrior::mode() const {
  switch (kind) {
    case PriorKind::Flat: return 0;
    case PriorKind::Exponential: return -std::log(scale);
    case PriorKind::Gamma: return std::log(shape / scale);
    case PriorKind::HalfNormal:
    case PriorKind::HalfStudentT:
    case PriorKind::HalfCauchy: return std::log(scale);
    default: return location;
  }
}

double ScalarPrior::middle() const {
  return kind == PriorKind::Flat ? 0 : mean().value_or(location);
}

double ScalarPrior::width() const {
  if (kind == PriorKind::Flat) throw OptionError("a flat `prior` has no width: it is not a distribution");
  const double heavy = kQuartileSd * scale;
  if (kind == PriorKind::StudentT || kind == PriorKind::Cauchy) return std::min(sd().value_or(heavy), heavy);
  return *sd();
}

double ScalarPrior::surprise(double x) const {
  return std::sqrt(2 * std::max(0.0, density(mode()).value - density(x).value));
}

ScalarPrior ScalarPrior::stretched(double factor) const {
  ScalarPrior out = *this;
  switch (kind) {
    case PriorKind::Flat: break;
    case PriorKind::LogNormal: out.location += std::log(factor); break;
    case PriorKind::Exponential:
    case PriorKind::Gamma: out.scale /= factor; break;
    default: out.scale *= factor;
  }
  return out;
}

}  // namespace giga
