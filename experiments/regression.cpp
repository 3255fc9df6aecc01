// Section 4.3 and appendix A.2: logistic and Poisson regression on six datasets, by three samplers.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/experiment.hpp"
#include "experiments/regression_results.hpp"
#include "experiments/regression_trial.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga::experiments {
namespace {

// Seconds of one trial's construction and of its chains, HMC, RWMH, NUTS, measured on one core of a small
// machine: for the display of progress.
struct Usual {
  const char* set;
  double build_s;
  std::array<double, 3> chains_s;  // in the order of SamplerKind: nuts, hmc, rwmh
};
constexpr std::array<Usual, 6> kUsual = {{{"logistic_synthetic", 4, {4, 6, 4}},
                                          {"phishing", 11, {600, 37, 31}},
                                          {"ds1", 30, {21, 15, 11}},
                                          {"poisson_synthetic", 2, {8, 18, 11}},
                                          {"biketrips", 15, {100, 43, 25}},
                                          {"airportdelays", 10, {50, 25, 17}}}};

double usual_s(const SetInfo& info, const std::vector<SamplerKind>& samplers) {
  const auto known = std::find_if(kUsual.begin(), kUsual.end(),
                                  [&](const Usual& each) { return std::string_view(each.set) == info.name; });
  double sum = known->build_s;
  for (const SamplerKind sampler : samplers) sum += known->chains_s[static_cast<std::size_t>(sampler)];
  return sum;
}

// Trials that were made by other protocols are not mixed with these.
Json protocols_json() {
  Json all = Json::object();
  for (const SamplerKind sampler : {SamplerKind::Nuts, SamplerKind::Hmc, SamplerKind::Rwmh}) {
    const SampleOptions options = paper_protocol(sampler);
    all[std::string(giga::name(sampler))] = {{"warmup", options.warmup},
                                             {"draws", options.draws},
                                             {"thin", options.thin},
                                             {"metric", giga::name(options.metric)}};
  }
  return all;
}

class RegressionExperiment final : public Experiment {
 public:
  explicit RegressionExperiment(const Settings& settings) : settings_(settings) {
    for (const SetInfo& info : kSets) {
      if (is_synthetic(info) || settings.data) sets_.push_back(&info);
    }
    if (!settings.data) return;
    for (const SetInfo* info : sets_) {  // now, not after an hour
      const std::filesystem::path file = *settings.data / info->file;
      std::error_code ignored;
      if (!is_synthetic(*info) && !std::filesystem::exists(file, ignored))
        throw InputMissing(
            fmt::format("{}: no such file; {} is at {}, and scripts/convert-data makes the file "
                        "from it",
                        printable_path(file), info->title, info->origin));
    }
  }

  std::string name() const override { return "regression"; }
  std::string title() const override { return "Logistic and Poisson regression (section 4.3, appendix A.2)"; }

  Json settings() const override {
    const Scale& scale = settings_.scale;
    return {{"seed", settings_.seed},
            {"synthetic_rows", scale.regression_rows},
            {"projection_dim", scale.projection_dim},
            {"sizes", scale.sizes},
            {"protocols", protocols_json()},
            {"chain_divisor", scale.chain_divisor},
            {"fisher_draws", scale.fisher_draws}};
  }

  std::vector<Job> jobs(const TrialStore& store) const override;
  Report report(const TrialStore& store) const override;

 private:
  void run(const TrialStore& store, const RegressionSet& set, Index trial,
           const std::vector<SamplerKind>& samplers, const JobContext& context) const;

  const Settings& settings_;
  std::vector<const SetInfo*> sets_;
};

// One job does the samplers of a trial one after the other: they share its projection and coresets. The
// longest begin first.
std::vector<Job> RegressionExperiment::jobs(const TrialStore& store) const {
  std::vector<Job> jobs;
  const ThreadPool pool;
  for (const SetInfo* info : sets_) {
    std::shared_ptr<const RegressionSet> set;
    for (Index k = 0; k < settings_.trials; ++k) {
      std::vector<SamplerKind> missing;
      for (const SamplerKind sampler : settings_.samplers)
        if (!store.has(regression_trial_name(*info, std::string(giga::name(sampler)), k)))
          missing.push_back(sampler);
      if (missing.empty()) continue;
      if (!set) set = std::make_shared<RegressionSet>(*info, settings_, pool);
      jobs.push_back({fmt::format("{}, trial {}", info->title, k + 1), usual_s(*info, missing),
                      [this, &store, set, k, missing](const JobContext& context) {
                        run(store, *set, k, missing, context);
                      }});
    }
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.work > b.work; });
  return jobs;
}

void RegressionExperiment::run(const TrialStore& store, const RegressionSet& set, Index trial,
                               const std::vector<SamplerKind>& samplers, const JobContext& context) const {
  const RegressionTrial work(set, settings_, trial, context);
  const double all = usual_s(set.info(), samplers);
  double before = usual_s(set.info(), {});
  context.at(before / all);
  for (const SamplerKind sampler : samplers) {
    const double own = usual_s(set.info(), {sampler}) - usual_s(set.info(), {});
    const RegressionTrial::Outcome outcome =
        work.run(sampler, [&](double share) { context.at((before + share * own) / all); });
    store.save(regression_trial_name(set.info(), std::string(giga::name(sampler)), trial), outcome.result,
               outcome.times);
    before += own;
  }
}

Report RegressionExperiment::report(const TrialStore& store) const {
  Report out;
  out.timing_headings = timing_headings();
  for (const SamplerKind sampler : settings_.samplers) {
    std::vector<SetResults> sets;
    for (const SetInfo* info : sets_)
      sets.push_back(read_results(store, *info, std::string(giga::name(sampler)), settings_));
    const auto add = [](auto& to, auto from) { to.insert(to.end(), from.begin(), from.end()); };
    add(out.findings, findings_of(sets));
    add(out.timing, timing_of(sets));
    add(out.timing_rows, timing_rows(sets));
    out.figures.push_back(size_figure(sets));
    out.figures.push_back(time_figure(sets));
  }
  for (const SetInfo& info : kSets) {
    if (!is_synthetic(info) && !settings_.data)
      out.notes.push_back(
          fmt::format("{} was not run: get it from {}, make {} with scripts/convert-data, and give "
                      "its folder with --data",
                      info.title, info.origin, info.file));
  }
  return out;
}

}  // namespace

std::unique_ptr<Experiment> make_regression(const Settings& settings) {
  return std::make_unique<RegressionExperiment>(settings);
}

}  // namespace giga::experiments
