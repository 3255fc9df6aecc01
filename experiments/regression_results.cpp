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

// Small coresets, where the paper claims most.
constexpr Index kSmall = 100;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

// "phishing 0.3 to 2.1; ..." of something at all small sizes.
template <typename Value>
std::string ranges(const std::vector<SetResults>& sets, const Value& value, double& least) {
  std::string text;
  least = std::numeric_limits<double>::infinity();
  for (const SetResults& set : sets) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < set.sizes.size() && set.sizes[i] <= kSmall; ++i) {
      low = std::min(low, value(set, i));
      high = std::max(high, value(set, i));
    }
    least = std::min(least, low);
    text += fmt::format("{}{} {:.1f} to {:.1f}", text.empty() ? "" : "; ", set.info->title, low, high);
  }
  return text;
}

Finding below(const std::vector<SetResults>& sets, const char* worse, const char* title) {
  double least = 0;
  const std::string text = ranges(
      sets, [&](const SetResults& set, std::size_t i) { return set.orders(worse, "giga", i); }, least);
  return {"paper",
          fmt::format("{}: GIGA is below {} on every set at all sizes to {}", upper(sets[0].sampler), title,
                      kSmall),
          fmt::format("log10({} / GIGA): {}", title, text), least > 0};
}

// "a major (3-4 orders of magnitude) reduction in error": the largest, rounded to whole orders.
Finding reduction(const std::vector<SetResults>& sets) {
  std::string text;
  Index reached = 0;
  for (const SetResults& set : sets) {
    double most = 0;
    for (std::size_t i = 0; i < set.sizes.size(); ++i)
      most = std::max(most, std::max(set.orders("rnd", "giga", i), set.orders("frank_wolfe", "giga", i)));
    reached += most >= 2.5 ? 1 : 0;
    text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", set.info->title, most);
  }
  return {"paper",
          fmt::format("{}: GIGA reduces the error by 3 to 4 orders of magnitude", upper(sets[0].sampler)),
          fmt::format("largest log10 of FW's or RND's over GIGA's at equal iterations: {}", text),
          reached == std::ssize(sets)};
}

Finding fw_like_rnd(const std::vector<SetResults>& sets) {
  constexpr Index kSmallest = 10;
  std::string text;
  double most = 0;
  for (const SetResults& set : sets) {
    double worst = 0;
    for (std::size_t i = 0; i < set.sizes.size() && set.sizes[i] <= kSmallest; ++i)
      if (std::abs(set.orders("rnd", "frank_wolfe", i)) > std::abs(worst))
        worst = set.orders("rnd", "frank_wolfe", i);
    most = std::max(most, std::abs(worst));
    text += fmt::format("{}{} {:+.1f}", text.empty() ? "" : ", ", set.info->title, worst);
  }
  return {
      "paper", fmt::format("{}: small coresets of FW are as good as those of RND", upper(sets[0].sampler)),
      fmt::format("log10(RND / FW), the furthest from 0 to {} iterations: {}", kSmallest, text), most <= 1};
}

// The median distance of corrective over GIGA's, with no more points than GIGA had.
Finding corrective_below(const std::vector<SetResults>& sets) {
  std::string text, where;
  double worst = 0;
  for (const SetResults& set : sets) {
    std::string here;
    for (std::size_t i = 0; i < set.sizes.size(); ++i) {
      const double ratio = median(set.corrective_over_giga[i]);
      if (ratio > worst)
        where = fmt::format("{}, {:.0f} points", set.info->title, set.median_points("giga", i));
      worst = std::max(worst, ratio);
      if (set.sizes[i] == 10 || set.sizes[i] == 100 || set.sizes[i] == 300)
        here += fmt::format("{}{:.0f} points {:.2g}", here.empty() ? "" : ", ", set.median_points("giga", i),
                            ratio);
    }
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", set.info->title, here);
  }
  return {
      "giga",
      fmt::format("{}: corrective is at or below GIGA with no more points, at all sizes",
                  upper(sets[0].sampler)),
      fmt::format(
          "median distance over GIGA's after 10, 100 and 300 iterations: {}; at most {:.4f} anywhere ({})",
          text, worst, where),
      worst <= 1 + 1e-9};
}

// The largest fall from an earlier to a later size: from where to where, and the highest after it.
struct Bend {
  double first = 0, top = 0, bottom = 0, last = 0;
};
Bend bend_of(const std::vector<double>& cost) {
  const double most = *std::max_element(cost.begin(), cost.end());
  Bend out{cost.front(), most, most, most};
  for (std::size_t j = 0; j < cost.size(); ++j) {
    for (std::size_t k = j + 1; k < cost.size(); ++k) {
      if (cost[j] * out.bottom > out.top * cost[k])
        out = {cost.front(), cost[j], cost[k],
               *std::max_element(cost.begin() + static_cast<std::ptrdiff_t>(k), cost.end())};
    }
  }
  return out;
}

