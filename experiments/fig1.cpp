// Figure 1 and section 4.1: a Gaussian mean, ten observations, coresets of one point.
//
// mu ~ N(0, 1), y_n ~ N(mu, 1). The vectors of the Fisher norm are known in closed form, (y_n - E mu, sd mu)
// under pihat. The paper does not say which pihat it took, so there are two: the posterior, and the posterior
// with twice its variance.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "experiments/experiment.hpp"
#include "experiments/statistics.hpp"
#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/build.hpp"
#include "giga/project/exact_vectors.hpp"

namespace giga::experiments {
namespace {

constexpr Index kObservations = 10;

struct Variant {
  const char* name;
  const char* title;
  double inflation;  // of the posterior's variance
};
constexpr std::array<Variant, 2> kVariants = {
    {{"posterior", "pihat the posterior", 1},
     {"twice_variance", "pihat with twice the posterior variance", 2}}};

GaussianMean observations(const Settings& settings, Index replication) {
  Stream random = stream(settings.seed, "fig1", replication);
  const double mu = random.normal();
  std::vector<double> y;
  for (Index n = 0; n < kObservations; ++n) y.push_back(mu + random.normal());
  return {std::move(y), 1};
}

struct OnePoint {
  Coreset coreset;
  Normal posterior;
};

// Everything about one replication under one pihat.
struct Replication {
  Normal full;
  std::vector<double> vectors;  // rows of 2
  OnePoint giga, frank_wolfe;
};

OnePoint one_point(const GaussianMean& model, const VectorTable& table, Method method) {
  Coreset coreset = build(table, method, {.size = 1}, {}).coreset;
  std::vector<double> weights(kObservations, 0.0);
  for (std::size_t k = 0; k < coreset.rows.size(); ++k)
    weights[static_cast<std::size_t>(coreset.rows[k])] = coreset.weights[k];
  return {std::move(coreset), model.posterior(Normal::isotropic(1), weights)};
}

Replication replicate(const Settings& settings, const Variant& variant, Index number) {
  const GaussianMean model = observations(settings, number);
  Normal full = model.posterior(Normal::isotropic(1));
  const Normal pihat = Normal::with_covariance(full.mean(), {variant.inflation * full.covariance()[0]});
  std::vector<double> vectors = exact_vectors(model, pihat);
  const DenseRows rows(MatrixView::of(vectors.data(), kObservations, 2));
  const Threads one(1);
  const VectorTable table(rows, one);
  OnePoint giga = one_point(model, table, Method::Giga), fw = one_point(model, table, Method::FrankWolfe);
  return {std::move(full), std::move(vectors), std::move(giga), std::move(fw)};
}

double variance_error(const Replication& all, const OnePoint& one) {
  // |v_w / v - 1| with v the posterior variance of all observations.
  return std::abs(one.posterior.covariance()[0] / all.full.covariance()[0] - 1);
}

Curve density(const std::string& name, Style style, const Normal& normal, double centre, double width) {
  Curve curve{name, style, {}, false, true};
  const double sd = normal.standard_deviations()[0];
  constexpr int kSteps = 120;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = centre + width * (2.0 * i / kSteps - 1), z = (x - normal.mean()[0]) / sd;
    const double y = std::exp(-z * z / 2) / (sd * std::sqrt(2 * std::numbers::pi));
    curve.points.push_back({x, y, y, y});
  }
  return curve;
}

Curve arrow(const std::string& name, Style style, double x, double y) {
  return {name, style, {{0, 0, 0, 0}, {x, y, y, y}}, true, true};
}

std::array<double, 2> weighted(const Replication& all, const Coreset& coreset) {
  std::array<double, 2> sum = {0, 0};
  for (std::size_t k = 0; k < coreset.rows.size(); ++k) {
    // L(w) = sum_n w_n L_n in the plane of the two components.
    const auto at = static_cast<std::size_t>(2 * coreset.rows[k]);
    sum[0] += coreset.weights[k] * all.vectors[at];
    sum[1] += coreset.weights[k] * all.vectors[at + 1];
  }
  return sum;
}

Panel density_panel(const Replication& all) {
  const double centre = all.full.mean()[0], width = 4 * all.full.standard_deviations()[0];
  Panel panel{"Posterior of the mean", {"mean"}, {"density"}, {}};
  panel.curves = {density("exact", Style::Exact, all.full, centre, width),
                  density("FW", Style::FrankWolfe, all.frank_wolfe.posterior, centre, width),
                  density("GIGA", Style::Giga, all.giga.posterior, centre, width)};
  return panel;
}

Panel vector_panel(const Replication& all) {
  Panel panel{"Log-likelihoods as vectors", {"y - E mu"}, {"sd mu"}, {}};
  Curve points{"observations", Style::Random, {}, true, false};
  std::array<double, 2> sum = {0, 0};
  for (std::size_t i = 0; i + 1 < all.vectors.size(); i += 2) {
    const double y = all.vectors[i + 1];
    points.points.push_back({all.vectors[i], y, y, y});
    sum[0] += all.vectors[i];
    sum[1] += y;
  }
  const auto fw = weighted(all, all.frank_wolfe.coreset), giga = weighted(all, all.giga.coreset);
  panel.curves = {points, arrow("exact", Style::Exact, sum[0], sum[1]),
                  arrow("FW", Style::FrankWolfe, fw[0], fw[1]), arrow("GIGA", Style::Giga, giga[0], giga[1])};
  return panel;
}

class Fig1 final : public Experiment {
 public:
  explicit Fig1(const Settings& settings) : settings_(settings) {}

