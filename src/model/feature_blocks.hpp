// Derivatives of rows along features, kept by blocks of rows: for a model each of whose calls costs as much
// for one row as for a thousand. Whoever passes over rows asks for some dozens of them at a time, and a build
// asks for single rows again.
//
// Row n of a pass always comes from block n / B, with B = 2^21 / J rows for J features, from 64 to 4096: the
// same call, and so the same bits. At most 2^25 numbers are kept (256 MB), those of the blocks last made. A
// single row is made alone unless two sets of features of all rows could be kept: those of a build and of its
// check.
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

class FeatureBlocks {
 public:
  /// fill(first, count, out) makes rows [first, first + count), J numbers each.
  template <typename Fill>
  void read(Index num_rows, Index first, Index count, const DirectionalFeatures& features, double* out,
            const Fill& fill) {
    const Index dim = features.points.count();
    const Index rows = std::clamp(kNumbersAtOnce / dim, kFewestRows, kBlockRows);
    for (Index done = 0; done < count;) {
      const Index row = first + done, begin = row / rows * rows, length = std::min(rows, num_rows - begin);
      const Index some = std::min(count - done, begin + length - row);
      Values values = find(features, begin);
      if (!values && count == 1 && 2 * num_rows * dim > kNumbersKept) return fill(row, 1, out);
      if (!values) {
        values = std::make_shared<std::vector<double>>(at(length * dim));
        fill(begin, length, values->data());
        keep(features, begin, values);
      }
      std::copy_n(values->data() + (row - begin) * dim, some * dim, out + done * dim);
      done += some;
    }
  }

 private:
  using Values = std::shared_ptr<std::vector<double>>;
  struct Block {
    std::shared_ptr<const DirectionalFeatures> features;
    Index first;
    Values values;
  };
  static constexpr Index kNumbersAtOnce = Index{1} << 21, kNumbersKept = Index{1} << 25, kFewestRows = 64;

  static bool equal(const Points& a, const Points& b) {
    if (a.dim() != b.dim() || a.count() != b.count()) return false;
    for (Index d = 0; d < a.dim(); ++d)
      if (!std::equal(a.component(d), a.component(d) + a.count(), b.component(d))) return false;
    return true;
  }
  static bool equal(const DirectionalFeatures& a, const DirectionalFeatures& b) {
    return a.scale == b.scale && a.coordinate == b.coordinate && a.frame.has_value() == b.frame.has_value() &&
           equal(a.points, b.points) && (!a.frame || equal(*a.frame, *b.frame));
  }

  // Features are few, and compared by what they are: an address may be used again.
  std::shared_ptr<const DirectionalFeatures> known(const DirectionalFeatures& features) const {
    const DirectionalFeatures* last = nullptr;
    for (const Block& block : blocks_) {
      if (block.features.get() == last) continue;
      last = block.features.get();
      if (equal(*last, features)) return block.features;
    }
    return nullptr;
  }

  Values find(const DirectionalFeatures& features, Index first) {
    const std::lock_guard lock(mutex_);
    const auto same = known(features);
    if (!same) return nullptr;
    for (const Block& block : blocks_)
      if (block.first == first && block.features == same) return block.values;
    return nullptr;
  }

  void keep(const DirectionalFeatures& features, Index first, const Values& values) {
    const std::lock_guard lock(mutex_);
    auto same = known(features);
    if (!same) same = std::make_shared<const DirectionalFeatures>(features);
    blocks_.push_front({std::move(same), first, values});
    kept_ += std::ssize(*values);
    while (kept_ > kNumbersKept && blocks_.size() > 1) {
      kept_ -= std::ssize(*blocks_.back().values);
      blocks_.pop_back();
    }
  }

  std::mutex mutex_;
  std::list<Block> blocks_;  // the last made first
  Index kept_ = 0;
};

}  // namespace giga
