#include "support/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace giga::test {
namespace {

Extended inner(const ExtendedVector& x, const ExtendedVector& y) {
  Extended sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

Extended length_of(const ExtendedVector& x) {
  return std::sqrt(inner(x, x));
}

// x / |x|, or zero.
ExtendedVector unit(ExtendedVector x) {
  const Extended length = length_of(x);
  for (Extended& value : x) value = length > 0 ? value / length : 0;
  return x;
}

ExtendedVector less(ExtendedVector x, Extended factor, const ExtendedVector& y) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] -= factor * y[j];
  return x;
}

Coreset from_map(const std::map<Index, Extended>& weights) {
  Coreset coreset;
  for (const auto& [row, weight] : weights) {
    if (!(weight > 0)) continue;
    coreset.rows.push_back(row);
    coreset.weights.push_back(static_cast<double>(weight));
  }
  return coreset;
}

// The least-squares solution by modified Gram-Schmidt, done twice; empty if the columns are dependent.
std::vector<Extended> least_squares(const Columns& columns, const ExtendedVector& b) {
  Columns q;
  std::vector<std::vector<Extended>> r;
  for (const ExtendedVector& column : columns) {
    ExtendedVector rest = column;
    std::vector<Extended> entries(q.size() + 1, 0);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < q.size(); ++k) {
        const Extended along = inner(q[k], rest);
        entries[k] += along;
        rest = less(rest, along, q[k]);
      }
    }
    entries.back() = length_of(rest);
    if (!(entries.back() > 1e-15L * length_of(column))) return {};
    q.push_back(unit(rest));
    r.push_back(entries);
  }
  std::vector<Extended> z(columns.size());
  for (std::size_t k = 0; k < z.size(); ++k) z[k] = inner(q[k], b);
  for (std::size_t k = z.size(); k-- > 0;) {
    z[k] /= r[k][k];
    for (std::size_t i = 0; i < k; ++i) z[i] -= r[k][i] * z[k];
  }
  return z;
}

}  // namespace

Oracle::Oracle(const RowSource& source)
    : num_rows_(source.num_rows()),
      dim_(source.dim()),
      data_(static_cast<std::size_t>(num_rows_ * dim_)),
      total_(static_cast<std::size_t>(dim_), 0) {
  source.read(0, num_rows_, data_.data());
  for (Index n = 0; n < num_rows_; ++n) {
    const auto first = data_.begin() + n * dim_;
    const ExtendedVector row(first, first + dim_);
    for (std::size_t j = 0; j < row.size(); ++j) total_[j] += static_cast<Quad>(row[j]);
    norms_.push_back(length_of(row));
    norm_sum_ += norms_.back();
    units_.push_back(unit(row));
  }
  for (const Quad value : total_) target_.push_back(static_cast<Extended>(value));
  target_norm_ = length_of(target_);
  target_ = unit(target_);
}

ExtendedVector Oracle::combined(const Coreset& coreset) const {
  std::vector<Quad> sum(static_cast<std::size_t>(dim_), 0);
  for (std::size_t i = 0; i < coreset.rows.size(); ++i) {
    const auto first = static_cast<std::size_t>(coreset.rows[i] * dim_);
    for (std::size_t j = 0; j < sum.size(); ++j)
      sum[j] += static_cast<Quad>(coreset.weights[i]) * static_cast<Quad>(data_[first + j]);
  }
  ExtendedVector out;
  for (const Quad value : sum) out.push_back(static_cast<Extended>(value / static_cast<Quad>(target_norm_)));
  return out;
}

// (L - L(w)) / |L|, subtracted before it is rounded.
ExtendedVector Oracle::residual(const Coreset& coreset) const {
  std::vector<Quad> rest = total_;
  for (std::size_t i = 0; i < coreset.rows.size(); ++i) {
    const auto first = static_cast<std::size_t>(coreset.rows[i] * dim_);
    for (std::size_t j = 0; j < rest.size(); ++j)
      rest[j] -= static_cast<Quad>(coreset.weights[i]) * static_cast<Quad>(data_[first + j]);
  }
  ExtendedVector out;
  for (const Quad value : rest) out.push_back(static_cast<Extended>(value / static_cast<Quad>(target_norm_)));
  return out;
}

