// The functions of special.hpp over arrays: the vector functions of math-inl.hpp, compiled once per
// instruction set (Highway; the part before HWY_ONCE) and chosen when the program runs. A single number is an
// array of one.
#include "giga/model/special.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/special.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

// At most 8 lanes: the widest registers hold as many doubles.
using Tag = hn::CappedTag<double, 8>;
constexpr size_t kWidth = hn::MaxLanes(Tag());

// out[i] = f(in[i]). The last vector of an array is computed on a padded copy by the same operations, so the
// bits of an element do not depend on its position.
template <class Function>
HWY_INLINE void map_array(const double* in, size_t count, double* out, Function f) {
  const Tag d;
  size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) hn::StoreU(f(d, hn::LoadU(d, in + i)), d, out + i);
  if (i == count) return;
  HWY_ALIGN double rest[kWidth] = {};
  std::copy(in + i, in + count, rest);
  hn::Store(f(d, hn::Load(d, rest)), d, rest);
  std::copy(rest, rest + (count - i), out + i);
}

// Functions of math-inl.hpp as objects, so that map_array can be given them.
struct SigmoidFunction {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V z) const {
    return Sigmoid(d, z);
  }
};

struct SoftplusFunction {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V z) const {
    return Softplus(d, z);
  }
};

struct LogSoftplusFunction {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V z) const {
    return LogSoftplus(d, z);
  }
};

// Below 20 a table; from there Stirling's series, the omitted terms of which are under 2e-17:
//   y (log y - 1) + (log y) / 2 + log(2 pi) / 2 + 1 / (12 y) - 1 / (360 y^3) + 1 / (1260 y^5) - ...
// y (log y - 1) is rounded once: log y - 1 is exact for y > e^2, and log y is hi + lo.
struct LogFactorialFunction {
  static constexpr int kTableSize = 20;
  static constexpr double kTable[kTableSize] = {0.0,
                                                0.0,
                                                0.6931471805599453,
                                                1.791759469228055,
                                                3.1780538303479458,
                                                4.787491742782046,
                                                6.579251212010101,
                                                8.525161361065415,
                                                10.60460290274525,
                                                12.801827480081469,
                                                15.104412573075516,
                                                17.502307845873887,
                                                19.987214495661885,
                                                22.552163853123425,
                                                25.19122118273868,
                                                27.89927138384089,
                                                30.671860106080672,
                                                33.50507345013689,
                                                36.39544520803305,
                                                39.339884187199495};

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V y) const {
    static constexpr double kStirling[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188};
    constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1;
    const Pair<V> log = log_of_normal(d, Pair<V>{y, hn::Zero(d)});
    // series = 1 / (12 y) - 1 / (360 y^3) + ..., a polynomial in 1 / y^2 times 1 / y.
    const V inverse = hn::Div(hn::Set(d, 1.0), y);
    const V series = hn::Mul(inverse, polynomial(d, hn::Mul(inverse, inverse), kStirling));
    const V rest = hn::Add(hn::Add(hn::Mul(y, log.lo), hn::Mul(hn::Set(d, 0.5), log.hi)),
                           hn::Add(hn::Set(d, kHalfLog2Pi), series));
    const V sum = hn::Add(hn::Mul(y, hn::Sub(log.hi, hn::Set(d, 1.0))), rest);
    // Small arguments are looked up one by one. At infinity, where the sum would be NaN, the result is y
    // itself.
    HWY_ALIGN double argument[kWidth], result[kWidth];
    hn::Store(y, d, argument);
    hn::Store(hn::IfThenElse(hn::Lt(y, hn::Set(d, kInfinity)), sum, y), d, result);
    for (size_t i = 0; i < kWidth; ++i) {
      if (argument[i] >= 0 && argument[i] < kTableSize) result[i] = kTable[static_cast<size_t>(argument[i])];
    }
    return hn::Load(d, result);
  }
};

// What is compiled per instruction set and exported.
void SigmoidArray(const double* z, size_t count, double* out) {
  map_array(z, count, out, SigmoidFunction());
}

void SoftplusArray(const double* z, size_t count, double* out) {
  map_array(z, count, out, SoftplusFunction());
}

void LogSoftplusArray(const double* z, size_t count, double* out) {
  map_array(z, count, out, LogSoftplusFunction());
}

void LogFactorialArray(const double* y, size_t count, double* out) {
  map_array(y, count, out, LogFactorialFunction());
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {
namespace kernels {
namespace {

HWY_EXPORT(SigmoidArray);
HWY_EXPORT(SoftplusArray);
HWY_EXPORT(LogSoftplusArray);
HWY_EXPORT(LogFactorialArray);

using ArrayFunction = void (*)(const double*, size_t, double*);

void checked(ArrayFunction function, std::span<const double> in, std::span<double> out) {
  if (in.size() != out.size()) {
    throw std::invalid_argument("out.size() is " + std::to_string(out.size()) +
                                ", but must equal the size of the input, " + std::to_string(in.size()));
  }
  function(in.data(), in.size(), out.data());
}

void sigmoid_array(std::span<const double> in, std::span<double> out) {
  checked(HWY_DYNAMIC_DISPATCH(SigmoidArray), in, out);
}

void softplus_array(std::span<const double> in, std::span<double> out) {
  checked(HWY_DYNAMIC_DISPATCH(SoftplusArray), in, out);
}

void log_softplus_array(std::span<const double> in, std::span<double> out) {
  checked(HWY_DYNAMIC_DISPATCH(LogSoftplusArray), in, out);
}

void log_factorial_array(std::span<const double> in, std::span<double> out) {
  checked(HWY_DYNAMIC_DISPATCH(LogFactorialArray), in, out);
}

}  // namespace
}  // namespace kernels

void sigmoid(std::span<const double> z, std::span<double> out) {
  kernels::sigmoid_array(z, out);
}

void softplus(std::span<const double> z, std::span<double> out) {
  kernels::softplus_array(z, out);
}

void log_softplus(std::span<const double> z, std::span<double> out) {
  kernels::log_softplus_array(z, out);
}

void log_factorial(std::span<const double> y, std::span<double> out) {
  kernels::log_factorial_array(y, out);
}

double sigmoid(double z) {
  sigmoid({&z, 1}, {&z, 1});
  return z;
}

double softplus(double z) {
  softplus({&z, 1}, {&z, 1});
  return z;
}

double log_softplus(double z) {
  log_softplus({&z, 1}, {&z, 1});
  return z;
}

double log_factorial(double y) {
  log_factorial({&y, 1}, {&y, 1});
  return y;
}

}  // namespace giga
#endif
