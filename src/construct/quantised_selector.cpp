// The search over 8-bit codes: lower and upper bounds of every row's score, block by block. Rows whose upper
// bound reaches the largest lower bound are candidates. The codes and their bounds are explained in
// code_kernels.hpp; here are the memory they lie in, the choice of leading directions, the rounding of a
// query to integers, and the threshold that blocks share.
#include "construct/quantised_selector.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "construct/best_row.hpp"
#include "construct/row_pass.hpp"
#include "construct/spectrum.hpp"

namespace giga {
namespace {

// Lost to float in a product, at most: in rounding unit rows; kFloatErrorEach below, in each of K
// subtractions and additions.
constexpr float kFloatError = 1e-6F;
constexpr Index kTrialParts = 16;  // one of so many tells whether the coarse plane is worth trying first
constexpr Index kUnscanned = 16;   // searches without codes, until these are tried again
constexpr float kFloatErrorEach = 1.2e-7F;
constexpr double kLeadingShare = 0.9;  // of the energy, for leading directions to be worth their bytes
constexpr double kRestFactor = 1.5;    // energy left over, to that beyond all directions: fewer will do
constexpr double kNegligible = 1e-6;
constexpr double kOneDirection = 0.5;  // of the energy along one direction: many rows may be close to l

std::vector<double> padded_double(const ExtendedVector& x, Index dim) {
  std::vector<double> out(at(kernels::padded(dim)), 0.0);
  std::transform(x.begin(), x.end(), out.begin(), [](Extended value) { return static_cast<double>(value); });
  return out;
}

Index num_groups(Index num_rows) {
  return (num_rows + kernels::kGroupRows - 1) / kernels::kGroupRows;
}

kernels::CodeFrame frame_of(const RowSource& rows, const ExtendedVector& target) {
  kernels::CodeFrame frame;
  frame.plain = target.empty();
  frame.l = padded_double(target, rows.dim());
  // A leading coordinate costs two bytes per row where a code costs one per dimension: at most J / 8 of
  // them add a quarter to the memory. The probe is cheap; the larger sample is drawn only where it finds
  // leading directions.
  const Index most = rows.dim() / 8;
  if (most == 0) return frame;
  Spectrum spectrum = sample_spectrum(rows, kProbeRows);
  if (spectrum.energy_of(most) < kLeadingShare) return frame;
  const Index enough = spectrum_rows(rows.num_rows());
  if (enough > kProbeRows) spectrum = sample_spectrum(rows, enough);
  // As few directions as leave at most 1.5 times the energy that `most` of them would leave: the error of the
  // codes goes with the root of what is left.
  const double rest = 1 - spectrum.energy_of(most);
  frame.num_leading = std::min(most, spectrum.count_for(1 - std::max(kNegligible, kRestFactor * rest)));
  const Index room = kernels::row_room(rows.dim());
  frame.leading.assign(at(frame.num_leading * room), 0.0F);
  for (Index k = 0; k < frame.num_leading; ++k) {
    for (Index j = 0; j < rows.dim(); ++j) {
      frame.leading[at(k * room + j)] =
          static_cast<float>(spectrum.directions[at(k * spectrum.padded_dim + j)]);
    }
  }
  return frame;
}

// The steps of an octet's dimensions in one word, from the lowest bits on.
std::int32_t packed_steps(const std::int32_t* steps, std::initializer_list<Index> dims) {
  const auto bits = static_cast<int>(32 / dims.size());
  std::uint32_t word = 0;
  int shift = 0;
  for (const Index j : dims) {
    word |= (static_cast<std::uint32_t>(steps[j]) & ((std::uint32_t{1} << bits) - 1)) << shift;
    shift += bits;
  }
  return static_cast<std::int32_t>(word);
}

// g_j ~ unit * (integer), with every |integer| <= most and their sum over the dimensions <= most_together, up
// to half a step of rounding per dimension. Fine: in words of two, else of four.
kernels::SteppedDirection stepped(const std::vector<double>& g, Index octets, bool fine, double most,
                                  double most_together) {
  double largest = 0, together = 0;
  for (const double value : g) {
    largest = std::max(largest, std::abs(value));
    together += std::abs(value);
  }
  // The unit that makes both limits hold: max_j |g_j| / unit <= most and sum_j |g_j| / unit <= most_together.
  const double unit = largest > 0 ? std::max(largest / most, together / most_together) : 1.0;
  kernels::SteppedDirection out;
  out.unit = static_cast<float>(unit);
  std::vector<std::int32_t> all(at(octets * kernels::kOctet), 0);
  double square = 0;
  for (std::size_t j = 0; j < std::min(g.size(), all.size()); ++j) {
    const double steps = std::nearbyint(g[j] / unit);
    square += (g[j] - unit * steps) * (g[j] - unit * steps);
    all[j] = static_cast<std::int32_t>(steps);
    out.total += all[j];
  }
  for (Index t = 0; t < octets; ++t) {
    const std::int32_t* steps = all.data() + t * kernels::kOctet;
    if (fine) {
      for (const Index j : {0, 1, 4, 5}) out.words.push_back(packed_steps(steps, {j, j + 2}));
    } else {
      for (const Index j : {0, 4}) out.words.push_back(packed_steps(steps, {j, j + 1, j + 2, j + 3}));
    }
  }
  // The norm of g - unit * integers bounds, by Cauchy and Schwarz, what the rounding changes in a product;
  // 1.001 covers float.
  out.error = static_cast<float>(std::sqrt(square)) * 1.001F;
  return out;
}

// A query whose direction across l is g: in 16-bit steps for the fine plane, in 8-bit steps for the coarse
// one, and its products with the leading directions.
kernels::CodeQuery quantise(const std::vector<double>& g, const kernels::CodeFrame& frame, Index octets) {
  kernels::CodeQuery out{};
  out.plain = frame.plain;
  // No sum of products with codes of up to 255 may overflow 32 bits; rounding adds half a step per dimension.
  const double room = std::max(1.0, 2147483647.0 / 255 - static_cast<double>(kernels::kOctet * octets));
  out.fine = stepped(g, octets, true, 32767, room);
  out.coarse = stepped(g, octets, false, 127, room);
  const auto dim = frame.l.size();
  const auto stride = frame.num_leading > 0 ? frame.leading.size() / at(frame.num_leading) : 0;
  for (std::size_t k = 0; k < at(frame.num_leading); ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < std::min(dim, stride); ++j) {
      sum += g[j] * static_cast<double>(frame.leading[k * stride + j]);
    }
    out.leading.push_back(static_cast<float>(sum) / kernels::kLeadingSteps);
  }
  out.float_error = kFloatError + kFloatErrorEach * static_cast<float>(frame.num_leading);
  return out;
}

// How many rows are searched in one piece: blocks, or halves, quarters, ... of them where there are so few
// blocks that threads would wait for the last.
Index rows_of_part(Index num_rows) {
  constexpr Index kFewestParts = 32, kLeast = 256;
  static_assert(kLeast % kernels::kGroupRows == 0 && kBlockRows % kLeast == 0);
  Index rows = kBlockRows;
  while (rows > kLeast && num_rows < kFewestParts * rows) rows /= 2;
  return rows;
}

}  // namespace

