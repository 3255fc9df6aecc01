// Section 4.3 and appendix A.2: logistic and Poisson regression on six datasets, by three samplers. A trial
// is one job: its projection and coresets are made once and serve all samplers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "experiments/data_record.hpp"
#include "experiments/experiment.hpp"
#include "experiments/regression_results.hpp"
#include "experiments/regression_trial.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"

namespace giga::experiments {
namespace {

// Seconds of one trial's construction and of its chains, measured on one core of a small machine: for the
// display of progress.
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

std::string name_of(SamplerKind sampler) {
  return std::string(giga::name(sampler));
}

// Trials that were made by other protocols are not mixed with these.
Json protocols_json() {
  Json all = Json::object();
  for (const SamplerKind sampler : {SamplerKind::Nuts, SamplerKind::Hmc, SamplerKind::Rwmh}) {
    const SampleOptions options = paper_protocol(sampler);
    all[name_of(sampler)] = {{"warmup", options.warmup},
                             {"draws", options.draws},
                             {"thin", options.thin},
                             {"metric", giga::name(options.metric)}};
  }
  return all;
}

// In the order of the paper's figures.
constexpr std::array<SamplerKind, 3> kSamplers = {SamplerKind::Hmc, SamplerKind::Rwmh, SamplerKind::Nuts};

// Throws InputMissing unless the folder has the files of all real sets: now, not after an hour.
void require_files(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw InputMissing(printable_path(folder) +
                       ": no such folder; --data is that of the files that scripts/convert-data makes");
  std::string missing, origins;
  for (const SetInfo& info : kSets) {
    if (is_synthetic(info) || std::filesystem::exists(folder / info.file, ignored)) continue;
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", info.file);
    origins += fmt::format("{}{} from {}", origins.empty() ? "" : ", ", info.title, info.origin);
  }
  if (!missing.empty())
    throw InputMissing(fmt::format("{}: lacks {}; get {}, and make the files with scripts/convert-data",
                                   printable_path(folder), missing, origins));
}

class RegressionExperiment final : public Experiment {
 public:
  explicit RegressionExperiment(const Settings& settings) : settings_(settings) {
    for (const SetInfo& info : kSets) {
      if (is_synthetic(info) || settings.data) sets_.push_back(&info);
    }
    if (settings.data) require_files(*settings.data);
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

  void prepare(const std::filesystem::path& folder, Earlier earlier) override;
  void begin(const TrialStore& store) const override;
  std::vector<Job> jobs(const TrialStore& store) const override;
  Report report(const TrialStore& store) const override;

 private:
  void run(const TrialStore& store, const RegressionSet& set, Index trial,
           const std::vector<SamplerKind>& samplers, const JobContext& context) const;
  [[nodiscard]] Index num_trials(const TrialStore& store, const SetInfo& info, SamplerKind sampler) const;
  void report_sampler(const TrialStore& store, SamplerKind sampler, Report& out) const;

  const Settings& settings_;
  std::vector<const SetInfo*> sets_;                                         // asked for
  std::map<std::string, std::shared_ptr<const RegressionSet>> loaded_ = {};  // by name, the real ones
  Json data_record_ = Json::object();
};

void RegressionExperiment::prepare(const std::filesystem::path& folder, Earlier earlier) {
  const Threads executor;
  Json entries = Json::object();
  for (const SetInfo* info : sets_) {
    if (is_synthetic(*info)) continue;
    const auto set = std::make_shared<const RegressionSet>(*info, settings_, executor);
    entries[info->name] = data_entry(*set, *settings_.data / info->file);
    loaded_[info->name] = set;
  }
  data_record_ = data_record(folder, entries, earlier);
}

void RegressionExperiment::begin(const TrialStore& store) const {
  if (!data_record_.empty()) write_whole(store.folder() / "data.json", data_record_.dump(1) + "\n");
}

// One job does the samplers of a trial one after the other: they share its projection and coresets. The
// longest begin first.
std::vector<Job> RegressionExperiment::jobs(const TrialStore& store) const {
  std::vector<Job> jobs;
  const Threads executor;
  for (const SetInfo* info : sets_) {
    const auto known = loaded_.find(info->name);
    std::shared_ptr<const RegressionSet> set = known == loaded_.end() ? nullptr : known->second;
    for (Index k = 0; k < settings_.trials; ++k) {
      std::vector<SamplerKind> missing;
      for (const SamplerKind sampler : settings_.samplers)
        if (!store.has(regression_trial_name(*info, name_of(sampler), k))) missing.push_back(sampler);
      if (missing.empty()) continue;
      if (!set) set = std::make_shared<RegressionSet>(*info, settings_, executor);
      jobs.push_back({fmt::format("{}, trial {}", info->title, k + 1), usual_s(*info, missing),
                      [this, &store, set, k, missing](const JobContext& context) {
                        run(store, *set, k, missing, context);
                      }});
    }
  }
  // The longest first: the threads then end at about the same time.
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
    store.save(regression_trial_name(set.info(), name_of(sampler), trial), outcome.result, outcome.times);
    before += own;
  }
}

// Of those asked for, the ones that the store has.
Index RegressionExperiment::num_trials(const TrialStore& store, const SetInfo& info,
                                       SamplerKind sampler) const {
  Index count = 0;
  for (Index k = 0; k < settings_.trials; ++k)
    count += store.has(regression_trial_name(info, name_of(sampler), k)) ? 1 : 0;
  return count;
}

// Every set that has all trials, asked for now or in an earlier run.
void RegressionExperiment::report_sampler(const TrialStore& store, SamplerKind sampler, Report& out) const {
  std::vector<SetResults> sets;
  for (const SetInfo& info : kSets) {
    const Index count = num_trials(store, info, sampler);
    if (count == settings_.trials) {
      sets.push_back(read_results(store, info, name_of(sampler), settings_));
    } else if (count > 0) {
      out.notes.push_back(fmt::format("{} by {} is left out: it has {} of {} trials", info.title,
                                      name_of(sampler), count, settings_.trials));
    }
  }
  if (sets.empty()) return;
  out.samplers.push_back(name_of(sampler));
  const auto add = [](auto& to, auto from) { to.insert(to.end(), from.begin(), from.end()); };
  add(out.findings, findings_of(sets));
  add(out.timing, timing_of(sets));
  add(out.timing_rows, timing_rows(sets));
  out.figures.push_back(size_figure(sets));
  out.figures.push_back(time_figure(sets));
}

Report RegressionExperiment::report(const TrialStore& store) const {
  Report out;
  out.timing_headings = timing_headings();
  for (const SamplerKind sampler : kSamplers) report_sampler(store, sampler, out);
  for (const SetInfo& info : kSets) {
    const bool was_run = std::any_of(kSamplers.begin(), kSamplers.end(), [&](SamplerKind sampler) {
      return num_trials(store, info, sampler) > 0;
    });
    if (!was_run)
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
