#include "construct/quantised_selector.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "construct/row_pass.hpp"
#include "construct/spectrum.hpp"

namespace giga {
namespace {

constexpr Index kPairBytes = 2 * kernels::kGroupRows;
// Lost in a product to float, at most: in rounding unit rows, and in each of K subtractions and additions.
constexpr float kFloatError = 1e-6F;
constexpr float kFloatErrorEach = 1.2e-7F;
constexpr double kLeadingShare = 0.99;    // of the energy, for leading directions to be worth their bytes
constexpr double kWholeShare = 1 - 1e-6;  // of the energy: more directions are not

Index num_groups(Index num_rows) {
  return (num_rows + kernels::kGroupRows - 1) / kernels::kGroupRows;
}

kernels::CodeFrame frame_of(const RowSource& rows, const ExtendedVector& target) {
  kernels::CodeFrame frame;
  frame.l.assign(static_cast<std::size_t>(kernels::padded(rows.dim())), 0.0);
  std::transform(target.begin(), target.end(), frame.l.begin(),
                 [](Extended x) { return static_cast<double>(x); });
  const Index most = rows.dim() / 8;
  if (most == 0) return frame;
  const Spectrum spectrum = sample_spectrum(rows);
  if (spectrum.energy_of(most) < kLeadingShare) return frame;
  frame.num_leading = std::min(most, spectrum.count_for(kWholeShare));
  const Index room = kernels::row_room(rows.dim());
  frame.leading.assign(static_cast<std::size_t>(frame.num_leading * room), 0.0F);
  for (Index k = 0; k < frame.num_leading; ++k) {
    for (Index j = 0; j < rows.dim(); ++j) {
      frame.leading[static_cast<std::size_t>(k * room + j)] =
          static_cast<float>(spectrum.directions[static_cast<std::size_t>(k * spectrum.padded_dim + j)]);
    }
  }
  return frame;
}

// g in 16-bit steps, coarse enough that no sum of J products with 8-bit codes can overflow 32 bits.
kernels::CodeQuery quantise(const Query& query, const kernels::CodeFrame& frame, Index pairs) {
  kernels::CodeQuery out;
  out.geodesic = query.criterion == Criterion::Geodesic;
  out.d_along = static_cast<float>(query.d_along);
  out.d_across = static_cast<float>(query.d_across);
  double largest = 0, total = 0;
  for (const double g : query.across) {
    largest = std::max(largest, std::abs(g));
    total += std::abs(g);
  }
  const double most = std::max(1.0, 2147483647.0 / 127 - static_cast<double>(2 * pairs));
  const double unit = largest > 0 ? std::max(largest / 32767, total / most) : 1.0;
  out.unit = static_cast<float>(unit);
  out.pairs.assign(static_cast<std::size_t>(pairs), 0);
  double square = 0;
  for (Index j = 0; j < 2 * pairs; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const double g = k < query.across.size() ? query.across[k] : 0.0;
    const double steps = std::nearbyint(g / unit);
    square += (g - unit * steps) * (g - unit * steps);
    const auto bits =
        static_cast<std::uint32_t>(static_cast<std::uint16_t>(static_cast<std::int16_t>(steps)));
    auto& word = out.pairs[k / 2];
    word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) | (bits << (k % 2 == 0 ? 0 : 16)));
  }
  out.unit_error = static_cast<float>(std::sqrt(square)) * 1.001F;
  const Index room = static_cast<Index>(frame.leading.size()) / std::max<Index>(1, frame.num_leading);
  for (Index k = 0; k < frame.num_leading; ++k) {
    double sum = 0;
    for (Index j = 0;
         j < static_cast<Index>(std::min<std::size_t>(query.across.size(), static_cast<std::size_t>(room)));
         ++j) {
      sum += query.across[static_cast<std::size_t>(j)] *
             static_cast<double>(frame.leading[static_cast<std::size_t>(k * room + j)]);
    }
    out.leading.push_back(static_cast<float>(sum));
  }
  out.float_error = kFloatError + kFloatErrorEach * static_cast<float>(frame.num_leading);
  return out;
}

}  // namespace

