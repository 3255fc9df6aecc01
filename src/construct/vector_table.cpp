#include "giga/construct/vector_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "base/extended.hpp"
#include "construct/cap_tree_selector.hpp"
#include "construct/quantised_selector.hpp"
#include "construct/row_kernels.hpp"
#include "construct/row_pass.hpp"
#include "construct/scan_selector.hpp"
#include "construct/spectrum.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {

SelectorKind choose_selector(const RowSource& rows) {
  // From benchmarks/run: below the first size a scan ends before the codes are made; above the second a tree
  // over nearly four-dimensional rows touches few enough of them to beat a pass over the codes.
  constexpr Index kScanElements = Index{1} << 18;
  constexpr Index kTreeRows = Index{1} << 17;
  constexpr Index kTreeDirections = 4;
  constexpr double kTreeEnergy = 0.999;
  if (rows.num_rows() * rows.dim() < kScanElements) return SelectorKind::Scan;
  if (rows.num_rows() >= kTreeRows && rows.dim() > kTreeDirections) {
    const Spectrum spectrum = sample_spectrum(rows, kProbeRows);
    if (spectrum.energy_of(kTreeDirections) >= kTreeEnergy) return SelectorKind::CapTree;
  }
  return SelectorKind::Quantised;
}

namespace {

// What one block adds to the table.
struct BlockSum {
  std::vector<double> high, low;  // the sum of its rows, in double-double
  double norms = 0;
  double smallest_norm = std::numeric_limits<double>::infinity();  // of rows that are not zero
  Index zero_rows = 0;
  bool finite = true;
};

void add_tile(const double* x, const double* norms, Index count, Index dim, BlockSum& sum) {
  for (const double norm : std::span(norms, static_cast<std::size_t>(count))) {
    if (!std::isfinite(norm)) sum.finite = false;
    if (norm == 0) {
      ++sum.zero_rows;
    } else {
      sum.smallest_norm = std::min(sum.smallest_norm, norm);
    }
    sum.norms += norm;
  }
  kernels::add_rows(x, count, dim, sum.high.data(), sum.low.data());
}

// Reads everything again to say how many components are not finite, and where the first are.
[[noreturn]] void refuse_non_finite(const RowSource& rows) {
  constexpr int kPlaces = 5;
  Index count = 0;
  std::string places;
  for (Index block = 0; block < num_blocks(rows.num_rows()); ++block) {
    for_each_tile(rows, block, [&](Index first, const double* x, Index some) {
      for (Index i = 0; i < some * rows.dim(); ++i) {
        if (std::isfinite(x[i])) continue;
        if (++count <= kPlaces) {
          places += (places.empty() ? "" : "; ") + rows.place(first + i / rows.dim(), i % rows.dim()) +
                    " is " + shortest(x[i]);
        }
      }
    });
  }
  if (count == 0) {
    throw DataError(rows.name() + ": norms or their sum overflow; divide all values by a power of ten");
  }
  throw DataError(rows.name() + ": " + std::to_string(count) + (count == 1 ? " value is" : " values are") +
                  " not finite: " + places + (count > kPlaces ? "; ..." : "") +
                  "; remove those rows or mend what made them");
}

}  // namespace

struct VectorTable::Lazy {
  std::once_flag once;
  std::unique_ptr<Selector> selector;
};

VectorTable::VectorTable(const RowSource& rows, const Executor& executor, const TableOptions& options)
    : rows_(&rows),
      executor_(&executor),
      kind_(options.selector == SelectorKind::Auto ? choose_selector(rows) : options.selector),
      lazy_(std::make_unique<Lazy>()) {
  const auto dim = static_cast<std::size_t>(rows.dim());
  std::unique_ptr<CapTreeBuilder> tree;  // these ride along, so that the rows are read once
  std::unique_ptr<QuantisedBuilder> codes;
  if (kind_ == SelectorKind::CapTree) tree = std::make_unique<CapTreeBuilder>(rows, executor);
  if (kind_ == SelectorKind::Quantised && QuantisedBuilder::suits(rows))
    codes = std::make_unique<QuantisedBuilder>(rows, executor);

  std::vector<BlockSum> sums(static_cast<std::size_t>(num_blocks(rows.num_rows())));
  executor.for_each(num_blocks(rows.num_rows()), [&](Index block) {
    BlockSum& sum = sums[static_cast<std::size_t>(block)];
    sum.high.assign(dim, 0.0);
    sum.low.assign(dim, 0.0);
    kernels::EncodeScratch scratch;
    for_each_tile(rows, block, [&](Index first, const double* x, Index count) {
      double norms[kTileRows];
      row_norms(x, count, rows.dim(), norms);
      add_tile(x, norms, count, rows.dim(), sum);
      if (tree) tree->add(first, x, norms, count);
      if (codes) codes->add(first, x, count, scratch);
    });
    if (tree || codes)
      rows.passed(block * kBlockRows, std::min(kBlockRows, rows.num_rows() - block * kBlockRows));
  });

  std::vector<double> high(dim, 0.0), low(dim, 0.0);
  double smallest_norm = std::numeric_limits<double>::infinity();
  for (const BlockSum& sum : sums) {  // in block order: the same bits for any number of threads
    if (!sum.finite) refuse_non_finite(rows);
    kernels::add_sums(sum.high.data(), sum.low.data(), rows.dim(), high.data(), low.data());
    norm_sum_ += sum.norms;
    num_zero_rows_ += sum.zero_rows;
    smallest_norm = std::min(smallest_norm, sum.smallest_norm);
  }
  if (!std::isfinite(norm_sum_)) refuse_non_finite(rows);

  sum_.resize(dim);
  for (std::size_t j = 0; j < dim; ++j)
    sum_[j] = static_cast<Extended>(high[j]) + static_cast<Extended>(low[j]);
  target_norm_ = norm(sum_);
  // The rows carry a rounding of eps/2 each: a sum no larger than a few of these has no direction.
  constexpr auto kEps = static_cast<Extended>(std::numeric_limits<double>::epsilon());
  if (target_norm_ > 8 * kEps * static_cast<Extended>(norm_sum_)) {
    target_ = sum_;
    scale(target_, 1 / target_norm_);
    // Rows too short to be given a weight are known to exact_score alone: where there are such, all are
    // scored.
    if (smallest_norm < smallest_weighable_norm(norm_sum_)) {
      kind_ = SelectorKind::Scan;
      tree.reset();
      codes.reset();
    }
    if (tree) std::call_once(lazy_->once, [&] { lazy_->selector = tree->finish(); });
    if (codes) std::call_once(lazy_->once, [&] { lazy_->selector = codes->finish(target_); });
  }
}

VectorTable::~VectorTable() = default;

const Selector& VectorTable::selector() const {
  std::call_once(lazy_->once, [this] {
    if (kind_ == SelectorKind::Scan) {
      lazy_->selector = std::make_unique<ScanSelector>(*rows_, *executor_);
    } else {
      lazy_->selector = std::make_unique<QuantisedSelector>(*rows_, *executor_, target_);
    }
  });
  return *lazy_->selector;
}

std::size_t VectorTable::selector_bytes() const {
  return lazy_->selector ? lazy_->selector->bytes() : 0;
}

double VectorTable::prepare_bytes_read() const {
  const double once = static_cast<double>(num_rows()) * static_cast<double>(dim()) * sizeof(double);
  return once + (lazy_->selector ? lazy_->selector->prepare_bytes_read() : 0.0);
}

}  // namespace giga
