// The solver: its columns, and whichever factorisation is in charge. It begins with the Gram matrix and goes
// on with QR from the first solve that double precision was not enough for.
#include "giga/construct/nnls.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

#include "construct/nnls_gram.hpp"
#include "construct/nnls_problem.hpp"
#include "construct/nnls_qr.hpp"

namespace giga {

struct NnlsSolver::Parts {
  NnlsProblem problem;
  GramNnls gram;
  std::optional<QrNnls> qr;  // in charge if it is there
};

NnlsSolver::NnlsSolver(ExtendedVector b) : parts_(std::make_unique<Parts>()) {
  parts_->problem.b = std::move(b);
}

NnlsSolver::~NnlsSolver() = default;
NnlsSolver::NnlsSolver(const NnlsSolver& other) : parts_(std::make_unique<Parts>(*other.parts_)) {}
NnlsSolver& NnlsSolver::operator=(const NnlsSolver& other) {
  if (this != &other) parts_ = std::make_unique<Parts>(*other.parts_);
  return *this;
}
NnlsSolver::NnlsSolver(NnlsSolver&&) noexcept = default;
NnlsSolver& NnlsSolver::operator=(NnlsSolver&&) noexcept = default;

void NnlsSolver::add(const std::vector<double>& column, std::span<const double> products) {
  add_shared(std::make_shared<const std::vector<double>>(column), products);
}

namespace {

// The column by which an extreme one is held, and its length. Products of columns between 2^-100 and 2^100
// keep all their bits.
std::pair<std::shared_ptr<const std::vector<double>>, Extended> moderate(
    std::shared_ptr<const std::vector<double>> column) {
  constexpr int kExtreme = 100;
  const Extended length = norm(*column);
  if (!(length > 0)) throw std::invalid_argument("a column is zero");
  const int exponent = std::ilogb(length);
  if (std::abs(exponent) <= kExtreme) return {std::move(column), length};
  std::vector<double> scaled = *column;
  for (double& value : scaled) value = std::scalbn(value, -exponent);
  return {std::make_shared<const std::vector<double>>(std::move(scaled)), std::scalbn(length, -exponent)};
}

}  // namespace

void NnlsSolver::add_passing(const std::vector<double>& column, std::span<const double> products) {
  if (products.size() != parts_->problem.columns.size())
    throw std::invalid_argument("the products of a column that is not kept must be known");
  add_shared(std::make_shared<const std::vector<double>>(column), products);
  if (!parts_->qr) parts_->problem.columns.back().reset();
}

void NnlsSolver::add_shared(std::shared_ptr<const std::vector<double>> column,
                            std::span<const double> products) {
  NnlsProblem& problem = parts_->problem;
  if (column->size() != problem.b.size()) throw std::invalid_argument("a column's length must be that of b");
  auto [held, length] = moderate(std::move(column));
  problem.columns.push_back(std::move(held));
  problem.norms.push_back(length);
  problem.u.push_back(0);
  if (!parts_->qr) parts_->gram.add(problem, products);
}

void NnlsSolver::solve(const Executor& executor, const ReadColumn& read) {
  if (!parts_->qr) parts_->gram.complete(parts_->problem, executor);
  if (!parts_->qr && parts_->gram.solve(parts_->problem)) return;
  if (!parts_->qr) {
    parts_->gram = {};
    for (Index i = 0; i < num_columns(); ++i) {
      auto& column = parts_->problem.columns[at(i)];
      if (!column) column = moderate(std::make_shared<const std::vector<double>>(read(i))).first;
    }
    parts_->qr.emplace(parts_->problem);
  }
  parts_->qr->solve(parts_->problem);
}

void NnlsSolver::solve_roughly(const Executor& executor, const ReadColumn& read) {
  if (!parts_->qr) parts_->gram.complete(parts_->problem, executor);
  if (parts_->qr || !parts_->gram.solve_roughly(parts_->problem)) solve(executor, read);
}

void NnlsSolver::retain(const std::vector<bool>& keep) {
  if (std::ranges::find(keep, false) == keep.end()) return;
  NnlsProblem& problem = parts_->problem;
  if (parts_->qr) {
    parts_->qr->retain(problem, keep);
  } else {
    parts_->gram.retain(problem, keep);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    if (kept != i) {
      problem.columns[kept] = std::move(problem.columns[i]);
      problem.norms[kept] = problem.norms[i];
      problem.u[kept] = problem.u[i];
    }
    ++kept;
  }
  problem.columns.resize(kept);
  problem.norms.resize(kept);
  problem.u.resize(kept);
}

Index NnlsSolver::num_columns() const {
  return parts_->problem.num_columns();
}
const std::vector<Extended>& NnlsSolver::solution() const {
  return parts_->problem.u;
}
ExtendedVector NnlsSolver::residual() const {
  return parts_->problem.residual();
}
bool NnlsSolver::in_extended() const {
  return parts_->qr.has_value();
}

std::vector<double> nnls(const std::vector<std::vector<double>>& columns, const std::vector<double>& b) {
  // With a_i = column_i / |column_i| and b' = b / |b|, the weight of a column is u_i |b| / |column_i|.
  std::vector<double> weights(columns.size(), 0.0);
  ExtendedVector unit_b(b.begin(), b.end());
  const Extended b_norm = norm(unit_b);
  if (!(b_norm > 0)) return weights;
  scale(unit_b, 1 / b_norm);
  NnlsSolver solver(std::move(unit_b));
  std::vector<std::size_t> added;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].size() != b.size()) throw std::invalid_argument("a column's length must be that of b");
    if (!(norm(columns[i]) > 0)) continue;
    solver.add(columns[i]);
    added.push_back(i);
  }
  solver.solve();
  for (std::size_t k = 0; k < added.size(); ++k)
    weights[added[k]] = static_cast<double>(solver.solution()[k] * b_norm / norm(columns[added[k]]));
  return weights;
}

}  // namespace giga