QuantisedSelector::QuantisedSelector(const RowSource& rows, const Executor& executor,
                                     const ExtendedVector& target)
    : QuantisedSelector(rows, executor, frame_of(rows, target)) {
  for_each_block(executor, rows.num_rows(), [&](Index begin, Index count) {
    kernels::EncodeScratch scratch;
    for_each_tile(rows_, begin, count,
                  [&](Index first, const double* x, Index some) { encode(first, x, some, scratch); });
    rows_.passed(begin, count);
  });
  collect();
}

QuantisedSelector::QuantisedSelector(const RowSource& rows, const Executor& executor,
                                     kernels::CodeFrame frame)
    : rows_(rows),
      executor_(executor),
      octets_(rows.dim()),
      frame_(std::move(frame)),
      near_(rows, executor.memory()) {
  const auto groups = at(num_groups(rows.num_rows()));
  // One buffer: coarse plane, fine plane, kappa, scale, leading coordinates, each for all groups of 16 rows.
  fine_offset_ = groups * at(octets_.coarse_bytes());
  kappa_offset_ = fine_offset_ + groups * at(octets_.fine_bytes());
  scale_offset_ = kappa_offset_ + groups * kernels::kGroupRows * sizeof(float);
  leading_offset_ = scale_offset_ + groups * kernels::kGroupRows * sizeof(std::uint16_t);
  buffer_ = RowBytes(executor.memory(), leading_offset_ + groups * kernels::kGroupRows *
                                                              sizeof(std::int16_t) * at(frame_.num_leading));
  summaries_.resize(at(num_blocks(rows.num_rows())));
}

