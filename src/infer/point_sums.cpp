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
  constexpr Index kNumbers = 20'000, kFewest = 64, kMost = 1008;
  const Index count = std::ssize(values) / dim;
  const Index size = std::clamp(kNumbers / dim / 16 * 16, kFewest, kMost);
  std::vector<Chunk> chunks;
  for (Index first = 0; first < count; first += size) {
    Points points(dim, std::min(size, count - first));
    for (Index s = 0; s < points.count(); ++s)
      points.set(s,
                 values.subspan(static_cast<std::size_t>((first + s) * dim), static_cast<std::size_t>(dim)));
    chunks.push_back({first, std::move(points)});
  }
  return chunks;
}

// out[k * S + s] of `width` numbers a point. add(first, count, chunk, out) adds the rows of a block at the
// points of a chunk; number k of point s goes to out[k * S + s], with S those of all chunks.
template <typename Add>
ExtendedVector sums_of(Index num_rows, const std::vector<Chunk>& chunks, Index width,
                       const Executor& executor, const ShareObserver& observer, const Add& add) {
  const Index num_points = chunks.back().first + chunks.back().points.count();
  const Index numbers = num_points * width, num_chunks = std::ssize(chunks);
  const Index blocks = num_blocks(num_rows);
  const double block_work = static_cast<double>(kBlockRows) * static_cast<double>(num_points) *
                            static_cast<double>(chunks[0].points.dim());
  const auto watched = static_cast<Index>(executor.num_threads() * kWorkAtOnce / block_work);
  const Index some = std::max<Index>(1, std::min(kNumbersAtOnce / numbers, watched));
  if (observer) observer(0);
  ExtendedVector total(static_cast<std::size_t>(numbers), 0);
  std::vector<double> sums(static_cast<std::size_t>(std::min(some, blocks) * numbers));
  for (Index begin = 0; begin < blocks; begin += some) {
    const Index held = std::min(some, blocks - begin);
    std::fill(sums.begin(), sums.end(), 0.0);
    executor.for_each(held * num_chunks, [&](Index task) {
      const Index k = task / num_chunks, first = (begin + k) * kBlockRows;
      add(first, std::min(kBlockRows, num_rows - first), chunks[static_cast<std::size_t>(task % num_chunks)],
          sums.data() + k * numbers);
    });
    for (Index k = 0; k < held; ++k) {
      const double* block = sums.data() + k * numbers;
      for (Index i = 0; i < numbers; ++i) total[static_cast<std::size_t>(i)] += Extended{block[i]};
    }
    if (observer) observer(static_cast<double>(begin + held) / static_cast<double>(blocks));
  }
  return total;
}

}  // namespace

ExtendedVector log_likelihood_sums(const Likelihood& likelihood, std::span<const double> points,
                                   const Executor& executor, const ShareObserver& observer) {
  if (points.empty()) return {};
  return sums_of(likelihood.num_rows(), chunks_of(points, likelihood.num_parameters()), 1, executor, observer,
                 [&](Index first, Index count, const Chunk& chunk, double* out) {
                   likelihood.add_log_likelihoods(first, count, chunk.points, out + chunk.first);
                 });
}

ExtendedVector gradient_sums(const Likelihood& likelihood, std::span<const double> points,
                             const Executor& executor, const ShareObserver& observer) {
  if (points.empty()) return {};
  const Index dim = likelihood.num_parameters(), num_points = std::ssize(points) / dim;
  const ExtendedVector sums =
      sums_of(likelihood.num_rows(), chunks_of(points, dim), dim, executor, observer,
              [&](Index first, Index count, const Chunk& chunk, double* out) {
                likelihood.add_gradients(first, count, chunk.points, num_points, out + chunk.first);
              });
  ExtendedVector by_point(sums.size());
  for (Index s = 0; s < num_points; ++s) {
    for (Index d = 0; d < dim; ++d)
      by_point[static_cast<std::size_t>(s * dim + d)] = sums[static_cast<std::size_t>(d * num_points + s)];
  }
  return by_point;
}

}  // namespace giga
