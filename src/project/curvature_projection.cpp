// The vectors (a_n u_n, b_n svec(u_n u_n')) and the features of the remainder. Notation as in the header.
//
// a_n and b_n are found once, when the projection is made: two numbers per row, and a few more where the
// family has extra parameters (row_blocks.hpp). The vectors themselves are computed whenever they are asked
// for.
#include "giga/project/curvature_projection.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/dense_kernels.hpp"
#include "giga/project/random_projection.hpp"
#include "model/family_kernels.hpp"
#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"
#include "project/row_blocks.hpp"

namespace giga {
namespace {

using kernels::kTile;

// Nodes in the far tail, whose weights are negligible, are kept from overflowing e^s.
constexpr double kMostPredictor = 700;

// Expectations under N(m, sd^2) by the trapezoidal rule on x = (s - m) / sd,
//
//     E f(s) = sum_k h phi(k h) f(m + sd k h),
//
// whose error for a function analytic within d of the real line is about 2 exp(-2 pi d / h). Two things limit
// the step h. The density alone has the error 2 exp(-2 pi^2 / h^2), 1.2e-15 for h = 0.75. A family that is
// analytic within pi in s, such as those with branch points at +- i pi, has 2 exp(-2 pi^2 / (sd h)), 1e-14
// for sd h = 0.6. The range is 8.5 plus sd, as e^s phi(x) has its peak at x = sd, not at 0.
struct Rule {
  std::vector<double> nodes, weights;  // in units of sd
};

Rule rule_for(double sd, double analytic_within) {
  constexpr double kDensityStep = 0.75, kFamilyStep = 0.6, kRange = 8.5;
  constexpr double kMostShift = 40;  // E e^s has the factor exp(sd^2 / 2), beyond a double for sd = 40
  constexpr Index kMost = 2000;      // nodes on either side; from sd = 32 on the steps grow instead
  const double range = kRange + std::min(sd, kMostShift);
  const double family_step = kFamilyStep * (analytic_within / std::numbers::pi);
  const double step = std::min(kDensityStep, family_step / sd);
  // Nodes k = -side .. side, symmetric about the mean; the step is adjusted so that the last lies on the
  // edge.
  const Index side = std::min(kMost, static_cast<Index>(std::ceil(range / step)));
  const double width = range / static_cast<double>(side);
  Rule rule;
  for (Index k = -side; k <= side; ++k) {
    const double x = static_cast<double>(k) * width;
    rule.nodes.push_back(x);
    rule.weights.push_back(width * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi));
  }
  return rule;
}

// Averages of l' and l'' over the predictor of a row.
class Average {
 public:
  explicit Average(const FamilyParameters& family)
      : family_(family), analytic_within_(describe(family.family).analytic_within) {}

  std::pair<double, double> under(double mean, double sd, double response) {
    // A rule made for sd serves all smaller ones, as its step in s only shrinks. Rounding sd up to a power of
    // two lets neighbouring rows share one rule, at less than four times the nodes.
    const double rounded = sd <= 0.25 ? 0.25 : std::exp2(std::ceil(std::log2(sd)));
    if (rounded != made_for_) rule_ = rule_for(made_for_ = rounded, analytic_within_);
    // All nodes of the row in one call of the kernel.
    const std::size_t size = rule_.nodes.size();
    s_.resize(size);
    slopes_.resize(size);
    curvatures_.resize(size);
    y_.assign(size, response);
    for (std::size_t k = 0; k < size; ++k)
      s_[k] = std::min(mean + sd * rule_.nodes[k], std::max(mean, kMostPredictor));
    kernels::derivatives(family_, y_.data(), nullptr, s_.data(), static_cast<Index>(size), nullptr,
                         slopes_.data(), curvatures_.data());
    return {std::inner_product(slopes_.begin(), slopes_.end(), rule_.weights.begin(), 0.0),
            std::inner_product(curvatures_.begin(), curvatures_.end(), rule_.weights.begin(), 0.0)};
  }

