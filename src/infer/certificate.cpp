// log r_s = L(theta_s) - L(w, theta_s) at the draws, smoothed weights from them, corrected moments, Fisher
// distances and the judgement. Notation as in the header: pi the posterior of all rows, pi_w of the coreset,
// theta_s ~ pi_w, w_s the smoothed and normalised weights of the draws. The prior is in both posteriors and
// cancels from the ratio of the coreset; for the draws of the Laplace approximation q,
//     log r_s = L(theta_s) + log p(theta_s) - log q(theta_s).
#include "giga/infer/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "base/require.hpp"
#include "base/shared_entries.hpp"
#include "giga/base/random.hpp"
#include "giga/infer/diagnostics.hpp"
#include "giga/infer/row_estimate.hpp"
#include "infer/point_sums.hpp"

namespace giga {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Log ratios that differ by less are equal: no weight is more than a millionth off.
constexpr double kEqual = 1e-6;
// Log ratios that differ by less need no tail to be judged: weights within 10% of each other.
constexpr double kFlat = 0.1;
// ... and neither do those whose weights leave this share of the draws, if the weights have a mean at all.
constexpr double kLeft = 0.99, kNoMean = 1;
// Corrected means that differ by more standard deviations, and by 5 standard errors more, disagree.
constexpr double kDisagreement = 0.1;

// S points in R^D, row-major; those of a chain follow each other.
struct Draws {
  Index dim = 0;
  Index num_chains = 0;  // 0: the draws are independent
  std::vector<double> values;

