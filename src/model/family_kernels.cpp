#include "model/family_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

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

// The last few elements of an array, as a whole vector: they are computed by the same code as all others.
struct Lanes {
  HWY_ALIGN double lane[kFamilyWidth] = {};
};

HWY_INLINE const double* pad(const double* from, Index size, Lanes& lanes) {
  std::copy(from, from + size, lanes.lane);
  return lanes.lane;
}

HWY_INLINE void unpad(const Lanes& lanes, Index size, double* to) {
  std::copy(lanes.lane, lanes.lane + size, to);
}

// y and log y! are one number for all elements or an array.
struct SharedResponse {
  double y, log_y_factorial;

  HWY_INLINE FamilyVec y_at(Index) const { return hn::Set(FamilyTag(), y); }
  HWY_INLINE FamilyVec log_at(Index) const { return hn::Set(FamilyTag(), log_y_factorial); }
  HWY_INLINE SharedResponse rest(Index, Index, Lanes&, Lanes&) const { return *this; }
};

template <bool kWithLog>
struct ResponseArray {
  const double *y, *log_y_factorial;

  HWY_INLINE FamilyVec y_at(Index i) const { return hn::LoadU(FamilyTag(), y + i); }
  HWY_INLINE FamilyVec log_at(Index i) const {
    if constexpr (kWithLog) return hn::LoadU(FamilyTag(), log_y_factorial + i);
    return hn::Zero(FamilyTag());
  }
  HWY_INLINE ResponseArray rest(Index i, Index size, Lanes& y_lanes, Lanes& log_lanes) const {
    return {pad(y + i, size, y_lanes), kWithLog ? pad(log_y_factorial + i, size, log_lanes) : nullptr};
  }
};

struct Outputs {
  double *value, *first, *second;
};

// The loops, over whole vectors; parameters by value, which stores cannot alias. Not inlined: together they
// would make a function that compilers take minutes over, with sanitizers at least.
template <class Ops, class Response>
HWY_NOINLINE void vectors_of_values(Ops ops, Response response, const double* s, Index count, double* out) {
  const FamilyTag d;
  for (Index i = 0; i < count; i += kFamilyWidth) {
    hn::StoreU(ops.value(d, response.y_at(i), hn::LoadU(d, s + i), response.log_at(i)), d, out + i);
  }
}

template <class Ops>
HWY_NOINLINE void vectors_of_scores(Ops ops, double y, const double* s, Index count, double* out) {
  const FamilyTag d;
  const FamilyVec shared = hn::Set(d, y);
  for (Index i = 0; i < count; i += kFamilyWidth) {
    hn::StoreU(ops.score(d, shared, hn::LoadU(d, s + i)), d, out + i);
  }
}

template <bool kValue, bool kSecond, class Ops, class Response>
HWY_NOINLINE void vectors_of_derivatives(Ops ops, Response response, const double* s, Index count,
                                         const Outputs& out) {
  const FamilyTag d;
  for (Index i = 0; i < count; i += kFamilyWidth) {
    const auto all =
        ops.template all<kValue, kSecond>(d, response.y_at(i), hn::LoadU(d, s + i), response.log_at(i));
    if constexpr (kValue) hn::StoreU(all.value, d, out.value + i);
    hn::StoreU(all.first, d, out.first + i);
    if constexpr (kSecond) hn::StoreU(all.second, d, out.second + i);
  }
}

// value and score share what they have in common once they are inlined side by side.
template <class Ops, class Response>
HWY_NOINLINE void vectors_of_both(Ops ops, Response response, const double* s, Index count, double* value,
                                  double* score) {
  const FamilyTag d;
  for (Index i = 0; i < count; i += kFamilyWidth) {
    const FamilyVec at = hn::LoadU(d, s + i), y = response.y_at(i);
    hn::StoreU(ops.value(d, y, at, response.log_at(i)), d, value + i);
    hn::StoreU(ops.score(d, y, at), d, score + i);
  }
}

// The same for any count.
template <class Ops, class Response>
void each_value(const Ops& ops, const Response& response, const double* s, Index count, double* out) {
  const Index rest = count % kFamilyWidth, whole = count - rest;
  vectors_of_values(ops, response, s, whole, out);
  if (rest == 0) return;
  Lanes y, log_y_factorial, in, result;
  vectors_of_values(ops, response.rest(whole, rest, y, log_y_factorial), pad(s + whole, rest, in),
                    kFamilyWidth, result.lane);
  unpad(result, rest, out + whole);
}

template <class Ops>
void each_score(const Ops& ops, double y, const double* s, Index count, double* out) {
  const Index rest = count % kFamilyWidth, whole = count - rest;
  vectors_of_scores(ops, y, s, whole, out);
  if (rest == 0) return;
  Lanes in, result;
  vectors_of_scores(ops, y, pad(s + whole, rest, in), kFamilyWidth, result.lane);
  unpad(result, rest, out + whole);
}

