// The check: which observations, which draws, the replicates, and the statistics of both.
#include "giga/pipeline/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "giga/model/simulate_data.hpp"
#include "pipeline/checked_observations.hpp"
#include "pipeline/family_noise.hpp"
#include "pipeline/fitted_bins.hpp"
#include "pipeline/model_findings.hpp"
#include "pipeline/replicates.hpp"

namespace giga {
namespace {

// Replicated responses in all: what takes a tenth of a second or two.
constexpr double kSimulated = 2e6;
constexpr Index kFewestDraws = 100, kMostDraws = 400;

Index num_replicates(Index observations) {
  const double affordable = kSimulated / static_cast<double>(observations);
  return static_cast<Index>(std::clamp(affordable, double{kFewestDraws}, double{kMostDraws}));
}

// R draws that count alike, at the places (k + 1/2) / R of the line of all weights; none where one of them is
// not finite.
std::optional<Points> draws_alike(std::span<const Chain> chains, std::span<const double> weights,
                                  Index count) {
  std::vector<const double*> draws;
  for (const Chain& chain : chains)
    for (Index s = 0; s < chain.num_draws(); ++s) draws.push_back(chain.draw(s));
  if (draws.empty()) return std::nullopt;
  if (!weights.empty() && weights.size() != draws.size())
    throw std::invalid_argument("there must be a weight for every draw");
  const Index dim = chains[0].dim;
  const double total = weights.empty() ? static_cast<double>(draws.size())
                                       : std::accumulate(weights.begin(), weights.end(), 0.0);
  Points out(dim, count);
  std::size_t s = 0;
  double passed = weights.empty() ? 1 : weights[0];
  for (Index k = 0; k < count; ++k) {
    // Invariant: draws up to s take up the line to `passed`.
    const double place = (static_cast<double>(k) + 0.5) / static_cast<double>(count) * total;
    while (place > passed && s + 1 < draws.size()) passed += weights.empty() ? 1 : weights[++s];
    if (weights.empty()) s = std::min(draws.size() - 1, static_cast<std::size_t>(place));
    const std::span theta(draws[s], at(dim));
    if (!std::ranges::all_of(theta, [](double x) { return std::isfinite(x); })) return std::nullopt;
    out.set(k, theta);
  }
  return out;
}

std::vector<double> mean_of(const Points& draws) {
  std::vector<double> mean(at(draws.dim()), 0.0);
  for (Index d = 0; d < draws.dim(); ++d) {
    for (Index s = 0; s < draws.count(); ++s) mean[at(d)] += draws.at(d, s);
    mean[at(d)] /= static_cast<double>(draws.count());
  }
  return mean;
}

double quantile(std::vector<double> values, double p) {
  const auto place = static_cast<Index>(p * static_cast<double>(values.size()));
  const auto nth = values.begin() + std::min(place, std::ssize(values) - 1);
  std::ranges::nth_element(values, nth);
  return *nth;
}

// Of replicates `x`, and of what was observed, which may depend on the draw as well.
CheckedStatistic checked(Statistic of, const std::vector<double>& observed, const std::vector<double>& x) {
  const auto count = static_cast<double>(x.size());
  CheckedStatistic out{.of = of};
  for (std::size_t s = 0; s < x.size(); ++s) {
    out.observed += observed[s] / count;
    out.mean += x[s] / count;
    out.above += (x[s] > observed[s] ? 1 : x[s] == observed[s] ? 0.5 : 0) / count;
  }
  // A mean of equal numbers need not be that number.
  if (std::ranges::all_of(observed, [&](double each) { return each == observed[0]; }))
    out.observed = observed[0];
  for (const double each : x) out.sd += (each - out.mean) * (each - out.mean);
  out.sd = std::sqrt(out.sd / (count - 1));
  out.low = quantile(x, 0.05);
  out.high = quantile(x, 0.95);
  const auto [least, most] = std::ranges::minmax(x);
  out.outside = (out.observed < least || out.observed > most) &&
                std::abs(out.observed - out.mean) > kBeyondChance * out.sd;
  return out;
}

class Check {
 public:
  Check(const Problem& problem, const LinearModel& rows, const CheckedObservations& drawn,
        const Points& draws, std::uint64_t seed, const Executor& executor, const Observer& observer)
      : rows_(rows),
        draws_(draws),
        mean_(mean_of(draws)),
        bins_(fitted_bins(rows, mean_)),
        kind_(response_kind(rows.family().family)),
        count_(static_cast<double>(drawn.count)),
        sums_(rows, draws, bins_.of_row, bins_.count, response_number(rows, 0), seed, executor, observer) {
    out.num_observations = drawn.all;
    out.num_checked = drawn.count;
    out.num_replicates = draws.count();
    out.shares = kind_ == ResponseKind::Label || kind_ == ResponseKind::Successes;
    add_statistics();
    add_bins();
    const double share = count_ / std::max(drawn.all, count_);
    // Labels have no noise but that of their chance; noise with heavy tails has outliers anywhere.
    if (kind_ != ResponseKind::Label && !has_heavy_tails(rows.family().family))
      facts.robust = robust_sds(rows, mean_, problem.prior(), share, kBeyondChance);
  }