  [[nodiscard]] Index count() const { return std::ssize(values) / dim; }
  [[nodiscard]] std::span<const double> draw(Index s) const {
    return std::span(values).subspan(at(s * dim), at(dim));
  }
  [[nodiscard]] std::vector<double> component(Index d) const {
    std::vector<double> out;
    for (Index s = 0; s < count(); ++s) out.push_back(draw(s)[at(d)]);
    return out;
  }
};

// Chains one after another, all of the same length, so that by_chain can take them apart again.
Draws pooled(std::span<const Chain> chains, Index dim) {
  require(!chains.empty(), "there are no chains");
  Draws draws{dim, std::ssize(chains), {}};
  for (const Chain& chain : chains) {
    require(chain.dim == dim,
            "a chain has " + std::to_string(chain.dim) + " parameters, the model " + std::to_string(dim));
    require(chain.draws.size() == chains[0].draws.size() && !chain.draws.empty() &&
                chain.draws.size() % at(dim) == 0,
            "chains must have draws, and as many each");
    draws.values.insert(draws.values.end(), chain.draws.begin(), chain.draws.end());
  }
  return draws;
}

// Independent draws, one stream each: more of them begin with the same ones.
Draws drawn(const Normal& normal, Index count, std::uint64_t seed) {
  Draws draws{normal.dim(), 0, std::vector<double>(at(count * normal.dim()))};
  for (Index s = 0; s < count; ++s) {
    Stream random = stream(seed, "certificate", s);
    normal.draw(random, draws.values.data() + s * normal.dim());
  }
  return draws;
}

// The quantities at every draw, as draws of their own.
Draws mapped(const Draws& draws, const LinearQuantities& quantities) {
  Draws out{quantities.count, draws.num_chains, {}};
  for (Index s = 0; s < draws.count() && quantities.count > 0; ++s) {
    const std::vector<double> values = quantities.values(draws.draw(s).data());
    require(std::ssize(values) == quantities.count, "there are " + std::to_string(values.size()) +
                                                        " values of the quantities, promised were " +
                                                        std::to_string(quantities.count));
    out.values.insert(out.values.end(), values.begin(), values.end());
  }
  return out;
}

// Exact moments of linear functions of a normal vector: with covariance C C' the variance of a.theta is the
// sum of squares of a.c over the columns c of C.
std::vector<Estimate> moments_of(const Normal& normal, const LinearQuantities& quantities) {
  if (quantities.count == 0) return {};
  if (quantities.moments) return quantities.moments(normal);
  const auto dim = at(normal.dim());
  std::vector<Estimate> out;
  for (const double mean : quantities.values(normal.mean().data())) out.push_back({mean, 0, 0, 0});
  std::vector<double> column(dim);
  for (std::size_t k = 0; k < dim; ++k) {
    for (std::size_t d = 0; d < dim; ++d) column[d] = normal.factor()[d * dim + k];
    const std::vector<double> along = quantities.values(column.data());
    for (std::size_t q = 0; q < out.size(); ++q) out[q].sd = std::hypot(out[q].sd, along[q]);
  }
  return out;
}

// The draws of one quantity as diagnostics.hpp takes them.
std::vector<std::vector<double>> by_chain(std::span<const double> series, Index num_chains) {
  // Chains lie one after another, all of one length.
  const auto each = series.size() / at(num_chains);
  std::vector<std::vector<double>> chains;
  for (std::size_t c = 0; c < at(num_chains); ++c) {
    const auto part = series.subspan(c * each, each);
    chains.emplace_back(part.begin(), part.end());
  }
  return chains;
}

// The standard error of sum w_s (x_s - mean) as a mean of the S terms S w_s (x_s - mean), for weights
// that add up to 1: by the autocorrelation of these terms, or as for independent draws, sqrt(sum w_s^2
// (x_s - mean)^2 / relative_ess), where there are no chains or it has no answer.
double error_of(std::span<const double> away, std::span<const double> weights, Index num_chains,
                double relative_ess) {
  std::vector<double> terms;
  Extended squares = 0;
  for (std::size_t s = 0; s < away.size(); ++s) {
    const double term = weights[s] == 0 ? 0 : weights[s] * away[s];
    squares += Extended{term} * term;
    terms.push_back(term * static_cast<double>(away.size()));
  }
  const double plain = static_cast<double>(std::sqrt(squares)) / std::sqrt(relative_ess);
  if (num_chains == 0) return plain;
  const double error = mcse_mean(by_chain(terms, num_chains));
  return std::isnan(error) ? plain : error;
}

Estimate weighted_estimate(std::span<const double> values, std::span<const double> weights, Index num_chains,
                           double relative_ess) {
  const WeightedMoments moments = weighted_moments(values, weights);
  Estimate out{moments.mean, moments.sd, 0, 0};
  // By the delta method sd has the influence function ((x - mean)^2 - sd^2) / (2 sd).
  std::vector<double> away, square;
  for (const double value : values) {
    away.push_back(value - out.mean);
    // The derivative of the standard deviation in the variance is 1 / (2 sd).
    square.push_back((away.back() * away.back() - out.sd * out.sd) / (2 * out.sd));
  }
  out.mcse_mean = error_of(away, weights, num_chains, relative_ess);
  out.mcse_sd = error_of(square, weights, num_chains, relative_ess);
  return out;
}

// For a Markov chain, the effective size of the ratios over their number, as the weights are what is
// averaged; where that has no value, as when all are equal, `otherwise`.
double relative_ess_of(std::span<const double> log_ratios, Index num_chains, double otherwise) {
  constexpr double kLeast = 1e-6;
  if (num_chains == 0) return 1;
  double most = -std::numeric_limits<double>::infinity();
  for (const double value : log_ratios) most = std::max(most, std::isnan(value) ? most : value);
  std::vector<double> ratios;
  for (const double value : log_ratios) ratios.push_back(std::isnan(value) ? 0 : std::exp(value - most));
  double share = ess_mean(by_chain(ratios, num_chains)) / static_cast<double>(ratios.size());
  if (std::isnan(share)) share = otherwise;
  return std::isnan(share) ? 1 : std::clamp(share, kLeast, 1.0);
}

// max - min of the log ratios.
double spread_of(std::span<const double> log_ratios) {
  if (!std::ranges::all_of(log_ratios, [](double value) { return std::isfinite(value); }))
    return std::numeric_limits<double>::infinity();
  const auto [least, most] = std::ranges::minmax(log_ratios);
  return most - least;
}

// With S draws a k up to 1 - 1 / log10(S) can be relied on (Vehtari et al.): 0.67 for 1000,
// above 0.7 from 2200 on.
double k_limit(Index num_draws, const CertificateOptions& options) {
  return std::min(options.max_k_hat, 1 - 1 / std::log10(static_cast<double>(std::max<Index>(num_draws, 2))));
}

// All but `before`.
Correction corrected(const Draws& draws, std::span<const double> log_ratios, double chain_share,
                     bool estimated, const CertificateOptions& options, const Executor& executor) {
  Correction out;
  const Index count = draws.count();
  out.num_draws = count;
  out.spread = spread_of(log_ratios);
  out.exact = out.spread <= kEqual && !estimated;
  // Ratios that are equal up to rounding have an autocorrelation of rounding: then the
  // chains' own share counts.
  out.relative_ess = out.exact && draws.num_chains > 0 && !std::isnan(chain_share)
                         ? std::min(1.0, chain_share)
                         : relative_ess_of(log_ratios, draws.num_chains, chain_share);
  PsisResult smoothed = psis(log_ratios, out.relative_ess);
  out.tail = smoothed.tail;
  out.k_hat = smoothed.k_hat;
  out.k_limit = k_limit(count, options);
  out.effective_size = smoothed.effective_size;
  out.num_impossible = smoothed.num_impossible;
  // The effective size has two factors: what the chain leaves, and what unequal weights leave of that.
  const double left = out.effective_size / (out.relative_ess * static_cast<double>(count));
  out.flat = out.spread <= kFlat || (left >= kLeft && out.k_hat < kNoMean && out.num_impossible == 0);
  out.weights = std::move(smoothed.weights);
  if (out.exact) {
    out.k_hat = 0;
    out.effective_size = out.relative_ess * static_cast<double>(count);
    out.weights.assign(out.weights.size(), 1 / static_cast<double>(count));
  }
  out.usable = (out.k_hat <= out.k_limit || out.flat) && out.effective_size >= options.min_effective_size;
  out.after.resize(at(draws.dim));
  fill_shared(executor, draws.dim, 1, {entries_of(out.after.data())}, [&](Index d, Index /*count*/) {
    out.after[at(d)] = weighted_estimate(draws.component(d), out.weights, draws.num_chains, out.relative_ess);
  });
  const Draws quantities = mapped(draws, options.quantities);
  out.quantities_after.resize(at(quantities.dim));
  const Entries of_quantities = entries_of(out.quantities_after.data());
  fill_shared(executor, quantities.dim, 1, {of_quantities}, [&](Index q, Index /*count*/) {
    out.quantities_after[at(q)] =
        weighted_estimate(quantities.component(q), out.weights, draws.num_chains, out.relative_ess);
  });
  return out;
}

// Moments of draws that count alike, with standard errors by their autocorrelation.
std::vector<Estimate> plain_moments(const Draws& draws, const Executor& executor) {
  std::vector<Estimate> out(at(draws.dim));
  fill_shared(executor, draws.dim, 1, {entries_of(out.data())}, [&](Index d, Index /*count*/) {
    const QuantitySummary one = summarise(by_chain(draws.component(d), draws.num_chains));
    out[at(d)] = {one.mean, one.sd, one.mcse_mean, one.mcse_sd};
  });
  return out;
}

// Of parameter d, with w_s the weights: the correction moves its mean by D = sum (w_s - 1/S)(x_s - mean),
// which has a standard error of its own, v^(1/2). D^2 - v estimates the squared bias of the draws as they are
// without bias; likewise for the standard deviation. Over all parameters the noise of these estimates
// averages out.
void weigh_answers(const Draws& draws, const Executor& executor, Correction& out) {
  struct Shares {
    double bias = 0, plain = 0, corrected = 0;
  };
  const auto count = static_cast<double>(draws.count());
  std::vector<double> moved;
  for (const double w : out.weights) moved.push_back(w - 1 / count);
  std::vector<Shares> each(at(draws.dim));
  fill_shared(executor, draws.dim, 1, {entries_of(each.data())}, [&](Index d, Index /*count*/) {
    const Estimate &before = out.before[at(d)], &after = out.after[at(d)];
    std::vector<double> away, square;
    for (const double x : draws.component(d)) {
      away.push_back(x - after.mean);
      square.push_back((away.back() * away.back() - after.sd * after.sd) / (2 * after.sd));
    }
    const double noise_mean = error_of(away, moved, draws.num_chains, out.relative_ess);
    const double noise_sd = error_of(square, moved, draws.num_chains, out.relative_ess);
    const double mean = after.mean - before.mean, sd = after.sd - before.sd, unit = after.sd * after.sd;
    each[at(d)] = {(mean * mean - noise_mean * noise_mean + sd * sd - noise_sd * noise_sd) / unit,
                   (before.mcse_mean * before.mcse_mean + before.mcse_sd * before.mcse_sd) / unit,
                   (after.mcse_mean * after.mcse_mean + after.mcse_sd * after.mcse_sd) / unit};
  });
  Shares total;
  for (const Shares& one : each) {
    total.bias += one.bias;
    total.plain += one.plain;
    total.corrected += one.corrected;
  }
  const auto dim = static_cast<double>(draws.dim);
  out.error_plain = (std::max(0.0, total.bias) + total.plain) / dim;
  out.error_corrected = total.corrected / dim;
}

// Fills in what is known of the chains alone.
void diagnose(const Draws& draws, const Executor& executor, Certificate& out) {
  const auto dim = at(draws.dim);
  std::vector<QuantitySummary> each(dim);
  fill_shared(executor, draws.dim, 1, {entries_of(each.data())}, [&](Index d, Index /*count*/) {
    each[at(d)] = summarise(by_chain(draws.component(d), draws.num_chains));
  });
  out.max_rhat = 0;
  out.min_ess = std::numeric_limits<double>::infinity();
  for (const auto& one : each) {
    out.coreset.before.push_back({one.mean, one.sd, one.mcse_mean, one.mcse_sd});
    // Written so that NaN, once there, stays.
    if (!(one.rhat <= out.max_rhat)) out.max_rhat = std::isnan(out.max_rhat) ? kNan : one.rhat;
    for (const double ess : {one.ess_bulk, one.ess_tail})
      if (!(ess >= out.min_ess)) out.min_ess = std::isnan(out.min_ess) ? kNan : ess;
  }
  for (Index s = 0; s < draws.count(); ++s)
    if (!std::ranges::all_of(draws.draw(s), [](double value) { return std::isfinite(value); }))
      ++out.num_draws_not_finite;
}

class Work {
 public:
  Work(const Likelihood& full, const Likelihood* coreset, const Prior& prior, const Executor& executor,
       const CertificateOptions& options, const Observer& observer)
      : full_(full),
        coreset_(coreset),
        prior_(prior),
        executor_(executor),
        options_(options),
        observer_(observer) {}