Extended Oracle::relative_error(const Coreset& coreset) const {
  return length_of(residual(coreset));
}

Extended Oracle::worst_stationarity(const Coreset& coreset) const {
  const ExtendedVector rest = residual(coreset);
  Extended worst = 0;
  for (const Index row : coreset.rows) worst = std::max(worst, std::abs(inner(unit_row(row), rest)));
  return worst;
}

std::vector<Extended> Oracle::first_scores() const {
  std::vector<Extended> scores;
  for (const auto& ln : units_) scores.push_back(inner(ln, target_));
  return scores;
}

std::vector<Extended> Oracle::geodesic_scores(const Coreset& coreset) const {
  if (coreset.rows.empty()) return first_scores();
  const ExtendedVector v = unit(combined(coreset));
  const ExtendedVector d = unit(less(target_, inner(target_, v), v));
  std::vector<Extended> scores;
  for (const auto& ln : units_) scores.push_back(inner(d, unit(less(ln, inner(ln, v), v))));
  return scores;
}

std::vector<Extended> Oracle::residual_scores(const Coreset& coreset) const {
  const ExtendedVector d = unit(residual(coreset));
  std::vector<Extended> scores;
  for (const auto& ln : units_) scores.push_back(inner(ln, d));
  return scores;
}

Extended Oracle::best(const std::vector<Extended>& scores) const {
  Extended most = -1;
  for (std::size_t n = 0; n < scores.size(); ++n) {
    if (norms_[n] >= 1e-305L * norm_sum_) most = std::max(most, scores[n]);
  }
  return most;
}

Coreset Oracle::giga_step(const Coreset& coreset, Index row) const {
  // In the scale of Algorithm 1: |sum of w_n l_n| = 1.
  std::map<Index, Extended> w;
  ExtendedVector v(target_.size(), 0);
  Extended gamma = 1;
  const ExtendedVector& ln = unit_row(row);
  if (!coreset.rows.empty()) {
    const ExtendedVector x = combined(coreset);
    const Extended x_norm = length_of(x);
    for (std::size_t i = 0; i < coreset.rows.size(); ++i) {
      w[coreset.rows[i]] =
          static_cast<Extended>(coreset.weights[i]) * norm_of(coreset.rows[i]) / target_norm_ / x_norm;
    }
    v = unit(x);
    const Extended zeta0 = inner(target_, ln), zeta1 = inner(target_, v), zeta2 = inner(ln, v);
    // zeta0 - zeta1 zeta2 and zeta1 - zeta0 zeta2, as products of differences: they do not cancel where v, l
    // and l_n are close together.
    const Extended towards = inner(less(ln, zeta2, v), less(target_, zeta1, v));
    const Extended away = inner(less(v, zeta2, ln), less(target_, zeta0, ln));
    // In [0, 1] by Lemma 2, where the first row was the best to the last bit.
    gamma = std::clamp<Extended>(towards / (towards + std::max<Extended>(0, away)), 0, 1);
  }
  ExtendedVector y = ln;
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = (1 - gamma) * v[j] + gamma * ln[j];
  const Extended length = length_of(y);
  for (auto& [other, weight] : w) weight *= (1 - gamma) / length;
  w[row] += gamma / length;
  const Extended along = inner(y, target_) / length;
  for (auto& [other, weight] : w) weight *= target_norm_ / norm_of(other) * along;
  return from_map(w);
}

Coreset Oracle::frank_wolfe_step(const Coreset& coreset, Index row) const {
  std::map<Index, Extended> w;
  Extended gamma = 1;
  if (!coreset.rows.empty()) {
    for (std::size_t i = 0; i < coreset.rows.size(); ++i)
      w[coreset.rows[i]] = static_cast<Extended>(coreset.weights[i]);
    ExtendedVector way = unit_row(row);
    for (Extended& value : way) value *= norm_sum_ / target_norm_;
    way = less(way, 1, combined(coreset));
    gamma = std::clamp<Extended>(inner(way, residual(coreset)) / inner(way, way), 0, 1);
  }
  for (auto& [other, weight] : w) weight *= 1 - gamma;
  w[row] += gamma * norm_sum_ / norm_of(row);
  return from_map(w);
}

