// The multiplicities of each block are summed in one pass; a row is looked for within its block alone.
//
// Observation j lies at (j + 1/2) W / T on the line of all multiplicities, W their sum and T the number of
// observations, W rounded: a row of multiplicity m takes up m of it.
#include "pipeline/checked_observations.hpp"

#include <algorithm>
#include <cmath>

#include "giga/base/random.hpp"

namespace giga {
namespace {

struct BlockWeight {
  double sum = 0;
  double alike = 1;  // whether all multiplicities are 1: then rows need not be looked for
};

// Of every block, in order: a total whose first entry counts those that are filled.
std::vector<BlockWeight> block_weights(const LinearModel& model, const Executor& executor) {
  std::vector<BlockWeight> total(at(num_blocks(model.num_rows()) + 1), BlockWeight{});
  total[0].sum = 0;
  fold_blocks<BlockWeight>(
      executor, model.num_rows(), 1, std::span(total),
      [&](Index first, Index count, Index /*piece*/, BlockWeight* part) {
        *part = {};
        if (model.counts_once()) {
          part->sum = static_cast<double>(count);
          return;
        }
        for (Index n = first; n < first + count; ++n) {
          const double times = model.multiplicity(n);
          part->sum += times;
          if (times != 1) part->alike = 0;
        }
      },
      [](const BlockWeight* part, BlockWeight* sums) {
        sums[0].sum += 1;
        sums[static_cast<Index>(sums[0].sum)] = *part;
      });
  total.erase(total.begin());
  return total;
}

// The row that has a place on the line, and where its own part of the line ends.
class RowFinder {
 public:
  RowFinder(const LinearModel& model, const std::vector<BlockWeight>& blocks)
      : model_(model), blocks_(blocks) {}

  // Places ascend from call to call.
  Index at_place(double place) {
    while (block_ + 1 < std::ssize(blocks_) && place >= begin_ + blocks_[at(block_)].sum) {
      begin_ += blocks_[at(block_++)].sum;
      row_ = block_ * kBlockRows;
      passed_ = begin_;
    }
    const Index last = std::min(model_.num_rows(), (block_ + 1) * kBlockRows) - 1;
    if (blocks_[at(block_)].alike != 0)
      return std::min(last, block_ * kBlockRows + static_cast<Index>(std::floor(place - begin_)));
    // Invariant: rows of the block before row_ take up the line to passed_, which is not beyond the place.
    while (row_ < last && place >= passed_ + model_.multiplicity(row_))
      passed_ += model_.multiplicity(row_++);
    return row_;
  }

 private:
  const LinearModel& model_;
  const std::vector<BlockWeight>& blocks_;
  Index block_ = 0, row_ = 0;
  double begin_ = 0, passed_ = 0;
};

}  // namespace

CheckedObservations draw_observations(const LinearModel& model, Index most, std::uint64_t seed,
                                      const Executor& executor) {
  constexpr double kMost = 0x1p52;  // beyond, weights do not count observations
  const std::vector<BlockWeight> blocks = block_weights(model, executor);
  CheckedObservations out;
  for (const BlockWeight& block : blocks) out.all += block.sum;
  const auto total = static_cast<Index>(std::clamp(std::round(out.all), 1.0, kMost));
  out.count = std::min(most, total);
  const Index length = total / out.count, rest = total % out.count;
  const auto begin = [&](Index run) { return run * length + run * rest / out.count; };
  Stream random = stream(seed, "checked observations");
  RowFinder finder(model, blocks);
  for (Index run = 0; run < out.count; ++run) {
    const Index first = begin(run), size = begin(run + 1) - first;
    const Index chosen = first + static_cast<Index>(random.below(static_cast<std::uint64_t>(size)));
    const double place = (static_cast<double>(chosen) + 0.5) * (out.all / static_cast<double>(total));
    const Index row = finder.at_place(place);
    if (out.rows.empty() || out.rows.back() != row) {
      out.rows.push_back(row);
      out.counts.push_back(0);
    }
    ++out.counts.back();
  }
  return out;
}

}  // namespace giga
