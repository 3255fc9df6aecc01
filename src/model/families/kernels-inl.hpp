// The loops over rows that all families share, and the table of kernels that they fill.
//
// A family is a struct of operations on vectors, compiled once per instruction set (see math-inl.hpp for
// how), without fused multiply-add, so that all targets give the same bits:
//   static Ops of(family, extras)               the operations for settings and extra parameters phi
//   value(d, y, s, constant)                    l
//   slope(d, y, s)                              l'
//   all<kValue, kCurvature>(d, y, s, constant)  l, l' and l'' at the cost of little more than one of them
//   static mean(d, s)                           E y; of labels the chance of +1, of successes that of a trial
//   kHasConstant                                whether `constant`, the row constant c(y), is read
//   kValueAndSlopeApart                         true: value and slope together are shorter than `all`
//   kNumExtras                                  the number of extra parameters, and where there are any
//   extras(d, y, s, first, mixed, second)       derivatives in them, as FamilyKernels has them
//   gradient(d, y, s, constant, first)          l, l' and the first of those, where that is shorter
// The last four may be left out.
//
// A file of families ends its part for each instruction set with GIGA_FAMILY_KERNELS(GammaLog), the table of
// GammaLogOps, and makes of all these tables, once, GIGA_CHOOSE_KERNELS(GammaLog): ChosenGammaLog() is that
// of the best instruction set that the machine has.
#ifndef GIGA_FAMILY_KERNELS
#define GIGA_FAMILY_KERNELS(Name, ...)                                            \
  const FamilyKernels* Name##Kernels() {                                          \
    static constexpr FamilyKernels kKernels = kernels_of<Name##Ops>(__VA_ARGS__); \
    return &kKernels;                                                             \
  }
