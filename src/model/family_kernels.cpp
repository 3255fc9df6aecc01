#include "model/family_kernels.hpp"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/family_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/family-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

using FamilyTag = hn::CappedTag<double, 8>;
using FamilyVec = hn::Vec<FamilyTag>;
constexpr Index kFamilyWidth = static_cast<Index>(hn::MaxLanes(FamilyTag()));

// Some of an array, `size` <= kFamilyWidth elements of it: the last vector is computed on a padded copy by
// the same operations as all others.
HWY_INLINE FamilyVec load_some(const double* from, Index size) {
  HWY_ALIGN double lanes[kFamilyWidth] = {};
  std::copy(from, from + size, lanes);
  return hn::Load(FamilyTag(), lanes);
}

HWY_INLINE void store_some(FamilyVec v, double* to, Index size) {
  HWY_ALIGN double lanes[kFamilyWidth];
  hn::Store(v, FamilyTag(), lanes);
  std::copy(lanes, lanes + size, to);
}

// What one vector of elements needs; y and log y! are one number for all elements or an array.
struct SharedResponse {
  double y, log_y_factorial;

  HWY_INLINE FamilyVec y_at(Index) const { return hn::Set(FamilyTag(), y); }
  HWY_INLINE FamilyVec y_some(Index, Index) const { return hn::Set(FamilyTag(), y); }
  HWY_INLINE FamilyVec log_at(Index) const { return hn::Set(FamilyTag(), log_y_factorial); }
  HWY_INLINE FamilyVec log_some(Index, Index) const { return hn::Set(FamilyTag(), log_y_factorial); }
};

template <bool kWithLog>
struct ResponseArray {
  const double *y, *log_y_factorial;

  HWY_INLINE FamilyVec y_at(Index i) const { return hn::LoadU(FamilyTag(), y + i); }
  HWY_INLINE FamilyVec y_some(Index i, Index size) const { return load_some(y + i, size); }
  HWY_INLINE FamilyVec log_at(Index i) const {
    if constexpr (kWithLog) return hn::LoadU(FamilyTag(), log_y_factorial + i);
    return hn::Zero(FamilyTag());
  }
  HWY_INLINE FamilyVec log_some(Index i, Index size) const {
    if constexpr (kWithLog) return load_some(log_y_factorial + i, size);
    return hn::Zero(FamilyTag());
  }
};

template <class Ops, class Response>
HWY_INLINE void each_value(const Ops& ops, const Response& response, const double* s, Index count,
                           double* out) {
  const FamilyTag d;
  Index i = 0;
  for (; i + kFamilyWidth <= count; i += kFamilyWidth) {
    hn::StoreU(ops.value(d, response.y_at(i), hn::LoadU(d, s + i), response.log_at(i)), d, out + i);
  }
  const Index rest = count - i;
  if (rest == 0) return;
  store_some(ops.value(d, response.y_some(i, rest), load_some(s + i, rest), response.log_some(i, rest)),
             out + i, rest);
}

template <class Ops>
HWY_INLINE void each_score(const Ops& ops, double y, const double* s, Index count, double* out) {
  const FamilyTag d;
  const FamilyVec shared = hn::Set(d, y);
  Index i = 0;
  for (; i + kFamilyWidth <= count; i += kFamilyWidth) {
    hn::StoreU(ops.score(d, shared, hn::LoadU(d, s + i)), d, out + i);
  }
  if (i < count) store_some(ops.score(d, shared, load_some(s + i, count - i)), out + i, count - i);
}

struct Outputs {
  double *value, *first, *second;
};

template <bool kValue, bool kSecond, class Ops, class Response>
HWY_INLINE void each_derivative(const Ops& ops, const Response& response, const double* s, Index count,
                                const Outputs& out) {
  const FamilyTag d;
  Index i = 0;
  for (; i + kFamilyWidth <= count; i += kFamilyWidth) {
    const auto all =
        ops.template all<kValue, kSecond>(d, response.y_at(i), hn::LoadU(d, s + i), response.log_at(i));
    if constexpr (kValue) hn::StoreU(all.value, d, out.value + i);
    hn::StoreU(all.first, d, out.first + i);
    if constexpr (kSecond) hn::StoreU(all.second, d, out.second + i);
  }
  const Index rest = count - i;
  if (rest == 0) return;
  const auto all = ops.template all<kValue, kSecond>(d, response.y_some(i, rest), load_some(s + i, rest),
                                                     response.log_some(i, rest));
  if constexpr (kValue) store_some(all.value, out.value + i, rest);
  store_some(all.first, out.first + i, rest);
  if constexpr (kSecond) store_some(all.second, out.second + i, rest);
}

