// Section 4.2: the sum of a million independent normal vectors in 50 dimensions. The paper's claims, each
// with what was found: orders of magnitude between methods, exponential decay, and the sizes at which
// they stop growing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/cpu_clock.hpp"
#include "experiments/experiment.hpp"
#include "experiments/method_traces.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/simulate.hpp"

namespace giga::experiments {
namespace {

constexpr double kRounding = 1e-12;     // relative errors below it are near the limit of rounding
constexpr double kAllRounding = 1e-13;  // and below this they are nothing else

using Traces = std::map<std::string, std::vector<Trace>>;  // by contender, one per trial

// log10 of how much larger the median error of `worse` is, at each iteration.
std::vector<double> orders_apart(const Traces& traces, const char* worse, const char* better, Index steps) {
  std::vector<double> orders;
  for (Index t = 1; t <= steps; ++t)
    orders.push_back(std::log10(median_error(traces.at(worse), t) / median_error(traces.at(better), t)));
  return orders;
}

// Iterations before GIGA is at the limit of rounding; there the others can catch up.
Index num_before_rounding(const Traces& traces, Index steps) {
  Index last = 1;
  while (last < steps && median_error(traces.at("giga"), last + 1) >= kRounding) ++last;
  return last;
}

Finding below(const Traces& traces, const char* worse, const char* title, double least, Index steps,
              const std::string& claim) {
  const std::vector<double> orders = orders_apart(traces, worse, "giga", steps);
  const Index last = num_before_rounding(traces, steps);
  const auto [low, high] = std::minmax_element(orders.begin(), orders.begin() + last);
  std::string ours =
      fmt::format("log10({} / GIGA) from {:.1f} to {:.1f} in iterations 1 to {}{};", title, *low, *high, last,
                  last < steps ? ", before GIGA reaches the limit of rounding" : "");
  for (const Index t : {Index{1}, Index{10}, Index{100}, steps})
    if (t <= steps) ours += fmt::format(" {:.1f} at {},", orders[static_cast<std::size_t>(t - 1)], t);
  ours.pop_back();
  return {"paper", claim, ours, *low >= least};
}

// A straight line through log error against iterations, down to where rounding begins.
Finding exponential(const std::vector<Trace>& giga, Index steps) {
  std::vector<double> x, y;
  for (Index t = 1; t <= steps; ++t) {
    const double error = median_error(giga, t);
    if (error < kRounding) break;
    x.push_back(static_cast<double>(t));
    y.push_back(std::log10(error));
  }
  const Line line = fit_line(x, y);
  return {
      "paper", "the error of GIGA falls exponentially",
      fmt::format("log error is linear in iterations to {:.1f}% of its variance: a factor {:.1f} every 10",
                  100 * line.share, std::pow(10.0, -10 * line.slope)),
      line.share >= 0.95 && line.slope < 0};
}

// Ours against GIGA with as many points. Errors that are nothing but rounding count as equal.
Finding corrective_below(const Traces& traces, Index steps) {
  std::string ours;
  double worst = 0;
  for (const Index points : {10, 30, 50, 100, 300}) {
    if (points > steps) continue;
    std::vector<double> ratios;
    for (std::size_t k = 0; k < traces.at("giga").size(); ++k) {
      const double giga = traces.at("giga")[k].error_of_size(points);
      ratios.push_back(std::max(kAllRounding, traces.at("corrective")[k].error_of_size(points)) /
                       std::max(kAllRounding, giga));
      worst = std::max(worst, ratios.back());
    }
    ours += fmt::format("{}{} points: {:.2g}", ours.empty() ? "median error over GIGA's at " : ", ", points,
                        median(ratios));
  }
  ours += fmt::format("; at most {:.2g} in any trial", worst);
  return {"giga", "corrective is at or below GIGA at equal size", ours, worst <= 1};
}

class Vectors final : public Experiment {
 public:
  explicit Vectors(const Settings& settings) : settings_(settings) {}

  std::string name() const override { return "vectors"; }
  std::string title() const override {
    return fmt::format("{} x {} normal vectors (section 4.2)", settings_.scale.vectors_rows,
                       settings_.scale.vectors_dim);
  }