  Certificate go(const Draws& draws) {
    Certificate out;
    out.num_rows = out.num_data_rows = full_.num_rows();
    out.coreset_size = coreset_ == nullptr ? 0 : coreset_->num_rows();
    out.num_parameters = draws.dim;
    out.num_chains = draws.num_chains;
    out.max_rhat_allowed = options_.max_rhat;
    out.min_effective_size = options_.min_effective_size;

    const LaplaceResult full = laplace_of_full();
    out.laplace_end = full.end;
    // KL between normal distributions has a closed form: a first look that needs no draws.
    const Normal part = coreset_ == nullptr ? prior_.normal_stand_in() : laplace_of(*coreset_).posterior;
    out.kl_laplace = {kl_divergence(part, full.posterior), kl_divergence(full.posterior, part)};

    tell(observer_, at_part(CertificatePart::Ratios, 0));
    EstimatedRows made = estimate_rows(
        full_, coreset_, full, draws.values,
        {.rows = options_.check_rows, .seed = options_.seed, .scores = options_.remainder_scores}, executor_);
    some_ = std::move(made.estimate);

    diagnose(draws, executor_, out);
    std::vector<Estimate> before = std::move(out.coreset.before);
    // The worst effective size of a parameter stands in where the ratios have none of their own.
    const double share = out.min_ess / static_cast<double>(draws.count());
    out.coreset = corrected(draws, ratios_of_coreset(draws), share, some_.has_value(), options_, executor_);
    out.coreset.before = std::move(before);
    weigh_answers(draws, executor_, out.coreset);
    out.coreset.quantities_before = plain_moments(mapped(draws, options_.quantities), executor_);
    out.kl_draws = divergences(out.coreset.weights);

    const Draws normal = drawn(full.posterior, options_.laplace_draws, options_.seed);
    out.laplace = corrected(normal, ratios_of_laplace(normal, full.posterior), 1, some_.has_value(), options_,
                            executor_);
    out.checked = checked_rows(draws, normal);
    out.checked.passes += made.passes;
    out.checked.found_scores = made.found_scores;
    const std::vector<double> sds = full.posterior.standard_deviations();
    for (std::size_t d = 0; d < sds.size(); ++d)
      out.laplace.before.push_back({full.posterior.mean()[d], sds[d], 0, 0});
    out.laplace.quantities_before = moments_of(full.posterior, options_.quantities);

    measure_gradients(draws, normal, full.posterior, out);
    judge(draws, out);
    return out;
  }

