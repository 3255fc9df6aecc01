// The log-likelihoods of a regression and their sums. With z_n a row of the design, s_n = <z_n, beta> + o_n
// its predictor (o_n the offset, if there is any) and l_n(s, phi) the log-likelihood of its response,
//
//     L_n = l_n(s_n, phi),
//     grad = (l' z, dl/dphi),
//     Hessian = (l'' z z', z d^2l/(ds dphi); ., d^2l/dphi^2).
//
// Rows of z are made a few at a time, predictors by the tile kernels, l and its derivatives by the family's.
#include "giga/model/regression.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "model/block_sum.hpp"
#include "model/regression_parts.hpp"
#include "model/scratch.hpp"

namespace giga {

using kernels::kTile;

// Rows whose predictors at all points are held at once: those of 500 points take about 50 KB, which stays in
// the second-level cache. A multiple of 6, the rows of predict_many's largest patch.
constexpr Index kRowsAtOnce = 12;

namespace {

// What the distinct rows have of an array by rows of the data, which takes its place.
void choose(std::vector<double>& all, const DistinctRows& rows) {
  if (all.empty() || rows.rows.empty()) return;
  // Invariant: row(k) >= k, so what is still to be read is in its place.
  for (Index k = 0; k < rows.num_rows; ++k) all[at(k)] = all[at(rows.row(k))];
  all.resize(at(rows.num_rows));
  all.shrink_to_fit();
}

// Throws unless there is an offset for every row or none, and trials where the family has them.
void check_terms(const RowTerms& terms, std::size_t num_rows, const FamilyParameters& family) {
  if (!terms.offset.empty() && terms.offset.size() != num_rows)
    throw std::invalid_argument("there must be an offset for every row, or none");
  if (!std::ranges::all_of(terms.offset, [](double value) { return std::isfinite(value); }))
    throw std::invalid_argument("an offset is not finite");
  const bool wanted = describe(family.family).has_trials;
  if (wanted ? terms.trials.size() != num_rows : !terms.trials.empty())
    throw std::invalid_argument(wanted ? "there must be a number of trials for every row"
                                       : "the family has no trials");
}

// Where the family has trials they become part of the response (family.hpp).
void join_trials(std::vector<double>& response, std::span<const double> trials) {
  for (std::size_t n = 0; n < trials.size(); ++n) response[n] = with_trials(response[n], trials[n]);
}

// Responses that are those of the data, to the bit, are read there, as the features are.
RowNumbers held_once(std::vector<double> response, const Dataset& data) {
  const std::span<const double> theirs = data.response();
  const bool same = theirs.size() == response.size() &&
                    std::memcmp(theirs.data(), response.data(), theirs.size_bytes()) == 0;
  return same ? RowNumbers(theirs) : RowNumbers(std::move(response));
}

}  // namespace

Regression::Regression(const Dataset& data, const DistinctRows& rows, std::shared_ptr<const Design> design,
                       std::vector<double> response, const FamilyParameters& family, RowTerms terms) {
  if (static_cast<Index>(response.size()) != data.num_rows())
    throw std::invalid_argument("there must be a response for every row of the data");
  check_terms(terms, response.size(), family);
  join_trials(response, terms.trials);
  choose(response, rows);
  choose(terms.offset, rows);
  RowConstants constants(family, response);
  std::vector<std::string> names = design->names();
  const RowRange all{0, rows.rows.empty() ? data.num_rows() : rows.num_rows};
  parts_ = std::make_unique<const Parts>(Parts{DesignMatrix(std::move(design), data, rows.rows, all),
                                               held_once(std::move(response), data), rows.multiplicity,
                                               std::move(constants), family, std::move(names),
                                               RowNumbers(std::move(terms.offset))});
}

Regression::Regression(std::vector<double> design, std::vector<double> response,
                       std::vector<double> multiplicity, const FamilyParameters& family, RowTerms terms) {
  if (response.empty() || design.size() % response.size() != 0)
    throw std::invalid_argument("there must be a response for every row of the design");
  if (!multiplicity.empty() && multiplicity.size() != response.size())
    throw std::invalid_argument("there must be a multiplicity for every row, or none");
  check_terms(terms, response.size(), family);
  join_trials(response, terms.trials);
  const auto dim = static_cast<Index>(design.size() / response.size());
  RowConstants constants(family, response);
  parts_ = std::make_unique<const Parts>(Parts{DesignMatrix(std::move(design), dim),
                                               RowNumbers(std::move(response)),
                                               std::move(multiplicity),
                                               std::move(constants),
                                               family,
                                               {},
                                               RowNumbers(std::move(terms.offset))});
}

Regression::~Regression() = default;

Index Regression::num_rows() const {
  return parts_->design.num_rows();
}
Index Regression::num_columns() const {
  return parts_->design.num_columns();
}
Index Regression::num_parameters() const {
  return num_columns() + parts_->num_extras();
}
bool Regression::counts_once() const {
  return parts_->multiplicity.empty();
}

double Regression::multiplicity(Index n) const {
  return parts_->times(n);
}
const FamilyParameters& Regression::family() const {
  return parts_->family;
}
double Regression::response(Index n) const {
  return parts_->y(n);
}
double Regression::offset(Index n) const {
  return parts_->shift(n);
}
bool Regression::has_offset() const {
  return !parts_->offset.empty();
}
void Regression::design(Index first, Index count, double* z) const {
  parts_->design.by_row(first, count, z);
}
std::string Regression::parameter_name(Index d) const {
  const auto extras = describe(family().family).extras;
  if (d >= num_columns()) return sampled_name(extras[static_cast<std::size_t>(d - num_columns())]);
  return parts_->names.empty() ? Likelihood::parameter_name(d) : parts_->names[static_cast<std::size_t>(d)];
}

// A few rows at all points: S = Z Theta by predict_many, then the family row by row.
void Regression::log_likelihoods(Index first, Index count, const Points& points, double* out) const {
  if (parts_->num_extras() > 0) return log_likelihoods_with_extras(first, count, points, out);
  const Index dim = num_columns(), num = points.count();
  const Scratch z(std::min(count, kRowsAtOnce) * dim), s(std::min(count, kRowsAtOnce) * points.stride());
  for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
    const Index some = std::min(kRowsAtOnce, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    parts_->predict(first + begin, some, z.data(), points, s.data());
    for (Index i = 0; i < some; ++i) {
      const Index n = first + begin + i;
      kernels::log_likelihoods(parts_->family, response(n), parts_->constant(n),
                               s.data() + i * points.stride(), num, out + (begin + i) * num);
    }
  }
}

// scale multiplicity(n) l'(s_nj) <c_k, z_n>, k = coordinate[j]; without a frame <c_k, z_n> is component k of
// z_n.
void Regression::directional_derivatives(Index first, Index count, const DirectionalFeatures& features,
                                         double* out) const {
  if (parts_->num_extras() > 0) return directional_derivatives_with_extras(first, count, features, out);
  const Points& points = features.points;
  const Index dim = num_columns(), num = points.count();
  // u: row i of Z C, or of Z itself without a frame; `apart` numbers from row to row.
  const Index apart = features.frame ? features.frame->stride() : dim;
  const Index most = std::min(count, kRowsAtOnce);
  const Scratch z(most * dim), s(most * points.stride()), framed(features.frame ? most * apart : 0);
  const double* u = features.frame ? framed.data() : z.data();  // of row i, <c_k, z_i>
  for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
    const Index some = std::min(kRowsAtOnce, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    parts_->predict(first + begin, some, z.data(), points, s.data());
    if (features.frame)
      kernels::predict_many(z.data(), some, dim, features.frame->component(0), apart, framed.data());
    for (Index i = 0; i < some; ++i) {
      double* row = out + (begin + i) * num;
      kernels::slopes(parts_->family, response(first + begin + i), s.data() + i * points.stride(), num, row);
      kernels::scale_by_chosen(u + i * apart, features.scale * multiplicity(first + begin + i),
                               features.coordinate.data(), num, row);
    }
  }
}

// As log_likelihoods, summed over rows as they come; values overwrite the predictors they are made from.
void Regression::add_log_likelihoods(Index first, Index count, const Points& points, double* out) const {
  if (parts_->num_extras() > 0) return add_log_likelihoods_with_extras(first, count, points, out);
  const Index dim = num_columns(), num = points.count(), stride = points.stride();
  const Index most = std::min(count, kRowsAtOnce);
  const Scratch z(most * dim), s(most * stride);
  // Rows that count once go to add_rows together, if the family has one; all others one by one. Which way a
  // row goes depends on the row alone, so the bits of a point do not depend on the other points.
  const auto add_rows = kernels::of(parts_->family).add_rows;
  for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
    const Index some = std::min(kRowsAtOnce, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    parts_->predict(first + begin, some, z.data(), points, s.data());
    std::array<const double*, kRowsAtOnce>
        together{};  // rows that count once, where the family has a shorter way for them
    std::array<double, kRowsAtOnce> responses{};
    std::size_t num_together = 0;
    for (Index i = 0; i < some; ++i) {
      const Index n = first + begin + i;
      const double times = multiplicity(n);
      double* values = s.data() + i * stride;
      if (add_rows != nullptr && times == 1) {
        together[num_together] = values;
        responses[num_together++] = response(n);
      } else {
        kernels::log_likelihoods(parts_->family, response(n), parts_->constant(n), values, num, values);
        // out[j] += times * values[j], in the order of the rows.
        kernels::add_products(&times, 1, 1, values, stride, num, out, num);
      }
    }
    if (num_together > 0)
      add_rows(responses.data(), together.data(), static_cast<Index>(num_together), num, out);
  }
}

void Regression::add_gradients(Index first, Index count, const Points& points, Index apart,
                               double* out) const {
  if (parts_->num_extras() > 0) return add_gradients_with_extras(first, count, points, apart, out);
  const Index dim = num_columns(), num = points.count(), stride = points.stride();
  const Index most = std::min(count, kRowsAtOnce);
  const Scratch z(most * dim), s(most * stride);
  for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
    const Index some = std::min(kRowsAtOnce, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    parts_->predict(first + begin, some, z.data(), points, s.data());
    for (Index i = 0; i < some; ++i) {
      const Index n = first + begin + i;
      // Predictors become slopes in place, rows of z are multiplied by their multiplicity, and the sum over
      // rows of z_id times_i l'_ij is one matrix product.
      double* slopes = s.data() + i * stride;
      const double times = multiplicity(n);
      kernels::slopes(parts_->family, response(n), slopes, num, slopes);
      for (Index d = 0; d < dim; ++d) z.data()[i * dim + d] *= times;
    }
    kernels::add_products(z.data(), some, dim, s.data(), stride, num, out, apart);
  }
}

namespace {

// Derivatives in the extra parameters phi of a tile of rows: arrays of kTile numbers, in the order of
// FamilyKernels::extra_derivatives.
struct ExtraTile {
  explicit ExtraTile(Index num_extras)
      : first(static_cast<std::size_t>(num_extras * kTile)),
        mixed(first.size()),
        second(static_cast<std::size_t>(num_extras * (num_extras + 1) / 2 * kTile)) {}

