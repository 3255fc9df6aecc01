// One pass, tile by tile: predictors and their spread, derivatives at three nodes, weighted sums.
#include "giga/project/smoothed_derivatives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "model/family_kernels.hpp"
#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"
#include "project/row_blocks.hpp"

namespace giga {
namespace {

using kernels::kTile;

constexpr std::array kNodes = {-std::numbers::sqrt3, 0.0, std::numbers::sqrt3};
constexpr std::array kWeights = {1.0 / 6, 2.0 / 3, 1.0 / 6};

// The sums of a block of rows: gradient, then the Hessian, of which the lower triangle is filled.
class BlockSums {
 public:
  BlockSums(const LinearModel& model, const Normal& posterior, const Points& frame, double* part)
      : model_(model),
        posterior_(posterior),
        frame_(frame),
        dim_(model.num_columns()),
        all_(model.num_all()),
        gradient_(part),
        hessian_(part + all_),
        z_(kTile * dim_),
        by_component_(kTile * dim_),
        u_(kTile * frame.stride()),
        numbers_(at(2 + extra_numbers(all_ - dim_))) {}

  void add(Index first, Index count) {
    model_.design(first, count, z_.data());
    kernels::predict_many(z_.data(), count, dim_, frame_.component(0), frame_.stride(), u_.data());
    for (auto& values : numbers_) values.fill(0);
    for (std::size_t k = 0; k < kNodes.size(); ++k) add_node(first, count, kNodes[k], kWeights[k]);
    // Rows beyond the last are zero, as are their factors.
    std::fill_n(by_component_.data(), kTile * dim_, 0.0);
    for (Index i = 0; i < count; ++i)
      for (Index d = 0; d < dim_; ++d) by_component_.data()[d * kTile + i] = z_.data()[i * dim_ + d];
    add_sums();
  }

 private:
  using Tile = std::array<double, static_cast<std::size_t>(kTile)>;

  // numbers_: l', l'', then dl/dphi, d^2l/(ds dphi), d^2l/dphi^2, each times the multiplicity, averaged.
  void add_node(Index first, Index count, double node, double weight) {
    const Index num_extras = all_ - dim_;
    const double* phi = posterior_.mean().data() + dim_;
    Tile s, y, slope, curvature;
    for (Index i = 0; i < count; ++i) {
      const double* un = u_.data() + i * frame_.stride();
      const double sd = std::sqrt(std::inner_product(un, un + all_, un, 0.0));
      s[at(i)] = un[all_] + model_.offset(first + i) + node * sd;
      y[at(i)] = model_.response(first + i);
    }
    kernels::derivatives(model_.family(), y.data(), nullptr, s.data(), count, nullptr, slope.data(),
                         curvature.data(), phi);
    const Scratch extra(std::max<Index>(1, extra_numbers(num_extras)) * count);
    if (num_extras > 0)
      kernels::of(model_.family())
          .extra_derivatives(model_.family(), phi, y.data(), s.data(), count, extra.data(),
                             extra.data() + num_extras * count, extra.data() + 2 * num_extras * count);
    for (Index i = 0; i < count; ++i) {
      const double times = weight * model_.multiplicity(first + i);
      numbers_[0][at(i)] += times * slope[at(i)];
      numbers_[1][at(i)] += times * curvature[at(i)];
      for (Index k = 0; k < extra_numbers(num_extras); ++k)
        numbers_[at(2 + k)][at(i)] += times * extra.data()[k * count + i];
    }
  }

  void add_sums() {
    const Index num_extras = all_ - dim_;
    kernels::add_weighted_rows(by_component_.data(), dim_, numbers_[0].data(), gradient_);
    // Rows of the Hessian are as long as all parameters; the kernel's as the columns.
    square_.assign(at(dim_ * dim_), 0);
    kernels::add_weighted_squares(by_component_.data(), dim_, numbers_[1].data(), square_.data());
    for (Index d = 0; d < dim_; ++d)
      for (Index e = 0; e <= d; ++e) hessian_[d * all_ + e] += square_[at(d * dim_ + e)];
    const auto sum = [this](Index k) {
      return std::accumulate(numbers_[at(2 + k)].begin(), numbers_[at(2 + k)].end(), 0.0);
    };
    Index second = 2 * num_extras;
    for (Index e = 0; e < num_extras; ++e) {
      gradient_[dim_ + e] += sum(e);
      kernels::add_weighted_rows(by_component_.data(), dim_, numbers_[at(2 + num_extras + e)].data(),
                                 hessian_ + (dim_ + e) * all_);
      for (Index f = 0; f <= e; ++f) hessian_[(dim_ + e) * all_ + dim_ + f] += sum(second++);
    }
  }

  const LinearModel& model_;
  const Normal& posterior_;
  const Points& frame_;
  Index dim_, all_;
  double *gradient_, *hessian_;
  Scratch z_, by_component_, u_;
  std::vector<Tile> numbers_;
  std::vector<double> square_;
};

}  // namespace

Derivatives smoothed_derivatives(const LinearModel& model, const Normal& posterior,
                                 const Executor& executor) {
  const Index dim = model.num_columns(), all = model.num_all();
  if (posterior.dim() != all)
    throw std::invalid_argument("the posterior has another dimension than the model");
  // The columns of C, and m after them: one product gives the spread and the mean.
  Points frame(dim, all + 1);
  std::vector<double> column(at(dim));
  for (Index k = 0; k < all; ++k) {
    for (Index d = 0; d < dim; ++d) column[at(d)] = posterior.factor()[at(d * all + k)];
    frame.set(k, column);
  }
  frame.set(all, std::span(posterior.mean()).first(at(dim)));
  const ExtendedVector sum =
      sum_blocks(executor, model.num_rows(), all + all * all, [&](Index first, Index count, double* part) {
        BlockSums sums(model, posterior, frame, part);
        for (Index begin = 0; begin < count; begin += kTile)
          sums.add(first + begin, std::min(kTile, count - begin));
      });
  Derivatives out{0, std::vector<double>(at(all)), std::vector<double>(at(all * all))};
  for (Index d = 0; d < all; ++d) {
    out.gradient[at(d)] = static_cast<double>(sum[at(d)]);
    for (Index e = 0; e <= d; ++e)
      out.hessian[at(d * all + e)] = out.hessian[at(e * all + d)] =
          static_cast<double>(sum[at(all + d * all + e)]);
  }
  return out;
}

}  // namespace giga
