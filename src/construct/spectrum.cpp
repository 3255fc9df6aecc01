// The leading directions of the table, from a sample: the first eigenvectors of X X' with the sampled unit
// rows as the columns of X (J x sample), by subspace iteration with a Rayleigh-Ritz step. Nothing exact
// depends on them: selectors use them to place bounds, which hold for any orthonormal directions.
//
// Products of two tall matrices are most of the work, and are done by our own kernel: it uses whatever
// vectors the processor has, where Eigen, compiled for every processor of its kind, uses the shortest.
#include "construct/spectrum.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "base/dense_kernels.hpp"
#include "construct/row_kernels.hpp"
#include "construct/row_pass.hpp"
#include "giga/base/random.hpp"

namespace giga {
namespace {

constexpr Index kDirections = 32;
constexpr int kIterations = 3;

// Unit rows, evenly spread; zero rows stay zero.
Eigen::MatrixXd sample_of(const RowSource& rows, Index sample_rows) {
  const Index count = std::min(sample_rows, rows.num_rows());
  const Index dim = rows.dim();
  Eigen::MatrixXd sample(dim, count);  // one row of the table a column
  for (Index i = 0; i < count; ++i) {
    double* x = sample.col(i).data();
    rows.read(i * rows.num_rows() / count, 1, x);
    double norm = 0;
    row_norms(x, 1, dim, &norm);
    if (norm > 0 && norm < 1e308) sample.col(i) /= norm;
  }
  return sample;
}

std::vector<const double*> columns_of(const Eigen::MatrixXd& x) {
  std::vector<const double*> out;
  for (Index k = 0; k < x.cols(); ++k) out.push_back(x.col(k).data());
  return out;
}

// x' y for a y of few columns, by the products of columns. They come out row by row, y' x in Eigen's order.
Eigen::MatrixXd across(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(y.cols(), x.cols());
  kernels::add_products(columns_of(x), columns_of(y), x.rows(), out.data(), out.rows());
  return out.transpose();
}

// x y in the same way: some columns of x at a time, turned.
Eigen::MatrixXd along(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
  constexpr Index kTogether = 128;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(y.cols(), x.rows());
  for (Index begin = 0; begin < x.cols(); begin += kTogether) {
    const Index some = std::min(kTogether, x.cols() - begin);
    const Eigen::MatrixXd turned = x.middleCols(begin, some).transpose();
    std::vector<const double*> parts = columns_of(y);
    for (const double*& part : parts) part += begin;
    kernels::add_products(columns_of(turned), parts, some, out.data(), out.rows());
  }
  return out.transpose();
}

// The Q of a thin QR: an orthonormal basis of the columns.
Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& x) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(x);
  return qr.householderQ() * Eigen::MatrixXd::Identity(x.rows(), x.cols());
}

}  // namespace

double Spectrum::energy_of(Index count) const {
  double sum = 0;
  for (Index k = 0; k < std::min(count, num_directions()); ++k) sum += energy[at(k)];
  return sum;
}

// At most 32 directions, so the quadratic cost of this search does not matter.
Index Spectrum::count_for(double share) const {
  for (Index count = 1; count < num_directions(); ++count) {
    if (energy_of(count) >= share) return count;
  }
  return num_directions();
}

Spectrum sample_spectrum(const RowSource& rows, Index sample_rows) {
  const Eigen::MatrixXd sample = sample_of(rows, sample_rows);
  const double total = sample.squaredNorm();
  const Index count = std::min({kDirections, sample.rows(), sample.cols()});
  Stream random = stream(0, "spectrum");
  Eigen::MatrixXd basis(sample.rows(), count);
  for (Index i = 0; i < basis.size(); ++i) basis.data()[i] = random.normal();
  // basis <- orth(X X' basis): each round damps the part outside the leading subspace by the ratio of the
  // eigenvalues. Three rounds suffice where a few directions hold nearly all the energy, which is the case
  // that matters; elsewhere the shares come out too low, and no leading directions are used.
  basis = orthonormal(basis);
  for (int i = 0; i < kIterations; ++i) {
    basis = orthonormal(along(sample, across(sample, basis)));
  }
  // Rayleigh-Ritz: eigenvectors of B' X X' B turn the basis onto the directions themselves. Eigenvalue over
  // |X|^2 is the share of the energy.
  const Eigen::MatrixXd within = across(sample, basis);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(within.transpose() * within);
  basis *= ritz.eigenvectors();

  // By falling energy, padded as the kernels need them.
  Spectrum spectrum;
  spectrum.padded_dim = kernels::padded(rows.dim());
  spectrum.directions.assign(at(spectrum.padded_dim * count), 0.0);
  for (Index k = 0; k < count; ++k) {
    const Index from = count - 1 - k;  // eigenvalues come in rising order
    spectrum.energy.push_back(total > 0 ? std::max(0.0, ritz.eigenvalues()(from)) / total : 0.0);
    for (Index j = 0; j < rows.dim(); ++j) {
      spectrum.directions[at(k * spectrum.padded_dim + j)] = basis(j, from);
    }
  }
  return spectrum;
}

}  // namespace giga