  // Adds the rows, row i counted times[i] times: dl/dphi to the gradient; z d^2 l/(ds dphi) and
  // d^2 l/dphi^2 to the rows of the Hessian below those of the `dim` coefficients.
  void add(const double* z, Index dim, Index num_extras, Order order, const double* times,
           const DerivativeSums& sum) {
    const Index all = dim + num_extras;
    // Multiplies by the multiplicities in place and returns the sum. Rows that count 0 are padding, whose
    // derivatives need not be finite.
    const auto weighted = [&](double* values) {
      double total = 0;
      for (Index i = 0; i < kTile; ++i) total += values[i] = times[i] == 0 ? 0.0 : times[i] * values[i];
      return total;
    };
    double* pair = second.data();
    for (Index e = 0; e < num_extras; ++e) {
      sum.gradient[dim + e] += weighted(first.data() + e * kTile);
      if (order < Order::Hessian) continue;
      double* row = sum.hessian + (dim + e) * all;
      // Only the products are wanted here; add_weighted_rows sums them over the rows, times z.
      (void)weighted(mixed.data() + e * kTile);
      kernels::add_weighted_rows(z, dim, mixed.data() + e * kTile, row);
      for (Index f = 0; f <= e; ++f, pair += kTile) row[dim + f] += weighted(pair);
    }
  }