#define GIGA_CHOOSE_KERNELS(Name)                 \
  HWY_EXPORT(Name##Kernels);                      \
  static const FamilyKernels* Chosen##Name() {    \
    return HWY_DYNAMIC_DISPATCH(Name##Kernels)(); \
  }
#endif

#if defined(GIGA_MODEL_FAMILIES_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef GIGA_MODEL_FAMILIES_KERNELS_INL_HPP
#undef GIGA_MODEL_FAMILIES_KERNELS_INL_HPP
#else
#define GIGA_MODEL_FAMILIES_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include <hwy/highway.h>

#include "model/family_kernels.hpp"
#include "model/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

/// What `all` returns: l, l' and l''.
template <class V>
struct RowDerivatives {
  V value, slope, curvature;
};

using FamilyTag = hn::CappedTag<double, 8>;
using FamilyVec = hn::Vec<FamilyTag>;
constexpr Index kFamilyWidth = static_cast<Index>(hn::MaxLanes(FamilyTag()));

// The last few elements of an array, as a whole vector: they are computed by the same code as all others.
struct Lanes {
  HWY_ALIGN double lane[kFamilyWidth] = {};
};

// Copies `size` elements to the front of the lanes, whose rest stays as it was.
HWY_INLINE const double* pad(const double* from, Index size, Lanes& lanes) {
  std::copy(from, from + size, lanes.lane);
  return lanes.lane;
}

HWY_INLINE void unpad(const Lanes& lanes, Index size, double* to) {
  std::copy(lanes.lane, lanes.lane + size, to);
}

// y and the row constant: one number for all elements (one row at many points) or an array (many rows at one
// point). rest() is the same for the padded end of an array.
struct SharedResponse {
  double y, constant;

  HWY_INLINE FamilyVec y_at(Index) const { return hn::Set(FamilyTag(), y); }
  HWY_INLINE FamilyVec constant_at(Index) const { return hn::Set(FamilyTag(), constant); }
  HWY_INLINE SharedResponse rest(Index, Index, Lanes&, Lanes&) const { return *this; }
};

template <bool kWithConstant>
struct ResponseArray {
  const double *y, *constant;

  HWY_INLINE FamilyVec y_at(Index i) const { return hn::LoadU(FamilyTag(), y + i); }
  HWY_INLINE FamilyVec constant_at(Index i) const {
    if constexpr (kWithConstant) return hn::LoadU(FamilyTag(), constant + i);
    return hn::Zero(FamilyTag());
  }
  HWY_INLINE ResponseArray rest(Index i, Index size, Lanes& y_lanes, Lanes& constant_lanes) const {
    return {pad(y + i, size, y_lanes), kWithConstant ? pad(constant + i, size, constant_lanes) : nullptr};
  }
};

struct Outputs {
  double *value, *slope, *curvature;
};

// The loops, over whole vectors; parameters by value, which stores cannot alias. Not inlined: together they
// would make a function that compilers take minutes over, with sanitizers at least.
template <class Ops, class Response>
HWY_NOINLINE void vectors_of_values(Ops ops, Response response, const double* s, Index count, double* out) {
  const FamilyTag d;
  for (Index i = 0; i < count; i += kFamilyWidth) {
    hn::StoreU(ops.value(d, response.y_at(i), hn::LoadU(d, s + i), response.constant_at(i)), d, out + i);
  }
}

template <class Ops>
HWY_NOINLINE void vectors_of_slopes(Ops ops, double y, const double* s, Index count, double* out) {
  const FamilyTag d;
  const FamilyVec shared = hn::Set(d, y);
  for (Index i = 0; i < count; i += kFamilyWidth) {
    hn::StoreU(ops.slope(d, shared, hn::LoadU(d, s + i)), d, out + i);
  }
}

template <bool kValue, bool kCurvature, class Ops, class Response>
HWY_NOINLINE void vectors_of_derivatives(Ops ops, Response response, const double* s, Index count,
                                         const Outputs& out) {
  const FamilyTag d;
  for (Index i = 0; i < count; i += kFamilyWidth) {
    const auto all = ops.template all<kValue, kCurvature>(d, response.y_at(i), hn::LoadU(d, s + i),
                                                          response.constant_at(i));
    if constexpr (kValue) hn::StoreU(all.value, d, out.value + i);
    hn::StoreU(all.slope, d, out.slope + i);
    if constexpr (kCurvature) hn::StoreU(all.curvature, d, out.curvature + i);
  }
}

// value and slope share what they have in common once they are inlined side by side.
template <class Ops, class Response>
HWY_NOINLINE void vectors_of_both(Ops ops, Response response, const double* s, Index count, double* value,
                                  double* slope) {
  const FamilyTag d;
  for (Index i = 0; i < count; i += kFamilyWidth) {
    const FamilyVec at = hn::LoadU(d, s + i), y = response.y_at(i);
    hn::StoreU(ops.value(d, y, at, response.constant_at(i)), d, value + i);
    hn::StoreU(ops.slope(d, y, at), d, slope + i);
  }
}

// The same for any count: whole vectors first, then the rest as one padded vector.
template <class Ops, class Response>
void each_value(const Ops& ops, const Response& response, const double* s, Index count, double* out) {
  const Index rest = count % kFamilyWidth, whole = count - rest;
  vectors_of_values(ops, response, s, whole, out);
  if (rest == 0) return;
  Lanes y, constant, in, result;
  vectors_of_values(ops, response.rest(whole, rest, y, constant), pad(s + whole, rest, in), kFamilyWidth,
                    result.lane);
  unpad(result, rest, out + whole);
}

template <class Ops>
void each_slope(const Ops& ops, double y, const double* s, Index count, double* out) {
  const Index rest = count % kFamilyWidth, whole = count - rest;
  vectors_of_slopes(ops, y, s, whole, out);
  if (rest == 0) return;
  Lanes in, result;
  vectors_of_slopes(ops, y, pad(s + whole, rest, in), kFamilyWidth, result.lane);
  unpad(result, rest, out + whole);
}

template <bool kValue, bool kCurvature, class Ops, class Response>
void each_derivative(const Ops& ops, const Response& response, const double* s, Index count,
                     const Outputs& out) {
  const Index rest = count % kFamilyWidth, whole = count - rest;
  vectors_of_derivatives<kValue, kCurvature>(ops, response, s, whole, out);
  if (rest == 0) return;
  Lanes y, constant, in, value, slope, curvature;
  vectors_of_derivatives<kValue, kCurvature>(ops, response.rest(whole, rest, y, constant),
                                             pad(s + whole, rest, in), kFamilyWidth,
                                             Outputs{value.lane, slope.lane, curvature.lane});
  if constexpr (kValue) unpad(value, rest, out.value + whole);
  unpad(slope, rest, out.slope + whole);
  if constexpr (kCurvature) unpad(curvature, rest, out.curvature + whole);
}

// A loop of its own for each choice of outputs, so that none is tested for within it.
template <class Ops>
void derivatives_of(const Ops& ops, const double* y, const double* constant, const double* s, Index count,
                    const Outputs& out) {
  const ResponseArray<Ops::kHasConstant> full = {y, constant};
  const ResponseArray<false> bare = {y, nullptr};
  if (out.value != nullptr && out.curvature != nullptr) {
    each_derivative<true, true>(ops, full, s, count, out);
  } else if (out.value != nullptr) {
    each_derivative<true, false>(ops, full, s, count, out);
  } else if (out.curvature != nullptr) {
    each_derivative<false, true>(ops, bare, s, count, out);
  } else {
    each_derivative<false, false>(ops, bare, s, count, out);
  }
}

template <class Ops>
constexpr Index num_extras() {
  if constexpr (requires { Ops::kNumExtras; }) return Ops::kNumExtras;
  return 0;
}

template <class Ops>
constexpr bool has_short_value_and_slope() {
  if constexpr (requires { Ops::kValueAndSlopeApart; }) return Ops::kValueAndSlopeApart;
  return false;
}

// Calls at(ops, first, count) for stretches of points that share their extra parameters: all of them where
// there are none, else one point after the other.
template <class Ops, class At>
HWY_INLINE void for_points(const FamilyParameters& family, PointExtras extras, Index count, const At& at) {
  constexpr Index kExtras = num_extras<Ops>();
  if constexpr (kExtras == 0) {
    at(Ops::of(family, nullptr), 0, count);
  } else {
    for (Index j = 0; j < count; ++j) {
      double phi[kExtras];
      for (Index e = 0; e < kExtras; ++e) phi[e] = extras.values[e * extras.apart + j];
      at(Ops::of(family, phi), j, 1);
    }
  }
}

template <class Ops>
void values_of_row(const FamilyParameters& family, PointExtras extras, double y, double constant,
                   const double* s, Index count, double* out) {
  for_points<Ops>(family, extras, count, [=](const Ops& ops, Index first, Index some) HWY_ATTR {
    each_value(ops, SharedResponse{y, constant}, s + first, some, out + first);
  });
}

template <class Ops>
void slopes_of_row(const FamilyParameters& family, PointExtras extras, double y, const double* s, Index count,
                   double* out) {
  for_points<Ops>(family, extras, count, [=](const Ops& ops, Index first, Index some) HWY_ATTR {
    each_slope(ops, y, s + first, some, out + first);
  });
}

template <class Ops>
void values(const FamilyParameters& family, const double* extras, const double* y, const double* constant,
            const double* s, Index count, double* out) {
  each_value(Ops::of(family, extras), ResponseArray<Ops::kHasConstant>{y, constant}, s, count, out);
}

template <class Ops>
void values_and_slopes(const FamilyParameters& family, const double* extras, const double* y,
                       const double* constant, const double* s, Index count, double* value, double* slope) {
  const Ops ops = Ops::of(family, extras);
  if constexpr (has_short_value_and_slope<Ops>()) {
    vectors_of_both(ops, ResponseArray<Ops::kHasConstant>{y, constant}, s, count, value, slope);
  } else {
    derivatives_of(ops, y, constant, s, count, {value, slope, nullptr});
  }
}

template <class Ops>
void derivatives(const FamilyParameters& family, const double* extras, const double* y,
                 const double* constant, const double* s, Index count, double* value, double* slope,
                 double* curvature) {
  derivatives_of(Ops::of(family, extras), y, constant, s, count, {value, slope, curvature});
}

// An array of `count` per derivative: first and mixed for e = 0, 1, ..., second for the pairs f <= e. Every
// vector is padded, not only the last: these are few numbers.
template <class Ops>
void extra_derivatives(const FamilyParameters& family, const double* extras, const double* y, const double* s,
                       Index count, double* first, double* mixed, double* second) {
  constexpr Index kExtras = num_extras<Ops>(), kPairs = kExtras * (kExtras + 1) / 2;
  const FamilyTag d;
  const Ops ops = Ops::of(family, extras);
  for (Index i = 0; i < count; i += kFamilyWidth) {
    const Index some = std::min(kFamilyWidth, count - i);
    Lanes y_lanes, s_lanes, out;
    FamilyVec f[kExtras], m[kExtras], g[kPairs];
    ops.extras(d, hn::Load(d, pad(y + i, some, y_lanes)), hn::Load(d, pad(s + i, some, s_lanes)), f, m, g);
    const auto store = [&](FamilyVec from, double* to) HWY_ATTR {
      hn::Store(from, d, out.lane);
      unpad(out, some, to + i);
    };
    for (Index e = 0; e < kExtras; ++e) {
      store(f[e], first + e * count);
      store(m[e], mixed + e * count);
    }
    for (Index k = 0; k < kPairs; ++k) store(g[k], second + k * count);
  }
}

// What they have in common is computed once, and second derivatives are not, when all is inlined here.
template <bool kValue, class Ops>
HWY_NOINLINE void vectors_of_gradients(Ops ops, const double* y, const double* constant, const double* s,
                                       Index count, Index apart, double* value, double* slope,
                                       double* first) {
  constexpr Index kExtras = num_extras<Ops>(), kPairs = kExtras * (kExtras + 1) / 2;
  const FamilyTag d;
  for (Index i = 0; i < count; i += kFamilyWidth) {
    const FamilyVec at = hn::LoadU(d, s + i), response = hn::LoadU(d, y + i);
    FamilyVec f[kExtras], m[kExtras], g[kPairs];
    FamilyVec c = hn::Zero(d);
    if constexpr (kValue && Ops::kHasConstant) c = hn::LoadU(d, constant + i);
    if constexpr (kValue && requires { ops.gradient(d, response, at, c, f); }) {
      const auto both = ops.gradient(d, response, at, c, f);
      hn::StoreU(both.value, d, value + i);
      hn::StoreU(both.slope, d, slope + i);
    } else {
      if constexpr (kValue) hn::StoreU(ops.value(d, response, at, c), d, value + i);
      hn::StoreU(ops.slope(d, response, at), d, slope + i);
      ops.extras(d, response, at, f, m, g);
    }
    for (Index e = 0; e < kExtras; ++e) hn::StoreU(f[e], d, first + e * apart + i);
  }
}

template <bool kValue, class Ops>
void each_gradient(const Ops& ops, const double* y, const double* constant, const double* s, Index count,
                   double* value, double* slope, double* first) {
  constexpr Index kExtras = num_extras<Ops>();
  constexpr bool kConstant = kValue && Ops::kHasConstant;
  const Index rest = count % kFamilyWidth, whole = count - rest;
  vectors_of_gradients<kValue>(ops, y, constant, s, whole, count, value, slope, first);
  if (rest == 0) return;
  Lanes y_lanes, c_lanes, s_lanes, value_lanes, slope_lanes, first_lanes[kExtras];
  vectors_of_gradients<kValue>(
      ops, pad(y + whole, rest, y_lanes), kConstant ? pad(constant + whole, rest, c_lanes) : nullptr,
      pad(s + whole, rest, s_lanes), kFamilyWidth, static_cast<Index>(sizeof(Lanes) / sizeof(double)),
      value_lanes.lane, slope_lanes.lane, first_lanes[0].lane);
  if constexpr (kValue) unpad(value_lanes, rest, value + whole);
  unpad(slope_lanes, rest, slope + whole);
  for (Index e = 0; e < kExtras; ++e) unpad(first_lanes[e], rest, first + e * count + whole);
}

template <class Ops>
void gradients(const FamilyParameters& family, const double* extras, const double* y, const double* constant,
               const double* s, Index count, double* value, double* slope, double* first) {
  const Ops ops = Ops::of(family, extras);
  if (value != nullptr) {
    each_gradient<true>(ops, y, constant, s, count, value, slope, first);
  } else {
    each_gradient<false>(ops, y, constant, s, count, value, slope, first);
  }
}

// E y at many predictors; the rest as one padded vector, as everywhere.
template <class Ops>
HWY_NOINLINE void means(const double* s, Index count, double* out) {
  const FamilyTag d;
  const Index rest = count % kFamilyWidth, whole = count - rest;
  for (Index i = 0; i < whole; i += kFamilyWidth) hn::StoreU(Ops::mean(d, hn::LoadU(d, s + i)), d, out + i);
  if (rest == 0) return;
  Lanes in, result;
  hn::Store(Ops::mean(d, hn::Load(d, pad(s + whole, rest, in))), d, result.lane);
  unpad(result, rest, out + whole);
}

/// The kernels of a family. `add_rows` is as in FamilyKernels.
template <class Ops>
constexpr FamilyKernels kernels_of(decltype(FamilyKernels::add_rows) add_rows = nullptr) {
  FamilyKernels all{values_of_row<Ops>, slopes_of_row<Ops>, values<Ops>, values_and_slopes<Ops>,
                    derivatives<Ops>,   add_rows,           nullptr,     nullptr,
                    means<Ops>};
  if constexpr (num_extras<Ops>() > 0) {
    all.extra_derivatives = extra_derivatives<Ops>;
    all.gradients = gradients<Ops>;
  }
  return all;
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