 private:
  FamilyParameters family_;
  double analytic_within_;
  double made_for_ = -1;
  Rule rule_;
  std::vector<double> s_, y_, slopes_, curvatures_;
};

double product(const double* a, const double* b, Index size) {
  return std::inner_product(a, a + size, b, 0.0);
}

// The derivatives in the extra parameters of `count` <= kTile rows at their predictors s, a row after the
// other as row_block takes them.
void find_extras(const LinearModel& model, const double* phi, const double* y, const double* s, Index count,
                 double* out) {
  const Index num_extras = model.num_all() - model.num_columns(), each = extra_numbers(num_extras);
  if (num_extras == 0) return;
  const Scratch found(each * count);
  double* first = found.data();
  kernels::of(model.family())
      .extra_derivatives(model.family(), phi, y, s, count, first, first + num_extras * count,
                         first + 2 * num_extras * count);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < each; ++k) out[i * each + k] = found.data()[k * count + i];
  }
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The sum of u u' over all rows, u = C'z; the lower triangle is summed and then mirrored. Multiplicities do
// not matter here: only the directions that occur do.
Matrix spread_of_rows(const LinearModel& regression, const Points& frame, const Executor& executor) {
  const Index num_columns = regression.num_columns(), dim = frame.count();
  const ExtendedVector sum =
      sum_blocks(executor, regression.num_rows(), dim * dim, [&](Index first, Index count, double* part) {
        const Scratch z(kTile * num_columns), u(kTile * frame.stride());
        for (Index begin = 0; begin < count; begin += kTile) {
          const Index some = std::min(kTile, count - begin);
          regression.design(first + begin, some, z.data());
          kernels::predict_many(z.data(), some, num_columns, frame.component(0), frame.stride(), u.data());
          for (Index i = 0; i < some; ++i) {
            const double* un = u.data() + i * frame.stride();
            for (Index d = 0; d < dim; ++d) {
              for (Index e = 0; e <= d; ++e) part[d * dim + e] += un[d] * un[e];
            }
          }
        }
      });
  Matrix lower(dim, dim);
  std::transform(sum.begin(), sum.end(), lower.data(), [](Extended x) { return static_cast<double>(x); });
  // Extra parameters add directions of their own, which rows share: as long as all u together.
  const double size = std::max(lower.diagonal().maxCoeff(), 1e-300);
  for (Index e = num_columns; e < frame.dim(); ++e) {
    Eigen::VectorXd w(dim);
    for (Index k = 0; k < dim; ++k) w[k] = frame.at(e, k);
    if (w.squaredNorm() > 0) lower += size / w.squaredNorm() * w * w.transpose();
  }
  return lower.selfadjointView<Eigen::Lower>();
}

// The columns of C. Where the rows span fewer dimensions than there are parameters, the columns of C Q
// instead, Q an orthonormal basis of the span of all u_n: then Q'u_n has as many components as the rank r,
// inner products stay the same, and a vector has r + r(r+1)/2 components instead of D + D(D+1)/2.
Points frame_for(const LinearModel& regression, const Normal& pihat, const Derivatives* all_rows,
                 const Executor& executor) {
  constexpr double kNothing = 1e-13;  // relative to the largest eigenvalue, what rounding alone may leave
  Points all = *draw_features(pihat, 1, true, 0, "").frame;
  // Eigenvectors of sum u u', eigenvalues ascending: those of the last `spanned` are the basis Q.
  const Index dim = pihat.dim();
  Matrix spread = spread_of_rows(regression, all, executor);
  if (all_rows != nullptr) {  // what candidates do not span, but all rows do
    const Eigen::Map<const Matrix> c(pihat.factor().data(), dim, dim);
    spread -= c.transpose() * Eigen::Map<const Matrix>(all_rows->hessian.data(), dim, dim) * c;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(spread);
  const double least = kNothing * axes.eigenvalues().maxCoeff();
  const Index spanned = (axes.eigenvalues().array() > least).count();
  if (spanned == dim || spanned == 0 || axes.info() != Eigen::Success) return all;
  const Matrix turned =
      Eigen::Map<const Matrix>(pihat.factor().data(), dim, dim) * axes.eigenvectors().rightCols(spanned);
  Points frame(dim, spanned);
  for (Index k = 0; k < spanned; ++k) {
    const Eigen::VectorXd column = turned.col(k);
    frame.set(k, {column.data(), at(dim)});
  }
  return frame;
}

}  // namespace

