// Error and size of a build by iteration, and their medians and quartiles over trials. A build that ended
// early keeps its last values, as in the paper's figures, where curves run on flat.
#include "experiments/method_traces.hpp"

#include <algorithm>
#include <cmath>

namespace giga::experiments {
namespace {

template <typename Value>
double median_over(const std::vector<Trace>& trials, const Value& value) {
  std::vector<double> values;
  for (const Trace& trial : trials) values.push_back(static_cast<double>(value(trial)));
  return median(values);
}

}  // namespace

double Trace::error_at(Index iteration) const {
  return error[static_cast<std::size_t>(std::min(iteration, std::ssize(error)) - 1)];
}

Index Trace::size_at(Index iteration) const {
  return size[static_cast<std::size_t>(std::min(iteration, std::ssize(size)) - 1)];
}

double Trace::error_of_size(Index points) const {
  // The error need not fall with the size for every method, so the least over all iterations with few
  // enough points is taken.
  double least = 1;
  for (std::size_t t = 0; t < error.size(); ++t)
    if (size[t] <= points) least = std::min(least, error[t]);
  return least;
}

Trace build_trace(const VectorTable& table, Method method, Index steps, std::uint64_t seed,
                  const JobContext& context) {
  const Observer observer = [&](const StageProgress& at) {
    context.check();
    const Index step = at.step->step;
    if (step % 16 == 0) context.at(static_cast<double>(step) / static_cast<double>(steps));
    return Answer::Continue;
  };
  const BuildResult result =
      build(table, method, {.size = steps, .max_steps = steps}, {.size = steps, .seed = seed}, observer);
  Trace trace;
  for (const StepRecord& record : result.trace) {
    trace.error.push_back(record.relative_error);
    trace.size.push_back(record.size);
  }
  return trace;
}

Json to_json(const Trace& trace) {
  return {{"error", trace.error}, {"size", trace.size}};
}

Trace trace_of(const Json& json) {
  Trace trace{json.at("error").get<std::vector<double>>(), json.at("size").get<std::vector<Index>>()};
  (void)json.at("size").at(trace.error.size() - 1);  // throws for no iterations, and for too few sizes
  return trace;
}

std::vector<Index> log_spaced(Index last, int count) {
  std::vector<Index> all;
  for (int i = 0; i < count; ++i) {
    // last^(i / (count - 1)), rounded; repeated values are left out.
    const double power = static_cast<double>(i) / (count - 1);
    const Index next = std::llround(std::pow(static_cast<double>(last), power));
    if (all.empty() || next > all.back()) all.push_back(next);
  }
  return all;
}

Curve error_curve(const Contender& method, const std::vector<Trace>& trials, const std::vector<double>& units,
                  const std::vector<Index>& iterations) {
  Curve curve{method.title, method.style, {}, false, true};
  for (const Index t : iterations) {
    std::vector<double> values;
    for (std::size_t k = 0; k < trials.size(); ++k) values.push_back(trials[k].error_at(t) * units[k]);
    const Quartiles q = quartiles(values);
    curve.points.push_back({static_cast<double>(t), q.low, q.mid, q.high});
  }
  return curve;
}

Curve size_curve(const Contender& method, const std::vector<Trace>& trials,
                 const std::vector<Index>& iterations) {
  Curve curve{method.title, method.style, {}, false, true};
  for (const Index t : iterations) {
    std::vector<double> values;
    for (const Trace& trial : trials) values.push_back(static_cast<double>(trial.size_at(t)));
    const Quartiles q = quartiles(values);
    curve.points.push_back({static_cast<double>(t), q.low, q.mid, q.high});
  }
  return curve;
}

double median_error(const std::vector<Trace>& trials, Index iteration) {
  return median_over(trials, [&](const Trace& trial) { return trial.error_at(iteration); });
}

double median_size(const std::vector<Trace>& trials, Index iteration) {
  return median_over(trials, [&](const Trace& trial) { return trial.size_at(iteration); });
}

}  // namespace giga::experiments