  std::vector<double> first, mixed, second;
};

// Adds the lower triangle of a dim x dim matrix to the first rows of one of all x all.
void add_corner(const std::vector<double>& corner, Index dim, Index all, double* matrix) {
  for (Index d = 0; d < dim; ++d)
    for (Index e = 0; e <= d; ++e) matrix[d * all + e] += corner[at(d * dim + e)];
}

}  // namespace

Derivatives Regression::evaluate(std::span<const double> theta, Order order, const Executor& executor) const {
  const Index dim = num_columns(), num_extras = parts_->num_extras(), all = dim + num_extras;
  if (std::ssize(theta) != all) throw std::invalid_argument("theta has the wrong length");
  const double* extras = num_extras == 0 ? nullptr : theta.data() + dim;
  // Per block, tile after tile: z by component, s = <z, beta>, l, l' and l'' of the 64 rows, then their sums.
  Derivatives total = sum_of_blocks(
      num_rows(), all, order, executor, [&](Index first, Index count, const DerivativeSums& sum) {
        std::vector<double> z(static_cast<std::size_t>(kTile * dim));
        // A tile is always computed whole: y = 1 and c = 0 stand in for rows beyond the last, and what they
        // yield is replaced by 0.
        std::array<double, kTile> s, y, value, slope, curvature, constants, times;
        ExtraTile extra(num_extras);
        // The squares of z have rows of their own length, unlike the Hessian where there are extras.
        std::vector<double> squares(
            num_extras > 0 && order >= Order::Hessian ? z.size() / kTile * z.size() / kTile : 0);
        for (Index begin = 0; begin < count; begin += kTile) {
          const Index some = std::min(kTile, count - begin);
          const Index row = first + begin;
          parts_->design.by_component(row, some, z.data());
          parts_->predict_tile(row, some, z.data(), theta.data(), s.data());
          std::fill(std::copy_n(parts_->response.data() + row, some, y.begin()), y.end(), 1.0);
          for (Index i = 0; i < kTile && !parts_->constants.empty(); ++i)
            constants[at(i)] = i < some ? parts_->constant(row + i) : 0.0;
          kernels::derivatives(parts_->family, y.data(), constants.data(), s.data(), kTile, value.data(),
                               slope.data(), order >= Order::Hessian ? curvature.data() : nullptr, extras);
          for (Index i = 0; i < kTile; ++i) {
            const auto k = static_cast<std::size_t>(i);
            times[k] = i < some ? parts_->times(row + i) : 0.0;
            if (i < some) *sum.value += times[k] * value[k];
            slope[k] = i < some ? slope[k] * times[k] : 0.0;
            if (order >= Order::Hessian) curvature[k] = i < some ? curvature[k] * times[k] : 0.0;
          }
          // sum l' z and sum l'' z z', with the multiplicities in l' and l''.
          if (order >= Order::Gradient) kernels::add_weighted_rows(z.data(), dim, slope.data(), sum.gradient);
          if (order >= Order::Hessian)
            kernels::add_weighted_squares(z.data(), dim, curvature.data(),
                                          num_extras > 0 ? squares.data() : sum.hessian);
          if (num_extras > 0 && order >= Order::Gradient) {
            kernels::of(parts_->family)
                .extra_derivatives(parts_->family, extras, y.data(), s.data(), kTile, extra.first.data(),
                                   extra.mixed.data(), extra.second.data());
            extra.add(z.data(), dim, num_extras, order, times.data(), sum);
          }
        }
        if (!squares.empty()) add_corner(squares, dim, all, sum.hessian);
      });
  // Only the lower triangle was summed.
  for (Index d = 0; d < all && order >= Order::Hessian; ++d) {
    for (Index e = 0; e < d; ++e)
      total.hessian[static_cast<std::size_t>(e * all + d)] =
          total.hessian[static_cast<std::size_t>(d * all + e)];
  }
  return total;
}

std::unique_ptr<Likelihood> Regression::subset(std::span<const Index> rows,
                                               std::span<const double> weights) const {
  if (rows.size() != weights.size()) throw std::invalid_argument("there must be a weight for every row");
  if (rows.empty()) throw std::invalid_argument("a subset must have a row");
  return subset_of(parts_->design.chosen(rows), rows, weights);
}

// The rows are copied: a subset does not refer to the dataset.
std::unique_ptr<Likelihood> Regression::subset_of(DesignMatrix&& design, std::span<const Index> rows,
                                                  std::span<const double> weights) const {
  std::vector<double> y, offsets;
  y.reserve(rows.size());
  if (has_offset()) offsets.reserve(rows.size());
  for (const Index n : rows) {
    y.push_back(response(n));
    if (has_offset()) offsets.push_back(offset(n));
  }
  RowConstants constants(parts_->family, y);
  return std::unique_ptr<Regression>(new Regression(Parts{std::move(design),
                                                          RowNumbers(std::move(y)),
                                                          std::vector<double>(weights.begin(), weights.end()),
                                                          std::move(constants),
                                                          parts_->family,
                                                          {},
                                                          RowNumbers(std::move(offsets))}));
}

namespace {

// Median, and median distance from it over that of a standard normal distribution, of rows evenly spread.
ResponseMoments robust_moments(const Regression& model, const Executor& executor) {
  constexpr Index kMost = 4096;
  constexpr double kOfNormal = 0.6744897501960817;
  const Index count = std::min(kMost, model.num_rows());
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * model.num_rows() / count);
  model.fetch(rows, executor);
  std::vector<double> y;
  for (const Index n : rows) y.push_back(model.response(n) - model.offset(n));
  const auto median = [&] {
    const auto middle = y.begin() + std::ssize(y) / 2;
    std::ranges::nth_element(y, middle);
    return *middle;
  };
  const double centre = median();
  for (double& value : y) value = std::abs(value - centre);
  return {centre, median() / kOfNormal};
}

}  // namespace

