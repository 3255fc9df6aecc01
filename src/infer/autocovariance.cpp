// Autocovariances of chains: short lags by sums of products, all lags by fast Fourier transforms.
//
// Notation: n draws per chain, lags t, X_k and Z_k transforms of length `size`, a power of two, at least 2 n,
// so that the circular correlation of the padded sequence is the one wanted.
#include "infer/autocovariance.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>

namespace giga {
namespace {

using Complex = std::complex<double>;

// Sums of products for this many lags cost about as much as the transforms of a chain.
constexpr Index kDirectLags = 64;

// Not operator*, which checks for infinite factors.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The discrete Fourier transform of sequences whose length is a power of two:
//   X_k = sum_j x_j exp(-2 pi i j k / size).
class Fourier {
 public:
  explicit Fourier(std::size_t size) : roots_(size / 2) {
    assert(std::has_single_bit(size));
    for (std::size_t k = 0; k < roots_.size(); ++k) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
      roots_[k] = {std::cos(angle), std::sin(angle)};
    }
  }

  void transform(std::span<Complex> x) const {
    reverse_bits(x);
    // Before a round, every block of `half` values is the transform of its share of the sequence.
    for (std::size_t half = 1; half < x.size(); half *= 2) {
      const std::size_t stride = x.size() / (2 * half);
      for (std::size_t block = 0; block < x.size(); block += 2 * half) {
        for (std::size_t k = 0; k < half; ++k) {
          const Complex even = x[block + k], odd = product(roots_[k * stride], x[block + k + half]);
          x[block + k] = even + odd;
          x[block + k + half] = even - odd;
        }
      }
    }
  }

 private:
  // Moves x_j to the place whose binary digits are those of j read backwards. Invariant: `reversed` is j with
  // its digits reversed; adding 1 to j carries from the top end of it.
  static void reverse_bits(std::span<Complex> x) {
    std::size_t reversed = 0;
    for (std::size_t j = 1; j < x.size(); ++j) {
      std::size_t bit = x.size() / 2;
      for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
      reversed |= bit;
      if (j < reversed) std::swap(x[j], x[reversed]);
    }
  }

  std::vector<Complex> roots_;  // exp(-2 pi i k / size) for k < size / 2
};

// sum of x_i x_{i + lag}, in four running sums that do not wait for each other.
double lagged_product(std::span<const double> x, std::size_t lag) {
  const std::span<const double> y = x.subspan(lag);
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= y.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += x[i + k] * y[i + k];
  }
  for (; i < y.size(); ++i) sums[0] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The power spectrum |X_k|^2 of a real sequence, padded with zeros to twice its length, is the transform of
// its autocovariance. Two chains travel together as x + i y = z: since |Z_k|^2 + |Z_-k|^2 = 2 (|X_k|^2 +
// |Y_k|^2), the real part of what |Z_k|^2 transforms back to is the sum of both autocovariances.
std::vector<double> sums_by_fourier(std::span<const double> centred, std::size_t n) {
  const std::size_t size = std::bit_ceil(2 * n);
  const Fourier fourier(size);
  std::vector<Complex> z(size), power(size);
  for (std::size_t start = 0; start < centred.size(); start += 2 * n) {
    const std::span<const double> x = centred.subspan(start, n);
    const std::span<const double> y = centred.subspan(start + n < centred.size() ? start + n : start, n);
    const double has_second = start + n < centred.size() ? 1 : 0;
    for (std::size_t i = 0; i < size; ++i) z[i] = i < n ? Complex(x[i], has_second * y[i]) : Complex();
    fourier.transform(z);
    for (std::size_t k = 0; k < size; ++k) power[k] += std::norm(z[k]);
  }
  fourier.transform(power);
  // The forward transform again: the power spectrum is real, so the real parts of the forward and the inverse
  // transforms differ by the factor 1 / size alone.
  std::vector<double> sums(n);
  for (std::size_t lag = 0; lag < n; ++lag) sums[lag] = power[lag].real() / static_cast<double>(size);
  return sums;
}

}  // namespace

MeanAutocovariance::MeanAutocovariance(std::span<const double> centred, Index num_draws)
    : centred_(centred), num_draws_(num_draws) {
  assert(num_draws > 0 && std::ssize(centred) % num_draws == 0);
}

double MeanAutocovariance::at(Index lag) {
  assert(lag >= 0 && lag < num_draws_);
  const auto n = static_cast<std::size_t>(num_draws_), t = static_cast<std::size_t>(lag);
  double sum = 0;
  if (lag < kDirectLags) {
    for (std::size_t start = 0; start < centred_.size(); start += n)
      sum += lagged_product(centred_.subspan(start, n), t);
  } else {
    if (all_.empty()) all_ = sums_by_fourier(centred_, n);
    sum = all_[t];
  }
  return sum / static_cast<double>(centred_.size());
}

}  // namespace giga