  std::string name() const override { return "fig1"; }
  std::string title() const override { return "Gaussian mean, coresets of one point (figure 1)"; }

  Json settings() const override {
    return {{"seed", settings_.seed}, {"replications", settings_.scale.fig1_replications}};
  }

  std::vector<Job> jobs(const TrialStore& store) const override {
    if (store.has("replications")) return {};
    return {{"fig1", 0.2, [this, &store](const JobContext& context) { run(store, context); }}};
  }

  Report report(const TrialStore& store) const override {
    return store.read_result("replications", [this](const Json& result) { return report_of(result); });
  }

 private:
  [[nodiscard]] Report report_of(const Json& result) const {
    Report out;
    for (const Variant& variant : kVariants) {
      const auto error = [&](const char* method) {
        return median(result.at(variant.name).at(method).get<std::vector<double>>());
      };
      const double giga = error("giga"), fw = error("frank_wolfe");
      out.findings.push_back(
          {"paper",
           fmt::format("median relative error of the posterior variance 3% for GIGA, 48% for FW ({})",
                       variant.title),
           fmt::format("GIGA {:.1f}%, FW {:.1f}%", 100 * giga, 100 * fw),
           std::abs(giga - 0.03) < 0.01 && std::abs(fw - 0.48) < 0.05});
      out.findings.push_back({"paper", fmt::format("FW is overconfident, GIGA is not ({})", variant.title),
                              fmt::format("median posterior variance, exact = 1: FW {:.2f}, GIGA {:.2f}",
                                          variance_ratio(result, variant, "frank_wolfe"),
                                          variance_ratio(result, variant, "giga")),
                              variance_ratio(result, variant, "frank_wolfe") < 0.8 &&
                                  variance_ratio(result, variant, "giga") > 0.8});
    }
    out.figures.push_back(picture());
    return out;
  }

  static double variance_ratio(const Json& result, const Variant& variant, const char* method) {
    return median(result.at(variant.name).at(std::string(method) + "_variance").get<std::vector<double>>());
  }

  void run(const TrialStore& store, const JobContext& context) const {
    Json result;
    for (const Variant& variant : kVariants) {
      Json& part = result[variant.name];
      for (Index r = 0; r < settings_.scale.fig1_replications; ++r) {
        context.check();
        const Replication all = replicate(settings_, variant, r);
        const double exact = all.full.covariance()[0];
        part["giga"].push_back(variance_error(all, all.giga));
        part["frank_wolfe"].push_back(variance_error(all, all.frank_wolfe));
        part["giga_variance"].push_back(all.giga.posterior.covariance()[0] / exact);
        part["frank_wolfe_variance"].push_back(all.frank_wolfe.posterior.covariance()[0] / exact);
      }
    }
    store.save("replications", result, Json::object());
  }

  // The first replication, with the posterior as pihat.
  [[nodiscard]] Figure picture() const {
    const Replication all = replicate(settings_, kVariants[0], 0);
    return {
        "picture",
        "A coreset of one point: posterior and vectors",
        "FW must put the weight sigma / sigma_n on its point: its vector is too long and its posterior too "
        "narrow. GIGA scales its point to be nearest to the sum. The first of the replications.",
        {density_panel(all), vector_panel(all)},
        2};
  }

  const Settings& settings_;
};

}  // namespace

std::unique_ptr<Experiment> make_fig1(const Settings& settings) {
  return std::make_unique<Fig1>(settings);
}

}  // namespace giga::experiments
