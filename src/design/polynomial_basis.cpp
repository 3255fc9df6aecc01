// Polynomials p_0 = 1, p_1, ... that are orthogonal over N values x. With u = x - center, the mean,
//
//     p_{k+1} = (u - alpha_k) p_k - (norm2_{k+1} / norm2_k) p_{k-1},
//     alpha_k = sum u p_k^2 / sum p_k^2,   norm2_{k+1} = sum p_k^2,   norm2_0 = 1,
//
// column k being p_k / sqrt(norm2_{k+1}). R finds alpha and norm2 from a QR decomposition; the sums give the
// same numbers (Stieltjes), one pass over the values per degree. R adds the center to alpha, which costs
// digits where it is large beside the spread.
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
  explicit OrthogonalBasis(const OrthogonalPolynomials& learnt)
      : center_(learnt.center), alpha_(learnt.alpha) {
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      ratio_.push_back(k == 0 ? 0 : learnt.norm2[k + 1] / learnt.norm2[k]);
      length_.push_back(std::sqrt(learnt.norm2[k + 2]));
    }
  }

  [[nodiscard]] Index num_columns() const override { return std::ssize(alpha_); }
  void evaluate(const double* x, Index count, double* out) const override {
    const std::size_t degree = alpha_.size();
    for (Index i = 0; i < count; ++i) {
      const double u = x[i] - center_;
      double before = 0, last = 1;  // p_{k-1}, p_k
      for (std::size_t k = 0; k < degree; ++k) {
        const double next = (u - alpha_[k]) * last - ratio_[k] * before;
        before = std::exchange(last, next);
        out[at(i) * degree + k] = next / length_[k];
      }
    }
  }

 private:
  double center_;
  std::vector<double> alpha_, ratio_, length_;
};

}  // namespace

std::unique_ptr<const Basis> power_basis(Index degree) {
  return std::make_unique<PowerBasis>(degree);
}

std::unique_ptr<const Basis> orthogonal_basis(const OrthogonalPolynomials& learnt) {
  return std::make_unique<OrthogonalBasis>(learnt);
}

// The center is the mean rounded to a double; what rounding took off is left to alpha_0.
OrthogonalPolynomials learn_polynomials(const std::vector<double>& x, Index degree,
                                        const Executor& executor) {
  const Index num_values = std::ssize(x);
  const auto sums = [&](const auto& add) {
    ExtendedVector both(2, 0);
    fold_blocks<Extended>(
        executor, num_values, 2, std::span(both),
        [&](Index first, Index count, Index /*piece*/, Extended* part) {
          for (Index n = first; n < first + count; ++n) add(x[at(n)], part);
        },
        [](const Extended* part, Extended* sum) {
          sum[0] += part[0];
          sum[1] += part[1];
        });
    return both;
  };
  const Extended total = sums([](double value, Extended* part) { part[0] += value; })[0];
  const auto center = static_cast<double>(total / static_cast<Extended>(num_values));
  ExtendedVector alpha, norm2 = {1};
  for (Index k = 0; k <= degree; ++k) {
    // p_k from the k alphas that are known.
    const ExtendedVector found = sums([&](double value, Extended* part) {
      const Extended u = static_cast<Extended>(value) - center;
      Extended before = 0, last = 1;
      for (std::size_t j = 0; j < at(k); ++j) {
        const Extended next = (u - alpha[j]) * last - (j == 0 ? 0 : norm2[j + 1] / norm2[j]) * before;
        before = std::exchange(last, next);
      }
      part[0] += last * last;
      part[1] += u * last * last;
    });
    norm2.push_back(found[0]);
    if (k < degree) alpha.push_back(found[1] / found[0]);
  }
  OrthogonalPolynomials learnt;
  learnt.center = center;
  for (const Extended value : alpha) learnt.alpha.push_back(static_cast<double>(value));
  for (const Extended value : norm2) learnt.norm2.push_back(static_cast<double>(value));
  return learnt;
}

}  // namespace giga
