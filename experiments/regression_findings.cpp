// What the trials of section 4.3 say about the claims of the paper. Orders are log10 of ratios of medians
// over trials.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/regression_results.hpp"
#include "experiments/statistics.hpp"

namespace giga::experiments {
namespace {

// Small coresets, where the paper claims most.
constexpr Index kSmall = 100;

// The last of the sizes that is not above `most`; the first if all are.
std::size_t place_of(const std::vector<Index>& sizes, Index most) {
  const auto past = std::upper_bound(sizes.begin(), sizes.end(), most);
  return past == sizes.begin() ? 0 : static_cast<std::size_t>(past - sizes.begin()) - 1;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:.1f} to {:.1f}", low, high); }
};

// Holds if log10(worse / GIGA) > 0 at every size on every set.
Finding below(const std::vector<SetResults>& sets, const char* worse, const char* title) {
  const std::vector<Index>& sizes = sets[0].sizes;
  const std::size_t small = place_of(sizes, kSmall);
  std::string text;
  Range over_sets;
  for (const SetResults& set : sets) {
    Range all, first;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      all.add(set.orders(worse, "giga", i));
      if (i <= small) first.add(set.orders(worse, "giga", i));
    }
    over_sets.add(all.low);
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", set.info->title, all.text());
    if (small + 1 < sizes.size()) text += fmt::format(" (to {}: {})", sizes[small], first.text());
  }
  return {"paper",
          fmt::format("{}: GIGA is below {} on every set at equal iterations, {} to {}", sampler_title(sets),
                      title, sizes.front(), sizes.back()),
          fmt::format("log10({} / GIGA): {}", title, text), over_sets.low > 0};
}

// The largest log10 of a method's distance over GIGA's at equal iterations, and where it is.
struct Largest {
  double orders = -std::numeric_limits<double>::infinity();
  Index iterations = 0;
};
Largest largest_over_giga(const SetResults& set, const char* worse) {
  Largest out;
  for (std::size_t i = 0; i < set.sizes.size(); ++i)
    if (set.orders(worse, "giga", i) > out.orders) out = {set.orders(worse, "giga", i), set.sizes[i]};
  return out;
}

// "a major (3-4 orders of magnitude) reduction in error": the larger of both, rounded to whole orders.
Finding reduction(const std::vector<SetResults>& sets) {
  constexpr double kThreeOrders = 2.5;
  std::string text;
  bool holds = true;
  for (const SetResults& set : sets) {
    const Largest fw = largest_over_giga(set, "frank_wolfe"), rnd = largest_over_giga(set, "rnd");
    holds = holds && std::max(fw.orders, rnd.orders) >= kThreeOrders;
    text += fmt::format("{}{} FW {:.1f} at {}, RND {:.1f} at {}", text.empty() ? "" : "; ", set.info->title,
                        fw.orders, fw.iterations, rnd.orders, rnd.iterations);
  }
  return {"paper",
          fmt::format("{}: GIGA reduces the error by 3 to 4 orders of magnitude", sampler_title(sets)),
          fmt::format("largest log10 over GIGA's at equal iterations, and at how many: {}", text), holds};
}

Finding fw_like_rnd(const std::vector<SetResults>& sets) {
  constexpr Index kSmallest = 10;
  constexpr double kAlike = 1;  // an order of magnitude either way
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
  return {"paper", fmt::format("{}: small coresets of FW are as good as those of RND", sampler_title(sets)),
          fmt::format("log10(RND / FW), the furthest from 0 to {} iterations: {}", kSmallest, text),
          most <= kAlike};
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
                  sampler_title(sets)),
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
  // The pair j < k with the largest ratio cost_j / cost_k; no fall at all has the ratio 1.
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

bool is_logistic(const SetResults& set) {
  return describe(set.info->family).is_logistic;
}

// The S of the paper: a cost that rises with the size, falls by a third or more, and, where that is part of
// the claim, rises again.
template <typename Cost>
Finding s_shape(const std::vector<SetResults>& sets, const std::string& claim, bool again, const Cost& cost) {
  constexpr double kFall = 1.5, kRise = 1.1;
  std::string text;
  bool holds = true;
  for (const SetResults& set : sets) {
    std::vector<double> values;
    for (std::size_t i = 0; i < set.sizes.size(); ++i) values.push_back(cost(set, i));
    const Bend bend = bend_of(values);
    const bool falls = bend.top >= kFall * bend.bottom;
    const bool is_bent = falls && bend.top > bend.first && (!again || bend.last >= kRise * bend.bottom);
    if (is_logistic(set)) holds = holds && is_bent;
    text += fmt::format("{}{} {:.3g}, {:.3g}, {:.3g}", text.empty() ? "" : "; ", set.info->title, bend.first,
                        bend.top, bend.bottom);
    if (again) text += fmt::format(", {:.3g}", bend.last);
    if (is_bent) text += " (yes)";
  }
  return {"paper", "NUTS: " + claim + " (logistic sets)", text, holds};
}