// The S of the paper: a cost that rises with the size, falls by a third or more, and, where that is part of
// the claim, rises again.
template <typename Cost>
Finding s_shape(const std::vector<SetResults>& sets, const std::string& claim, bool again, const Cost& cost) {
  constexpr double kFall = 1.5;
  std::string text;
  Index bent = 0, logistic = 0;
  for (const SetResults& set : sets) {
    std::vector<double> values;
    for (std::size_t i = 0; i < set.sizes.size(); ++i)
      values.push_back(median(over_trials(trials_of(set, "giga", i), cost)));
    const Bend bend = bend_of(values);
    const bool falls = bend.top >= kFall * bend.bottom;
    const bool is_bent = falls && bend.top > bend.first && (!again || bend.last > bend.bottom);
    if (set.info->family == Family::BernoulliLogit) {
      ++logistic;
      bent += is_bent ? 1 : 0;
    }
    text += fmt::format("{}{} {:.3g}, {:.3g}, {:.3g}", text.empty() ? "" : "; ", set.info->title, bend.first,
                        bend.top, bend.bottom);
    if (again) text += fmt::format(", {:.3g}", bend.last);
    if (is_bent) text += " (yes)";
  }
  return {"paper", "NUTS: " + claim + " (logistic sets)", text, bent == logistic};
}

Curve against(const SetResults& set, const Contender& method, bool time) {
  // One constant a set: the median of RND at the first size.
  const double unit = set.median_fisher("rnd", 0), full_s = median(set.full_s);
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
  const std::string sampler = upper(sets[0].sampler);
  Figure out;
  out.file = fmt::format("{}_{}", time ? "time" : "size", sets[0].sampler);
  out.title =
      fmt::format("Fisher information distance against {}, {}", time ? "time" : "coreset size", sampler);
  out.caption =
      "Median and quartiles over trials; distances over RND's median at one point, one constant for each "
      "set. ";
  out.caption +=
      time ? "Time is that of Laplace, projection, construction and chain (RND: draws and chain) over "
             "the median of the chain on all rows."
           : "Size is the median number of points after the iterations asked for.";
  out.caption += " Distances below 1e-12 are not drawn, but stand in the table.";
  out.measured = time;
  for (const SetResults& set : sets) {
    Panel panel{set.info->title,
                {time ? "time / time on all rows" : "points in the coreset", true},
                {"distance / RND at 1", true, kLeastDrawn},
                {}};
    for (const Contender& method : kContenders) panel.curves.push_back(against(set, method, time));
    out.panels.push_back(std::move(panel));
  }
  return out;
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

std::string regression_trial_name(const SetInfo& info, const std::string& sampler, Index trial) {
  return trial_name(fmt::format("{}_{}", info.name, sampler), trial);
}

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
    const Json result = store.result(name), times = store.times(name);
    const double before = times["laplace_s"].get<double>() + times["project_s"].get<double>();
    out.full_s.push_back(times["full_s"].get<double>());
    out.laplace_s.push_back(times["laplace_s"].get<double>());
    out.project_s.push_back(times["project_s"].get<double>());
    out.full_gradients.push_back(result["full_gradients"].get<double>());
    for (const Contender& method : kContenders) {
      for (std::size_t i = 0; i < out.sizes.size(); ++i) {
        const Json &entry = result["methods"][method.name][i], &clock = times["methods"][method.name][i];
        const double own = clock["build_s"].get<double>() + clock["chain_s"].get<double>();
        out.entries[method.name][i].push_back(
            {entry["asked"].get<Index>(), entry["points"].get<Index>(), entry["fisher"].get<double>(),
             entry["gradients"].get<double>(), clock["chain_s"].get<double>(),
             own + (method.style == Style::Random ? 0 : before)});
      }
    }
    for (std::size_t i = 0; i < out.sizes.size(); ++i)
      out.corrective_over_giga[i].push_back(result["corrective_at_size_of_giga"][i]["fisher"].get<double>() /
                                            result["methods"]["giga"][i]["fisher"].get<double>());
  }
  return out;
}

std::vector<Finding> findings_of(const std::vector<SetResults>& sets) {
  std::vector<Finding> out = {below(sets, "frank_wolfe", "FW"), below(sets, "rnd", "RND"), reduction(sets),
                              fw_like_rnd(sets)};
  if (sets[0].sampler == "nuts") {
    out.push_back(s_shape(sets,
                          "in GIGA's coresets trajectories lengthen with the first points, then shorten; "
                          "thousands of gradients at one point, at most, then at least",
                          false, [](const Entry& each) { return each.gradients / 1000; }));
  }
  out.push_back(corrective_below(sets));
  return out;
}

std::vector<Finding> timing_of(const std::vector<SetResults>& sets) {
  if (sets[0].sampler != "nuts") return {};
  return {
      s_shape(sets,
              "the chain on GIGA's coresets takes longer, then less, then longer again with size; seconds at "
              "one point, at most, then at least, at most after that",
              true, [](const Entry& each) { return each.chain_s; })};
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
