// Gradients and Hessians of what a Trace recorded.
//
// Node v is f(a, b) of earlier numbers. With the adjoint of v, times dy/dv, the gradient is the usual pass
// backwards: adjoint(a) += adjoint(v) df/da. The Hessian is a sum over the nodes that are not linear,
//     H = sum_v adjoint(v) (grad a, grad b) (second derivatives of f) (grad a, grad b)^T,
// with gradients in R^D. But a row depends on theta through a few affine forms u_1 .. u_m, its leaves. So the
// gradients are taken in R^m, where they are short, and with those of the leaves as the rows of U
//     H = U^T S U,    S the m x m Hessian in (u_1, ..., u_m).
// With more leaves than parameters they are taken in R^D at once, and H = S.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "giga/model/autodiff/numbers.hpp"

namespace giga::autodiff {
namespace {

template <typename Value>
Value* filled(std::vector<Value>& values, Index count, Value value) {
  values.assign(static_cast<std::size_t>(count), value);
  return values.data();
}

// y += factor x.
void add_multiple(double factor, const double* x, Index count, double* y) {
  for (Index i = 0; i < count; ++i) y[i] += factor * x[i];
}

}  // namespace

// Parameter d has the id d and, as its form, the term d: coefficient 1. Those terms stay for good.
Trace::Trace(Index num_parameters, bool hessians)
    : num_parameters_(static_cast<Place>(num_parameters)), hessians_(hessians) {
  if (num_parameters < 1 || num_parameters > std::numeric_limits<Place>::max())
    throw std::invalid_argument("num_parameters is " + std::to_string(num_parameters) +
                                ", must be at least 1 and below 2^31");
  for (Place d = 0; d < num_parameters_; ++d) {
    parameters_.push_back({0, 1, this, d, d + 1});
    terms_.push({1, d, kNone});
  }
}

void Trace::set_point(const double* theta) {
  for (Traced& parameter : parameters_) parameter.value_ = *theta++;
}

const Traced* Trace::start() {
  terms_.resize(num_parameters_);
  nodes_.resize(0);
  curvatures_.resize(0);
  return parameters_.data();
}

// The id of a form as a node, made on first use. A term belongs to one growing form, so a form is known by
// its end: its last term remembers the id.
Place Trace::seal(Range form) {
  Term& last = terms_[form.end - 1];
  if (last.sealed == kNone) {
    last.sealed = num_parameters_ + nodes_.size();
    record(0, {0, 0, form.begin, form.end, true}, {0, 0, 0});  // its term ends the growth of the form
  }
  return terms_[form.end - 1].sealed;
}

// Adds scale * form to the form that is being written: its terms if there are few, else one term for the
// sealed form.
void Trace::append(Range form, double scale) {
  if (form.size() > kShort) {
    terms_.push({scale, terms_[form.end - 1].sealed, kNone});
    return;
  }
  for (Place i = form.begin; i < form.end; ++i) {
    const Term copied = terms_[i];
    terms_.push({scale * copied.coefficient, copied.id, kNone});
  }
}

Trace::Range Trace::append_or_copy(Range a, double scale_a, Range b, double scale_b) {
  // scale_a a + scale_b b. If one of the two was written last, with scale 1, it grows by the other; nothing
  // of it is copied. Otherwise a new form is written after both.
  if (terms_.size() > std::numeric_limits<Place>::max() / 4)
    throw std::length_error("a row of too many terms");
  const auto grows = [&](Range form, double scale) {
    return form.end == terms_.size() && scale == 1 && form.size() < kLong;
  };
  // Short enough to be copied, or sealed already: sealing now would write terms after the growing form.
  const auto can_append = [&](Range form) {
    return form.size() <= kShort || terms_[form.end - 1].sealed != kNone;
  };
  if (grows(a, scale_a) && can_append(b)) {
    append(b, scale_b);
    return {a.begin, terms_.size()};
  }
  if (grows(b, scale_b) && can_append(a)) {
    append(a, scale_a);
    return {b.begin, terms_.size()};
  }
  // A new form: long ones are sealed first, as that writes to the trace.
  for (const Range form : {a, b})
    if (form.size() > kShort) seal(form);
  const Place begin = terms_.size();
  append(a, scale_a);
  append(b, scale_b);
  return {begin, terms_.size()};
}

Traced Traced::dot(const double* x, const Traced* theta, Index count) {
  // Invariant: out = sum of x[i] theta[i] over i < j.
  Traced out = 0;
  for (Index j = 0; j < count;) {
    out = sum(out, linear(theta[j], 0, x[j]), out.value_ + x[j] * theta[j].value_, 1);
    ++j;
    if (is_constant(out) || out.scale_ != 1 || out.end_ != out.trace_->terms_.size()) continue;
    // The form grows; the terms that follow are written without asking again.
    Trace& trace = *out.trace_;
    Trace::Term* to = trace.terms_.room_for(Trace::kLong);
    for (; j < count && out.end_ - out.begin_ < Trace::kLong && theta[j].end_ - theta[j].begin_ == 1; ++j) {
      const Trace::Term& one = trace.terms_[theta[j].begin_];
      *to++ = {x[j] * theta[j].scale_ * one.coefficient, one.id, Trace::kNone};
      out.value_ += x[j] * theta[j].value_;
      ++out.end_;
    }
    trace.terms_.resize(out.end_);
  }
  return out;
}

void Trace::add_gradient(const Traced& y, double times, double* out) {
  // adjoint(v) = times dy/dv. Nodes come after what they are made of, so on the way back every adjoint is
  // complete when it is used.
  double* const adjoints = filled(adjoints_, num_parameters_ + nodes_.size(), 0.0);
  for (Place i = y.begin_; i < y.end_; ++i)
    adjoints[terms_[i].id] += times * y.scale_ * terms_[i].coefficient;
  for (Place v = nodes_.size() - 1; v >= 0; --v) {
    const double adjoint = adjoints[num_parameters_ + v];
    if (adjoint == 0) continue;  // y does not depend on it, be its derivatives finite or not
    const Node& f = nodes_[v];
    if (f.is_form) {
      for (Place i = f.first; i < f.second; ++i) adjoints[terms_[i].id] += adjoint * terms_[i].coefficient;
    } else {
      adjoints[f.first] += adjoint * f.a;
      if (f.second != kNone) adjoints[f.second] += adjoint * f.b;
    }
  }
  for (Place d = 0; d < num_parameters_; ++d) out[d] += adjoints[d];
}

// Writes leaves_ and row_of_: the row of a leaf in U, kCurved for a node that is not affine in theta, kNone
// for a parameter that is not a leaf. Leaves are the affine arguments of nodes that are not affine.
void Trace::find_leaves() {
  filled(row_of_, num_parameters_ + nodes_.size(), kNone);
  leaves_.clear();
  const auto be_leaf = [&](Place id) {
    if (row(id) != kNone) return;
    row(id) = static_cast<Place>(leaves_.size());
    leaves_.push_back(id);
  };
  for (Place v = 0; v < nodes_.size(); ++v) {
    const Node& f = nodes_[v];
    const Place id = num_parameters_ + v;
    if (!f.is_form) {
      row(id) = kCurved;
      be_leaf(f.first);
      if (f.second != kNone) be_leaf(f.second);
      continue;
    }
    // A form of affine numbers is affine itself, and becomes one leaf; in any other form each affine term is
    // one.
    bool affine = true;
    for (Place i = f.first; i < f.second && affine; ++i) affine = row(terms_[i].id) != kCurved;
    if (affine) {
      be_leaf(id);
      continue;
    }
    row(id) = kCurved;
    for (Place i = f.first; i < f.second; ++i) be_leaf(terms_[i].id);
  }
}

// U: a row of D numbers per leaf. A leaf may be made of earlier leaves, whose rows are complete by then.
void Trace::find_leaf_gradients() {
  const Index dim = num_parameters_;
  double* out = filled(leaf_gradients_, std::ssize(leaves_) * dim, 0.0);
  for (const Place leaf : leaves_) {
    if (leaf < num_parameters_) {
      out[leaf] = 1;
    } else {
      const Node& form = nodes_[leaf - num_parameters_];
      for (Place i = form.first; i < form.second; ++i) {
        const Term& one = terms_[i];
        if (one.id < num_parameters_)
          out[one.id] += one.coefficient;
        else
          add_multiple(one.coefficient, leaf_gradients_.data() + row(one.id) * dim, dim, out);
      }
    }
    out += dim;
  }
}

// S on and above the diagonal, dim x dim. `gradients` has a row per leaf (a unit vector in R^m, or the leaf's
// row of U in R^D), then one per curved node, in the order of the trace:
//     grad f = f_a grad a + f_b grad b,
//     S += adjoint (f_aa a a' + f_ab (a b' + b a') + f_bb b b'),  a and b short for their gradients.
void Trace::find_core(Index dim) {
  const Index num_leaves = std::ssize(leaves_);
  double* const s = filled(core_, dim * dim, 0.0);
  double* const gradients = filled(gradients_, (num_leaves + nodes_.size()) * dim, 0.0);
  // In R^m leaf k has the gradient e_k; in R^D its row of U.
  if (num_leaves <= dim) {
    for (Index leaf = 0; leaf < num_leaves; ++leaf) gradients[leaf * dim + leaf] = 1;
  } else {
    std::copy(leaf_gradients_.begin(), leaf_gradients_.end(), gradients);
  }
  auto next_row = static_cast<Place>(num_leaves);
  for (Place v = 0; v < nodes_.size(); ++v) {
    if (row(num_parameters_ + v) != kCurved) continue;
    row(num_parameters_ + v) = next_row;
    double* const gradient = gradients + dim * next_row++;
    const Node& f = nodes_[v];
    if (f.is_form) {
      for (Place i = f.first; i < f.second; ++i)
        add_multiple(terms_[i].coefficient, gradients + dim * row(terms_[i].id), dim, gradient);
      continue;
    }
    const Curvature& second = curvatures_[v];
    const double adjoint = adjoints_.data()[num_parameters_ + v];
    const double* const a = gradients + dim * row(f.first);
    const double* const b = f.second != kNone ? gradients + dim * row(f.second) : a;
    add_multiple(f.a, a, dim, gradient);
    if (f.second != kNone) add_multiple(f.b, b, dim, gradient);
    if (adjoint == 0) continue;
    for (Index i = 0; i < dim; ++i) {
      const double left = adjoint * (second.aa * a[i] + second.ab * b[i]);
      const double right = adjoint * (second.ab * a[i] + second.bb * b[i]);
      for (Index j = i; j < dim; ++j) s[i * dim + j] += left * a[j] + right * b[j];
    }
  }
}

void Trace::add_hessian(double* out) {
  find_leaves();
  find_leaf_gradients();
  const Index dim = num_parameters_, num_leaves = std::ssize(leaves_);
  // H = S in R^D if there are more leaves than parameters, else U'S U.
  const Index core_dim = std::min(num_leaves, dim);
  find_core(core_dim);
  if (num_leaves > dim) {
    for (Index i = 0; i < dim; ++i)
      for (Index j = i; j < dim; ++j) out[i * dim + j] += core_[static_cast<std::size_t>(i * dim + j)];
    return;
  }
  for (Index leaf = 0; leaf < num_leaves; ++leaf) {
    double* const product = filled(product_, dim, 0.0);  // of S U, the row of this leaf
    for (Index other = 0; other < num_leaves; ++other) {
      const double s =
          core_[static_cast<std::size_t>(std::min(leaf, other) * num_leaves + std::max(leaf, other))];
      if (s != 0) add_multiple(s, leaf_gradients_.data() + other * dim, dim, product);
    }
    // H += u_leaf (S U)_leaf', upper triangle.
    const double* const u = leaf_gradients_.data() + leaf * dim;
    for (Index i = 0; i < dim; ++i)
      if (u[i] != 0) add_multiple(u[i], product + i, dim - i, out + i * dim + i);
  }
}

}  // namespace giga::autodiff