 private:
  // What an observer is told, and how a part of several passes counts its rows.
  [[nodiscard]] StageProgress at_part(CertificatePart part, Index done) const {
    return {.stage = Stage::Certify, .done = done, .total = full_.num_rows(), .part = part};
  }

  // Pass `pass` of `passes` over all rows that a part makes.
  [[nodiscard]] RowsDone watch(CertificatePart part, Index pass = 0, Index passes = 1) const {
    if (!observer_) return {};
    return [this, part, pass, passes](Index rows) {
      tell(observer_, at_part(part, (pass * full_.num_rows() + rows) / passes));
    };
  }

  [[nodiscard]] LaplaceResult laplace_of(const Likelihood& likelihood) const {
    return laplace(likelihood, prior_, executor_, {},
                   seen_as(at_part(CertificatePart::Laplace, 0), observer_));
  }

  [[nodiscard]] LaplaceResult laplace_of_full() const {
    return options_.laplace != nullptr ? *options_.laplace : laplace_of(full_);
  }

  // L at the draws: summed over all rows, or estimated.
  [[nodiscard]] ExtendedVector all_rows(const Draws& draws, CertificatePart part) const {
    return some_ ? some_->log_likelihoods(draws.values, executor_)
                 : log_likelihood_sums(full_, draws.values, executor_, watch(part));
  }