  ModelCheck out;
  MisfitFacts facts;

 private:
  using Values = std::vector<double>;

  // A number for each draw.
  template <typename Of>
  [[nodiscard]] Values by_draw(const Of& of) const {
    Values out_values;
    for (Index s = 0; s < draws_.count(); ++s) out_values.push_back(of(s));
    return out_values;
  }

  void add(Statistic of, const Values& observed, const Values& replicated) {
    out.statistics.push_back(checked(of, observed, replicated));
  }
  void add(Statistic of, double observed, const Values& replicated) {
    add(of, Values(replicated.size(), observed), replicated);
  }

  void add_statistics() {
    const double middle = response_number(rows_, 0);
    double sum = 0, squares = 0, zeros = 0, smallest = response_number(rows_, 0), largest = smallest;
    for (Index n = 0; n < rows_.num_rows(); ++n) {
      const double y = response_number(rows_, n), times = rows_.multiplicity(n);
      sum += times * (y - middle);
      squares += times * (y - middle) * (y - middle);
      zeros += y == 0 ? times : 0;
      smallest = std::min(smallest, y);
      largest = std::max(largest, y);
    }
    facts.smallest_response = smallest;
    const auto sd = [this](double total, double of_squares) {
      const double mean = total / count_;
      return std::sqrt(std::max(0.0, of_squares / count_ - mean * mean) *
                       (count_ / std::max(1.0, count_ - 1)));
    };
    const auto of = [this](Replicates::Of which) {
      return by_draw([values = sums_.of(which)](Index s) { return values[s]; });
    };
    add(Statistic::Mean, middle + sum / count_,
        by_draw([&](Index s) { return middle + sums_.of(Replicates::Total)[s] / count_; }));
    if (kind_ == ResponseKind::Label) return;
    add(Statistic::Sd, sd(sum, squares), by_draw([&](Index s) {
          return sd(sums_.of(Replicates::Total)[s], sums_.of(Replicates::Squares)[s]);
        }));
    const bool counts = kind_ == ResponseKind::Count || kind_ == ResponseKind::Successes;
    if (counts)
      add(Statistic::Zeros, zeros / count_,
          by_draw([&](Index s) { return sums_.of(Replicates::Zeros)[s] / count_; }));
    if (!counts) add(Statistic::Smallest, smallest, of(Replicates::Smallest));
    add(Statistic::Largest, largest, of(Replicates::Largest));
    const Family family = rows_.family().family;
    if (!learns_noise_size(family)) {
      facts.dispersion_evidence = dispersion_evidence();
      add(Statistic::Dispersion, moments(Replicates::Observed1, &Shape::dispersion),
          moments(Replicates::Residual1, &Shape::dispersion));
    }
    if (!has_normal_noise(family)) return;
    add(Statistic::Skewness, moments(Replicates::Observed1, &Shape::skewness),
        moments(Replicates::Residual1, &Shape::skewness));
    add(Statistic::Kurtosis, moments(Replicates::Observed1, &Shape::kurtosis),
        moments(Replicates::Residual1, &Shape::kurtosis));
  }

  // sum c (r^2 - 1) over the root of sum c (r^2 - 1)^2, the mean over the draws.
  [[nodiscard]] double dispersion_evidence() const {
    const double *squares = sums_.of(Replicates::Observed2), *fourth = sums_.of(Replicates::Observed4);
    double sum = 0;
    for (Index s = 0; s < draws_.count(); ++s)
      sum += (squares[s] - count_) / std::sqrt(fourth[s] - 2 * squares[s] + count_);
    return sum / static_cast<double>(draws_.count());
  }

  // Of residuals, from their sums of powers.
  struct Shape {
    double dispersion = 0, skewness = 0, kurtosis = 0;
  };

  [[nodiscard]] Values moments(int first, double Shape::*which) const {
    return by_draw([&](Index s) {
      const auto power = [&](int k) {
        return sums_.of(static_cast<Replicates::Of>(first + k - 1))[s] / count_;
      };
      // About the mean: with m_k the moments about 0, the third and the fourth in terms of these.
      const double m1 = power(1), m2 = power(2), m3 = power(3), m4 = power(4), variance = m2 - m1 * m1;
      const double third = m3 - 3 * m1 * m2 + 2 * m1 * m1 * m1;
      const double fourth = m4 - 4 * m1 * m3 + 6 * m1 * m1 * m2 - 3 * m1 * m1 * m1 * m1;
      Shape shape{.dispersion = m2};
      if (variance > 0) shape = {m2, third / std::pow(variance, 1.5), fourth / (variance * variance)};
      return shape.*which;
    });
  }

