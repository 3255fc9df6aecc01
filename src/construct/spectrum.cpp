// The leading directions of the table, from a sample: the first eigenvectors of X X' with the sampled unit
// rows as the columns of X (J x sample), by subspace iteration with a Rayleigh-Ritz step. Nothing exact
// depends on them: selectors use them to place bounds, which hold for any orthonormal directions.
#include "construct/spectrum.hpp"

#include <Eigen/Dense>
#include <algorithm>

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
    const Eigen::MatrixXd back = sample.transpose() * basis;
    basis = orthonormal(sample * back);
  }
  // Rayleigh-Ritz: eigenvectors of B' X X' B turn the basis onto the directions themselves. Eigenvalue over
  // |X|^2 is the share of the energy.
  const Eigen::MatrixXd within = sample.transpose() * basis;
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
