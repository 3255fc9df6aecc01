// The two kinds of number that a log-likelihood is computed in when its derivatives are wanted.
//
//   Dual     x and <c, grad x>: the derivative along one direction c in R^D, at about the cost of a double.
//   Traced   x and how it came from the parameters, written to a Trace. Read backwards, the trace gives the
//            whole gradient, and the Hessian after it.
//
// Rows are made mostly of sums: a linear predictor has D of them, and a handful of other operations follow.
// So a traced number is an affine form,
//     x = constant + scale * sum of coefficient_i x_i over the terms i = begin .. end - 1,
// where each x_i is a parameter or the result of another operation. Adding a constant, scaling and negation
// record nothing. Adding to the form that was written last appends a term; the shorter form stays what it
// was, for those who have a copy. A form that becomes an argument is sealed: it gets a node of its own, once.
#pragma once

#include <cstdint>
#include <vector>

#include "giga/base/types.hpp"

namespace giga::autodiff {

/// The derivatives of f(a, b).
struct Partials {
  double a, b;        ///< df/da, df/db
  double aa, ab, bb;  ///< d2f/da2, d2f/dadb, d2f/db2
};

class Dual {
 public:
  /// A constant.
  Dual(double value = 0) : value_(value) {}  // NOLINT(google-explicit-constructor): as in T sum = 0
  Dual(double value, double slope) : value_(value), slope_(slope) {}

  [[nodiscard]] double value() const { return value_; }
  /// <c, grad x>.
  [[nodiscard]] double slope() const { return slope_; }

  // What the operators and functions of functions.hpp are made of. Below, `value` is that of the result.
  [[nodiscard]] static bool is_constant(const Dual& x) { return x.slope_ == 0; }
  /// A constant plus factor x.
  [[nodiscard]] static Dual linear(const Dual& x, double value, double factor) {
    return {value, factor * x.slope_};
  }
  /// a + sign b.
  [[nodiscard]] static Dual sum(const Dual& a, const Dual& b, double value, double sign) {
    return {value, a.slope_ + sign * b.slope_};
  }
  [[nodiscard]] static Dual product(const Dual& a, const Dual& b, double value) {
    return {value, a.slope_ * b.value_ + b.slope_ * a.value_};
  }
  /// f(x), by y = f(x) = Function::value(x), f' = first(x, y) and f'' = second(x, y, f').
  template <typename Function>
  [[nodiscard]] static Dual apply(const Dual& x) {
    const double y = Function::value(x.value_);
    return {y, x.slope_ == 0 ? 0 : Function::first(x.value_, y) * x.slope_};
  }
  /// f(a, b).
  [[nodiscard]] static Dual combine(const Dual& a, const Dual& b, double value, const Partials& f) {
    return {value, (a.slope_ == 0 ? 0 : f.a * a.slope_) + (b.slope_ == 0 ? 0 : f.b * b.slope_)};
  }

 private:
  double value_;
  double slope_ = 0;
};

class Trace;

/// Places in a trace: its terms, its nodes, and ids, which are 0 .. D-1 for the parameters, then the nodes.
using Place = std::int32_t;

class Traced {
 public:
  /// A constant.
  Traced(double value = 0) : value_(value) {}  // NOLINT(google-explicit-constructor): as in T sum = 0

  [[nodiscard]] double value() const { return value_; }

  // As for Dual.
  [[nodiscard]] static bool is_constant(const Traced& x) { return x.trace_ == nullptr; }
  [[nodiscard]] static Traced linear(const Traced& x, double value, double factor) {
    if (factor == 0) return value;
    return {value, x.scale_ * factor, x.trace_, x.begin_, x.end_};
  }
  [[nodiscard]] static Traced sum(const Traced& a, const Traced& b, double value, double sign);
  [[nodiscard]] static Traced product(const Traced& a, const Traced& b, double value);
  template <typename Function>
  [[nodiscard]] static Traced apply(const Traced& x);
  [[nodiscard]] static Traced combine(const Traced& a, const Traced& b, double value, const Partials& f);
  /// sum_j x[j] theta[j] over j < count: a sum that is written at once.
  [[nodiscard]] static Traced dot(const double* x, const Traced* theta, Index count);

 private:
  friend class Trace;
  Traced(double value, double scale, Trace* trace, Place begin, Place end)
      : value_(value), scale_(scale), trace_(trace), begin_(begin), end_(end) {}

  double value_;
  double scale_ = 0;
  Trace* trace_ = nullptr;  // none for a constant
  Place begin_ = 0, end_ = 0;
};

/// A vector whose push() is small enough to be inlined wherever numbers are added.
template <typename Value>
class Pile {
 public:
  [[nodiscard]] Place size() const { return size_; }
  /// To at most what was written.
  void resize(Place size) { size_ = size; }
  /// Room for `count` values after the last; written to, then counted by resize().
  [[nodiscard]] Value* room_for(Place count) {
    while (room_ - size_ < count) grow();
    return values_ + size_;
  }
  void push(const Value& value) {
    if (size_ == room_) grow();
    values_[size_++] = value;
  }
  [[nodiscard]] Value& operator[](Place i) { return values_[i]; }
  [[nodiscard]] const Value& operator[](Place i) const { return values_[i]; }

 private:
  [[gnu::noinline]] void grow() {
    storage_.resize(2 * storage_.size() + 64);
    values_ = storage_.data();
    room_ = static_cast<Place>(storage_.size());
  }

