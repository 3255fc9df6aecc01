// With H_0 and H_1 minus the Hessian of the log joint at the start of the search and at its end, a flat prior
// leaves the posterior improper in two ways.
//
// Open: some direction v has v'H v = 0 everywhere, as where columns are constant or collinear. Then the least
// eigenvalue of S^-1/2 H_0 S^-1/2, S the diagonal of H_0, is 0 but for rounding.
//
// Rising: the likelihood grows along v without end, as where labels are separable or a level has no counts.
// Newton goes on until the gain is below its tolerance, and the curvature falls with the gain: there
// v'H_1 v is a tiny share of v'H_0 v. The least such share is the least eigenvalue of H_0^-1/2 H_1 H_0^-1/2.
#include "infer/proper_posterior.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// As far as rounding lets an eigenvalue of 0 be told from a small one.
constexpr double kOpen = 1e-13;
// A search that ends within 1e-4 posterior standard deviations has gained all but 1e-8 of what there is.
constexpr double kRising = 1e-7;

[[noreturn]] void refuse(const Likelihood& likelihood, Eigen::Index d, const std::string& why) {
  throw OptionError("with a flat `prior` the posterior is not proper: " + why + "; the parameter is '" +
                    printable(likelihood.parameter_name(d), 40) +
                    "', or one that goes with it. Give it a proper `prior` such as normal(0, 2.5)");
}

struct Least {
  double value;
  Eigen::Index parameter;  // the largest component of its vector
};

Least least_eigenvalue(const Matrix& matrix) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(matrix);
  Eigen::Index parameter = 0;
  solver.eigenvectors().col(0).cwiseAbs().maxCoeff(&parameter);
  return {solver.eigenvalues()[0], parameter};
}

// S^-1/2 H S^-1/2; a parameter without curvature of its own keeps a row of zeros.
Matrix correlations(const Matrix& curvature) {
  const Eigen::VectorXd scale =
      curvature.diagonal().unaryExpr([](double value) { return value > 0 ? 1 / std::sqrt(value) : 0.0; });
  return scale.asDiagonal() * curvature * scale.asDiagonal();
}

}  // namespace

void require_proper_posterior(const Likelihood& likelihood, const Matrix& at_start, const Matrix& at_end,
                              bool converged) {
  // Where the start is not below a mode of a concave function, the end must speak for itself.
  const Eigen::LLT<Matrix> factor(at_start);
  const Least open = least_eigenvalue(correlations(factor.info() == Eigen::Success ? at_start : at_end));
  if (!(open.value > kOpen))
    refuse(likelihood, open.parameter,
           "the rows leave a direction open (a column is constant, or a sum of others)");
  if (factor.info() == Eigen::Success) {
    // L^-1 H_1 L'^-1 has the eigenvalues of H_0^-1 H_1; L'^-1 takes its vectors to parameters.
    const Matrix half = factor.matrixL().solve(at_end);
    const Matrix shares = factor.matrixL().solve(Matrix(half.transpose()));
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(shares);
    Eigen::Index parameter = 0;
    const Eigen::VectorXd along = factor.matrixU().solve(Eigen::VectorXd(solver.eigenvectors().col(0)));
    along.cwiseAbs().maxCoeff(&parameter);
    if (!(solver.eigenvalues()[0] > kRising))
      refuse(likelihood, parameter,
             "the likelihood keeps rising without end (labels that are perfectly separable, or a level "
             "without counts)");
  }
  if (!converged) refuse(likelihood, open.parameter, "the search for its mode found none");
}

}  // namespace giga
