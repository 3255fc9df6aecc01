// The six datasets of section 4.3: two synthetic ones, made from the paper's parameters, and four real ones,
// read from files that scripts/convert-data makes.
#include "experiments/regression_sets.hpp"

#include <algorithm>
#include <cmath>

#include "giga/data/read_dataset.hpp"
#include "giga/model/simulate_data.hpp"

namespace giga::experiments {

const std::array<SetInfo, 6> kSets = {{
    {"logistic_synthetic", "Synthetic (logistic)", Family::BernoulliLogit, "", "made up by giga"},
    {"phishing", "Phishing", Family::BernoulliLogit, "phishing.npz",
     "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html"},
    {"ds1", "DS1", Family::BernoulliLogit, "ds1.npz", "http://komarix.org/ac/ds/"},
    {"poisson_synthetic", "Synthetic (Poisson)", Family::PoissonSoftplus, "", "made up by giga"},
    {"biketrips", "BikeTrips", Family::PoissonSoftplus, "biketrips.npz",
     "http://archive.ics.uci.edu/ml/datasets/Bike+Sharing+Dataset"},
    {"airportdelays", "AirportDelays", Family::PoissonSoftplus, "airportdelays.npz",
     "https://github.com/trevorcampbell/bayesian-coresets (the table its authors joined)"},
}};

bool is_synthetic(const SetInfo& info) {
  return *info.file == '\0';
}

namespace {

// x ~ N(0, I) and y from the likelihood at the paper's theta, a column of ones added; not scaled.
std::unique_ptr<Regression> make_up(const SetInfo& info, const Settings& settings) {
  const std::vector<double> theta = usual_theta(info.family, usual_num_features(info.family));
  const SimulatedData data({.family = {info.family},
                            .rows = settings.scale.regression_rows,
                            .theta = theta,
                            .seed = trial_seed(settings, info.name, 0)});
  const auto width = static_cast<std::size_t>(data.num_features()) + 1;
  std::vector<double> design(static_cast<std::size_t>(data.num_rows()) * width), response;
  data.read(0, data.num_rows(), design.data());
  for (std::size_t last = width - 1; last < design.size(); last += width) {
    response.push_back(design[last]);
    design[last] = 1;
  }
  return std::make_unique<Regression>(std::move(design), std::move(response), std::vector<double>{},
                                      FamilyParameters{info.family});
}

}  // namespace

RegressionSet::RegressionSet(const SetInfo& info, const Settings& settings, const Executor& executor)
    : info_(&info) {
  if (is_synthetic(info)) {
    made_up_ = make_up(info, settings);
  } else {
    data_ = std::make_unique<Dataset>(read_dataset(*settings.data / info.file, {}, executor));
    problem_ = std::make_unique<Problem>(*data_, ModelOptions{.family = {info.family}}, executor);
  }
  prior_ = Normal::isotropic(model().num_parameters());
  // last_[n] is the number of data rows up to and including distinct row n, so bisection finds the distinct
  // row of a data row.
  for (Index n = 0; n < model().num_rows(); ++n) {
    num_data_rows_ += std::llround(model().multiplicity(n));
    last_.push_back(num_data_rows_);
  }
}

Regression RegressionSet::subset(const std::vector<Index>& rows, const std::vector<double>& weights) const {
  const LinearModel& linear = *model().linear_model();
  const auto width = static_cast<std::size_t>(linear.num_columns());
  std::vector<double> design(rows.size() * width), response;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    linear.design(rows[k], 1, design.data() + k * width);
    response.push_back(linear.response(rows[k]));
  }
  return {std::move(design), std::move(response), weights, linear.family()};
}

Index RegressionSet::distinct_row(Index data_row) const {
  return std::upper_bound(last_.begin(), last_.end(), data_row) - last_.begin();
}

}  // namespace giga::experiments
