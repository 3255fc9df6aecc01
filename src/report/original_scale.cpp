#include "giga/report/original_scale.hpp"

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

BothScales::BothScales(std::vector<std::string> features, Standardisation scale, bool intercept,
                       bool standardised)
    : scale_(std::move(scale)), intercept_(intercept), standardised_(standardised) {
  if (scale_.mean.size() != features.size() || scale_.scale.size() != features.size())
    throw std::invalid_argument("there must be a mean and a scale for every feature");
  DistinctNames names(features);
  if (intercept) names.add("(intercept)");
  if (!intercept && standardised) names.add("(offset)");
  num_original_ = names.size();
  if (standardised) {
    for (const std::string& feature : features) names.add("std_" + feature);
    if (intercept) names.add("std_(intercept)");
  }
  names_ = names.release();
}

std::vector<double> BothScales::values(const double* theta) const {
  const std::size_t num_features = scale_.mean.size();
  const std::size_t dim = num_features + (intercept_ ? 1 : 0);
  if (!standardised_) return {theta, theta + dim};
  std::vector<double> all;
  all.reserve(names_.size());
  Extended constant = intercept_ ? static_cast<Extended>(theta[num_features]) : 0;
  for (std::size_t d = 0; d < num_features; ++d) {
    all.push_back(theta[d] / scale_.scale[d]);
    constant -= static_cast<Extended>(theta[d]) * static_cast<Extended>(scale_.mean[d]) /
                static_cast<Extended>(scale_.scale[d]);
  }
  all.push_back(static_cast<double>(constant));
  all.insert(all.end(), theta, theta + dim);
  return all;
}

Chain BothScales::apply(const Chain& chain) const {
  const Index sampled = std::ssize(scale_.mean) + (intercept_ ? 1 : 0);
  if (chain.dim != sampled) throw std::invalid_argument("the chain has another number of parameters");
  Chain out = chain;
  out.dim = std::ssize(names_);
  out.draws.clear();
  out.draws.reserve(chain.stats.size() * names_.size());
  for (Index s = 0; s < chain.num_draws(); ++s) {
    const std::vector<double> all = values(chain.draw(s));
    out.draws.insert(out.draws.end(), all.begin(), all.end());
  }
  return out;
}

}  // namespace giga
