#include "pipeline/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/extended.hpp"
#include "base/shared_entries.hpp"
#include "giga/base/random.hpp"
#include "giga/model/linear_model.hpp"
#include "giga/model/predictor_moments.hpp"
#include "giga/project/curvature_projection.hpp"

namespace giga {
namespace {

// Norms by a few random features of the same kind: right within a fifth, which is enough to draw by.
RowArray<float> random_norms(const Likelihood& likelihood, const Normal& pihat, const CoresetOptions& options,
                             const Executor& executor) {
  constexpr Index kFeatures = 32, kRowsAtOnce = 64;
  const RandomProjection few(likelihood, pihat, {options.norm, kFeatures, options.seed, "candidates"});
  RowArray<float> norms = row_array<float>(executor, likelihood.num_rows());
  for_own_blocks(executor, likelihood.num_rows(), [&](Index first, Index count) {
    std::vector<double> v(at(kRowsAtOnce * kFeatures));
    for (Index begin = first; begin < first + count; begin += kRowsAtOnce) {
      const Index some = std::min(kRowsAtOnce, first + count - begin);
      few.read(begin, some, v.data());
      for (Index i = 0; i < some; ++i) {
        const double* row = v.data() + i * kFeatures;
        norms[at(begin + i)] =
            static_cast<float>(std::sqrt(std::inner_product(row, row + kFeatures, row, 0.0)));
      }
    }
  });
  return norms;
}

}  // namespace

RowSurvey survey_rows(const Likelihood& likelihood, const Normal& pihat, const CoresetOptions& options,
                      const Executor& executor) {
  RowSurvey out;
  RowArray<float> scores;
  const LinearModel* linear = likelihood.linear_model();
  if (linear != nullptr) {
    PredictorMoments moments = predictor_moments(*linear, pihat, executor);
    ++out.passes;
    scores = remainder_scores(likelihood, pihat, executor, &moments);
    // Whatever the projection, its features see gradient and curvature of a row.
    CurvatureLengths lengths = curvature_lengths(*linear, std::move(moments), pihat, executor);
    if (options.projection == ProjectionKind::Curvature) out.norms = std::move(lengths.norms);
    // Where rows that are nearly all curvature are common, they are among any rows.
    constexpr float kNearlyAll = 0.5F;
    constexpr Index kRare = 20;  // one in so many, or fewer
    out.shares = std::move(lengths.shares);
    const auto num_rows = std::ssize(out.shares);
    const Extended common = sum_blocks(executor, num_rows, 1, [&](Index first, Index count, double* part) {
      for (Index n = first; n < first + count; ++n) *part += out.shares[at(n)] > kNearlyAll ? 1 : 0;
    })[0];
    out.bent_are_rare = common * kRare < static_cast<Extended>(num_rows);
  } else {
    scores = remainder_scores(likelihood, pihat, executor);
    ++out.passes;
  }
  out.scores = std::make_shared<const RowArray<float>>(std::move(scores));
  if (out.norms.empty()) {
    out.norms = random_norms(likelihood, pihat, options, executor);
    ++out.passes;
  }
  out.add_up(executor);
  return out;
}

double RowSurvey::bent(Index n) const {
  return shares.empty() ? 0.0
                        : static_cast<double>(norms[at(n)]) * std::sqrt(static_cast<double>(shares[at(n)]));
}

void RowSurvey::add_up(const Executor& executor) {
  const auto num_rows = std::ssize(norms);
  // Of the norms, of their curvatures, and of the rows that have none.
  const ExtendedVector sums = sum_blocks(executor, num_rows, 3, [&](Index first, Index count, double* part) {
    double all = 0, of_bent = 0, zero = 0;
    for (Index n = first; n < first + count; ++n) {
      all += static_cast<double>(norms[at(n)]);
      of_bent += bent(n);
      zero += norms[at(n)] == 0 ? 1 : 0;
    }
    part[0] += all;
    part[1] += of_bent;
    part[2] += zero;
  });
  norm_sum = static_cast<double>(sums[0]);
  mean_bent = static_cast<double>(sums[1]) / static_cast<double>(num_rows);
  num_zero_rows = static_cast<Index>(sums[2]);
}

bool RowSurvey::is_busy(Index n) const {
  constexpr double kShare = 1e-3;
  const double mean_norm = norm_sum / static_cast<double>(norms.size());
  return static_cast<double>(norms[at(n)]) >= kShare * mean_norm ||
         (mean_bent > 0 && bent(n) >= kShare * mean_bent);
}

Index RowSurvey::num_busy(const Executor& executor) const {
  return static_cast<Index>(
      sum_blocks(executor, std::ssize(norms), 1, [&](Index first, Index count, double* part) {
        for (Index n = first; n < first + count; ++n) *part += is_busy(n) ? 1 : 0;
      })[0]);
}

std::vector<Index> RowSurvey::busy_of(const std::vector<Index>& rows, const Executor& executor) const {
  const Bytes busy = told_of_rows(executor, std::ssize(norms), rows, 1, [&](Index n, std::byte* place) {
    *place = is_busy(n) ? std::byte{1} : std::byte{0};
  });
  std::vector<Index> out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (busy[i] != std::byte{0}) out.push_back(rows[i]);
  return out;
}

Index num_candidates(const CoresetOptions& options, Index num_rows, Index dim) {
  constexpr Index kLittle = Index{1} << 23, kNumbers = Index{1} << 24, kFewest = 20'000, kMost = 50'000;
  const bool ours = options.method == Method::Corrective || options.method == Method::Pursuit;
  if (options.candidates.kind == RowCount::Kind::All || !is_greedy(options.method)) return num_rows;
  if (options.candidates.kind == RowCount::Kind::Number) return std::min(num_rows, options.candidates.number);
  if (!ours || num_rows <= kLittle / std::max<Index>(dim, 1)) return num_rows;
  return std::min(num_rows, std::clamp(kNumbers / dim, kFewest, kMost));
}

namespace {

// `count` of the rows 0 .. total - 1, all sets alike (Floyd's way: for each of the last `count` numbers j,
// any number up to j, or j itself where that is taken), ascending.
std::vector<Index> any_rows(Index total, Index count, std::uint64_t seed) {
  Stream random = stream(seed, "any rows");
  std::unordered_set<Index> taken;
  for (Index j = total - count; j < total; ++j) {
    const auto row = static_cast<Index>(random.below(static_cast<std::uint64_t>(j + 1)));
    taken.insert(taken.contains(row) ? j : row);
  }
  std::vector<Index> out(taken.begin(), taken.end());
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<Index> draw_candidates(const RowSurvey& survey, Index count, std::uint64_t seed,
                                   const Executor& executor) {
  constexpr Index kShare = 5;  // one in so many by the share of the curvature
  const Index num_rows = std::ssize(survey.norms);
  const Index bent = !survey.bent_are_rare ? 0 : std::clamp<Index>(count / kShare, 1, num_rows);
  const Index each = std::clamp<Index>((count - bent) / 2, 1, num_rows);
  const auto joined = [](const std::vector<Index>& one, const std::vector<Index>& other) {
    std::vector<Index> out;
    std::ranges::set_union(one, other, std::back_inserter(out));
    return out;
  };
  std::vector<Index> out =
      joined(priority_sample(survey.norms, each, seed, executor, 2).rows, any_rows(num_rows, each, seed));
  if (bent > 0) out = joined(out, priority_sample(survey.shares, bent, seed + 1, executor).rows);
  return out;
}

std::optional<HeldoutSum> estimated_heldout(const RandomProjection& heldout, const Likelihood& full,
                                            const Normal& pihat, const Derivatives& at_mean,
                                            const RowSurvey& survey, const CoresetOptions& options,
                                            const Executor& executor) {
  // The noise is taken off again; a tenth of the tolerance leaves the error as good as known.
  constexpr double kShare = 0.1, kUsualTolerance = 0.05;
  constexpr Index kFirst = 4000, kGrowth = 4, kMostShare = 3, kNoisePoints = 32;
  const double tolerance = options.tolerance > 0 ? options.tolerance : kUsualTolerance;
  const std::vector<double> points = heldout.points();
  const std::span<const double> frame =
      options.norm == Norm::Whitened ? std::span<const double>(pihat.factor()) : std::span<const double>();
  for (Index size = kFirst; size * kMostShare <= full.num_rows(); size *= kGrowth) {
    const RowEstimate estimate(full, pihat.mean(), at_mean,
                               priority_sample(*survey.scores, size, options.seed, executor), options.seed,
                               executor);
    HeldoutSum out;
    out.num_rows = size;
    if (heldout.uses_gradients()) {
      out.sum = heldout.sum_from(estimate.gradients(points, executor));
      // The mean over the features of D <c_k, e>^2 is that of |F'e|^2.
      const std::vector<double> each =
          estimate.gradient_noise(spread_points(points, pihat.dim(), kNoisePoints), frame, executor);
      out.noise =
          std::sqrt(std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size()));
    } else {
      out.sum = heldout.sum_from(estimate.log_likelihoods(points, executor));
      out.noise = estimate.error(points, executor).rms;
    }
    if (out.noise <= kShare * tolerance * static_cast<double>(norm(out.sum))) return out;
  }
  return std::nullopt;
}

}  // namespace giga
