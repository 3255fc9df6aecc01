// L_n(theta) = -|y_n - theta|^2 / 2 up to a constant, so grad L_n = y_n - theta, and with pihat = N(m, V)
//
//     E <y_n - theta, y_m - theta> = <y_n - m, y_m - m> + tr V:
//
// one component more than the observations have, sqrt(tr V) in every vector, makes the inner products exact.
#include "giga/project/exact_vectors.hpp"

#include <cmath>
#include <stdexcept>

namespace giga {

std::vector<double> exact_vectors(const GaussianMean& model, const Normal& pihat) {
  const Index dim = model.num_parameters();
  if (pihat.dim() != dim) throw std::invalid_argument("pihat has another dimension than the observations");
  double trace = 0;
  for (const double sd : pihat.standard_deviations()) trace += sd * sd;
  std::vector<double> out;
  out.reserve(at(model.num_rows() * (dim + 1)));
  for (Index n = 0; n < model.num_rows(); ++n) {
    for (Index d = 0; d < dim; ++d) out.push_back(model.observation(n)[d] - pihat.mean()[at(d)]);
    out.push_back(std::sqrt(trace));
  }
  return out;
}

}  // namespace giga