  // But for the passes of estimate_rows().
  [[nodiscard]] CheckedRows checked_rows(const Draws& draws, const Draws& normal) const {
    constexpr Index kDraws = 512;  // by which standard errors are found
    constexpr Index kSums = 4;     // the ratios of both, and the gradients at some draws of both
    if (!some_) return {.count = full_.num_rows(), .certain = full_.num_rows(), .passes = kSums};
    const EstimateError error = some_->error(spread_points(draws.values, draws.dim, kDraws), executor_);
    const EstimateError at_normal = some_->error(spread_points(normal.values, normal.dim, kDraws), executor_);
    return {some_->num_rows(), some_->num_certain(), true, error.rms, error.most, at_normal.rms};
  }

  // The two sums are large and nearly equal: their difference is taken in extended precision.
  [[nodiscard]] std::vector<double> ratios_of_coreset(const Draws& draws) const {
    const ExtendedVector all = all_rows(draws, CertificatePart::Ratios);
    ExtendedVector few(all.size(), 0);
    if (coreset_ != nullptr) few = log_likelihood_sums(*coreset_, draws.values, executor_);
    std::vector<double> ratios;
    for (std::size_t s = 0; s < all.size(); ++s) ratios.push_back(static_cast<double>(all[s] - few[s]));
    return ratios;
  }

  [[nodiscard]] std::vector<double> ratios_of_laplace(const Draws& draws, const Normal& normal) const {
    const ExtendedVector all = all_rows(draws, CertificatePart::LaplaceRatios);
    std::vector<double> ratios;
    for (Index s = 0; s < draws.count(); ++s) {
      const Extended prior = Extended{prior_.log_density(draws.draw(s), Order::Value).value};
      const Extended sampled = Extended{normal.log_density(draws.draw(s), Order::Value).value};
      ratios.push_back(static_cast<double>(all[at(s)] + prior - sampled));
    }
    return ratios;
  }

  // With normalised weights w_s, r_s is S w_s times its mean: KL(pi_w || pi) is the mean of -log(S w_s), and
  // KL(pi || pi_w) the mean of log(S w_s) under the weights. Neither is ever negative.
  static Divergences divergences(const std::vector<double>& weights) {
    const auto count = static_cast<double>(weights.size());
    Extended coreset = 0, full = 0;
    for (const double w : weights) {
      coreset -= std::log(Extended{w} * count) / count;
      if (w > 0) full += Extended{w} * std::log(Extended{w} * count);
    }
    return {std::max(0.0, static_cast<double>(coreset)), std::max(0.0, static_cast<double>(full))};
  }

  // Draws spread evenly over each chain, and which ones they are.
  [[nodiscard]] Draws thinned(const Draws& draws, std::vector<Index>& chosen) const {
    const Index chains = std::max<Index>(draws.num_chains, 1), each = draws.count() / chains;
    const Index kept = std::clamp<Index>(options_.gradient_draws / chains, 1, each);
    Draws out{draws.dim, draws.num_chains, {}};
    for (Index c = 0; c < chains; ++c) {
      for (Index i = 0; i < kept; ++i) {
        chosen.push_back(c * each + i * each / kept);
        const auto draw = draws.draw(chosen.back());
        out.values.insert(out.values.end(), draw.begin(), draw.end());
      }
    }
    return out;
  }