  Json settings() const override {
    return {{"seed", settings_.seed},
            {"rows", settings_.scale.vectors_rows},
            {"dim", settings_.scale.vectors_dim},
            {"steps", settings_.scale.vectors_steps}};
  }

  std::vector<Job> jobs(const TrialStore& store) const override {
    constexpr double kUsual_s = 4;
    std::vector<Job> jobs;
    for (Index k = 0; k < settings_.trials; ++k) {
      const std::string name = trial_name("trial", k);
      if (store.has(name)) continue;
      jobs.push_back({"vectors, trial " + std::to_string(k + 1), kUsual_s,
                      [this, &store, k](const JobContext& context) { run(store, k, context); }});
    }
    return jobs;
  }

  Report report(const TrialStore& store) const override;

 private:
  void run(const TrialStore& store, Index trial, const JobContext& context) const;

  const Settings& settings_;
};

void Vectors::run(const TrialStore& store, Index trial, const JobContext& context) const {
  const SimulatedRows rows({.rows = settings_.scale.vectors_rows,
                            .dim = settings_.scale.vectors_dim,
                            .seed = trial_seed(settings_, "vectors", trial)});
  const CpuClock prepare;
  const Threads one(1);
  const VectorTable table(rows, one);
  context.check();
  (void)table.selector();
  Json result = {{"trial", trial}, {"target_norm", static_cast<double>(table.target_norm())}};
  Json times = {{"prepare_s", prepare.seconds()}};
  for (std::size_t m = 0; m < kContenders.size(); ++m) {
    JobContext part = context;
    part.at = [&](double share) { context.at((static_cast<double>(m) + share) / kContenders.size()); };
    const CpuClock clock;
    const Trace trace = build_trace(table, kContenders[m].method, settings_.scale.vectors_steps,
                                    trial_seed(settings_, "rnd/vectors", trial), part);
    result["methods"][kContenders[m].name] = to_json(trace);
    times["methods"][kContenders[m].name] = clock.seconds();
  }
  store.save(trial_name("trial", trial), result, times);
}

Report Vectors::report(const TrialStore& store) const {
  Traces traces;
  std::vector<double> norms;
  for (Index k = 0; k < settings_.trials; ++k) {
    store.read_result(trial_name("trial", k), [&](const Json& result) {
      norms.push_back(result.at("target_norm").get<double>());
      for (const Contender& method : kContenders)
        traces[method.name].push_back(trace_of(result.at("methods").at(method.name)));
    });
  }
  const Index steps = settings_.scale.vectors_steps;
  Report out;
  out.findings.push_back(below(traces, "frank_wolfe", "FW", 1.5, steps,
                               "GIGA is 2 to 4 orders of magnitude below FW across all iterations"));
  out.findings.push_back(below(traces, "rnd", "RND", 1, steps, "GIGA is far below RND"));
  out.findings.push_back(exponential(traces["giga"], steps));
  const double giga = median_size(traces["giga"], steps), fw = median_size(traces["frank_wolfe"], steps);
  out.findings.push_back({"paper", "GIGA stops growing at a size near 120",
                          fmt::format("median size after {} iterations: {:.0f}", steps, giga),
                          giga >= 100 && giga <= 140});
  out.findings.push_back({"paper", "FW grows on to more than twice the size of GIGA",
                          fmt::format("median size of FW after {} iterations: {:.0f}", steps, fw),
                          fw > 2 * giga});
  out.findings.push_back(corrective_below(traces, steps));

  const std::vector<Index> iterations = log_spaced(steps, 60);
  Panel error{"Error", {"construction iterations", true}, {"|L(w) - L|", true}, {}};
  Panel size{"Size", {"construction iterations", true}, {"points in the coreset", true}, {}};
  for (const Contender& method : kContenders) {
    error.curves.push_back(error_curve(method, traces[method.name], norms, iterations));
    size.curves.push_back(size_curve(method, traces[method.name], iterations));
  }
  out.figures.push_back(
      {"vectors",
       title(),
       "Median and quartiles over trials. A build that ended keeps its last value: all but RND "
       "end near a relative error of 1e-14.",
       {error, size},
       2});
  return out;
}

}  // namespace

std::unique_ptr<Experiment> make_vectors(const Settings& settings) {
  return std::make_unique<Vectors>(settings);
}

}  // namespace giga::experiments