CurvatureProjection::CurvatureProjection(const LinearModel& regression, const Normal& pihat,
                                         const Executor& executor, const CurvatureProjectionOptions& options)
    : regression_(&regression),
      pihat_(&pihat),
      options_(options),
      frame_(options.like != nullptr ? options.like->frame_
                                     : frame_for(regression, pihat, options.all_rows, executor)),
      remainder_(draw_features(pihat, std::max<Index>(1, options.remainder_dim), false, options.seed,
                               options.purpose)),
      slope_(at(regression.num_rows())),
      curvature_(at(regression.num_rows())) {
  if (pihat.dim() != regression.num_all())
    throw std::invalid_argument("pihat has another dimension than the model");
  if (num_extras() > 0 && options.expansion != Expansion::Taylor)
    throw std::invalid_argument("families with extra parameters have a Taylor expansion only");
  if (num_extras() >= kMostBlock) throw std::invalid_argument("the family has too many extra parameters");
  for (Index e = 0; e < num_extras(); ++e) {
    for (Index k = 0; k < frame_.count(); ++k) shared_.push_back(frame_.at(regression.num_columns() + e, k));
  }
  extra_.resize(at(num_rows() * extra_numbers(num_extras())));
  if (options.remainder_dim < 0) throw std::invalid_argument("remainder_dim must be at least 0");
  if (options.all_rows != nullptr && options.expansion != Expansion::Taylor)
    throw std::invalid_argument("derivatives at the mean of pihat are those of a Taylor expansion");
  if (options.remainder_dim > 0 && options.expansion != Expansion::Hermite)
    throw std::invalid_argument("the remainder of a Taylor expansion is not orthogonal to it; use Hermite");
  // a_n and b_n are written by the block of row n alone.
  for_each_block(executor, num_rows(), [this](Index first, Index count) {
    for (Index begin = 0; begin < count; begin += kTile)
      find_coefficients(first + begin, std::min(kTile, count - begin));
  });
  if (options.hold_rows) hold_rows(executor);
}

ExtendedVector CurvatureProjection::target() const {
  const Index dim = pihat_->dim(), spanned = frame_.count();
  if (options_.all_rows == nullptr) throw std::logic_error("the derivatives of all rows are not known");
  // The columns of F, and H F.
  std::vector<std::vector<double>> f(at(spanned), std::vector<double>(at(dim)));
  std::vector<ExtendedVector> hf(at(spanned), ExtendedVector(at(dim), 0));
  for (Index k = 0; k < spanned; ++k) {
    frame_.get(k, f[at(k)].data());
    for (Index d = 0; d < dim; ++d) {
      for (Index e = 0; e < dim; ++e)
        hf[at(k)][at(d)] += Extended{options_.all_rows->hessian[at(d * dim + e)]} * f[at(k)][at(e)];
    }
  }
  const auto along = [dim](const std::vector<double>& x, const auto& y) {
    Extended sum = 0;
    for (std::size_t d = 0; d < at(dim); ++d) sum += Extended{x[d]} * Extended{y[d]};
    return sum;
  };
  // In the order of read(): F'g, then the upper triangle of F'HF row by row, times sqrt 2 off the diagonal.
  ExtendedVector out;
  for (Index k = 0; k < spanned; ++k) out.push_back(along(f[at(k)], options_.all_rows->gradient));
  for (Index k = 0; k < spanned; ++k) {
    out.push_back(along(f[at(k)], hf[at(k)]));
    for (Index j = k + 1; j < spanned; ++j)
      out.push_back(std::numbers::sqrt2_v<Extended> * along(f[at(k)], hf[at(j)]));
  }
  return out;
}

Index CurvatureProjection::dim() const {
  return curvature_dim(frame_.count()) + options_.remainder_dim;
}

Index CurvatureProjection::num_extras() const {
  return regression_->num_all() - regression_->num_columns();
}