template <class Ops>
HWY_INLINE void derivatives_of(const Ops& ops, const double* y, const double* log_y_factorial,
                               const double* s, Index count, const Outputs& out) {
  const ResponseArray<Ops::kCounts> full = {y, log_y_factorial};
  const ResponseArray<false> bare = {y, nullptr};
  if (out.value != nullptr && out.second != nullptr) {
    each_derivative<true, true>(ops, full, s, count, out);
  } else if (out.value != nullptr) {
    each_derivative<true, false>(ops, full, s, count, out);
  } else if (out.second != nullptr) {
    each_derivative<false, true>(ops, bare, s, count, out);
  } else {
    each_derivative<false, false>(ops, bare, s, count, out);
  }
}

// Calls `function`, a template over the operations of a family, for the family at hand.
template <class Function>
HWY_INLINE void for_family(const FamilyParameters& family, const Function& function) {
  switch (family.family) {
    case Family::BernoulliLogit: return function(BernoulliLogitOps());
    case Family::PoissonSoftplus: return function(PoissonSoftplusOps());
    case Family::PoissonLog: return function(PoissonLogOps());
    case Family::GaussianIdentity: return function(GaussianIdentityOps{family.noise_scale});
  }
}

struct SharedValues {
  SharedResponse response;
  const double* s;
  Index count;
  double* out;
  template <class Ops>
  HWY_INLINE void operator()(const Ops& ops) const {
    each_value(ops, response, s, count, out);
  }
};

struct ArrayValues {
  const double *y, *log_y_factorial, *s;
  Index count;
  double* out;
  template <class Ops>
  HWY_INLINE void operator()(const Ops& ops) const {
    each_value(ops, ResponseArray<Ops::kCounts>{y, log_y_factorial}, s, count, out);
  }
};

struct SharedScores {
  double y;
  const double* s;
  Index count;
  double* out;
  template <class Ops>
  HWY_INLINE void operator()(const Ops& ops) const {
    each_score(ops, y, s, count, out);
  }
};

struct ArrayDerivatives {
  const double *y, *log_y_factorial, *s;
  Index count;
  Outputs out;
  template <class Ops>
  HWY_INLINE void operator()(const Ops& ops) const {
    derivatives_of(ops, y, log_y_factorial, s, count, out);
  }
};

void SharedLogLikelihoods(const FamilyParameters& family, double y, double log_y_factorial, const double* s,
                          Index count, double* out) {
  for_family(family, SharedValues{{y, log_y_factorial}, s, count, out});
}

void ArrayLogLikelihoods(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                         const double* s, Index count, double* out) {
  for_family(family, ArrayValues{y, log_y_factorial, s, count, out});
}

void Scores(const FamilyParameters& family, double y, const double* s, Index count, double* out) {
  for_family(family, SharedScores{y, s, count, out});
}

void AllDerivatives(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                    const double* s, Index count, double* value, double* first, double* second) {
  for_family(family, ArrayDerivatives{y, log_y_factorial, s, count, {value, first, second}});
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(SharedLogLikelihoods);
HWY_EXPORT(ArrayLogLikelihoods);
HWY_EXPORT(Scores);
HWY_EXPORT(AllDerivatives);

void log_likelihoods(const FamilyParameters& family, double y, double log_y_factorial, const double* s,
                     Index count, double* out) {
  HWY_DYNAMIC_DISPATCH(SharedLogLikelihoods)(family, y, log_y_factorial, s, count, out);
}

void log_likelihoods(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                     const double* s, Index count, double* out) {
  HWY_DYNAMIC_DISPATCH(ArrayLogLikelihoods)(family, y, log_y_factorial, s, count, out);
}

void scores(const FamilyParameters& family, double y, const double* s, Index count, double* out) {
  HWY_DYNAMIC_DISPATCH(Scores)(family, y, s, count, out);
}

void derivatives(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                 const double* s, Index count, double* value, double* first, double* second) {
  HWY_DYNAMIC_DISPATCH(AllDerivatives)(family, y, log_y_factorial, s, count, value, first, second);
}

}  // namespace giga::kernels
#endif