void QuantisedSelector::encode(Index first, const double* x, Index count, kernels::EncodeScratch& scratch) {
  const Index index = first / kBlockRows;
  kernels::encode(x, first - index * kBlockRows, count, rows_.dim(), frame_, block(index), scratch,
                  summaries_[at(index)]);
  near_.store(first, x, count);
}

// Blocks were filled in any order by any thread; here their bounds and left-out rows are
// joined in block order.
void QuantisedSelector::collect() {
  for (std::size_t index = 0; index < summaries_.size(); ++index) {
    bounds_.push_back(summaries_[index].bounds);
    for (const Index row : summaries_[index].left_out)
      left_out_.push_back(static_cast<Index>(index) * kBlockRows + row);
  }
  summaries_.clear();
}

QuantisedBuilder::QuantisedBuilder(const RowSource& rows, const Executor& executor)
    : selector_(new QuantisedSelector(rows, executor, frame_of(rows, {}))) {}

QuantisedBuilder::~QuantisedBuilder() = default;

bool QuantisedBuilder::suits(const RowSource& rows) {
  return rows.contiguous() == nullptr && sample_spectrum(rows, kProbeRows).energy_of(1) < kOneDirection;
}

void QuantisedBuilder::add(Index first, const double* x, Index count, kernels::EncodeScratch& scratch) {
  selector_->encode(first, x, count, scratch);
}

std::unique_ptr<Selector> QuantisedBuilder::finish(const ExtendedVector& target) {
  QuantisedSelector& selector = *selector_;
  selector.collect();
  // Plain codes were made before l was known. Now that it is, c = <l_n, l> of every row is read off the
  // codes, with the error of any other product; it takes the place of kappa.
  const kernels::CodeQuery along =
      quantise(padded_double(target, selector.rows_.dim()), selector.frame_, selector.octets_.count());
  selector.target_error_ = along.fine.error;
  selector.passes_ = 0;
  for_each_block(selector.executor_, selector.rows_.num_rows(), [&](Index first, Index /*count*/) {
    kernels::measure_target(selector.block(first / kBlockRows), along);
  });
  return std::move(selector_);
}

kernels::CodeBlock QuantisedSelector::block(Index index) const {
  const Index first = index * kBlockRows;
  return codes_of(first, std::min(kBlockRows, rows_.num_rows() - first));
}

// Blocks and parts of them are multiples of 16 rows, and so begin with a group of their own.
kernels::CodeBlock QuantisedSelector::codes_of(Index first, Index count) const {
  const Index first_group = first / kernels::kGroupRows, groups = num_groups(count);
  return {buffer_.as<std::uint8_t>() + first_group * octets_.coarse_bytes(),
          buffer_.as<std::uint8_t>(fine_offset_) + first_group * octets_.fine_bytes(),
          buffer_.as<float>(kappa_offset_) + first_group * kernels::kGroupRows,
          buffer_.as<std::uint16_t>(scale_offset_) + first_group * kernels::kGroupRows,
          buffer_.as<std::int16_t>(leading_offset_) + first_group * kernels::kGroupRows * frame_.num_leading,
          groups,
          octets_};
}

double QuantisedSelector::prepare_bytes_read() const {
  return passes_ * static_cast<double>(rows_.num_rows()) * static_cast<double>(rows_.dim()) * sizeof(double);
}

Pick QuantisedSelector::best(const Query& query, SearchMemory& memory, SearchStats& stats) const {
  const std::vector<Pick> picks = best_several(query, {}, memory, stats);
  return picks.empty() ? Pick{} : picks.front();
}

