// One pass over the vectors: L in double-double, sigma, the smallest norm; a fold over blocks of rows. The
// cap tree and plain codes are made along the way, so that rows which must be computed are computed once.
//
// Why double-double: |L| may be far below sigma (the vectors of section 4.2 of the paper sum to almost
// nothing), and the relative error is measured in units of |L|. A sum in double would carry an error
// of about eps sigma.
#include "giga/construct/vector_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/extended.hpp"
#include "construct/cap_tree_selector.hpp"
#include "construct/product_selector.hpp"
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
  if (rows.products() != nullptr || rows.num_rows() * rows.dim() < kScanElements) return SelectorKind::Scan;
  if (rows.num_rows() >= kTreeRows && rows.dim() > kTreeDirections) {
    const Spectrum spectrum = sample_spectrum(rows, kProbeRows);
    if (spectrum.energy_of(kTreeDirections) >= kTreeEnergy) return SelectorKind::CapTree;
  }
  return SelectorKind::Quantised;
}

namespace {

// What a block adds to the table lies in one array, and so do the totals: the sum of the rows in
// double-double, high and low, J numbers each; then four numbers.
template <typename Number>
struct SumView {
  Number* numbers;
  Index dim;

  static Index size(Index dim) { return 2 * dim + 4; }
  [[nodiscard]] Number* high() const { return numbers; }
  [[nodiscard]] Number* low() const { return numbers + dim; }
  [[nodiscard]] Number& norms() const { return numbers[2 * dim]; }              // their sum
  [[nodiscard]] Number& smallest_norm() const { return numbers[2 * dim + 1]; }  // of rows that are not zero
  [[nodiscard]] Number& zero_rows() const { return numbers[2 * dim + 2]; }      // how many
  [[nodiscard]] Number& not_finite() const { return numbers[2 * dim + 3]; }     // norms
};

void add_norms(const double* norms, Index count, const SumView<double>& sum) {
  for (const double norm : std::span(norms, at(count))) {
    if (!std::isfinite(norm)) ++sum.not_finite();
    if (norm == 0) {
      ++sum.zero_rows();
    } else {
      sum.smallest_norm() = std::min(sum.smallest_norm(), norm);
    }
    sum.norms() += norm;
  }
}

// The sum of two parts; `total` comes first in row order.
void join(const SumView<const double>& part, const SumView<double>& total) {
  kernels::add_sums(part.high(), part.low(), total.dim, total.high(), total.low());
  total.norms() += part.norms();
  total.smallest_norm() = std::min(total.smallest_norm(), part.smallest_norm());
  total.zero_rows() += part.zero_rows();
  total.not_finite() += part.not_finite();
}

// Components that are not finite: how many there are, and the first of them. Parts are joined in block order,
// so `first` has the first places in row order.
struct NotFinite {
  static constexpr std::size_t kPlaces = 5;
  struct Place {
    Index row, col;
    double value;
  };
  Index count;
  std::array<Place, kPlaces> first;

  void add(const Place& place) {
    if (at(count) < kPlaces) first[at(count)] = place;
    ++count;
  }
  void join(const NotFinite& later) {
    const Index all = count + later.count;
    for (std::size_t k = 0; k < std::min(kPlaces, at(later.count)); ++k) add(later.first[k]);
    count = all;
  }
};

// Reads everything again to say how many components are not finite, and where the first are.
[[noreturn]] void refuse_non_finite(const RowSource& rows, const Executor& executor) {
  NotFinite found{};
  fold_blocks<NotFinite>(
      executor, rows.num_rows(), 1, std::span(&found, 1),
      [&](Index begin, Index count, Index /*piece*/, NotFinite* part) {
        for_each_tile(rows, begin, count, [&](Index tile, const double* x, Index some) {
          for (Index i = 0; i < some * rows.dim(); ++i) {
            if (!std::isfinite(x[i])) part->add({tile + i / rows.dim(), i % rows.dim(), x[i]});
          }
        });
      },
      [](const NotFinite* part, NotFinite* total) { total->join(*part); });
  if (found.count == 0)
    throw DataError(rows.name() + ": norms or their sum overflow; divide all values by a power of ten");
  // "row 3, column 1 is nan; ...": the first places, and how many there are in all.
  std::string places;
  for (std::size_t k = 0; k < std::min(NotFinite::kPlaces, at(found.count)); ++k) {
    const auto& [row, col, value] = found.first[k];
    places += (k == 0 ? "" : "; ") + rows.place(row, col) + " is " + shortest(value);
  }
  throw DataError(rows.name() + ": " + std::to_string(found.count) +
                  (found.count == 1 ? " value is" : " values are") + " not finite: " + places +
                  (at(found.count) > NotFinite::kPlaces ? "; ..." : "") +
                  "; remove those rows or mend what made them");
}

}  // namespace

