// Which of the numbers a page of bounded size shows, and whether the parts of the data fit each other.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/require.hpp"
#include "report/page/draws_view.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"
#include "report/short_names.hpp"

namespace giga::page {
namespace {

constexpr std::size_t kNameWidth = 48;   // of a row of a table
constexpr std::size_t kLabelWidth = 24;  // beside a plot, on a phone too
constexpr std::size_t kTitleBytes = 400;
constexpr const char* kTo = "\xC2\xA0to\xC2\xA0";  // not to be broken into lines
constexpr const char* kEllipsis = "\xE2\x80\xA6";

std::vector<std::string> names_of(const std::vector<Quantity>& quantities) {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities) names.push_back(quantity.name);
  return names;
}

// The clearest effects are chosen, then sorted by their medians: the plot runs from the largest to the
// smallest.
std::vector<Index> forest_order(const ReportData& data, const std::vector<Quantity>& source, Index count) {
  std::vector<Index> chosen;
  for (const Index k : clearest(source, std::ssize(source))) {
    const QuantitySummary& s = source[at(k)].summary;
    const bool plotted = k != data.intercept && (data.num_coefficients < 0 || k < data.num_coefficients);
    if (plotted && std::isfinite(s.q5) && std::isfinite(s.q95)) chosen.push_back(k);
  }
  std::ranges::stable_sort(chosen, std::greater<>(), [&](Index k) { return clarity(source[at(k)]); });
  chosen.resize(at(std::min(count, std::ssize(chosen))));
  std::ranges::stable_sort(chosen, std::greater<>(), [&](Index k) { return source[at(k)].summary.q50; });
  return chosen;
}

// Of the parameters that can be explored and have a prior, those that it has most to say about.
std::vector<Index> weighed_by_prior(const ReportData& data, const std::vector<Index>& explored, Index count) {
  if (data.priors.empty()) return {};
  std::vector<Index> chosen;
  for (const Index k : explored) {
    const Quantity& quantity = data.quantities[at(k)];
    if (data.priors[at(k)] && !quantity.constant && quantity.summary.sd > 0) chosen.push_back(k);
  }
  std::ranges::stable_sort(chosen, std::greater<>(),
                           [&](Index k) { return prior_share(data.quantities[at(k)], *data.priors[at(k)]); });
  chosen.resize(at(std::min(count, std::ssize(chosen))));
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
  const std::vector<std::string> names = names_of(data.quantities);
  selection.names = short_names(names, kNameWidth, kEllipsis);
  selection.labels = short_names(names, kLabelWidth, kEllipsis);
  for (const std::string& name : names) selection.titles.push_back(tame(name, kTitleBytes));
  selection.weights = correction_weights(data);
  selection.forest = forest_order(data, data.quantities, limits.max_forest);
  if (!data.standardised.empty())
    selection.forest_standardised = forest_order(data, data.standardised, limits.max_forest);
  selection.heaviest = heaviest_rows(data.coreset, limits.max_weights);
  selection.sizes = by_size(data.trace, limits.max_sizes);
  if (data.chains.empty() || data.quantities.empty()) return selection;
  selection.explored = explored(data.quantities, limits.max_explored);
  for (const Index k : selection.explored) selection.draws.emplace_back(column(data.chains, k));
  for (const Index k : clearest(data.quantities, limits.max_densities)) {
    const Quantity& quantity = data.quantities[at(k)];
    const bool there = std::ranges::find(selection.explored, k) != selection.explored.end();
    if (there && !quantity.constant && quantity.summary.sd > 0) selection.densities.push_back(k);
  }
  selection.priors = weighed_by_prior(data, selection.explored, limits.max_priors);
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

std::string ratio_text(const ReportData& data, const Quantity& quantity) {
  if (!data.ratios.has(quantity)) return "";
  const QuantitySummary& s = quantity.summary;
  const double low = std::exp(s.q5), high = std::exp(s.q95);
  const auto text = [width = high - low](double value) { return beside(value, width); };
  return joined({text(std::exp(s.q50)), " (", text(low), kTo, text(high), ")"});
}

}  // namespace giga::page
