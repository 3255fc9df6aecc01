// One parameter at a time is the axis: its marginal density is a trapezoid sum over the other one, which
// converges exponentially for smooth densities that vanish at the ends. So does the sum for the moments.
// Quantiles need integrals up to a point: Gauss-Legendre with 5 nodes on short panels.
#include "infer/quadrature.hpp"

#include <cmath>
#include <vector>

namespace giga::test {
namespace {

class Axis {
 public:
  Axis(const std::function<double(double, double)>& log_density, const Normal& frame, const Mesh& mesh,
       std::size_t axis)
      : log_density_(log_density), mesh_(mesh), axis_(axis) {
    const std::vector<double> covariance = frame.covariance();
    const std::size_t other = 1 - axis;
    centre_ = frame.mean()[axis];
    scale_ = std::sqrt(covariance[axis * 3]);
    other_centre_ = frame.mean()[other];
    slope_ = covariance[1] / scale_;
    other_scale_ = std::sqrt(covariance[other * 3] - slope_ * slope_);
    top_ = log_density(frame.mean()[0], frame.mean()[1]);
  }

  [[nodiscard]] double parameter(double u) const { return centre_ + scale_ * u; }

  // The density at u, up to a constant, and the integral of the other parameter times it.
  struct Slice {
    double mass = 0, other = 0;
  };
  [[nodiscard]] Slice slice(double u) const {
    Slice out;
    const double x = parameter(u);
    for (double v = -mesh_.range; v <= mesh_.range; v += mesh_.step) {
      const double y = other_centre_ + slope_ * u + other_scale_ * v;
      const double density = std::exp((axis_ == 0 ? log_density_(x, y) : log_density_(y, x)) - top_);
      out.mass += density;
      out.other += density * y;
    }
    return out;
  }

  // The mass between two points that are near each other.
  [[nodiscard]] double mass(double from, double to) const {
    const double outer = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3,
                 inner = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3;
    const double outer_weight = (322 - 13 * std::sqrt(70.0)) / 900,
                 inner_weight = (322 + 13 * std::sqrt(70.0)) / 900;
    const double middle = (from + to) / 2, half = (to - from) / 2;
    const auto at = [&](double node) { return slice(middle + half * node).mass; };
    return half * (128.0 / 225 * at(0) + inner_weight * (at(-inner) + at(inner)) +
                   outer_weight * (at(-outer) + at(outer)));
  }

  [[nodiscard]] std::array<double, 3> quantiles() const {
    const double width = 2 * mesh_.step;
    std::vector<double> ends = {-mesh_.range}, below = {0};  // the mass below each end of a panel
    while (ends.back() < mesh_.range) {
      below.push_back(below.back() + mass(ends.back(), ends.back() + width));
      ends.push_back(ends.back() + width);
    }
    std::array<double, 3> out{};
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double wanted = kProbabilities[k] * below.back();
      std::size_t panel = 0;
      while (below[panel + 1] < wanted) ++panel;
      double u = ends[panel];
      for (int newton = 0; newton < 20; ++newton)
        u -= (below[panel] + mass(ends[panel], u) - wanted) / slice(u).mass;
      out[k] = parameter(u);
    }
    return out;
  }

 private:
  const std::function<double(double, double)>& log_density_;
  Mesh mesh_;
  std::size_t axis_;
  double centre_, scale_, other_centre_, slope_, other_scale_, top_;
};

}  // namespace

Integrals integrate(const std::function<double(double, double)>& log_density, const Normal& frame,
                    const Mesh& mesh) {
  Integrals out{};
  double product = 0;
  for (std::size_t d = 0; d < 2; ++d) {
    const Axis axis(log_density, frame, mesh, d);
    double mass = 0, first = 0, second = 0, crossed = 0;
    for (double u = -mesh.range; u <= mesh.range; u += mesh.step) {
      const Axis::Slice slice = axis.slice(u);
      const double x = axis.parameter(u);
      mass += slice.mass;
      first += slice.mass * x;
      second += slice.mass * x * x;
      crossed += slice.other * x;
    }
    out.mean[d] = first / mass;
    out.sd[d] = std::sqrt(second / mass - out.mean[d] * out.mean[d]);
    out.quantiles[d] = axis.quantiles();
    product = crossed / mass;
  }
  out.correlation = (product - out.mean[0] * out.mean[1]) / (out.sd[0] * out.sd[1]);
  return out;
}

}  // namespace giga::test
