#include "pipeline/response_simulator.hpp"

#include <algorithm>

#include "giga/model/simulate_data.hpp"

namespace giga {

ResponseSimulator::ResponseSimulator(const FamilyParameters& family, const Points& draws, Index num_columns)
    : family_(describe(family.family)) {
  for (Index s = 0; s < draws.count(); ++s) {
    std::vector<double> extras;
    for (Index d = num_columns; d < draws.dim(); ++d) extras.push_back(draws.at(d, s));
    parameters_.push_back(simulated_with(family, extras.data()));
  }
  if (family_.row_constants != nullptr && !family_.has_trials) most_ = family_.predictor_of_mean(9e14);
}

void ResponseSimulator::draw(const double* s, const double* mean, double trials, Stream& random,
                             double* y) const {
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    if (family_.has_trials) {
      y[j] = draw_binomial(trials, mean[j], random);
    } else if (family_.is_binary) {
      y[j] = random.uniform() < mean[j] ? 1 : 0;
    } else {
      y[j] = family_.simulation.respond(parameters_[j], std::min(s[j], most_), random);
    }
  }
}

}  // namespace giga