// NUTS alone has it, and only logistic sets.
bool has_s_shape(const std::vector<SetResults>& sets) {
  return sets[0].sampler == "nuts" && std::any_of(sets.begin(), sets.end(), is_logistic);
}

Finding faster_than_all_rows(const std::vector<SetResults>& sets) {
  const std::size_t place = place_of(sets[0].sizes, kSmall);
  std::string text;
  bool holds = true;
  for (const SetResults& set : sets) {
    const double ratio = set.median_seconds("giga", place) / median(set.full_s);
    holds = holds && ratio < 1;
    text += fmt::format("{}{} {:.2g}", text.empty() ? "" : ", ", set.info->title, ratio);
  }
  return {
      "paper",
      fmt::format("{}: GIGA with {} iterations takes less time in all than the chain on all rows",
                  sampler_title(sets), sets[0].sizes[place]),
      fmt::format("median time of Laplace, projection, construction and chain over that of the chain on all "
                  "rows: {}",
                  text),
      holds};
}

// log10 of the best that `worse` reached in the time of GIGA at a place over GIGA's distance there; NaN if
// it reached nothing in that time.
double orders_at_equal_time(const SetResults& set, const char* worse, std::size_t place) {
  const double time = set.median_seconds("giga", place);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < set.sizes.size(); ++i)
    if (set.median_seconds(worse, i) <= time) least = std::min(least, set.median_fisher(worse, i));
  if (std::isinf(least)) return std::numeric_limits<double>::quiet_NaN();
  return std::log10(least / set.median_fisher("giga", place));
}

Finding below_at_equal_time(const std::vector<SetResults>& sets, const char* worse, const char* title) {
  std::string text;
  Range over_sets;
  for (const SetResults& set : sets) {
    Range range;
    for (std::size_t i = 0; i < set.sizes.size(); ++i) {
      const double orders = orders_at_equal_time(set, worse, i);
      if (!std::isnan(orders)) range.add(orders);
    }
    const bool compared = range.low <= range.high;
    if (compared) over_sets.add(range.low);
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", set.info->title,
                        compared ? range.text() : "nothing in that time");
  }
  const bool any = over_sets.low <= over_sets.high;
  return {
      "paper",
      fmt::format("{}: GIGA is below {} on every set at equal time, {} to {} iterations of GIGA",
                  sampler_title(sets), title, sets[0].sizes.front(), sets[0].sizes.back()),
      fmt::format("log10({0} / GIGA) at each size of GIGA, {0} with its least median distance of all sizes "
                  "that take no more median time in all; those before {0} has any are left out: {1}",
                  title, text),
      any && over_sets.low > 0};
}

}  // namespace

std::vector<Finding> findings_of(const std::vector<SetResults>& sets) {
  std::vector<Finding> out = {below(sets, "frank_wolfe", "FW"), below(sets, "rnd", "RND"), reduction(sets),
                              fw_like_rnd(sets)};
  if (has_s_shape(sets)) {
    out.push_back(s_shape(
        sets,
        "in GIGA's coresets trajectories lengthen with the first points, then shorten; "
        "thousands of gradients at one point, at most, then at least",
        false, [](const SetResults& set, std::size_t i) { return set.median_gradients("giga", i) / 1000; }));
  }
  out.push_back(corrective_below(sets));
  return out;
}

std::vector<Finding> timing_of(const std::vector<SetResults>& sets) {
  std::vector<Finding> out = {faster_than_all_rows(sets), below_at_equal_time(sets, "frank_wolfe", "FW"),
                              below_at_equal_time(sets, "rnd", "RND")};
  if (has_s_shape(sets)) {
    out.push_back(
        s_shape(sets,
                "the chain on GIGA's coresets takes longer, then less, then longer again with size; "
                "seconds at one point, at most, then at least, at most after that",
                true, [](const SetResults& set, std::size_t i) { return set.median_chain_s("giga", i); }));
  }
  return out;
}

}  // namespace giga::experiments