template <bool kValue, bool kSecond, class Ops, class Response>
void each_derivative(const Ops& ops, const Response& response, const double* s, Index count,
                     const Outputs& out) {
  const Index rest = count % kFamilyWidth, whole = count - rest;
  vectors_of_derivatives<kValue, kSecond>(ops, response, s, whole, out);
  if (rest == 0) return;
  Lanes y, log_y_factorial, in, value, first, second;
  vectors_of_derivatives<kValue, kSecond>(ops, response.rest(whole, rest, y, log_y_factorial),
                                          pad(s + whole, rest, in), kFamilyWidth,
                                          Outputs{value.lane, first.lane, second.lane});
  if constexpr (kValue) unpad(value, rest, out.value + whole);
  unpad(first, rest, out.first + whole);
  if constexpr (kSecond) unpad(second, rest, out.second + whole);
}

template <class Ops>
void derivatives_of(const Ops& ops, const double* y, const double* log_y_factorial, const double* s,
                    Index count, const Outputs& out) {
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
void for_family(const FamilyParameters& family, const Function& function) {
  switch (family.family) {
    case Family::BernoulliLogit: return function(BernoulliLogitOps());
    case Family::PoissonSoftplus: return function(PoissonSoftplusOps());
    case Family::PoissonLog: return function(PoissonLogOps());
    case Family::GaussianIdentity: return function(gaussian_identity(family.noise_scale));
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

struct ArrayBoth {
  const double *y, *log_y_factorial, *s;
  Index count;
  double *value, *score;
  template <class Ops>
  HWY_INLINE void operator()(const Ops& ops) const {
    if constexpr (std::is_same_v<Ops, PoissonSoftplusOps>) {
      vectors_of_both(ops, ResponseArray<Ops::kCounts>{y, log_y_factorial}, s, count, value, score);
    } else {
      derivatives_of(ops, y, log_y_factorial, s, count, {value, score, nullptr});
    }
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

void ValuesAndScores(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                     const double* s, Index count, double* value, double* score) {
  for_family(family, ArrayBoth{y, log_y_factorial, s, count, value, score});
}

// sum_i softplus(t_i), t_i = -y_i s_i, is sum_i max(t_i, 0) + log prod_i (1 + exp(-|t_i|)). The factors are
// fractions with parts between 2^14 and 2^16, so products of 16 are far from overflow.
HWY_INLINE FamilyVec bernoulli_loss(const double* y, const double* const* s, Index count, Index j) {
  const FamilyTag d;
  FamilyVec top = hn::Set(d, 1.0), bottom = top, linear = hn::Zero(d);
  for (Index i = 0; i < count; ++i) {
    const FamilyVec x = hn::LoadU(d, s[i] + j), t = hn::Mul(x, hn::Set(d, -y[i]));
    const Fraction<FamilyVec> e = exp_fraction(d, hn::Neg(hn::Abs(x)), 0.0);
    top = hn::Mul(top, hn::Add(e.top, e.bottom));
    bottom = hn::Mul(bottom, e.bottom);
    linear = hn::Add(linear, at_least(d, t, 0.0));
  }
  const FamilyVec product = hn::Div(top, bottom);
  const FamilyVec log = log_of_normal(d, Pair<FamilyVec>{product, hn::Sub(product, product)}).hi;
  return hn::Add(linear, log);
}

void AddBernoulli(const double* y, const double* const* s, Index count, Index many, double* out) {
  const FamilyTag d;
  const Index rest = many % kFamilyWidth, whole = many - rest;
  for (Index j = 0; j < whole; j += kFamilyWidth)
    hn::StoreU(hn::Sub(hn::LoadU(d, out + j), bernoulli_loss(y, s, count, j)), d, out + j);
  if (rest == 0) return;
  Lanes loss;
  hn::Store(bernoulli_loss(y, s, count, whole), d, loss.lane);
  for (Index j = 0; j < rest; ++j) out[whole + j] -= loss.lane[j];
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(SharedLogLikelihoods);
HWY_EXPORT(ArrayLogLikelihoods);
HWY_EXPORT(Scores);
HWY_EXPORT(ValuesAndScores);
HWY_EXPORT(AllDerivatives);
HWY_EXPORT(AddBernoulli);

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

void values_and_scores(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                       const double* s, Index count, double* value, double* score) {
  HWY_DYNAMIC_DISPATCH(ValuesAndScores)(family, y, log_y_factorial, s, count, value, score);
}

void derivatives(const FamilyParameters& family, const double* y, const double* log_y_factorial,
                 const double* s, Index count, double* value, double* first, double* second) {
  HWY_DYNAMIC_DISPATCH(AllDerivatives)(family, y, log_y_factorial, s, count, value, first, second);
}

void add_bernoulli(const double* y, const double* const* s, Index count, Index many, double* out) {
  if (count > 0) HWY_DYNAMIC_DISPATCH(AddBernoulli)(y, s, count, many, out);
}

}  // namespace giga::kernels
#endif
