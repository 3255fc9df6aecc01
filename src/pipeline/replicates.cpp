// Blocks of rows: predictors at all draws by one matrix product, then row by row expected responses,
// residuals and replicates, each an array of R numbers.
#include "pipeline/replicates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "giga/base/random.hpp"
#include "model/family_kernels.hpp"
#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"
#include "pipeline/family_noise.hpp"
#include "pipeline/response_simulator.hpp"

namespace giga {
namespace {

constexpr Index kRowsOfBlock = 256, kRowsTogether = 32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kCut = 3;  // residuals of families with heavy tails count no more than this

class Rows {
 public:
  Rows(const LinearModel& rows, const Points& draws, std::vector<Index> bin, double middle,
       std::uint64_t seed)
      : rows_(rows),
        draws_(draws),
        simulator_(rows.family(), draws, rows.num_columns()),
        bin_(std::move(bin)),
        middle_(middle),
        seed_(seed),
        cuts_(has_heavy_tails(rows.family().family)) {
    for (const FamilyParameters& each : simulator_.parameters()) noise_.push_back(noise_variance(each));
  }

  // Adds rows first .. first + count - 1 to the sums of a block.
  void add(Index first, Index count, double* part) const {
    const Index dim = rows_.num_columns(), stride = draws_.stride();
    const Scratch z(count * dim), s(count * stride), mean(stride), replicate(stride);
    rows_.design(first, count, z.data());
    kernels::predict_many(z.data(), count, dim, draws_.component(0), stride, s.data());
    for (Index i = 0; i < count; ++i) {
      double* predictors = s.data() + i * stride;
      const double offset = rows_.offset(first + i);
      const double most = simulator_.most_predictor();
      for (Index j = 0; j < draws_.count(); ++j) predictors[j] = std::min(predictors[j] + offset, most);
      kernels::expected_responses(rows_.family(), predictors, draws_.count(), mean.data());
      add_observed(first + i, mean.data(), part);
      Stream random = stream(seed_, "replicates", first + i);
      const auto copies = static_cast<Index>(rows_.multiplicity(first + i));
      for (Index copy = 0; copy < copies; ++copy) {
        simulator_.draw(predictors, mean.data(), rows_.trials(first + i), random, replicate.data());
        add_replicate(first + i, mean.data(), replicate.data(), part);
      }
    }
  }

 private:
  // Where a sum begins within a part.
  [[nodiscard]] double* of(double* part, Index sum) const { return part + sum * draws_.count(); }
  [[nodiscard]] double* of(double* part, Replicates::OfBin sum, Index n) const {
    return of(part, Replicates::NumSums + bin_[at(n)] * Replicates::NumBinSums + sum);
  }
  [[nodiscard]] double missed(double residual, double sd) const {
    return cuts_ ? std::clamp(residual, -kCut * sd, kCut * sd) : residual;
  }

  // `times` (y - mu) / sd and its powers, from `power` on; and psi(y - mu) of the bin.
  void add_residual(double residual, double sd, double times, Index s, double* powers, double* of_bin) const {
    const double r = sd > 0 ? residual / sd : 0, square = r * r;
    const Index apart = draws_.count();
    powers[s] += times * r;
    powers[apart + s] += times * square;
    powers[2 * apart + s] += times * square * r;
    powers[3 * apart + s] += times * square * square;
    of_bin[s] += times * missed(residual, sd);
  }

  void add_observed(Index n, const double* mean, double* part) const {
    const double y = response_number(rows_, n), trials = rows_.trials(n), times = rows_.multiplicity(n);
    double *powers = of(part, Replicates::Observed1), *fitted = of(part, Replicates::Fitted, n),
           *missed = of(part, Replicates::Missed, n);
    for (Index s = 0; s < draws_.count(); ++s) {
      fitted[s] += times * trials * mean[s];
      const double sd = std::sqrt(trials * noise_[at(s)].at(mean[s]));
      add_residual(y - trials * mean[s], sd, times, s, powers, missed);
    }
  }

  void add_replicate(Index n, const double* mean, const double* y, double* part) const {
    const double trials = rows_.trials(n);
    double *sum = of(part, Replicates::Total), *squares = of(part, Replicates::Squares),
           *zeros = of(part, Replicates::Zeros), *smallest = of(part, Replicates::Smallest),
           *largest = of(part, Replicates::Largest), *powers = of(part, Replicates::Residual1),
           *noise = of(part, Replicates::Noise, n);
    for (Index s = 0; s < draws_.count(); ++s) {
      const double away = y[s] - middle_;
      sum[s] += away;
      squares[s] += away * away;
      zeros[s] += y[s] == 0 ? 1 : 0;
      smallest[s] = std::min(smallest[s], y[s]);
      largest[s] = std::max(largest[s], y[s]);
      const double sd = std::sqrt(trials * noise_[at(s)].at(mean[s]));
      add_residual(y[s] - trials * mean[s], sd, 1, s, powers, noise);
    }
  }

  const LinearModel& rows_;
  const Points& draws_;
  ResponseSimulator simulator_;
  std::vector<Index> bin_;
  double middle_;
  std::uint64_t seed_;
  bool cuts_;
  std::vector<NoiseVariance> noise_;  // of each draw
};

}  // namespace

double response_number(const LinearModel& model, Index n) {
  const FamilyDescription& family = describe(model.family().family);
  const double y = model.response(n);
  if (family.has_trials) return successes_of(y);
  return family.is_binary ? (y > 0 ? 1 : 0) : y;
}

Replicates::Replicates(const LinearModel& rows, const Points& draws, std::vector<Index> bin, Index num_bins,
                       double middle, std::uint64_t seed, const Executor& executor, const Observer& observer)
    : count_(draws.count()), sums_(at(count_ * (NumSums + num_bins * NumBinSums)), 0.0) {
  const Index num_rows = rows.num_rows(), width = std::ssize(sums_), count = count_;
  const Rows all(rows, draws, std::move(bin), middle, seed);
  const auto begin = [count](double* sums) {
    std::fill_n(sums + Smallest * count, count, kInfinity);
    std::fill_n(sums + Largest * count, count, -kInfinity);
  };
  FoldOptions options{.block_rows = kRowsOfBlock};
  options.at_once = 8;
  options.progress = [&](Index blocks) {
    tell(observer, {.stage = Stage::Certify,
                    .done = std::min(blocks * kRowsOfBlock, num_rows),
                    .total = num_rows,
                    .part = CertificatePart::Ratios});
  };
  begin(sums_.data());
  fold_blocks<double>(
      executor, num_rows, width, std::span(sums_),
      [&](Index first, Index size, Index /*piece*/, double* part) {
        begin(part);
        for (Index done = 0; done < size; done += kRowsTogether)
          all.add(first + done, std::min(kRowsTogether, size - done), part);
      },
      [width, count](const double* part, double* total) {
        for (Index j = 0; j < width; ++j) {
          const Index sum = j / count;
          if (sum == Smallest) {
            total[j] = std::min(total[j], part[j]);
          } else if (sum == Largest) {
            total[j] = std::max(total[j], part[j]);
          } else {
            total[j] += part[j];
          }
        }
      },
      options);
}

}  // namespace giga