// The rows that codes cannot rule out: those whose upper bound reaches the threshold, which is raised to the
// largest lower bound of any row, times the share.
std::vector<Candidate> QuantisedSelector::scan(const Query& query, double share, float& threshold,
                                               SearchMemory& memory, SearchStats& stats) const {
  kernels::CodeQuery codes = quantise(query.across, frame_, octets_.count());
  codes.geodesic = query.criterion == Criterion::Geodesic;
  codes.d_along = static_cast<float>(query.d_along);
  codes.d_across = static_cast<float>(query.d_across);
  codes.target_error = target_error_;
  codes.share = static_cast<float>(share);
  // Shared so that a thread prunes by what another has found. Which rows remain candidates may depend on
  // timing; the best of them by exact_score does not, nor does the largest lower bound.
  std::atomic<float> seen_so_far = threshold;

  const Index part_rows = rows_of_part(rows_.num_rows()), parts = num_blocks(rows_.num_rows(), part_rows);
  // By part, so that no two threads write to the same list.
  std::vector<std::vector<Candidate>> found(at(parts));
  // Where most groups end in the fine plane anyway, the coarse plane is not tried first; one part in
  // kTrialParts still tries it, to notice when that changes.
  std::atomic<Index> refined = 0, tried_groups = 0, tried_refined = 0;
  memory.backwards = !memory.backwards;
  const auto scan_part = [&](Index first, Index count, Pick& lower) {
    const Index index = first / part_rows;
    const Index turn = memory.backwards ? parts - 1 - index : index;
    float reached = seen_so_far.load(std::memory_order_relaxed);
    const bool coarse_first = turn % kTrialParts == 0 || 2 * tried_refined.load() < tried_groups.load();
    const kernels::CodeBlock part = codes_of(first, count);
    const Index some = kernels::scan_codes(part, codes, bounds_[at(first / kBlockRows)], coarse_first, first,
                                           reached, found[at(index)]);
    refined += some;
    if (coarse_first) {
      tried_groups += part.groups;
      tried_refined += some;
    }
    // seen_so_far = max(seen_so_far, reached), without a lock.
    float seen = seen_so_far.load(std::memory_order_relaxed);
    while (seen < reached && !seen_so_far.compare_exchange_weak(seen, reached, std::memory_order_relaxed)) {
    }
    lower.offer(first, static_cast<double>(reached));
  };
  const Pick lower = best_row(executor_, rows_.num_rows(), scan_part, {-1, static_cast<double>(threshold)},
                              {.block_rows = part_rows, .backwards = memory.backwards});
  threshold = static_cast<float>(lower.score);
  stats.bytes_read += static_cast<double>(fine_offset_ + buffer_.size() - kappa_offset_) +
                      static_cast<double>(refined.load() * octets_.fine_bytes());

  std::vector<Candidate> candidates;
  for (const auto& some : found) candidates.insert(candidates.end(), some.begin(), some.end());
  // Rows without codes are always candidates.
  for (const Index row : left_out_) candidates.push_back({row, kAnyScore});
  std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.upper < threshold; });
  memory.hardly_pruned = 2 * std::ssize(candidates) > rows_.num_rows();
  return candidates;
}

std::vector<Pick> QuantisedSelector::best_several(const Query& query, const Wanted& wanted,
                                                  SearchMemory& memory, SearchStats& stats) const {
  const Pick known = best_contender(query, rows_, memory, stats);
  float threshold = known.score > 0 ? safely_below(wanted.share * known.score) : 0.0F;
  // Where codes ruled out few rows, those in 16 bits are asked at once; now and then codes are tried again.
  const bool by_codes = !memory.hardly_pruned || !near_.serves(query) || memory.unscanned >= kUnscanned;
  memory.unscanned = by_codes ? 0 : memory.unscanned + 1;
  stats.rows_touched += static_cast<double>(rows_.num_rows());
  std::vector<Candidate> candidates;
  if (by_codes) {
    candidates = scan(query, wanted.share, threshold, memory, stats);
    near_.narrow(query, wanted.share, executor_, candidates, threshold, memory, stats);
  } else {
    candidates = near_.search(query, wanted.share, executor_, threshold, memory, stats);
  }
  return best_candidates(query, wanted, rows_, executor_, candidates, threshold, memory, stats);
}

}  // namespace giga
