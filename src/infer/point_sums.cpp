// Sums over blocks of rows at chunks of points: a piece of the work is one block at one chunk, small enough
// for the cache.
#include "infer/point_sums.hpp"

#include <algorithm>
#include <vector>

namespace giga {
namespace {

// Block sums held at once, in numbers: 64 MB.
constexpr Index kNumbersAtOnce = Index{1} << 23;
// The waiting is for an observer's sake: rows x points x components between two reports, of each thread. That
// takes about a third of a second (benchmarks/certify_bench).
constexpr double kWorkAtOnce = 2e9;

// Points first .. first + points.count() - 1. The components of a chunk stay in the second-level cache while
// the rows of a block pass.
struct Chunk {
  Index first;
  Points points;
};

std::vector<Chunk> chunks_of(std::span<const double> values, Index dim) {
  // About 160 kB of points, a multiple of 16 of them.
  constexpr Index kNumbers = 20'000, kFewest = 64, kMost = 1008;
  const Index count = std::ssize(values) / dim;
  const Index size = std::clamp(kNumbers / dim / 16 * 16, kFewest, kMost);
  std::vector<Chunk> chunks;
  for (Index first = 0; first < count; first += size) {
    Points points(dim, std::min(size, count - first));
    for (Index s = 0; s < points.count(); ++s) points.set(s, values.subspan(at((first + s) * dim), at(dim)));
    chunks.push_back({first, std::move(points)});
  }
  return chunks;
}

// out[k * S + s] of `width` numbers per point. add(first, count, chunk, out) adds the rows of a block at the
// points of a chunk; number k of point s goes to out[k * S + s], with S the points of all chunks. A piece of
// the work on a block is a chunk.
template <typename Add>
ExtendedVector sums_of(Index num_rows, const std::vector<Chunk>& chunks, Index width,
                       const Executor& executor, const RowsDone& rows_done, const Add& add) {
  // As many blocks at once as memory allows, and no more than keep each thread busy for kWorkAtOnce.
  const Index num_points = chunks.back().first + chunks.back().points.count();
  const Index numbers = num_points * width;
  const double block_work = static_cast<double>(kBlockRows) * static_cast<double>(num_points) *
                            static_cast<double>(chunks[0].points.dim());
  const auto watched = static_cast<Index>(executor.num_threads() * kWorkAtOnce / block_work);
  FoldOptions options{.num_pieces = std::ssize(chunks),
                      .at_once = std::max<Index>(1, std::min(kNumbersAtOnce / numbers, watched))};
  if (rows_done) {
    rows_done(0);
    options.progress = [&](Index blocks) { rows_done(std::min(blocks * kBlockRows, num_rows)); };
  }
  ExtendedVector total(at(numbers), 0);
  fold_blocks<double>(
      executor, num_rows, numbers, std::span(total),
      [&](Index first, Index count, Index chunk, double* part) {
        add(first, count, chunks[at(chunk)], part);
      },
      [numbers](const double* part, Extended* sum) {
        for (Index i = 0; i < numbers; ++i) sum[i] += Extended{part[i]};
      },
      options);
  return total;
}

}  // namespace

ExtendedVector log_likelihood_sums(const Likelihood& likelihood, std::span<const double> points,
                                   const Executor& executor, const RowsDone& rows_done) {
  if (points.empty()) return {};
  return sums_of(likelihood.num_rows(), chunks_of(points, likelihood.num_parameters()), 1, executor,
                 rows_done, [&](Index first, Index count, const Chunk& chunk, double* out) {
                   likelihood.add_log_likelihoods(first, count, chunk.points, out + chunk.first);
                 });
}

ExtendedVector gradient_sums(const Likelihood& likelihood, std::span<const double> points,
                             const Executor& executor, const RowsDone& rows_done) {
  if (points.empty()) return {};
  const Index dim = likelihood.num_parameters(), num_points = std::ssize(points) / dim;
  const ExtendedVector sums =
      sums_of(likelihood.num_rows(), chunks_of(points, dim), dim, executor, rows_done,
              [&](Index first, Index count, const Chunk& chunk, double* out) {
                likelihood.add_gradients(first, count, chunk.points, num_points, out + chunk.first);
              });
  ExtendedVector by_point(sums.size());
  for (Index s = 0; s < num_points; ++s) {
    for (Index d = 0; d < dim; ++d) by_point[at(s * dim + d)] = sums[at(d * num_points + s)];
  }
  return by_point;
}

}  // namespace giga