// Sums over the rows of the response, of how often it counts, of its square less the first, and of the
// offset. They run through the rows in their order, with no sums of blocks between: a part is what the rows
// of a block bring to each, and those that the last block lacks are 0.
ResponseMoments Regression::response_moments(double* mean_offset, const Executor& executor) const {
  const bool trials = describe(parts_->family.family).has_trials;
  fetch(std::vector<Index>{0}, executor);
  const double centre = trials ? 0 : response(0);
  constexpr Index kFew = 16;  // blocks whose parts, as large as their rows, are held at a time
  std::array<Extended, 5> sums{};
  fold_blocks<double>(
      executor, num_rows(), 5 * kBlockRows, std::span<Extended>(sums),
      [&](Index first, Index count, Index /*piece*/, double* part) {
        for (Index i = 0; i < count; ++i) {
          const Index n = first + i;
          const double times = multiplicity(n), y = trials ? successes_of(response(n)) : response(n);
          part[i] = times * y;
          part[kBlockRows + i] = times * (trials ? trials_of(response(n)) : 1);
          part[2 * kBlockRows + i] = times * (y - centre);
          part[3 * kBlockRows + i] = times * (y - centre) * (y - centre);
          part[4 * kBlockRows + i] = times * offset(n);
        }
      },
      [](const double* part, Extended* total) {
        for (Index k = 0; k < 5; ++k) {
          for (Index i = 0; i < kBlockRows; ++i) total[k] += static_cast<Extended>(part[k * kBlockRows + i]);
        }
      },
      {.at_once = kFew});
  const Extended shift = sums[2] / sums[1], variance = sums[3] / sums[1] - shift * shift;
  *mean_offset = static_cast<double>(sums[4] / sums[1]);
  return {static_cast<double>(sums[0] / sums[1]),
          variance > 0 ? std::sqrt(static_cast<double>(variance)) : 0.0};
}

