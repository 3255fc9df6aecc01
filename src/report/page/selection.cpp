// Which of the numbers a page of bounded size shows, and whether the parts of the data fit each other.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/require.hpp"
#include "report/page/draws_view.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"

namespace giga::page {
namespace {

// Names that were cut may be equal, and a chart would take equal names for one.
std::vector<std::string> distinct_names(const std::vector<Quantity>& quantities) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities) {
    const std::string tamed = tame(quantity.name);
    std::string name = tamed;
    for (Index again = 2; !taken.insert(name).second; ++again) {
      name = tamed;
      name += " (";
      name += std::to_string(again);
      name += ')';
    }
    names.push_back(name);
  }
  return names;
}

const std::vector<Quantity>& forest_source(const ReportData& data) {
  return data.standardised.empty() ? data.quantities : data.standardised;
}

std::vector<Index> forest_order(const ReportData& data, Index count) {
  // The clearest effects are chosen, then sorted by their medians: the plot runs from the
  // largest to the smallest.
  const std::vector<Quantity>& source = forest_source(data);
  std::vector<Index> chosen;
  for (const Index k : clearest(source, std::ssize(source))) {
    const QuantitySummary& s = source[at(k)].summary;
    if (k != data.intercept && std::isfinite(s.q5) && std::isfinite(s.q95)) chosen.push_back(k);
  }
  std::ranges::stable_sort(chosen, std::greater<>(), [&](Index k) { return clarity(source[at(k)]); });
  chosen.resize(at(std::min(count, std::ssize(chosen))));
  std::ranges::stable_sort(chosen, std::greater<>(), [&](Index k) { return source[at(k)].summary.q50; });
  return chosen;
}

std::vector<ReportRow> heaviest_rows(std::vector<ReportRow> rows, Index count) {
  std::ranges::stable_sort(rows, std::greater<>(), &ReportRow::weight);
  rows.resize(at(std::min(count, std::ssize(rows))));
  return rows;
}

Index num_draws(const ReportData& data) {
  Index count = 0;
  for (const Chain& chain : data.chains) count += chain.num_draws();
  return count;
}

std::vector<double> correction_weights(const ReportData& data) {
  // A certificate that was read back has no weights unless weights.csv was there; weights that are all
  // 0 correct nothing.
  if (!data.certificate) return {};
  const std::vector<double>& weights = data.certificate->coreset.weights;
  const bool some = std::ranges::any_of(weights, [](double w) { return w > 0; });
  return some ? weights : std::vector<double>();
}

void require_fit(const ReportData& data) {
  for (const Chain& chain : data.chains) {
    require(chain.dim == std::ssize(data.quantities), "report: a chain must have one column per coefficient");
    require(chain.draws.size() == chain.stats.size() * at(chain.dim), "report: a chain's draws do not fit");
  }
  require(data.laplace.empty() || data.laplace.size() == data.quantities.size(),
          "report: laplace must have one entry per coefficient");
  require(data.priors.empty() || data.priors.size() == data.quantities.size(),
          "report: priors must have one entry per coefficient");
  require(data.standardised.empty() || data.standardised.size() == data.quantities.size(),
          "report: standardised must have one entry per coefficient");
  require(!data.certificate || data.chains.empty() || data.certificate->coreset.weights.empty() ||
              std::ssize(data.certificate->coreset.weights) == num_draws(data),
          "report: the certificate must have one weight per draw");
}

}  // namespace

Selection select(const ReportData& data, const ReportLimits& limits) {
  require_fit(data);
  Selection selection;
  selection.names = distinct_names(data.quantities);
  selection.weights = correction_weights(data);
  selection.forest = forest_order(data, limits.max_forest);
  selection.heaviest = heaviest_rows(data.coreset, limits.max_weights);
  selection.sizes = by_size(data.trace, limits.max_sizes);
  if (data.chains.empty() || data.quantities.empty()) return selection;
  selection.explored = explored(data.quantities, limits.max_explored);
  for (const Index k : clearest(data.quantities, limits.max_densities)) {
    const Quantity& quantity = data.quantities[at(k)];
    const bool there = std::ranges::find(selection.explored, k) != selection.explored.end();
    if (there && !quantity.constant && quantity.summary.sd > 0) selection.densities.push_back(k);
  }
  // The page opens with the coefficient whose chains agree least.
  const Index worst = least_mixed(data.quantities, selection.explored);
  selection.chosen = std::ranges::find(selection.explored, worst) - selection.explored.begin();
  return selection;
}

double total_seconds(const ReportData& data) {
  double total = 0;
  for (const ReportStage& stage : data.stages) total += stage.seconds;
  return total;
}

std::vector<Quantity> forest_quantities(const ReportData& data, const Selection& selection) {
  std::vector<Quantity> chosen;
  for (const Index k : selection.forest) chosen.push_back(forest_source(data)[at(k)]);
  return chosen;
}

std::string forest_axis(const ReportData& data) {
  return data.standardised.empty() ? "coefficient" : "coefficient of the standardised feature";
}

}  // namespace giga::page