// a_n and b_n of a tile of rows: l' and l'' at E s (Taylor), or their averages over s (Hermite).
void CurvatureProjection::find_coefficients(Index first, Index count) {
  const Index dim = regression_->num_columns();
  const Scratch z(kTile * dim), u(kTile * frame_.stride());
  regression_->design(first, count, z.data());
  // mean: E s_n = z_n.thetahat, for the rows of the tile.
  std::array<double, kTile> mean, y;
  for (Index i = 0; i < count; ++i) {
    mean[at(i)] = product(z.data() + i * dim, pihat_->mean().data(), dim) + regression_->offset(first + i);
    y[at(i)] = regression_->response(first + i);
  }
  if (options_.expansion == Expansion::Taylor) {
    kernels::derivatives(regression_->family(), y.data(), nullptr, mean.data(), count, nullptr,
                         slope_.data() + first, curvature_.data() + first, pihat_->mean().data() + dim);
    find_extras(*regression_, pihat_->mean().data() + dim, y.data(), mean.data(), count,
                extra_.data() + first * extra_numbers(num_extras()));
    return;
  }
  kernels::predict_many(z.data(), count, dim, frame_.component(0), frame_.stride(), u.data());
  Average average(regression_->family());
  for (Index i = 0; i < count; ++i) {
    const auto k = at(i);
    const double* un = u.data() + i * frame_.stride();
    // The sd of s_n is |u_n|, in the turned frame as well.
    const double sd = std::sqrt(product(un, un, frame_.count()));
    const auto n = at(first + i);
    std::tie(slope_[n], curvature_[n]) = average.under(mean[k], sd, y[k]);
  }
}

// z_n and u_n of some rows; the latter lie frame_.stride() apart.
void CurvatureProjection::frame_rows(Index first, Index count, double* z, double* u) const {
  regression_->design(first, count, z);
  kernels::predict_many(z, count, regression_->num_columns(), frame_.component(0), frame_.stride(), u);
}

void CurvatureProjection::read(Index first, Index count, double* out) const {
  const Index dim = regression_->num_columns(), spanned = frame_.count(), width = this->dim();
  const Index most = std::min(count, kTile);
  const bool held = !held_.empty();  // then neither z nor u need be made
  const Index apart = held ? spanned : frame_.stride();
  const Scratch z(held ? 0 : most * dim), made(held ? 0 : most * apart);
  for (Index begin = 0; begin < count; begin += kTile) {
    const Index some = std::min(kTile, count - begin);
    if (!held) frame_rows(first + begin, some, z.data(), made.data());
    const double* u = held ? held_frame(first + begin) : made.data();
    for (Index i = 0; i < some; ++i) {
      const Index n = first + begin + i;
      // (a u, b svec(u u')), svec row by row: u_d^2, then sqrt 2 u_d u_e for e > d. That makes
      // <svec(u u'), svec(v v')> = sum_d u_d^2 v_d^2 + 2 sum_{d<e} u_d u_e v_d v_e = <u,v>^2.
      const double times = regression_->multiplicity(n);
      const double a = times * slope_at(n), b = times * curvature_at(n);
      const double* un = u + i * apart;
      double* v = out + (begin + i) * width;
      if (num_extras() > 0) {
        write_with_extras(n, un, v);
        continue;
      }
      for (Index d = 0; d < spanned; ++d) *v++ = a * un[d];
      for (Index d = 0; d < spanned; ++d) {
        *v++ = b * un[d] * un[d];
        const double twice = std::numbers::sqrt2 * b * un[d];
        for (Index e = d + 1; e < spanned; ++e) *v++ = twice * un[e];
      }
    }
    double* rest = out + begin * width + curvature_dim(spanned);
    if (held) {
      for (Index i = 0; i < some; ++i)
        std::copy_n(held_rest(first + begin + i), options_.remainder_dim, rest + i * width);
    } else if (options_.remainder_dim > 0) {
      read_remainder(first + begin, some, z.data(), u, width, rest);
    }
  }
}

RowBlock CurvatureProjection::block_at(Index n) const {
  return row_block(slope_at(n), curvature_at(n), extra_.data() + n * extra_numbers(num_extras()),
                   num_extras());
}

// (U a, svec(U B U')), times the multiplicity: with u_0 = u and u_e = w_e, component d of U a is
// sum_i a_i u_id, and entry (d, e) of U B U' is sum_ij B_ij u_id u_je.
void CurvatureProjection::write_with_extras(Index n, const double* u, double* v) const {
  const Index spanned = frame_.count(), size = 1 + num_extras();
  const RowBlock block = block_at(n);
  const double times = regression_->multiplicity(n);
  const auto vector = [&](Index i) { return i == 0 ? u : shared_.data() + (i - 1) * spanned; };
  for (Index d = 0; d < spanned; ++d) {
    double sum = 0;
    for (Index i = 0; i < size; ++i) sum += block.a[at(i)] * vector(i)[d];
    *v++ = times * sum;
  }
  for (Index d = 0; d < spanned; ++d) {
    std::array<double, at(kMostBlock)> left{};  // row d of U B
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) left[at(j)] += vector(i)[d] * block.b(i, j);
    }
    for (Index e = d; e < spanned; ++e) {
      double sum = 0;
      for (Index j = 0; j < size; ++j) sum += left[at(j)] * vector(j)[e];
      *v++ = times * (e == d ? sum : std::numbers::sqrt2 * sum);
    }
  }
}