std::vector<double> Regression::start(const Executor& executor) const {
  const FamilyDescription& description = describe(parts_->family.family);
  std::vector<double> theta(at(num_columns()), 0.0);
  for (const ExtraParameter& extra : description.extras) theta.push_back(extra.start);
  const bool intercept = parts_->design.ends_in_ones();
  if (!intercept && description.start_extras == nullptr) return theta;
  double mean_offset = 0;
  ResponseMoments moments = response_moments(&mean_offset, executor);
  if (description.is_robust) {
    moments = robust_moments(*this, executor);
    mean_offset = 0;
  }
  if (description.start_extras != nullptr)
    description.start_extras(moments, std::span(theta).subspan(at(num_columns())));
  // With all other coefficients 0 the intercept alone fits the mean response.
  if (intercept) theta[at(num_columns() - 1)] = description.predictor_of_mean(moments.mean) - mean_offset;
  return theta;
}

// y s > 0 in every row. Strict: a row on the boundary does not count as separated.
bool Regression::separates(std::span<const double> theta, const Executor& executor) const {
  if (!describe(parts_->family.family).is_binary) return false;
  const Index dim = num_columns();
  char misplaced = 0;                    // whether a row is not on the side of its label
  std::atomic<bool> known_here = false;  // one has been seen: blocks that follow need not be read
  fold_blocks<char>(
      executor, num_rows(), 1, std::span(&misplaced, 1),
      [&](Index first, Index count, Index /*piece*/, char* part) {
        std::vector<double> z(at(kTile * dim));
        std::array<double, kTile> s;
        for (Index begin = 0; begin < count && !known_here.load(std::memory_order_relaxed); begin += kTile) {
          const Index row = first + begin, some = std::min(kTile, count - begin);
          parts_->design.by_component(row, some, z.data());
          parts_->predict_tile(row, some, z.data(), theta.data(), s.data());
          for (Index i = 0; i < some; ++i) {
            if (!(response(row + i) * s[at(i)] > 0)) *part = 1;
          }
          if (*part != 0) known_here = true;
        }
      },
      [](const char* part, char* total) { *total = *part != 0 ? *part : *total; });
  return misplaced == 0;
}

}  // namespace giga
