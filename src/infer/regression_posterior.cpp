// The log posterior and its gradient from rows packed in tiles. Blocks of kBlockRows rows are summed by lane
// and joined in block order, with an executor or without: the same bits.
//
// Notation: s_n = z_n.beta + o_n the linear predictor, l(s, phi) the log-likelihood of a row, l' its slope,
// m_n its multiplicity, theta = (beta, phi);
//     value = sum_n m_n l(s_n),    gradient = sum_n m_n (l'(s_n) z_n, dl/dphi).
// A tile has kTile rows side by side: component d of all of them, then component d + 1. "Plain" tiles are
// those of logistic rows that count once: y in {-1, 1} enters as y z, so l = -log(1 + exp(-y z.theta)) needs
// no label and no weight, and an intercept is one number per label.
#include "giga/infer/regression_posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "infer/faults.hpp"
#include "model/family_kernels.hpp"
#include "model/packed_kernels.hpp"
#include "model/scratch.hpp"

namespace giga {
namespace {

using kernels::kPackedLanes;
using kernels::kTile;
constexpr Index kTilesPerBlock = kBlockRows / kTile;
constexpr Index kMostExtras = 4;

// N(0, I / precision): its gradient is D products instead of D^2.
bool is_isotropic(const Prior& any) {
  if (any.normal() == nullptr) return false;
  const Normal& prior = *any.normal();
  const Index dim = prior.dim();
  for (Index d = 0; d < dim; ++d) {
    if (prior.mean()[at(d)] != 0) return false;
    for (Index e = 0; e < dim; ++e) {
      const double value = prior.precision()[at(d * dim + e)];
      if (value != (d == e ? prior.precision()[0] : 0.0)) return false;
    }
  }
  return true;
}

// A row, and how often it counts.
struct PackedRow {
  Index row;
  double times;
};

struct Packing {
  std::vector<PackedRow> rows;
  Index ups = 0, plain = 0;  // whole tiles of logistic rows that count once, of label +1 and of both labels
};

// Plain tiles are so much faster that a logistic row which counts two or three times is best put in that
// often. Only whole tiles of one label are plain; what is left over joins the other rows.
Packing pack(const LinearModel& regression) {
  constexpr double kRepeated = 3;
  const bool logistic = describe(regression.family().family).is_logistic && !regression.has_offset();
  std::vector<PackedRow> ups, downs, others;
  for (Index n = 0; n < regression.num_rows(); ++n) {
    const double times = fault(Fault::MultiplicitiesIgnored) ? 1 : regression.multiplicity(n);
    if (logistic && times <= kRepeated && times == std::floor(times)) {
      auto& some = regression.response(n) > 0 ? ups : downs;
      some.insert(some.end(), static_cast<std::size_t>(times), {n, 1.0});
    } else {
      others.push_back({n, times});
    }
  }
  Packing out;
  std::vector<PackedRow> rest;
  for (const auto* some : {&ups, &downs}) {
    const auto whole = some->begin() + std::ssize(*some) / kTile * kTile;
    out.rows.insert(out.rows.end(), some->begin(), whole);
    rest.insert(rest.end(), whole, some->end());
    out.plain = std::ssize(out.rows) / kTile;
    if (some == &ups) out.ups = out.plain;
  }
  out.rows.insert(out.rows.end(), rest.begin(), rest.end());
  out.rows.insert(out.rows.end(), others.begin(), others.end());
  return out;
}

// An intercept that plain tiles need not multiply by.
bool last_column_is_ones(const LinearModel& regression) {
  const Index dim = regression.num_columns();
  std::vector<double> row(at(dim));
  for (Index n = 0; n < regression.num_rows(); ++n) {
    regression.design(n, 1, row.data());
    if (row.back() != 1) return false;
  }
  return true;
}

}  // namespace

RegressionPosterior::RegressionPosterior(const LinearModel& regression, Prior prior, const Executor* executor)
    : family_(regression.family()),
      prior_(std::move(prior)),
      executor_(executor),
      dim_(regression.num_columns()),
      all_(regression.num_all()),
      isotropic_(is_isotropic(prior_)) {
  if (isotropic_) {
    precision_ = prior_.normal()->precision()[0];
    log_normaliser_ =
        prior_.normal()->log_determinant() + static_cast<double>(all_) * std::log(2 * std::numbers::pi);
  }
  if (prior_.dim() != all_) throw std::invalid_argument("the prior has another dimension than the model");
  if (all_ - dim_ > kMostExtras) throw std::invalid_argument("the family has too many extra parameters");
  const Packing packing = pack(regression);
  num_ups_ = packing.ups;
  num_plain_ = packing.plain;
  has_constant_ = num_plain_ > 0 && last_column_is_ones(regression);
  num_tiles_ = (std::ssize(packing.rows) + kTile - 1) / kTile;
  const auto room = at(num_tiles_ * kTile);
  z_.assign(at((num_plain_ * plain_dim() + (num_tiles_ - num_plain_) * dim_) * kTile), 0.0);
  y_.assign(room, 1.0);
  weights_.assign(room, 0.0);
  if (regression.has_offset()) offset_.assign(room, 0.0);
  std::vector<double> row(at(dim_));
  for (std::size_t k = 0; k < packing.rows.size(); ++k) {
    const auto [n, times] = packing.rows[k];
    // Row k of the packing goes to lane k mod kTile of tile k / kTile. Plain tiles hold y z in strips, others
    // z component by component. Lanes beyond the last row keep weight 0.
    const auto tile = static_cast<Index>(k) / kTile, lane = static_cast<Index>(k) % kTile;
    const bool plain = tile < num_plain_;
    double* z = tile_at(tile);
    regression.design(n, 1, row.data());
    y_[k] = regression.response(n);
    weights_[k] = times;
    if (!offset_.empty()) offset_[k] = regression.offset(n);
    for (Index d = 0; d < (plain ? plain_dim() : dim_); ++d) {
      const double value = row[at(d)];
      if (plain) {
        z[kernels::place_in_strips(lane, d, plain_dim())] = y_[k] * value;
      } else {
        z[d * kTile + lane] = value;
      }
    }
  }
  if (fault(Fault::RowMissing)) weights_[packing.rows.size() - 1] = 0;
  if (fault(Fault::NoiseScaleIgnored)) family_.noise_scale = 1;
  constants_ = row_constants(family_, y_);
  constants_.resize(room, 0.0);
}

double* RegressionPosterior::tile_at(Index tile) {
  // Plain tiles come first and may be one column narrower.
  const Index plain = std::min(tile, num_plain_);
  return z_.data() + (plain * plain_dim() + (tile - plain) * dim_) * kTile;
}

const double* RegressionPosterior::tile_at(Index tile) const {
  return const_cast<RegressionPosterior*>(this)->tile_at(tile);
}

double RegressionPosterior::plain_tiles(Index first, Index end, double label, const double* theta,
                                        double* sums) const {
  if (first >= end) return 0;
  std::array<double, kPackedLanes> slopes{};
  SmallScratch<kFewParameters> scaled(dim_);
  // The kernel works with powers of two: exp(-s) = 2^(-s log2 e).
  for (Index d = 0; d < dim_; ++d) scaled.data()[d] = std::numbers::log2e * theta[d];
  const double constant = has_constant_ ? label * scaled.data()[dim_ - 1] : 0.0;
  const double value = kernels::logistic_tiles(tile_at(first), end - first, plain_dim(), scaled.data(),
                                               constant, sums, slopes.data());
  if (has_constant_) {
    // The slope in the intercept is the sum of y l', and y is the label of all these tiles.
    double* last = sums + (dim_ - 1) * kPackedLanes;
    for (std::size_t k = 0; k < slopes.size(); ++k) last[k] += label * slopes[k];
  }
  return value;
}

double RegressionPosterior::block(Index index, const double* theta, double* sums) const {
  // The sums of the extra parameters are one per lane as well, of which only the first is used.
  std::fill(sums, sums + all_ * kPackedLanes, 0.0);
  const Index begin = index * kTilesPerBlock, end = std::min(num_tiles_, begin + kTilesPerBlock);
  // A block may straddle the three kinds of tiles: label +1, label -1, others.
  double value = plain_tiles(begin, std::min(end, num_ups_), 1, theta, sums);
  value += plain_tiles(std::max(begin, num_ups_), std::min(end, num_plain_), -1, theta, sums);
  // Tiles of any family: s = z beta + o, then l(s) and l'(s), then the gradient sum_i m_i l'_i z_i.
  std::array<double, kTile> s, values, slopes;
  std::array<double, kTile * kMostExtras> extra;  // dl/dphi_e, kTile for each e
  for (Index t = std::max(begin, num_plain_); t < end; ++t) {
    const double* z = tile_at(t);
    const double* y = y_.data() + t * kTile;
    const double* constants = constants_.data() + t * kTile;
    kernels::predict(z, dim_, theta, s.data());
    for (Index i = 0; i < kTile && !offset_.empty(); ++i) s[at(i)] += offset_[at(t * kTile + i)];
    if (all_ == dim_) {
      kernels::values_and_slopes(family_, y, constants, s.data(), kTile, values.data(), slopes.data());
    } else {
      kernels::of(family_).gradients(family_, theta + dim_, y, constants, s.data(), kTile, values.data(),
                                     slopes.data(), extra.data());
    }
    const double* weights = weights_.data() + t * kTile;
    for (Index i = 0; i < kTile; ++i) {
      const auto k = at(i);
      if (weights[i] == 0) {  // padding, whose value may be anything
        slopes[k] = 0;
        continue;
      }
      value += weights[i] * values[k];
      slopes[k] *= weights[i];
      for (Index e = 0; e < all_ - dim_; ++e)
        sums[(dim_ + e) * kPackedLanes] += weights[i] * extra[at(e * kTile + i)];
    }
    kernels::add_weighted_rows_by_lane(z, dim_, slopes.data(), sums);
  }
  return value;
}

double RegressionPosterior::log_likelihood(const double* theta, double* gradient) const {
  std::fill(gradient, gradient + all_, 0.0);
  const Index blocks = (num_tiles_ + kTilesPerBlock - 1) / kTilesPerBlock;
  if (executor_ == nullptr || blocks == 1) {
    // The same blocks in the same order as below, so that both ways have the same bits.
    SmallScratch<kFewParameters * kPackedLanes> sums(all_ * kPackedLanes);
    double value = 0;
    for (Index b = 0; b < blocks; ++b) {
      value += block(b, theta, sums.data());
      kernels::total_of(sums.data(), all_, gradient);
    }
    return value;
  }
  // Both the parts and the total have the value first: then the sums of a block by lane, or the gradient.
  std::vector<double> total(at(1 + all_), 0.0);
  fold_blocks<double>(
      *executor_, num_tiles_ * kTile, 1 + all_ * kPackedLanes, std::span(total),
      [&](Index first, Index /*count*/, Index /*piece*/, double* part) {
        part[0] = block(first / kBlockRows, theta, part + 1);
      },
      [this](const double* part, double* sum) {
        sum[0] += part[0];
        kernels::total_of(part + 1, all_, sum + 1);
      });
  std::copy_n(total.begin() + 1, all_, gradient);
  return total[0];
}

double RegressionPosterior::add_prior(const double* theta, double* gradient) const {
  if (!isotropic_) return prior_.add_gradient(theta, gradient);
  // log p = -(precision |theta|^2 + log det + D log 2 pi) / 2.
  double precision = precision_;
  if (fault(Fault::PriorScaleForVariance)) precision = std::sqrt(precision);
  double squares = 0;
  for (Index d = 0; d < all_; ++d) {
    squares += theta[d] * theta[d];
    gradient[d] -= precision * theta[d];
  }
  return -0.5 * (precision * squares + log_normaliser_);
}

double RegressionPosterior::log_density(const double* theta, double* gradient) const {
  const double value = log_likelihood(theta, gradient);
  return fault(Fault::PriorMissing) ? value : value + add_prior(theta, gradient);
}

}  // namespace giga