  struct SquaredLengths {
    std::vector<double> plain, whitened;
  };

  // |g|^2 and |C' g|^2 at each draw; the prior is in both posteriors and cancels.
  [[nodiscard]] SquaredLengths lengths(const Draws& draws, const Normal& whitener,
                                       const RowsDone& rows_done) const {
    ExtendedVector gradient = some_ ? some_->gradients(draws.values, executor_)
                                    : gradient_sums(full_, draws.values, executor_, rows_done);
    if (coreset_ != nullptr) {
      const ExtendedVector few = gradient_sums(*coreset_, draws.values, executor_);
      for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] -= few[i];
    }
    // g = grad L - grad L(w); |C' g|^2 with C the factor of the covariance of the Laplace approximation.
    const auto dim = at(draws.dim);
    const std::vector<double>& factor = whitener.factor();
    // An estimated gradient is longer than the gradient, by the variance of its error in the mean square.
    const double noise = mean_noise(draws, {}), whitened_noise = mean_noise(draws, factor);
    SquaredLengths out;
    for (std::size_t s = 0; s < at(draws.count()); ++s) {
      Extended plain = 0, whitened = 0;
      for (std::size_t d = 0; d < dim; ++d) {
        plain += gradient[s * dim + d] * gradient[s * dim + d];
        Extended along = 0;
        for (std::size_t e = 0; e < dim; ++e) along += Extended{factor[e * dim + d]} * gradient[s * dim + e];
        whitened += along * along;
      }
      out.plain.push_back(static_cast<double>(plain) - noise);
      out.whitened.push_back(static_cast<double>(whitened) - whitened_noise);
    }
    return out;
  }

  [[nodiscard]] double mean_noise(const Draws& draws, std::span<const double> frame) const {
    constexpr Index kDraws = 32;
    if (!some_) return 0;
    const std::vector<double> each =
        some_->gradient_noise(spread_points(draws.values, draws.dim, kDraws), frame, executor_);
    return std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
  }

  // sum_s w_s |g(theta_s)|^2, and its standard error.
  static FisherDistance fisher(const SquaredLengths& squares, const std::vector<double>& weights,
                               Index num_chains, double relative_ess) {
    const Estimate plain = weighted_estimate(squares.plain, weights, num_chains, relative_ess);
    const Estimate whitened = weighted_estimate(squares.whitened, weights, num_chains, relative_ess);
    // Less the noise, a mean may fall below 0; NaN stays.
    return {plain.mean < 0 ? 0 : plain.mean, plain.mcse_mean, whitened.mean < 0 ? 0 : whitened.mean,
            whitened.mcse_mean};
  }

  // The weights of some of the draws, scaled to add up to 1; all 0 where none has weight.
  static std::vector<double> weights_of(const Correction& correction, const std::vector<Index>& chosen) {
    std::vector<double> weights;
    Extended total = 0;
    for (const Index s : chosen) {
      weights.push_back(correction.weights[at(s)]);
      total += weights.back();
    }
    for (double& w : weights) w = total > 0 ? static_cast<double>(w / total) : 0;
    return weights;
  }

  // The same |g|^2 at the coreset's draws give the distance under pi_w (equal weights) and under pi (smoothed
  // weights); draws of the Laplace approximation, weighted, give the latter a second time.
  void measure_gradients(const Draws& draws, const Draws& normal, const Normal& whitener,
                         Certificate& out) const {
    std::vector<Index> chosen, chosen_normal;
    const Draws some = thinned(draws, chosen), some_normal = thinned(normal, chosen_normal);
    out.num_gradient_draws = some.count();
    const SquaredLengths at_coreset = lengths(some, whitener, watch(CertificatePart::Gradients, 0, 2));
    const SquaredLengths at_laplace = lengths(some_normal, whitener, watch(CertificatePart::Gradients, 1, 2));
    const std::vector<double> equal(chosen.size(), 1 / static_cast<double>(chosen.size()));
    out.fisher_coreset = fisher(at_coreset, equal, some.num_chains, out.coreset.relative_ess);
    out.fisher_full =
        fisher(at_coreset, weights_of(out.coreset, chosen), some.num_chains, out.coreset.relative_ess);
    out.fisher_laplace = fisher(at_laplace, weights_of(out.laplace, chosen_normal), 0, 1);
  }