// K = U_n'U_m.
SmallMatrix CurvatureProjection::products_of(const double* un, const double* um) const {
  const Index spanned = frame_.count(), size = 1 + num_extras();
  const auto vector = [&](const double* u, Index i) {
    return i == 0 ? u : shared_.data() + (i - 1) * spanned;
  };
  SmallMatrix k;
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) k(i, j) = kernels::dot(vector(un, i), vector(um, j), spanned);
  }
  return k;
}

// sqrt(D/R) (l'(s_j) - a - b (s_j - E s)) u_{d_j}, with R features. d_j is uniform on 1..D also where the
// frame has only r < D columns: u then has D - r further components, all 0, so the estimate stays unbiased.
// Rows of `out` lie `apart` from each other.
void CurvatureProjection::read_remainder(Index first, Index count, const double* z, const double* u,
                                         Index apart, double* out) const {
  const Index dim = regression_->num_columns(), num = options_.remainder_dim;
  const Points& points = remainder_.points;
  const Scratch s(count * points.stride()), slopes(num);
  kernels::predict_many(z, count, dim, points.component(0), points.stride(), s.data());
  for (Index i = 0; i < count; ++i) {
    const Index n = first + i;
    const double offset = regression_->offset(n);
    const double mean = product(z + i * dim, pihat_->mean().data(), dim) + offset;
    double* sn = s.data() + i * points.stride();
    for (Index j = 0; j < num && regression_->has_offset(); ++j) sn[j] += offset;
    kernels::slopes(regression_->family(), regression_->response(n), sn, num, slopes.data());
    const double times =
        regression_->multiplicity(n) * std::sqrt(static_cast<double>(dim) / static_cast<double>(num));
    for (Index j = 0; j < num; ++j) {
      const double rest = slopes.data()[j] - slope_at(n) - curvature_at(n) * (sn[j] - mean);
      const Index along = remainder_.coordinate[at(j)];
      out[i * apart + j] = along < frame_.count() ? times * rest * u[i * frame_.stride() + along] : 0.0;
    }
  }
}

// --- products ----------------------------------------------------------------------------------------------

const RowProducts* CurvatureProjection::products() const {
  return held_.empty() ? nullptr : this;
}

const double* CurvatureProjection::held_frame(Index n) const {
  return held_.data() + n * frame_.count();
}
const double* CurvatureProjection::held_rest(Index n) const {
  return rest_.data() + n * options_.remainder_dim;
}

void CurvatureProjection::hold_rows(const Executor& executor) {
  const Index spanned = frame_.count();
  if (!knows_products(num_rows(), spanned, options_.remainder_dim)) return;
  held_.resize(at(num_rows() * spanned));
  rest_.resize(at(num_rows() * options_.remainder_dim));
  for_each_block(executor, num_rows(), [&](Index first, Index count) {
    const Scratch z(kTile * regression_->num_columns()), u(kTile * frame_.stride());
    for (Index begin = first; begin < first + count; begin += kTile) {
      const Index some = std::min(kTile, first + count - begin);
      frame_rows(begin, some, z.data(), u.data());
      for (Index i = 0; i < some; ++i)
        std::copy_n(u.data() + i * frame_.stride(), spanned, held_.data() + (begin + i) * spanned);
      if (rest_.empty()) continue;
      read_remainder(begin, some, z.data(), u.data(), options_.remainder_dim,
                     rest_.data() + begin * options_.remainder_dim);
    }
  });
}