std::vector<Coreset> Oracle::giga(Index steps) const {
  std::vector<Coreset> path;
  Coreset now;
  for (Index t = 0; t < steps; ++t) path.push_back(now = giga_step(now, argmax(geodesic_scores(now))));
  return path;
}

std::vector<Coreset> Oracle::frank_wolfe(Index steps) const {
  std::vector<Coreset> path;
  Coreset now;
  for (Index t = 0; t < steps; ++t) path.push_back(now = frank_wolfe_step(now, argmax(residual_scores(now))));
  return path;
}

Extended Oracle::best_error(const std::vector<Index>& rows) const {
  Columns columns;
  for (const Index row : rows) columns.push_back(unit_row(row));
  return nnls_residual(columns, target_, nnls_by_enumeration(columns, target_));
}

Index argmax(const std::vector<Extended>& scores) {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

namespace {

ExtendedVector rest_of(const Columns& columns, const ExtendedVector& b, const std::vector<Extended>& u) {
  std::vector<Quad> rest(b.begin(), b.end());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j)
      rest[j] -= static_cast<Quad>(u[i]) * static_cast<Quad>(columns[i][j]);
  }
  ExtendedVector out;
  for (const Quad value : rest) out.push_back(static_cast<Extended>(value));
  return out;
}

}  // namespace

Extended nnls_residual(const Columns& columns, const ExtendedVector& b, const std::vector<Extended>& u) {
  return length_of(rest_of(columns, b, u)) / length_of(b);
}

Kkt kkt_violation(const Columns& columns, const ExtendedVector& b, const std::vector<Extended>& u) {
  const ExtendedVector rest = rest_of(columns, b, u);
  const Extended b_norm = length_of(b);
  Kkt kkt;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Extended norm = length_of(columns[i]);
    if (u[i] < 0) kkt.inside = std::numeric_limits<Extended>::infinity();
    if (!(norm > 0)) continue;
    const Extended gain = inner(columns[i], rest) / norm / b_norm;
    if (u[i] > 0) {
      kkt.inside = std::max(kkt.inside, std::abs(gain));
    } else {
      kkt.outside = std::max(kkt.outside, gain);
    }
  }
  return kkt;
}

std::vector<Extended> nnls_by_enumeration(const Columns& columns, const ExtendedVector& b) {
  const std::size_t count = columns.size();
  if (count > 14) throw std::invalid_argument("too many columns to enumerate");
  std::vector<Extended> best(count, 0);
  Extended least = 1;
  for (std::size_t mask = 1; mask < (std::size_t{1} << count); ++mask) {
    Columns some;
    for (std::size_t i = 0; i < count; ++i) {
      if ((mask >> i) & 1) some.push_back(columns[i]);
    }
    if (some.size() > b.size()) continue;
    const std::vector<Extended> z = least_squares(some, b);
    if (z.empty() || *std::min_element(z.begin(), z.end()) < 0) continue;
    const Extended error = nnls_residual(some, b, z);
    if (!(error < least)) continue;
    least = error;
    std::size_t k = 0;
    for (std::size_t i = 0; i < count; ++i) best[i] = (mask >> i) & 1 ? z[k++] : 0;
  }
  return best;
}

std::vector<Extended> nnls_by_descent(const Columns& columns, const ExtendedVector& b, Extended tolerance,
                                      Index max_sweeps) {
  std::vector<Extended> u(columns.size(), 0);
  ExtendedVector rest = b;
  for (Index sweep = 0; sweep < max_sweeps; ++sweep) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Extended square = inner(columns[i], columns[i]);
      if (!(square > 0)) continue;
      const Extended to = std::max<Extended>(0, u[i] + inner(columns[i], rest) / square);
      rest = less(rest, to - u[i], columns[i]);
      u[i] = to;
    }
    if (sweep % 64 != 63) continue;
    rest = rest_of(columns, b, u);
    if (kkt_violation(columns, b, u).worst() <= tolerance) break;
  }
  return u;
}

}  // namespace giga::test
