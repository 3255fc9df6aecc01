// N(m, V) kept as the mean m, the precision V^-1 and a factor C with C C' = V. C is what draws and whitening
// need; it is triangular, lower if made from a covariance and upper if made from a precision.
#include "giga/model/normal.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

namespace giga {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<const Matrix>;
using VectorMap = Eigen::Map<const Eigen::VectorXd>;

std::vector<double> flat(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

// The lower Cholesky factor L, L L' = the matrix. Eigen reads the lower triangle only, so symmetry is asked
// for by itself, to what rounding may leave between two triangles.
Matrix cholesky(const std::vector<double>& values, std::size_t dim, const char* what) {
  if (dim == 0 || values.size() != dim * dim) {
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(values.size()) +
                                " entries, must have " + std::to_string(dim * dim));
  }
  const auto size = static_cast<Eigen::Index>(dim);
  const Matrix matrix = MatrixMap(values.data(), size, size);
  const Eigen::LLT<Matrix> llt(matrix);
  constexpr double kRounding = 1e-8;
  const double apart = (matrix - matrix.transpose()).cwiseAbs().maxCoeff();
  if (!(apart <= kRounding * matrix.cwiseAbs().maxCoeff()))
    throw std::invalid_argument(std::string(what) + " is not symmetric");
  if (!matrix.allFinite() || llt.info() != Eigen::Success)
    throw std::invalid_argument(std::string(what) + " is not positive definite");
  return llt.matrixL();
}

void require_finite(const std::vector<double>& mean) {
  for (const double value : mean) {
    if (!std::isfinite(value)) throw std::invalid_argument("a mean is not finite");
  }
}

}  // namespace

Normal Normal::isotropic(Index dim, double scale) {
  if (dim < 1) throw std::invalid_argument("dim is " + std::to_string(dim) + ", must be at least 1");
  return independent(std::vector<double>(static_cast<std::size_t>(dim), scale));
}

Normal Normal::independent(std::span<const double> scales, std::vector<double> means) {
  if (scales.empty()) throw std::invalid_argument("there must be at least one scale");
  Normal normal;
  const std::size_t size = scales.size();
  if (means.empty()) means.assign(size, 0.0);
  if (means.size() != size) throw std::invalid_argument("there must be as many means as scales");
  require_finite(means);
  normal.mean_ = std::move(means);
  normal.diagonal_ = true;
  normal.precision_.assign(size * size, 0.0);
  normal.factor_.assign(size * size, 0.0);
  Extended log_scales = 0;
  for (std::size_t d = 0; d < size; ++d) {
    const double scale = scales[d];
    if (!(scale > 0) || !std::isfinite(scale))
      throw std::invalid_argument("scale is " + std::to_string(scale) + ", must be positive");
    normal.precision_[d * size + d] = 1 / (scale * scale);
    normal.factor_[d * size + d] = scale;
    log_scales += Extended{std::log(scale)};
  }
  normal.log_determinant_ = static_cast<double>(2 * log_scales);
  return normal;
}

// Without inverting P: C = L'^-1 by a triangular solve, and log det V = -2 sum log L_dd.
Normal Normal::with_precision(std::vector<double> mean, std::vector<double> precision) {
  require_finite(mean);
  const Matrix lower = cholesky(precision, mean.size(), "the precision");  // P = L L', so C = L'^-1
  Normal normal;
  normal.factor_ = flat(
      lower.transpose().triangularView<Eigen::Upper>().solve(Matrix::Identity(lower.rows(), lower.rows())));
  normal.log_determinant_ = -2 * lower.diagonal().array().log().sum();
  normal.mean_ = std::move(mean);
  normal.precision_ = std::move(precision);
  return normal;
}

Normal Normal::with_covariance(std::vector<double> mean, const std::vector<double>& covariance) {
  require_finite(mean);
  const Matrix lower = cholesky(covariance, mean.size(), "the covariance");
  Normal normal;
  normal.factor_ = flat(lower);
  // V = L L', so V^-1 = L'^-1 L^-1.
  const Matrix inverse =
      lower.triangularView<Eigen::Lower>().solve(Matrix::Identity(lower.rows(), lower.rows()));
  normal.precision_ = flat(inverse.transpose() * inverse);
  normal.log_determinant_ = 2 * lower.diagonal().array().log().sum();
  normal.mean_ = std::move(mean);
  return normal;
}

std::vector<double> Normal::covariance() const {
  const MatrixMap c(factor_.data(), dim(), dim());
  return flat(c * c.transpose());
}

// V_dd = |row d of C|^2.
std::vector<double> Normal::standard_deviations() const {
  const MatrixMap c(factor_.data(), dim(), dim());
  const Eigen::VectorXd sds = c.rowwise().norm();
  return {sds.data(), sds.data() + sds.size()};
}

Derivatives Normal::log_density(std::span<const double> theta, Order order) const {
  if (static_cast<Index>(theta.size()) != dim()) {
    throw std::invalid_argument("theta has " + std::to_string(theta.size()) + " entries, must have " +
                                std::to_string(dim()));
  }
  // log density = -((theta - m)'P(theta - m) + log det V + D log 2 pi) / 2; gradient -P (theta - m), Hessian
  // -P.
  const MatrixMap p(precision_.data(), dim(), dim());
  const Eigen::VectorXd away = VectorMap(theta.data(), dim()) - VectorMap(mean_.data(), dim());
  // Where P is diagonal the products with its zeros, and sums of them, are exact: the same bits without.
  Eigen::VectorXd pull(dim());
  if (diagonal_) {
    for (Index d = 0; d < dim(); ++d) pull[d] = p(d, d) * away[d] + 0.0;
  } else {
    pull = p * away;
  }
  Derivatives out;
  out.value = -0.5 * (away.dot(pull) + log_determinant_ +
                      static_cast<double>(dim()) * std::log(2 * std::numbers::pi));
  if (order >= Order::Gradient) {
    for (const double value : pull) out.gradient.push_back(-value);
  }
  if (order >= Order::Hessian) {
    for (const double value : precision_) out.hessian.push_back(-value);
  }
  return out;
}

void Normal::draw(Stream& random, double* theta) const {
  // theta = m + C e, e ~ N(0, I): the covariance is C E(e e') C' = V.
  Eigen::VectorXd standard(dim());
  for (double& value : standard) value = random.normal();
  Eigen::Map<Eigen::VectorXd>(theta, dim()) =
      VectorMap(mean_.data(), dim()) + MatrixMap(factor_.data(), dim(), dim()) * standard;
}

double kl_divergence(const Normal& p, const Normal& q) {
  if (p.dim() != q.dim()) throw std::invalid_argument("the two distributions have different dimensions");
  const MatrixMap precision(q.precision().data(), q.dim(), q.dim());
  const MatrixMap factor(p.factor().data(), p.dim(), p.dim());
  // 2 KL(p || q) = tr(Q V_p) + (m_q - m_p)'Q(m_q - m_p) - D + log det V_q - log det V_p, Q the precision of
  // q; the trace is that of C'Q C, with C the factor of p.
  const Eigen::VectorXd apart = VectorMap(q.mean().data(), q.dim()) - VectorMap(p.mean().data(), p.dim());
  const double trace = (factor.transpose() * (precision * factor)).trace();
  const double twice = trace + apart.dot(precision * apart) - static_cast<double>(p.dim()) +
                       q.log_determinant() - p.log_determinant();
  return std::max(twice / 2, 0.0);  // below 0 by rounding alone; NaN stays
}

}  // namespace giga