// |v_n|^2 = a^2 |u|^2 + b^2 |u|^4, and what the remainder adds.
void CurvatureProjection::norms(Index first, Index count, double* out) const {
  const Index spanned = frame_.count(), rest = options_.remainder_dim;
  for (Index n = first; n < first + count; ++n) {
    const double* u = held_frame(n);
    const double square = kernels::dot(u, u, spanned), times = regression_->multiplicity(n);
    if (num_extras() > 0) {
      const RowBlock block = block_at(n);
      const SmallMatrix k = products_of(u, u);
      *out++ = times * std::sqrt(gradient_product(block, k, block, 1 + num_extras()) +
                                 hessian_product(block, k, block, 1 + num_extras()));
      continue;
    }
    const double a = times * slope_at(n), b = times * curvature_at(n) * std::sqrt(square);
    const double more = rest > 0 ? kernels::dot(held_rest(n), held_rest(n), rest) : 0;
    *out++ = std::sqrt(square * (a * a + b * b) + more);
  }
}

void CurvatureProjection::with_direction(Index first, Index count, const double* direction,
                                         double* out) const {
  const Index spanned = frame_.count(), stride = frame_.stride(), rest = options_.remainder_dim;
  // T, its columns `stride` apart, from the triangle that lies row by row; off the diagonal over sqrt 2.
  std::vector<double> t(at(spanned * stride), 0.0);
  const double* entry = direction + spanned;
  for (Index d = 0; d < spanned; ++d) {
    t[at(d * stride + d)] = *entry++;
    for (Index e = d + 1; e < spanned; ++e)
      t[at(d * stride + e)] = t[at(e * stride + d)] = *entry++ / std::numbers::sqrt2;
  }
  const double* along_rest = entry;
  // What extra parameters bring alike to all rows: T w_e, a row each, <w_e, g> and w_e' T w_f.
  const Index num_extras = this->num_extras();
  const Scratch tw(num_extras * stride), tu(kTile * stride);
  if (num_extras > 0) kernels::predict_many(shared_.data(), num_extras, spanned, t.data(), stride, tw.data());
  std::array<double, at(kMostBlock)> wg{};
  SmallMatrix middle;  // U'TU
  for (Index e = 0; e < num_extras; ++e) {
    const double* w = shared_.data() + e * spanned;
    wg[at(e)] = kernels::dot(w, direction, spanned);
    for (Index f = 0; f < num_extras; ++f)
      middle(1 + e, 1 + f) = kernels::dot(w, tw.data() + f * stride, spanned);
  }
  for (Index begin = first; begin < first + count; begin += kTile) {
    const Index some = std::min(kTile, first + count - begin);
    kernels::predict_many(held_frame(begin), some, spanned, t.data(), stride, tu.data());
    for (Index i = 0; i < some; ++i) {
      const Index n = begin + i;
      const double* u = held_frame(n);
      double sum = slope_at(n) * kernels::dot(u, direction, spanned) +
                   curvature_at(n) * kernels::dot(u, tu.data() + i * stride, spanned);
      if (num_extras > 0) {
        const RowBlock block = block_at(n);
        for (Index e = 0; e < num_extras; ++e) {
          sum += block.a[at(1 + e)] * wg[at(e)] +
                 2 * block.b(0, 1 + e) * kernels::dot(u, tw.data() + e * stride, spanned);
          for (Index f = 0; f < num_extras; ++f) sum += block.b(1 + e, 1 + f) * middle(1 + e, 1 + f);
        }
      }
      const double more = rest > 0 ? kernels::dot(held_rest(n), along_rest, rest) : 0;
      *out++ = regression_->multiplicity(n) * sum + more;
    }
  }
}

void CurvatureProjection::with_rows(Index n, std::span<const Index> rows, double* out) const {
  const Index spanned = frame_.count(), rest = options_.remainder_dim;
  const double times = regression_->multiplicity(n);
  for (const Index m : rows) {
    if (num_extras() > 0) {
      const SmallMatrix k = products_of(held_frame(n), held_frame(m));
      const RowBlock one = block_at(n), other = block_at(m);
      *out++ = times * regression_->multiplicity(m) *
               (gradient_product(one, k, other, 1 + num_extras()) +
                hessian_product(one, k, other, 1 + num_extras()));
      continue;
    }
    const double t = kernels::dot(held_frame(n), held_frame(m), spanned);
    const double both = times * regression_->multiplicity(m);
    const double more = rest > 0 ? kernels::dot(held_rest(n), held_rest(m), rest) : 0;
    *out++ = both * t * (slope_at(n) * slope_at(m) + curvature_at(n) * curvature_at(m) * t) + more;
  }
}

std::string CurvatureProjection::place(Index n, Index j) const {
  return "row " + std::to_string(n + 1) + ", component " + std::to_string(j + 1);
}