  std::vector<Value> storage_;
  Value* values_ = nullptr;
  Place size_ = 0, room_ = 0;
};

/// What was computed from D parameters, to be differentiated. For one thread at a time.
class Trace {
 public:
  /// `hessians`: whether add_hessian will be asked for.
  Trace(Index num_parameters, bool hessians);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// Where derivatives are taken.
  void set_point(const double* theta);
  /// The parameters, D numbers. What was recorded before is forgotten.
  [[nodiscard]] const Traced* start();

  /// out[d] += times dy/dtheta_d, for y made of the parameters since start().
  void add_gradient(const Traced& y, double times, double* out);
  /// out[d * D + e] += times d2y/dtheta_d dtheta_e for d <= e, of what the last add_gradient was asked for.
  void add_hessian(double* out);

 private:
  friend class Traced;

  struct Term {
    double coefficient;
    Place id;
    Place sealed;  // the id of the form that ends here, if it has one
  };
  // A sealed form, or f(a) or f(a, b).
  struct Node {
    double a, b;          // df/da, df/db
    Place first, second;  // begin and end of the form, or the ids of a and b
    bool is_form;
  };
  struct Curvature {  // of the node with the same place
    double aa, ab, bb;
  };
  struct Range {
    Place begin, end;
    [[nodiscard]] Place size() const { return end - begin; }
  };
  struct Factor {  // scale * the number with this id
    Place id;
    double scale;
  };

  static constexpr Place kNone = -1;
  static constexpr Place kCurved = -2;
  // The terms of a form up to this size are copied where another form needs them; a longer one is sealed.
  static constexpr Place kShort = 4;
  // A form of this size is sealed before it grows; otherwise running sums could cost the square of their
  // length.
  static constexpr Place kLong = 64;

  Factor as_factor(const Traced& x) {
    if (x.end_ - x.begin_ > 1) return {seal({x.begin_, x.end_}), x.scale_};
    const Term& only = terms_[x.begin_];
    return {only.id, x.scale_ * only.coefficient};
  }
  Traced record(double value, const Node& node, const Curvature& curvature) {
    nodes_.push(node);
    if (hessians_) curvatures_.push(curvature);
    const Place begin = terms_.size();
    terms_.push({1, num_parameters_ + nodes_.size() - 1, kNone});
    return {value, 1, this, begin, begin + 1};
  }
  Place seal(Range form);
  void append(Range form, double scale);
  Range append_or_copy(Range a, double scale_a, Range b, double scale_b);
  void find_leaves();
  void find_leaf_gradients();
  void find_core(Index dim);
  [[nodiscard]] Place& row(Place id) { return row_of_[static_cast<std::size_t>(id)]; }

  Place num_parameters_;
  bool hessians_;
  std::vector<Traced> parameters_;
  Pile<Term> terms_;  // first those of the parameters
  Pile<Node> nodes_;
  Pile<Curvature> curvatures_;  // if hessians_
  std::vector<double> adjoints_;
  std::vector<Place> row_of_, leaves_;
  std::vector<double> leaf_gradients_, gradients_, core_, product_;
};

inline Traced Traced::sum(const Traced& a, const Traced& b, double value, double sign) {
  if (is_constant(a)) return linear(b, value, sign);
  if (is_constant(b)) return linear(a, value, 1);
  Trace& trace = *a.trace_;
  const double scale_b = sign * b.scale_;
  const bool grows = a.end_ == trace.terms_.size() && a.scale_ == 1 && a.end_ - a.begin_ < Trace::kLong;
  if (grows && b.end_ - b.begin_ == 1) {  // what append_or_copy would do
    const Trace::Term one = trace.terms_[b.begin_];
    trace.terms_.push({scale_b * one.coefficient, one.id, Trace::kNone});
    return {value, 1, a.trace_, a.begin_, a.end_ + 1};
  }
  const auto [begin, end] = trace.append_or_copy({a.begin_, a.end_}, a.scale_, {b.begin_, b.end_}, scale_b);
  return {value, 1, a.trace_, begin, end};
}

inline Traced Traced::product(const Traced& a, const Traced& b, double value) {
  if (is_constant(a)) return linear(b, value, a.value_);
  if (is_constant(b)) return linear(a, value, b.value_);
  return combine(a, b, value, {b.value_, a.value_, 0, 1, 0});
}

template <typename Function>
Traced Traced::apply(const Traced& x) {
  const double y = Function::value(x.value_);
  if (is_constant(x)) return y;
  Trace& trace = *x.trace_;
  const double first = Function::first(x.value_, y);
  const double second = trace.hessians_ ? Function::second(x.value_, y, first) : 0;
  const auto [id, scale] = trace.as_factor(x);
  return trace.record(y, {first * scale, 0, id, Trace::kNone, false}, {second * scale * scale, 0, 0});
}

inline Traced Traced::combine(const Traced& a, const Traced& b, double value, const Partials& f) {
  if (is_constant(a) && is_constant(b)) return value;
  Trace& trace = is_constant(a) ? *b.trace_ : *a.trace_;
  if (is_constant(a) || is_constant(b)) {
    const auto [id, scale] = trace.as_factor(is_constant(a) ? b : a);
    const double first = is_constant(a) ? f.b : f.a, second = is_constant(a) ? f.bb : f.aa;
    return trace.record(value, {first * scale, 0, id, Trace::kNone, false}, {second * scale * scale, 0, 0});
  }
  const auto [id_a, scale_a] = trace.as_factor(a);
  const auto [id_b, scale_b] = trace.as_factor(b);
  return trace.record(value, {f.a * scale_a, f.b * scale_b, id_a, id_b, false},
                      {f.aa * scale_a * scale_a, f.ab * scale_a * scale_b, f.bb * scale_b * scale_b});
}

}  // namespace giga::autodiff