  // From the draws to the weights: a later reason means something only if the earlier ones do not hold. The
  // conditions are written so that NaN is a doubt.
  [[nodiscard]] Doubt doubt_of(const Certificate& out, bool too_few, bool disagrees) const {
    if (out.num_draws_not_finite > 0) return Doubt::DrawsNotFinite;
    if (too_few) return Doubt::TooFewDraws;
    if (!(out.max_rhat <= options_.max_rhat)) return Doubt::NotMixed;
    if (!(out.coreset.k_hat <= out.coreset.k_limit) && !out.coreset.flat) return Doubt::HighKhat;
    if (!(out.min_ess >= options_.min_effective_size)) return Doubt::TooFewDraws;
    if (!(out.coreset.effective_size >= options_.min_effective_size)) return Doubt::FewEffective;
    if (out.laplace.usable && disagrees) return Doubt::Disagrees;
    return Doubt::None;
  }

  void judge(const Draws& draws, Certificate& out) const {
    // The two corrections start from different draws: where both may be used and their means differ by more
    // than Monte Carlo error allows, one of them has missed a part of pi.
    bool disagrees = false;
    for (std::size_t d = 0; d < out.coreset.after.size(); ++d) {
      const Estimate &one = out.coreset.after[d], &other = out.laplace.after[d];
      const double apart = std::abs(one.mean - other.mean);
      out.disagreement = std::max(out.disagreement, apart / other.sd);
      if (apart > kDisagreement * other.sd + 5 * std::hypot(one.mcse_mean, other.mcse_mean)) disagrees = true;
    }
    constexpr Index kFewestOfChain = 6;  // for effective sizes to have an answer
    const bool too_few =
        out.coreset.tail == PsisTail::TooShort || draws.count() / draws.num_chains < kFewestOfChain;
    out.doubt = doubt_of(out, too_few, disagrees);
    if (out.doubt == Doubt::HighKhat || out.doubt == Doubt::FewEffective || out.doubt == Doubt::Disagrees)
      out.suggested_size = next_size(out.coreset_size, out.num_parameters, out.num_rows);
  }

  const Likelihood& full_;
  const Likelihood* coreset_;
  const Prior& prior_;
  const Executor& executor_;
  const CertificateOptions& options_;
  const Observer& observer_;
  std::optional<RowEstimate> some_;  // what stands in for the sums over all rows, if anything does
};

void check(const Likelihood& full, const Likelihood* coreset, const Prior& prior,
           const CertificateOptions& options) {
  const Index dim = full.num_parameters();
  require(coreset == nullptr || coreset->num_parameters() == dim,
          "the coreset and the model of all rows differ in their parameters");
  require(prior.dim() == dim, "the prior has " + std::to_string(prior.dim()) + " dimensions, the model " +
                                  std::to_string(dim) + " parameters");
  require(options.gradient_draws >= 1, "gradient_draws must be at least 1");
  require(options.laplace_draws >= 1, "laplace_draws must be at least 1");
  require(options.quantities.count >= 0 && (options.quantities.count == 0 || options.quantities.values),
          "quantities must have a function that gives their values");
  require(options.laplace == nullptr || options.laplace->posterior.dim() == dim,
          "the Laplace approximation is of another dimension");
}

}  // namespace

Index next_size(Index size, Index num_parameters, Index num_rows) {
  // D + D(D+1)/2 points can match gradient and curvature: the size at which errors fall to near nothing.
  const Index matching = num_parameters + num_parameters * (num_parameters + 1) / 2;
  Index next = std::max(2 * size, 2 * num_parameters);
  if (size < matching) next = std::min(next, matching);
  next = std::min(next, num_rows);
  return next > size ? next : 0;
}

Certificate certify(const Likelihood& full, const Likelihood* coreset, const Prior& prior,
                    std::span<const Chain> chains, const Executor& executor,
                    const CertificateOptions& options, const Observer& observer) {
  check(full, coreset, prior, options);
  return Work(full, coreset, prior, executor, options, observer).go(pooled(chains, full.num_parameters()));
}

}  // namespace giga