  // d mu / ds of the scale that bins are compared on, at the mean of a bin.
  [[nodiscard]] double unit(double fitted) const {
    switch (kind_) {
      case ResponseKind::Label:
      case ResponseKind::Successes: return fitted * (1 - fitted);
      case ResponseKind::Count:
      case ResponseKind::Positive: return fitted;
      case ResponseKind::Real: break;
    }
    double variance = 0;
    for (Index s = 0; s < draws_.count(); ++s) {
      std::vector<double> extras;
      for (Index d = rows_.num_columns(); d < draws_.dim(); ++d) extras.push_back(draws_.at(d, s));
      variance += noise_variance(simulated_with(rows_.family(), extras.data())).constant;
    }
    return std::sqrt(variance / static_cast<double>(draws_.count()));
  }

  // With d_b = observed - fitted of bin b, e_b the sd of the replicated differences and u_b the unit, the
  // sum of (d_b / e_b)^2 is chi^2 with at most B degrees of freedom where the model is right, and
  // (chi^2 - B) / sum of (u_b / e_b)^2 is the mean of (d_b / u_b)^2, weighted by information and without
  // the noise.
  void add_bins() {
    Values sizes(at(bins_.count), 0.0);
    for (Index n = 0; n < rows_.num_rows(); ++n)
      sizes[at(bins_.of_row[at(n)])] += rows_.multiplicity(n) * rows_.trials(n);
    const auto draws = static_cast<double>(draws_.count());
    Values replicated(at(draws_.count()), 0.0);  // chi^2 of each replicate
    double chi_square = 0, information = 0, worst = 0;
    for (Index b = 0; b < bins_.count; ++b) {
      const double size = sizes[at(b)];
      const double *fitted = sums_.of(Replicates::Fitted, b), *missed = sums_.of(Replicates::Missed, b),
                   *noise = sums_.of(Replicates::Noise, b);
      CalibrationBin bin{.count = size};
      double off = 0, squares = 0;
      for (Index s = 0; s < draws_.count(); ++s) {
        bin.fitted += fitted[s] / size / draws;
        off += missed[s] / size / draws;
        squares += (noise[s] / size) * (noise[s] / size) / draws;
      }
      bin.observed = bin.fitted + off;
      bin.error = std::sqrt(squares);
      const Values means = by_draw([&](Index s) { return (fitted[s] + noise[s]) / size; });
      bin.low = quantile(means, 0.05);
      bin.high = quantile(means, 0.95);
      out.bins.push_back(bin);
      if (!(bin.error > 0)) continue;  // responses that the model is certain of
      const double z = off / bin.error, per_unit = unit(bin.fitted) / bin.error;
      chi_square += z * z;
      information += per_unit * per_unit;
      for (Index s = 0; s < draws_.count(); ++s)
        replicated[at(s)] += noise[s] * noise[s] / (size * size * squares);
      if (std::abs(z) > worst) {
        worst = std::abs(z);
        facts.worst_bin = b;
      }
    }
    const auto bins = static_cast<double>(bins_.count);
    if (information > 0) out.calibration = std::sqrt(std::max(0.0, chi_square - bins) / information);
    // Wilson and Hilferty: (chi^2 / B)^(1/3) is about normal with mean 1 - 2 / (9 B) and variance 2 / (9 B).
    const double spread = 2 / (9 * bins), limit = 1 - spread + kBeyondChance * std::sqrt(spread);
    const bool chance = !(std::cbrt(chi_square / bins) > limit && chi_square > std::ranges::max(replicated));
    if (chance) facts.worst_bin.reset();
  }

  const LinearModel& rows_;
  const Points& draws_;
  Values mean_;
  FittedBins bins_;
  ResponseKind kind_;
  double count_;
  Replicates sums_;
};

}  // namespace

bool ModelCheck::doubtful() const {
  return std::ranges::any_of(findings, [](const Finding& f) { return f.severity == Severity::Amber; });
}

std::optional<ModelCheck> check_model(const Problem& problem, std::span<const Chain> chains,
                                      std::span<const double> weights, const Executor& executor,
                                      const ModelCheckOptions& options, const Observer& observer) {
  if (options.max_observations < 1) throw std::invalid_argument("max_observations must be at least 1");
  const LinearModel* model = problem.likelihood().linear_model();
  if (model == nullptr || model->num_rows() == 0) return std::nullopt;
  const CheckedObservations drawn =
      draw_observations(*model, options.max_observations, options.seed, executor);
  const std::optional<Points> draws = draws_alike(chains, weights, num_replicates(drawn.count));
  if (!draws) return std::nullopt;
  if (draws->dim() != problem.likelihood().num_parameters())
    throw std::invalid_argument("the draws have " + std::to_string(draws->dim()) +
                                " parameters, the model has " +
                                std::to_string(problem.likelihood().num_parameters()));
  problem.likelihood().fetch(drawn.rows, executor);
  const auto subset = problem.likelihood().subset(drawn.rows, drawn.counts);
  Check check(problem, *subset->linear_model(), drawn, *draws, options.seed, executor, observer);
  if (options.mode != nullptr) check.facts.about_mode = mode_findings(problem, *options.mode, executor);
  check.out.findings = findings_of(problem, check.out, check.facts);
  return std::move(check.out);
}

}  // namespace giga
