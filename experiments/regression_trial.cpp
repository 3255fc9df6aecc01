// One trial of section 4.3: the Laplace approximation, a random projection under it, coresets of all sizes by
// every method, then a chain for each coreset and for all rows, and the distance of each coreset.
//
// All of it runs on one thread and is timed by processor time. Chains of a trial have the same seed, so that
// coresets of the same rows and weights have the same chain.
#include "experiments/regression_trial.hpp"

#include <algorithm>
#include <set>

#include "experiments/cpu_clock.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/project/random_projection.hpp"

namespace giga::experiments {
namespace {

// The grid and the numbers of points GIGA had, so that both can be compared at equal size.
std::vector<Index> with_sizes_of(const std::vector<Index>& sizes, const std::vector<Stop>& path) {
  std::set<Index> all(sizes.begin(), sizes.end());
  for (const Stop& stop : path) all.insert(std::max<Index>(1, stop.num_points()));
  return {all.begin(), all.end()};
}

SampleOptions protocol(SamplerKind sampler, const Settings& settings, std::uint64_t seed) {
  SampleOptions options = paper_protocol(sampler);
  options.warmup = std::max<Index>(1, options.warmup / settings.scale.chain_divisor);
  options.draws = std::max<Index>(1, options.draws / settings.scale.chain_divisor);
  options.seed = seed;
  return options;
}

}  // namespace

RegressionTrial::RegressionTrial(const RegressionSet& set, const Settings& settings, Index trial,
                                 const JobContext& context)
    : set_(set), settings_(settings), trial_(trial), context_(context) {
  const Threads one(1);
  const CpuClock laplace_clock;
  const LaplaceResult approximation = laplace(set.model(), set.prior(), one);
  laplace_s_ = laplace_clock.seconds();
  context.check();

  const CpuClock project_clock;
  const RandomProjection projection(
      set.model(), approximation.posterior,
      {.norm = Norm::Fisher, .dim = settings.scale.projection_dim, .seed = seed_of("projection")});
  // Kept in memory: steps near the limit of rounding read many rows again.
  std::vector<double> vectors(static_cast<std::size_t>(projection.num_rows() * projection.dim()));
  projection.read(0, projection.num_rows(), vectors.data());
  const DenseRows rows(MatrixView::of(vectors.data(), projection.num_rows(), projection.dim()));
  const VectorTable table(rows, one);
  (void)table.selector();  // made now, so that its time is not that of the first method
  project_s_ = project_clock.seconds();
  context.check();

  build_paths(table);
}

void RegressionTrial::build_paths(const VectorTable& table) {
  const std::vector<Index>& sizes = settings_.scale.sizes;
  paths_.emplace_back("rnd", random_path(set_, table, sizes, seed_of("rnd")));
  paths_.emplace_back("frank_wolfe", greedy_path(set_, table, Method::FrankWolfe, sizes));
  context_.check();
  paths_.emplace_back("giga", greedy_path(set_, table, Method::Giga, sizes));
  context_.check();

  const std::vector<Stop>& giga = paths_.back().second;
  std::vector<Stop> ours, all = greedy_path(set_, table, Method::Corrective, with_sizes_of(sizes, giga));
  for (const Stop& stop : giga) {
    // The last coreset of corrective that has at most as many points as GIGA's.
    const auto past = std::find_if(all.begin(), all.end(),
                                   [&](const Stop& each) { return each.asked > stop.num_points(); });
    equals_.push_back(past == all.begin() ? Stop{} : *std::prev(past));  // GIGA may have no points at all
  }
  for (const Stop& stop : all)
    if (std::binary_search(sizes.begin(), sizes.end(), stop.asked)) ours.push_back(stop);
  paths_.emplace_back("corrective", std::move(ours));
}

std::uint64_t RegressionTrial::seed_of(const std::string& purpose) const {
  return trial_seed(settings_, purpose + "/" + set_.info().name, trial_);
}

// From a draw about the model's own Laplace approximation, the search for which is part of the time.
RegressionTrial::Run RegressionTrial::infer(const Likelihood& model, SamplerKind sampler,
                                            std::uint64_t seed) const {
  const Threads one(1);
  const CpuClock clock;
  const LaplaceResult mode = laplace(model, set_.prior(), one);
  const Posterior posterior(model, set_.prior());
  std::vector<Chain> chains = sample_about(posterior, mode.posterior, 1, protocol(sampler, settings_, seed),
                                           one, [this](const StageProgress&) {
                                             context_.check();
                                             return Answer::Continue;
                                           });
  return {std::move(chains[0]), clock.seconds()};
}

// A coreset that equals the one before, because the build had ended, has the same posterior: it is not
// sampled again.
void RegressionTrial::infer_path(const std::vector<Stop>& path, SamplerKind sampler,
                                 const FisherDistance& distance, const std::function<void()>& done,
                                 Json& stops, Json& clocks) const {
  const Stop* before = nullptr;
  for (const Stop& stop : path) {
    Json entry = {{"asked", stop.asked},
                  {"steps", stop.steps},
                  {"points", stop.num_points()},
                  {"relative_error", stop.relative_error}};
    if (before != nullptr && stop.rows == before->rows && stop.counts == before->counts) {
      for (const char* key : {"fisher", "gradients"}) entry[key] = stops.back()[key];
      clocks.push_back({{"build_s", stop.seconds}, {"chain_s", clocks.back()["chain_s"]}});
    } else {
      const Regression coreset = set_.subset(stop.rows, stop.counts);
      const Run run = infer(coreset, sampler, seed_of(std::string(name(sampler))));
      entry["fisher"] = distance.of(coreset);
      entry["gradients"] = run.chain.num_gradients;
      clocks.push_back({{"build_s", stop.seconds}, {"chain_s", run.seconds}});
    }
    stops.push_back(std::move(entry));
    before = &stop;
    done();
  }
}

RegressionTrial::Outcome RegressionTrial::run(SamplerKind sampler,
                                              const std::function<void(double)>& at) const {
  const Run full = infer(set_.model(), sampler, seed_of(std::string(name(sampler))));
  const FisherDistance distance(set_.model(), full.chain, settings_.scale.fisher_draws);
  Json result = {{"set", set_.info().name},
                 {"sampler", name(sampler)},
                 {"trial", trial_},
                 {"num_rows", set_.num_data_rows()},
                 {"num_distinct_rows", set_.model().num_rows()},
                 {"num_parameters", set_.model().num_parameters()},
                 {"full_gradients", full.chain.num_gradients}};
  Json times = {{"laplace_s", laplace_s_}, {"project_s", project_s_}, {"full_s", full.seconds}};
  Index done = 0;
  const auto all = static_cast<double>(paths_.size() * settings_.scale.sizes.size());
  for (const auto& [method, path] : paths_) {
    Json stops = Json::array(), clocks = Json::array();
    infer_path(
        path, sampler, distance, [&] { at(static_cast<double>(++done) / all); }, stops, clocks);
    result["methods"][method] = std::move(stops);
    times["methods"][method] = std::move(clocks);
  }
  Json& equal = result["corrective_at_size_of_giga"] = Json::array();
  for (const Stop& stop : equals_)
    equal.push_back(
        {{"points", stop.num_points()}, {"fisher", distance.of(set_.subset(stop.rows, stop.counts))}});
  return {std::move(result), std::move(times)};
}

}  // namespace giga::experiments