QuantisedSelector::QuantisedSelector(const RowSource& rows, const ThreadPool& pool,
                                     const ExtendedVector& target)
    : rows_(rows), pool_(pool), pairs_((rows.dim() + 1) / 2), frame_(frame_of(rows, target)) {
  const auto groups = static_cast<std::size_t>(num_groups(rows.num_rows()));
  kappa_offset_ = groups * static_cast<std::size_t>(pairs_ * kPairBytes);
  scale_offset_ = kappa_offset_ + groups * kernels::kGroupRows * sizeof(float);
  leading_offset_ = scale_offset_ + groups * kernels::kGroupRows * sizeof(std::uint16_t);
  buffer_ = LargeBuffer(leading_offset_ + groups * kernels::kGroupRows * sizeof(float) *
                                              static_cast<std::size_t>(frame_.num_leading));

  const Index blocks = num_blocks(rows.num_rows());
  std::vector<kernels::EncodeSummary> summaries(static_cast<std::size_t>(blocks));
  pool.for_each(blocks, [&](Index index) {
    kernels::EncodeScratch scratch;
    auto& summary = summaries[static_cast<std::size_t>(index)];
    const kernels::CodeBlock codes = block(index);
    for_each_tile(rows_, index, [&](Index first, const double* x, Index count) {
      kernels::encode(x, first - index * kBlockRows, count, rows_.dim(), frame_, codes, scratch, summary);
    });
    rows_.passed(index * kBlockRows, std::min(kBlockRows, rows_.num_rows() - index * kBlockRows));
  });
  for (Index index = 0; index < blocks; ++index) {
    const auto& summary = summaries[static_cast<std::size_t>(index)];
    spread_.push_back(std::nextafter(static_cast<float>(summary.spread), 1e30F));
    code_norm_.push_back(std::nextafter(static_cast<float>(summary.code_norm), 1e30F));
    for (const Index at : summary.left_out) left_out_.push_back(index * kBlockRows + at);
  }
}

kernels::CodeBlock QuantisedSelector::block(Index index) const {
  const Index first_group = index * (kBlockRows / kernels::kGroupRows);
  const Index groups = std::min(kBlockRows / kernels::kGroupRows, num_groups(rows_.num_rows()) - first_group);
  return {buffer_.as<std::int8_t>() + first_group * pairs_ * kPairBytes,
          buffer_.as<float>(kappa_offset_) + first_group * kernels::kGroupRows,
          buffer_.as<std::uint16_t>(scale_offset_) + first_group * kernels::kGroupRows,
          buffer_.as<float>(leading_offset_) + first_group * kernels::kGroupRows * frame_.num_leading,
          groups,
          pairs_};
}

double QuantisedSelector::prepare_bytes_read() const {
  return static_cast<double>(rows_.num_rows()) * static_cast<double>(rows_.dim()) * sizeof(double);
}

Pick QuantisedSelector::best(const Query& query, SearchMemory& memory, SearchStats& stats) const {
  const kernels::CodeQuery codes = quantise(query, frame_, pairs_);
  const Pick start = best_contender(query, rows_, memory, stats);
  // Shared so that a thread prunes by what another has found. Which rows remain candidates may depend on
  // timing; the best of them by exact_score does not.
  std::atomic<float> best_lower = start.score > 0 ? safely_below(start.score) : 0.0F;

  const Index blocks = num_blocks(rows_.num_rows());
  std::vector<std::vector<Candidate>> found(static_cast<std::size_t>(blocks));
  memory.backwards = !memory.backwards;
  pool_.for_each(blocks, [&](Index i) {
    const Index index = memory.backwards ? blocks - 1 - i : i;
    const auto k = static_cast<std::size_t>(index);
    float threshold = best_lower.load(std::memory_order_relaxed);
    kernels::scan_codes(block(index), codes, spread_[k], code_norm_[k], index * kBlockRows, threshold,
                        found[k]);
    float seen = best_lower.load(std::memory_order_relaxed);
    while (seen < threshold &&
           !best_lower.compare_exchange_weak(seen, threshold, std::memory_order_relaxed)) {
    }
  });
  const auto rows = static_cast<double>(rows_.num_rows());
  stats.rows_touched += rows;
  stats.bytes_read += static_cast<double>(buffer_.bytes());

  std::vector<Candidate> candidates;
  for (const auto& some : found) candidates.insert(candidates.end(), some.begin(), some.end());
  for (const Index row : left_out_) candidates.push_back({row, 2.0F});
  return best_candidate(query, rows_, pool_, candidates, best_lower.load(), memory, stats);
}

}  // namespace giga