// The selector is made by whoever asks first.
struct VectorTable::Lazy {
  std::once_flag once;
  std::unique_ptr<Selector> selector;
};

VectorTable::VectorTable(const RowSource& rows, const Executor& executor, const TableOptions& options)
    : rows_(&rows),
      executor_(&executor),
      kind_(options.selector == SelectorKind::Auto || rows.products() != nullptr ? choose_selector(rows)
                                                                                 : options.selector),
      lazy_(std::make_unique<Lazy>()) {
  // Rows that are known by their products need not be formed where their sum is known too.
  const RowProducts* measured = options.known != nullptr ? rows.products() : nullptr;
  const Index dim = measured != nullptr ? 0 : rows.dim();
  std::unique_ptr<CapTreeBuilder> tree;  // these ride along, so that the rows are read once
  std::unique_ptr<QuantisedBuilder> codes;
  if (kind_ == SelectorKind::CapTree) tree = std::make_unique<CapTreeBuilder>(rows, executor);
  if (kind_ == SelectorKind::Quantised && QuantisedBuilder::suits(rows))
    codes = std::make_unique<QuantisedBuilder>(rows, executor);

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> numbers(at(SumView<double>::size(dim)), 0.0);
  const SumView<double> total{numbers.data(), dim};
  total.smallest_norm() = kInfinity;
  // Each block fills a part of its own; parts are joined in block order, so L and sigma have the same bits
  // for any number of threads.
  fold_blocks<double>(
      executor, rows.num_rows(), std::ssize(numbers), std::span(numbers),
      // NOLINTNEXTLINE(readability-non-const-parameter): it is written to through the view
      [&](Index begin, Index count, Index /*piece*/, double* part) {
        const SumView<double> sum{part, dim};
        sum.smallest_norm() = kInfinity;
        if (measured != nullptr) {
          std::vector<double> norms(at(count));
          measured->norms(begin, count, norms.data());
          return add_norms(norms.data(), count, sum);
        }
        kernels::EncodeScratch scratch;
        for_each_tile(rows, begin, count, [&](Index first, const double* x, Index some) {
          double norms[kTileRows];
          row_norms(x, some, dim, norms);
          add_norms(norms, some, sum);
          kernels::add_rows(x, some, dim, sum.high(), sum.low());
          if (tree) tree->add(first, x, norms, some);
          if (codes) codes->add(first, x, some, scratch);
        });
        if (tree || codes) rows.passed(begin, count);
      },
      [dim](const double* part, double* sum) {
        join(SumView<const double>{part, dim}, SumView<double>{sum, dim});
      });
  // A norm that overflows is as bad as a component that is not finite: both make the sum meaningless.
  measured_ = measured != nullptr;
  norm_sum_ = total.norms();
  num_zero_rows_ = static_cast<Index>(total.zero_rows());
  if (total.not_finite() > 0 || !std::isfinite(norm_sum_)) refuse_non_finite(rows, executor);

  sum_.resize(at(dim));
  for (Index j = 0; j < dim; ++j)
    sum_[at(j)] = static_cast<Extended>(total.high()[j]) + static_cast<Extended>(total.low()[j]);
  if (options.known != nullptr) {
    if (std::ssize(options.known->sum) != rows.dim())
      throw std::invalid_argument("the sum of all rows has another dimension than the rows");
    sum_ = options.known->sum;
    norm_sum_ = options.known->norm_sum;
  }
  target_norm_ = norm(sum_);
  // The rows carry a rounding of eps/2 each: a sum no larger than a few of these has no direction.
  constexpr auto kEps = static_cast<Extended>(std::numeric_limits<double>::epsilon());
  if (target_norm_ > 8 * kEps * static_cast<Extended>(norm_sum_)) {
    target_ = sum_;
    scale(target_, 1 / target_norm_);
    // Only exact_score knows of rows too short to be given a weight: if there are any, all rows are scored.
    if (total.smallest_norm() < smallest_weighable_norm(norm_sum_)) {
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
  // A cap tree and plain codes were made in the constructor; a scan needs nothing, and the other codes need l
  // and so a second pass over the rows.
  std::call_once(lazy_->once, [this] {
    if (rows_->products() != nullptr) {
      lazy_->selector = std::make_unique<ProductSelector>(*rows_, *executor_, target_);
    } else if (kind_ == SelectorKind::Scan) {
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
  return (measured_ ? 0.0 : once) + (lazy_->selector ? lazy_->selector->prepare_bytes_read() : 0.0);
}

}  // namespace giga
