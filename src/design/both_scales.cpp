// The linear map from the sampled parameters theta to those of the user's columns, and the names of both:
//
//     b_d = theta_d / scale_d,   b_0 = theta_0 - sum_d theta_d mean_d / scale_d.
//
// Layout of theta: the columns, the intercept if there is one, the extra parameters. Of extra parameters that
// must be positive theta has the logarithms.
#include "giga/design/both_scales.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace giga {
namespace {

// Names in the order given; one that is taken gets underscores until it is not.
class DistinctNames {
 public:
  explicit DistinctNames(std::vector<std::string> names)
      : names_(std::move(names)), taken_(names_.begin(), names_.end()) {}

  void add(std::string name) {
    while (!taken_.insert(name).second) name += '_';
    names_.push_back(std::move(name));
  }
  [[nodiscard]] Index size() const { return std::ssize(names_); }
  [[nodiscard]] std::vector<std::string> release() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace

BothScales::BothScales(const std::vector<std::string>& columns, Standardisation scale, bool intercept,
                       bool standardised, const std::vector<ExtraName>& extra)
    : scale_(std::move(scale)),
      intercept_(intercept),
      standardised_(standardised || std::ranges::any_of(extra, &ExtraName::is_log) ||
                    !scale_.group_sds.empty()) {
  if (scale_.mean.size() != columns.size() || scale_.scale.size() != columns.size())
    throw std::invalid_argument("there must be a mean and a scale for every column");
  // In the order of values(): the original scale first, then, if there are two scales, what was sampled.
  // Without an intercept and with columns about 0 there is no constant, since then b_0 = 0.
  num_parameters_ = std::ssize(columns) + (intercept ? 1 : 0) + std::ssize(extra);
  DistinctNames names(columns);
  if (intercept || std::ranges::any_of(scale_.mean, [](double mean) { return mean != 0; })) {
    constant_ = names.size();
    names.add(intercept ? "(intercept)" : "(offset)");
  }
  for (const ExtraName& each : extra) {
    names.add(each.name);
    logs_.push_back(each.is_log);
  }
  num_original_ = names.size();
  if (standardised_) {
    for (Index d = 0; d < std::ssize(columns); ++d)
      names.add((is_group_sd(d) ? "log_" : "std_") + columns[at(d)]);
    if (intercept) names.add("std_(intercept)");
    for (const ExtraName& each : extra) names.add((each.is_log ? "log_" : "std_") + each.name);
  }
  names_ = names.release();
}

BothScales BothScales::plain(const std::vector<std::string>& names) {
  return {{}, {}, false, false, std::vector<ExtraName>(names.begin(), names.end())};
}

bool BothScales::has_logs() const {
  return !scale_.group_sds.empty() || std::ranges::find(logs_, true) != logs_.end();
}

bool BothScales::is_group_sd(Index column) const {
  return std::ranges::find(scale_.group_sds, column) != scale_.group_sds.end();
}

bool BothScales::is_of_group(Index k) const {
  return !scale_.group_sds.empty() && k > scale_.group_sds.front() && k < std::ssize(scale_.mean) &&
         !is_group_sd(k);
}

Index BothScales::log_of(Index k) const {
  if (is_group_sd(k)) return k;
  const Index extra = k - (num_original_ - std::ssize(logs_));
  const bool is_log = extra >= 0 && k < num_original_ && logs_[at(extra)];
  return is_log ? num_parameters_ - std::ssize(logs_) + extra : -1;
}

std::vector<double> BothScales::values(const double* theta) const {
  const std::size_t num_columns = scale_.mean.size();
  const std::size_t coefficients = num_columns + (intercept_ ? 1 : 0);
  if (!standardised_) return {theta, theta + num_parameters_};
  std::vector<double> all;
  all.reserve(names_.size());
  // The terms of b_0 may cancel (a column with a mean far from 0 on its own scale), hence Extended.
  Extended constant = intercept_ ? static_cast<Extended>(theta[num_columns]) : 0;
  for (std::size_t d = 0; d < num_columns; ++d) {
    if (is_group_sd(static_cast<Index>(d))) {
      all.push_back(std::exp(theta[d]));
      continue;
    }
    all.push_back(theta[d] / scale_.scale[d]);
    constant -= static_cast<Extended>(theta[d]) * static_cast<Extended>(scale_.mean[d]) /
                static_cast<Extended>(scale_.scale[d]);
  }
  if (constant_ >= 0) all.push_back(static_cast<double>(constant));
  // Extra parameters are the same on both scales, or theta has their logarithms; then theta itself.
  for (std::size_t e = 0; e < logs_.size(); ++e) {
    const double sampled = theta[coefficients + e];
    all.push_back(logs_[e] ? std::exp(sampled) : sampled);
  }
  all.insert(all.end(), theta, theta + num_parameters_);
  return all;
}

}  // namespace giga
