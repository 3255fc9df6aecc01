// Chains side by side, one piece of the executor's work each: warm-up, draws, and what is told of every
// transition. Warm-up is Stan's: a reasonable step first, then dual averaging throughout, and variances taken
// over at the end of each window, after which the step starts over, since its unit has changed.
#include "giga/infer/sample.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/require.hpp"
#include "giga/base/random.hpp"
#include "giga/infer/diagnostics.hpp"
#include "infer/adaptation.hpp"
#include "infer/chain_bytes.hpp"
#include "infer/faults.hpp"
#include "infer/group_coordinates.hpp"
#include "infer/standard_coordinates.hpp"
#include "infer/transition.hpp"

namespace giga {

SampleOptions paper_protocol(SamplerKind sampler) {
  SampleOptions options;
  options.sampler = sampler;
  options.draws = 5000;
  if (sampler == SamplerKind::Rwmh) {
    options.warmup = 25000;
    options.thin = 5;
  }
  // The paper adapts the step size alone, and its HMC takes steps of one size.
  options.metric = MetricKind::Unit;
  options.step_jitter = 0;
  return options;
}

namespace {

void check(const SampleOptions& options) {
  require(options.warmup >= 0, "warmup is " + std::to_string(options.warmup) + ", must be at least 0");
  require(options.draws >= 1, "draws is " + std::to_string(options.draws) + ", must be at least 1");
  require(options.thin >= 1, "thin is " + std::to_string(options.thin) + ", must be at least 1");
  require(options.target_accept > 0 && options.target_accept < 1,
          "target_accept is " + std::to_string(options.target_accept) + ", must be between 0 and 1");
  require(options.max_depth >= 1 && options.max_depth <= 20,
          "max_depth is " + std::to_string(options.max_depth) + ", must be from 1 to 20");
  require(options.leapfrog_steps >= 1,
          "leapfrog_steps is " + std::to_string(options.leapfrog_steps) + ", must be at least 1");
  require(options.step_jitter >= 0 && options.step_jitter < 1,
          "step_jitter is " + std::to_string(options.step_jitter) + ", must be at least 0 and below 1");
}

// What has happened on the way to the next draw that is kept.
void add_transition(const DrawStats& stats, bool first, DrawStats& on_the_way) {
  const bool divergent = !first && on_the_way.divergent;
  const Index depth = first ? 0 : on_the_way.tree_depth;
  on_the_way = stats;
  on_the_way.divergent = stats.divergent || divergent;
  on_the_way.tree_depth = std::max(stats.tree_depth, depth);
}

// Nuts and Hmc: the same warm-up about another transition.
Chain hamiltonian_chain(const DensityView& density, const SampleOptions& options,
                        const std::vector<double>& start, Index index, const Executor& executor,
                        const Observer& observer) {
  Stream random = stream(options.seed, "chain", index);
  Hamiltonian hamiltonian(density);
  const auto transition = options.sampler == SamplerKind::Nuts ? make_nuts(density.dim(), options.max_depth)
                                                               : make_hmc(options.leapfrog_steps);
  PhasePoint point;
  point.q = start;
  hamiltonian.evaluate(point);
  // The order of draws from the stream is fixed: first the search for a step, then the transitions.
  double step = hamiltonian.reasonable_step(point, 1, random);
  DualAveraging averaging(step, options.target_accept);
  RunningMoments moments(density.dim(), false);
  // With a unit metric there are no windows: nothing but the step size is learnt.
  const Windows windows(options.metric == MetricKind::Unit ? 0 : options.warmup);
  const double jitter = options.sampler == SamplerKind::Hmc ? options.step_jitter : 0;

  Chain chain;
  chain.dim = density.dim();
  DrawStats on_the_way;
  std::vector<std::vector<double>> energies(1);
  const Index total = options.warmup + options.draws * options.thin;
  // Invariant: chain.draws and chain.stats have one entry per `thin` transitions after warm-up;
  // on_the_way covers those since the last entry. The step is fixed once i >= warmup, so the kept draws
  // are of one Markov chain.
  for (Index i = 0; i < total && !chain.stopped; ++i) {
    const bool warmup = i < options.warmup;
    // Uniform in [1 - jitter, 1 + jitter], drawn before the transition and so independent of it.
    const double share = jitter > 0 ? 1 + jitter * (2 * random.uniform() - 1) : 1;
    const DrawStats stats = transition->move(point, hamiltonian, share * step, random);
    if (warmup) {
      step = averaging.update(stats.accept_stat);
      if (windows.learns(i)) moments.add(point.q.data());
      if (windows.ends_window(i)) {
        // A window ends: its variances become the metric, and the step size is sought anew in its units.
        hamiltonian.inverse_metric = moments.shrunk();
        moments.clear();
        step = hamiltonian.reasonable_step(point, step, random);
        averaging.restart(step);
      }
      // From here on the averaged step, which no longer changes.
      if (i + 1 == options.warmup) step = averaging.final_step();
    } else {
      const Index since = i - options.warmup;
      add_transition(stats, since % options.thin == 0, on_the_way);
      if (options.thin > 1) energies[0].push_back(stats.energy);
      if ((since + 1) % options.thin == 0) {
        chain.draws.insert(chain.draws.end(), point.q.begin(), point.q.end());
        chain.stats.push_back(on_the_way);
      }
    }
    if (!warmup && fault(Fault::AdaptationGoesOn))
      step *= std::exp(stats.accept_stat - options.target_accept);
    chain.stopped = told_to_stop(executor, observer,
                                 {.stage = Stage::Sample,
                                  .done = i + 1,
                                  .total = total,
                                  .chain = index,
                                  .warmup = warmup,
                                  .divergent = stats.divergent});
  }
  chain.step_size = step;
  if (options.thin > 1) chain.e_bfmi = e_bfmi(energies)[0];
  chain.metric = options.metric == MetricKind::Unit ? MetricKind::Unit : MetricKind::Diagonal;
  chain.inverse_metric = hamiltonian.inverse_metric;
  chain.num_gradients = hamiltonian.num_gradients;
  chain.num_not_finite = hamiltonian.num_not_finite;
  return chain;
}

}  // namespace

std::vector<Chain> sample(const DensityView& density, const SampleOptions& options,
                          const std::vector<std::vector<double>>& starts, const Executor& executor,
                          const Observer& observer) {
  check(options);
  require(!starts.empty(), "there is no start, so no chain");
  for (const std::vector<double>& start : starts) {
    require(std::ssize(start) == density.dim(), "a start has " + std::to_string(start.size()) +
                                                    " parameters, must have " +
                                                    std::to_string(density.dim()));
    Hamiltonian hamiltonian(density);
    PhasePoint point;
    point.q = start;
    hamiltonian.evaluate(point);
    require(std::isfinite(point.log_density), "the density is zero at a start");
  }
  // What a chain is that was stopped before its turn came.
  Chain not_begun;
  not_begun.dim = density.dim();
  not_begun.inverse_metric.assign(at(density.dim()), 1.0);
  not_begun.stopped = true;
  std::vector<Chain> chains(starts.size(), not_begun);
  std::vector<char> made_here(starts.size(), 0);
  try {
    // A chain is made by one rank, and the others get it from there.
    const std::vector<Bytes> sent = executor.spread(std::ssize(starts), [&](Index c) {
      chains[at(c)] = options.sampler == SamplerKind::Rwmh
                          ? random_walk(density, options, starts[at(c)], c, executor, observer)
                          : hamiltonian_chain(density, options, starts[at(c)], c, executor, observer);
      made_here[at(c)] = 1;
      return executor.num_ranks() > 1 ? chain_bytes(chains[at(c)]) : Bytes();
    });
    for (std::size_t c = 0; c < chains.size(); ++c) {
      if (made_here[c] == 0) chains[c] = chain_of(sent[c]);
    }
  } catch (const Stopped&) {  // before all chains had begun
  }
  return chains;
}

namespace {

// Halves the way to the centre until the density is not zero: in its far tails it may overflow.
void draw_near(const DensityView& density, const std::vector<double>& centre, std::vector<double>& start) {
  constexpr int kMostHalvings = 60;
  Hamiltonian hamiltonian(density);
  PhasePoint point;
  for (int i = 0; i < kMostHalvings; ++i) {
    point.q = start;
    hamiltonian.evaluate(point);
    if (std::isfinite(point.log_density)) return;
    for (std::size_t d = 0; d < start.size(); ++d) start[d] = centre[d] + (start[d] - centre[d]) / 2;
  }
}

}  // namespace

std::vector<Chain> sample_about(const DensityView& density, const Normal& about, Index chains,
                                const SampleOptions& options, const Executor& executor,
                                const Observer& observer) {
  require(about.dim() == density.dim(), "the approximation has another dimension than the density");
  const auto starts = [&](const DensityView& seen, const Normal& from) {
    auto all = dispersed_starts(from, chains, options.seed);
    for (std::vector<double>& start : all) draw_near(seen, from.mean(), start);
    return all;
  };
  if (options.metric != MetricKind::Dense)
    return sample(density, options, starts(density, about), executor, observer);
  // In standard coordinates the approximation is N(0, I): starts are drawn about that, and variances are
  // adapted along the axes of its covariance.
  const StandardCoordinates standard(density, about);
  const Normal same = Normal::isotropic(about.dim());
  std::vector<Chain> out = sample(standard, options, starts(standard, same), executor, observer);
  for (Chain& chain : out) standard.take_back(chain);
  return out;
}

std::vector<Chain> sample_groups(const DensityView& density, const std::vector<GroupColumns>& groups,
                                 const Normal& about, Index chains, const SampleOptions& options,
                                 const Executor& executor, const Observer& observer) {
  const GroupCoordinates coordinates(density, groups, about);
  std::vector<Chain> out =
      sample_about(coordinates, coordinates.moved(about), chains, options, executor, observer);
  for (Chain& chain : out) coordinates.take_back(chain);
  return out;
}

std::vector<std::vector<double>> dispersed_starts(const Normal& about, Index chains, std::uint64_t seed) {
  constexpr double kWider = 2;
  std::vector<std::vector<double>> starts;
  for (Index c = 0; c < chains; ++c) {
    Stream random = stream(seed, "start", c);
    std::vector<double> start(at(about.dim()));
    // start = mean + 2 (draw - mean).
    about.draw(random, start.data());
    for (std::size_t d = 0; d < start.size(); ++d)
      start[d] = about.mean()[d] + kWider * (start[d] - about.mean()[d]);
    starts.push_back(std::move(start));
  }
  return starts;
}

}  // namespace giga