bool knows_products(Index num_rows, Index num_dimensions, Index remainder_dim) {
  constexpr Index kMostNumbers = Index{1} << 27;  // 1 GB
  return curvature_dim(num_dimensions) >= CurvatureProjection::kFewestForProducts &&
         num_rows <= kMostNumbers / (num_dimensions + remainder_dim);
}

namespace {

// std::hypot, which takes as long as all else here, only where squares leave the range of a double.
double length_of(double a, double b) {
  constexpr double kLeast = 1e-280, kMost = 1e280;
  const double square = a * a + b * b;
  return square > kLeast && square < kMost ? std::sqrt(square) : std::hypot(a, b);
}

// |U a|^2 and |U B U'|^2 of a row, with the products K of U: t^2 of u, `cross` of u and w_e, `pairs` of the
// w_e, all of which are covariances of the predictor and the extra parameters.
std::pair<double, double> squares_of(const RowBlock& block, double t, const float* cross,
                                     const SmallMatrix& pairs, Index num_extras) {
  SmallMatrix k = pairs;
  k(0, 0) = t * t;
  for (Index e = 0; e < num_extras; ++e) k(0, 1 + e) = k(1 + e, 0) = static_cast<double>(cross[e]);
  return {gradient_product(block, k, block, 1 + num_extras),
          hessian_product(block, k, block, 1 + num_extras)};
}

// The covariances of the extra parameters, where the products of the w_e are.
SmallMatrix extra_covariances(const LinearModel& model, const Normal& pihat) {
  const Index all = model.num_all(), dim = model.num_columns();
  SmallMatrix out;
  for (Index e = dim; e < all; ++e) {
    for (Index f = dim; f < all; ++f)
      out(1 + e - dim, 1 + f - dim) =
          product(pihat.factor().data() + e * all, pihat.factor().data() + f * all, all);
  }
  return out;
}

}  // namespace

CurvatureLengths curvature_lengths(const LinearModel& model, PredictorMoments moments, const Normal& pihat,
                                   const Executor& executor) {
  const Index num_extras = model.num_all() - model.num_columns(), each = extra_numbers(num_extras);
  if (pihat.dim() != model.num_all())
    throw std::invalid_argument("pihat has another dimension than the model");
  const double* phi = pihat.mean().data() + model.num_columns();
  const SmallMatrix pairs = extra_covariances(model, pihat);
  // Row n is read before it is written.
  CurvatureLengths out{std::move(moments.sd), std::move(moments.mean)};
  for_own_blocks(executor, model.num_rows(), [&](Index first, Index count) {
    std::array<double, kTile> y, s, slope, curvature;
    const Scratch extra(kTile * each);
    for (Index begin = first; begin < first + count; begin += kTile) {
      const Index some = std::min(kTile, first + count - begin);
      for (Index i = 0; i < some; ++i) {
        y[at(i)] = model.response(begin + i);
        s[at(i)] = static_cast<double>(out.shares[at(begin + i)]);
      }
      kernels::derivatives(model.family(), y.data(), nullptr, s.data(), some, nullptr, slope.data(),
                           curvature.data(), phi);
      find_extras(model, phi, y.data(), s.data(), some, extra.data());
      for (Index i = 0; i < some; ++i) {
        const double t = static_cast<double>(out.norms[at(begin + i)]), bent = t * curvature[at(i)];
        if (num_extras > 0) {
          const auto [straight, curved] =
              squares_of(row_block(slope[at(i)], curvature[at(i)], extra.data() + i * each, num_extras), t,
                         moments.cross.data() + (begin + i) * num_extras, pairs, num_extras);
          const double sum = straight + curved;
          out.norms[at(begin + i)] = static_cast<float>(model.multiplicity(begin + i) * std::sqrt(sum));
          const double share = curved / sum;
          out.shares[at(begin + i)] = std::isfinite(share) ? static_cast<float>(share) : 0.0F;
          continue;
        }
        const double length = length_of(slope[at(i)], bent);
        out.norms[at(begin + i)] = static_cast<float>(model.multiplicity(begin + i) * t * length);
        // The square of the quotient: far out both squares may underflow.
        const double share = bent / length;
        out.shares[at(begin + i)] = std::isfinite(share) ? static_cast<float>(share * share) : 0.0F;
      }
    }
  });
  return out;
}

}  // namespace giga
