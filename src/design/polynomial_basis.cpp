// Polynomials p_0 = 1, p_1, ... that are orthogonal over N values x, by R's recurrence:
//
//     p_{k+1} = (x - alpha_{k+1}) p_k - (norm2_{k+2} / norm2_{k+1}) p_{k-1},
//     alpha_{k+1} = sum x p_k^2 / sum p_k^2,   norm2_{k+2} = sum p_k^2,   norm2_1 = 1,
//
// column k being p_k / sqrt(norm2_{k+2}). R finds alpha and norm2 from a QR decomposition; the sums give the
// same numbers (Stieltjes), one pass over the values per degree.
#include <cmath>
#include <utility>

#include "design/basis.hpp"

namespace giga {
namespace {

class PowerBasis final : public Basis {
 public:
  explicit PowerBasis(Index degree) : degree_(degree) {}

  [[nodiscard]] Index num_columns() const override { return degree_; }
  void evaluate(const double* x, Index count, double* out) const override {
    for (Index i = 0; i < count; ++i) {
      for (Index k = 1; k <= degree_; ++k)
        out[i * degree_ + k - 1] = k == 1   ? x[i]
                                   : k == 2 ? x[i] * x[i]
                                            : std::pow(x[i], static_cast<double>(k));
    }
  }

 private:
  Index degree_;
};

class OrthogonalBasis final : public Basis {
 public:
  OrthogonalBasis(std::vector<double> alpha, const std::vector<double>& norm2) : alpha_(std::move(alpha)) {
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      ratio_.push_back(norm2[k + 1] / norm2[k]);
      length_.push_back(std::sqrt(norm2[k + 2]));
    }
  }

  [[nodiscard]] Index num_columns() const override { return std::ssize(alpha_); }
  void evaluate(const double* x, Index count, double* out) const override {
    const std::size_t degree = alpha_.size();
    for (Index i = 0; i < count; ++i) {
      double before = 0, last = 1;  // p_{k-1}, p_k
      for (std::size_t k = 0; k < degree; ++k) {
        const double next = (x[i] - alpha_[k]) * last - (k == 0 ? 0 : ratio_[k]) * before;
        before = std::exchange(last, next);
        out[at(i) * degree + k] = next / length_[k];
      }
    }
  }

 private:
  std::vector<double> alpha_, ratio_, length_;
};

}  // namespace

std::unique_ptr<const Basis> power_basis(Index degree) {
  return std::make_unique<PowerBasis>(degree);
}

std::unique_ptr<const Basis> orthogonal_basis(const std::vector<double>& alpha,
                                              const std::vector<double>& norm2) {
  return std::make_unique<OrthogonalBasis>(alpha, norm2);
}

// Sums are of u = x - mean and in extended precision, so that alpha_{k+1} = mean + sum u p_k^2 / sum p_k^2
// loses nothing where the mean is large beside the spread.
OrthogonalPolynomials learn_polynomials(const std::vector<double>& x, Index degree,
                                        const Executor& executor) {
  const Index num_values = std::ssize(x);
  const auto sums = [&](const auto& add) {
    std::vector<Extended> total(2, 0);
    fold_blocks<Extended>(
        executor, num_values, 2, std::span(total),
        [&](Index first, Index count, Index /*piece*/, Extended* part) {
          for (Index n = first; n < first + count; ++n) add(x[at(n)], part);
        },
        [](const Extended* part, Extended* sum) {
          sum[0] += part[0];
          sum[1] += part[1];
        });
    return total;
  };
  const Extended mean =
      sums([](double value, Extended* part) { part[0] += value; })[0] / static_cast<Extended>(num_values);
  std::vector<Extended> alpha = {0}, norm2 = {1, static_cast<Extended>(num_values)};  // alpha of u
  for (Index k = 1; k <= degree; ++k) {
    // p_k from the k alphas that are known.
    const std::vector<Extended> total = sums([&](double value, Extended* part) {
      const Extended u = value - mean;
      Extended before = 0, last = 1;
      for (Index j = 0; j < k; ++j) {
        const Extended next =
            (u - alpha[at(j)]) * last - (j == 0 ? 0 : norm2[at(j + 1)] / norm2[at(j)]) * before;
        before = std::exchange(last, next);
      }
      part[0] += last * last;
      part[1] += u * last * last;
    });
    norm2.push_back(total[0]);
    if (k < degree) alpha.push_back(total[1] / total[0]);
  }
  OrthogonalPolynomials learnt;
  for (const Extended value : alpha) learnt.alpha.push_back(static_cast<double>(value + mean));
  for (const Extended value : norm2) learnt.norm2.push_back(static_cast<double>(value));
  return learnt;
}

}  // namespace giga
