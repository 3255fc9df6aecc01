// The trials of one dataset and one sampler, read from the store, as curves, figures and tables. Distances
// are Fisher information distances; times are processor time of one thread.
#include "experiments/regression_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/statistics.hpp"

namespace giga::experiments {
namespace {

template <typename Value>
std::vector<double> over_trials(const std::vector<Entry>& trials, const Value& value) {
  std::vector<double> out;
  for (const Entry& each : trials) out.push_back(static_cast<double>(value(each)));
  return out;
}

const std::vector<Entry>& trials_of(const SetResults& results, const std::string& method, std::size_t place) {
  return results.entries.at(method)[place];
}

// What distances of a set are divided by: the median of RND's over all sizes and trials, as in the authors'
// plots.
double unit_of(const SetResults& set) {
  std::vector<double> all;
  for (std::size_t i = 0; i < set.sizes.size(); ++i)
    for (const double distance : set.fishers("rnd", i)) all.push_back(distance);
  return median(all);
}

Curve against(const SetResults& set, const Contender& method, bool time) {
  const double unit = unit_of(set), full_s = median(set.full_s);
  Curve curve{method.title, method.style, {}, true, true};
  for (std::size_t i = 0; i < set.sizes.size(); ++i) {
    const Quartiles q = quartiles(set.fishers(method.name, i));
    const double x = time ? set.median_seconds(method.name, i) / full_s : set.median_points(method.name, i);
    curve.points.push_back({x, q.low / unit, q.mid / unit, q.high / unit});
  }
  return curve;
}

Figure figure(const std::vector<SetResults>& sets, bool time) {
  constexpr double kLeastDrawn = 1e-12;  // what corrective reaches below would press all else together
  const std::string sampler = sampler_title(sets);
  Figure out;
  out.file = fmt::format("{}_{}", time ? "time" : "size", sets[0].sampler);
  out.title =
      fmt::format("Fisher information distance against {}, {}", time ? "time" : "coreset size", sampler);
  out.caption =
      "Median and quartiles over trials; distances over the median of RND's at all sizes, one constant for "
      "each set. ";
  out.caption +=
      time ? "Time is that of Laplace, projection, construction and chain (RND: draws and chain) over "
             "the median of the chain on all rows, which is the thin line."
           : "Size is the median number of points after the iterations asked for.";
  out.caption += " Distances below 1e-12 are not drawn, but stand in the table.";
  for (const SetResults& set : sets) {
    Panel panel{set.info->title,
                {time ? "time / time on all rows" : "points in the coreset", true},
                {"distance / median of RND", true, kLeastDrawn},
                {}};
    if (time) panel.x.mark = 1;
    for (const Contender& method : kContenders) panel.curves.push_back(against(set, method, time));
    out.panels.push_back(std::move(panel));
  }
  return out;
}

// A trial's result, as one more entry everywhere; its times are not known yet.
void add_result(const Json& result, SetResults& out) {
  const Json& methods = result.at("methods");
  for (std::size_t i = 0; i < out.sizes.size(); ++i) {
    for (const Contender& method : kContenders) {
      const Json& entry = methods.at(method.name).at(i);
      out.entries[method.name][i].push_back({.points = entry.at("points").get<Index>(),
                                             .fisher = entry.at("fisher").get<double>(),
                                             .gradients = entry.at("gradients").get<double>()});
    }
    out.corrective_over_giga[i].push_back(
        result.at("corrective_at_size_of_giga").at(i).at("fisher").get<double>() /
        methods.at("giga").at(i).at("fisher").get<double>());
  }
}

// The times of the trial that add_result() added last.
void add_times(const Json& times, SetResults& out) {
  out.full_s.push_back(times.at("full_s").get<double>());
  out.laplace_s.push_back(times.at("laplace_s").get<double>());
  out.project_s.push_back(times.at("project_s").get<double>());
  // RND needs neither the Laplace approximation nor the projection.
  const double before = out.laplace_s.back() + out.project_s.back();
  for (const Contender& method : kContenders) {
    for (std::size_t i = 0; i < out.sizes.size(); ++i) {
      const Json& clock = times.at("methods").at(method.name).at(i);
      Entry& entry = out.entries[method.name][i].back();
      entry.chain_s = clock.at("chain_s").get<double>();
      entry.total_s =
          clock.at("build_s").get<double>() + entry.chain_s + (method.style == Style::Random ? 0 : before);
    }
  }
}

}  // namespace

std::vector<double> SetResults::fishers(const std::string& method, std::size_t place) const {
  return over_trials(trials_of(*this, method, place), [](const Entry& each) { return each.fisher; });
}
double SetResults::median_fisher(const std::string& method, std::size_t place) const {
  return median(fishers(method, place));
}
double SetResults::median_points(const std::string& method, std::size_t place) const {
  return median(over_trials(trials_of(*this, method, place), [](const Entry& each) { return each.points; }));
}
double SetResults::median_seconds(const std::string& method, std::size_t place) const {
  return median(over_trials(trials_of(*this, method, place), [](const Entry& each) { return each.total_s; }));
}
double SetResults::orders(const std::string& worse, const std::string& better, std::size_t place) const {
  return std::log10(median_fisher(worse, place) / median_fisher(better, place));
}

double SetResults::median_gradients(const std::string& method, std::size_t place) const {
  return median(
      over_trials(trials_of(*this, method, place), [](const Entry& each) { return each.gradients; }));
}
double SetResults::median_chain_s(const std::string& method, std::size_t place) const {
  return median(over_trials(trials_of(*this, method, place), [](const Entry& each) { return each.chain_s; }));
}

std::string sampler_title(const std::vector<SetResults>& sets) {
  std::string text = sets[0].sampler;
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

std::string regression_trial_name(const SetInfo& info, const std::string& sampler, Index trial) {
  return trial_name(fmt::format("{}_{}", info.name, sampler), trial);
}

// Results and times of a trial are added together, so that entries of both have the same place.
SetResults read_results(const TrialStore& store, const SetInfo& info, const std::string& sampler,
                        const Settings& settings) {
  SetResults out;
  out.info = &info;
  out.sampler = sampler;
  out.sizes = settings.scale.sizes;
  out.corrective_over_giga.resize(out.sizes.size());
  for (const Contender& method : kContenders) out.entries[method.name].resize(out.sizes.size());
  for (Index k = 0; k < settings.trials; ++k) {
    const std::string name = regression_trial_name(info, sampler, k);
    store.read_result(name, [&](const Json& result) { add_result(result, out); });
    store.read_times(name, [&](const Json& times) { add_times(times, out); });
  }
  return out;
}

std::vector<std::string> timing_headings() {
  return {"set",
          "sampler",
          "chain on all rows, s",
          "Laplace, s",
          "projection, s",
          "GIGA at 100 in all, s",
          "at 1000",
          "corrective at 100 in all, s",
          "RND at 100 in all, s"};
}

std::vector<std::vector<std::string>> timing_rows(const std::vector<SetResults>& sets) {
  std::vector<std::vector<std::string>> rows;
  for (const SetResults& set : sets) {
    const auto seconds = [&](const char* method, Index size) -> std::string {
      const auto at = std::find(set.sizes.begin(), set.sizes.end(), size);
      if (at == set.sizes.end()) return "";
      return fmt::format("{:.2f}",
                         set.median_seconds(method, static_cast<std::size_t>(at - set.sizes.begin())));
    };
    rows.push_back({set.info->title, set.sampler, fmt::format("{:.2f}", median(set.full_s)),
                    fmt::format("{:.3f}", median(set.laplace_s)),
                    fmt::format("{:.2f}", median(set.project_s)), seconds("giga", 100), seconds("giga", 1000),
                    seconds("corrective", 100), seconds("rnd", 100)});
  }
  return rows;
}

Figure size_figure(const std::vector<SetResults>& sets) {
  return figure(sets, false);
}
Figure time_figure(const std::vector<SetResults>& sets) {
  return figure(sets, true);
}

}  // namespace giga::experiments
