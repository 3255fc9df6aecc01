// Error and size by iteration, of the experiments on plain vectors.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/figure.hpp"
#include "experiments/settings.hpp"
#include "experiments/statistics.hpp"
#include "experiments/trial_store.hpp"
#include "giga/construct/build.hpp"

namespace giga::experiments {

/// The methods compared, in the order of figures and tables.
struct Contender {
  const char* name;   ///< in files
  const char* title;  ///< in figures
  Style style;
  Method method;
};
inline constexpr std::array<Contender, 4> kContenders = {
    {{"rnd", "RND", Style::Random, Method::Uniform},
     {"frank_wolfe", "FW", Style::FrankWolfe, Method::FrankWolfe},
     {"giga", "GIGA", Style::Giga, Method::Giga},
     {"corrective", "corrective", Style::Corrective, Method::Corrective}}};

/// One build: after iteration t + 1 the relative error is error[t] and the coreset has size[t] points. A
/// build that ended keeps its last values.
struct Trace {
  std::vector<double> error;
  std::vector<Index> size;

  [[nodiscard]] double error_at(Index iteration) const;
  [[nodiscard]] Index size_at(Index iteration) const;
  /// The least error with at most that many points; 1, that of the empty coreset, where there is none.
  [[nodiscard]] double error_of_size(Index points) const;
};

/// Builds to `steps` iterations; the seed is for methods that draw. Throws Interrupted when asked to stop.
[[nodiscard]] Trace build_trace(const VectorTable& table, Method method, Index steps, std::uint64_t seed,
                                const JobContext& context);

[[nodiscard]] Json to_json(const Trace& trace);
/// Throws Json::exception for anything that is not a trace.
[[nodiscard]] Trace trace_of(const Json& json);

/// Iterations from 1 to `last`, about evenly spaced on a logarithmic axis, each once.
[[nodiscard]] std::vector<Index> log_spaced(Index last, int count);

/// Over trials, at each of the iterations: the error times `unit`, or the size.
[[nodiscard]] Curve error_curve(const Contender& method, const std::vector<Trace>& trials,
                                const std::vector<double>& units, const std::vector<Index>& iterations);
[[nodiscard]] Curve size_curve(const Contender& method, const std::vector<Trace>& trials,
                               const std::vector<Index>& iterations);

[[nodiscard]] double median_error(const std::vector<Trace>& trials, Index iteration);
[[nodiscard]] double median_size(const std::vector<Trace>& trials, Index iteration);

}  // namespace giga::experiments
