#include "support/vector_sets.hpp"

#include <algorithm>
#include <cmath>

#include "giga/base/random.hpp"

namespace giga::test {
namespace {

Index log_uniform(Stream& random, Index low, Index high) {
  const double span = std::log(static_cast<double>(high + 1) / static_cast<double>(low));
  const auto draw = static_cast<Index>(static_cast<double>(low) * std::exp(random.uniform() * span));
  return std::clamp(draw, low, high);
}

Index pick(Stream& random, Index count) {
  return static_cast<Index>(random.below(static_cast<std::uint64_t>(count)));
}

std::vector<double> normals(Stream& random, Index count) {
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& value : out) value = random.normal();
  return out;
}

using Fill = void (*)(Stream&, VectorSet&);

void fill_gaussian(Stream& random, VectorSet& p) {
  const double mean = random.uniform() < 0.5 ? 0.0 : random.uniform();
  for (double& value : p.data) value = random.normal() + mean;
}

void fill_binary(Stream& random, VectorSet& p) {
  const double ones = 0.1 + 0.4 * static_cast<double>(pick(random, 3));
  for (double& value : p.data) value = random.uniform() < ones ? 1.0 : 0.0;
}

void fill_collinear(Stream& random, VectorSet& p) {
  const std::vector<double> base = normals(random, p.dim);
  const bool both_signs = random.uniform() < 0.5;
  for (Index n = 0; n < p.rows; ++n) {
    const double factor = both_signs ? random.normal() + 0.5 : 0.1 + random.uniform();
    for (Index j = 0; j < p.dim; ++j)
      p.data[static_cast<std::size_t>(n * p.dim + j)] = factor * base[static_cast<std::size_t>(j)];
  }
}

void fill_axis(Stream& random, VectorSet& p) {
  const bool unit = random.uniform() < 0.5;
  const bool in_turn = random.uniform() < 0.5;
  const bool both_signs = random.uniform() < 0.25;
  for (Index n = 0; n < p.rows; ++n) {
    const Index axis = in_turn ? n % p.dim : pick(random, p.dim);
    double length = unit ? 1.0 : 0.1 + random.uniform();
    if (both_signs && random.uniform() < 0.3) length = -length;
    p.data[static_cast<std::size_t>(n * p.dim + axis)] = length;
  }
}

void fill_around(Stream& random, VectorSet& p, Index centres, double spread) {
  const std::vector<double> base = normals(random, centres * p.dim);
  for (Index n = 0; n < p.rows; ++n) {
    const Index centre = pick(random, centres);
    for (Index j = 0; j < p.dim; ++j) {
      p.data[static_cast<std::size_t>(n * p.dim + j)] =
          base[static_cast<std::size_t>(centre * p.dim + j)] + spread * random.normal();
    }
  }
}

void fill_near_duplicate(Stream& random, VectorSet& p) {
  fill_around(random, p, 1, 1e-9);
}
void fill_clustered(Stream& random, VectorSet& p) {
  fill_around(random, p, 1 + pick(random, 6), 1e-6);
}
void fill_near_target(Stream& random, VectorSet& p) {
  fill_around(random, p, 1, std::pow(10.0, -3 - 4 * random.uniform()));
}

// The first `rest` rows are left; what follows comes in pairs, in any order.
void fill_pairs(Stream& random, VectorSet& p, Index rest, double rest_size) {
  if ((p.rows - rest) % 2 != 0) --p.rows;
  p.data.resize(static_cast<std::size_t>(p.rows * p.dim));
  std::vector<Index> order(static_cast<std::size_t>(p.rows));
  for (Index n = 0; n < p.rows; ++n) order[static_cast<std::size_t>(n)] = n;
  for (Index n = p.rows - 1; n > 0; --n)
    std::swap(order[static_cast<std::size_t>(n)], order[static_cast<std::size_t>(pick(random, n + 1))]);
  for (Index i = 0; i < p.rows; ++i) {
    double* row = p.data.data() + order[static_cast<std::size_t>(i)] * p.dim;
    const bool second = i >= rest && (i - rest) % 2 == 1;
    const double* first = second ? p.row(order[static_cast<std::size_t>(i - 1)]) : nullptr;
    for (Index j = 0; j < p.dim; ++j)
      row[j] = second ? -first[j] : random.normal() * (i < rest ? rest_size : 1.0);
  }
}

void fill_all_pairs(Stream& random, VectorSet& p) {
  p.rows = std::max<Index>(p.rows, 2);
  p.data.assign(static_cast<std::size_t>(p.rows * p.dim), 0.0);
  fill_pairs(random, p, 0, 1);
}

void fill_pairs_and_rest(Stream& random, VectorSet& p) {
  const Index rest = std::min(p.rows, 1 + pick(random, 5));
  fill_pairs(random, p, rest, std::pow(10.0, -9 * random.uniform() * random.uniform()));
}

void fill_mixed_norms(Stream& random, VectorSet& p) {
  for (Index n = 0; n < p.rows; ++n) {
    std::vector<double> row = normals(random, p.dim);
    double square = 0;
    for (const double value : row) square += value * value;
    const double size = std::pow(10.0, -150 + 300 * random.uniform()) / std::sqrt(square);
    for (Index j = 0; j < p.dim; ++j)
      p.data[static_cast<std::size_t>(n * p.dim + j)] = row[static_cast<std::size_t>(j)] * size;
  }
}

void fill_low_rank(Stream& random, VectorSet& p) {
  const Index rank = 2 + pick(random, 2);
  const std::vector<double> base = normals(random, rank * p.dim);
  for (Index n = 0; n < p.rows; ++n) {
    for (Index k = 0; k < rank; ++k) {
      const double along = random.normal();
      for (Index j = 0; j < p.dim; ++j) {
        p.data[static_cast<std::size_t>(n * p.dim + j)] +=
            along * base[static_cast<std::size_t>(k * p.dim + j)];
      }
    }
  }
}

struct Recipe {
  VectorSetKind kind;
  Fill fill;
};

// The issue's kinds first.
constexpr Recipe kRecipes[] = {
    {VectorSetKind::Gaussian, fill_gaussian},
    {VectorSetKind::Binary, fill_binary},
    {VectorSetKind::Collinear, fill_collinear},
    {VectorSetKind::Axis, fill_axis},
    {VectorSetKind::NearDuplicate, fill_near_duplicate},
    {VectorSetKind::Pairs, fill_all_pairs},
    {VectorSetKind::PairsAndRest, fill_pairs_and_rest},
    {VectorSetKind::MixedNorms, fill_mixed_norms},
    {VectorSetKind::LowRank, fill_low_rank},
    {VectorSetKind::Clustered, fill_clustered},
    {VectorSetKind::NearTarget, fill_near_target},
};
constexpr Index kIssueKinds = 8;
constexpr Index kAllKinds = 11;

// A pair whose other half is overwritten is no pair any more: those are left alone.
void add_special_rows(Stream& random, VectorSet& p) {
  if (p.kind == VectorSetKind::Pairs || p.kind == VectorSetKind::PairsAndRest) return;
  const bool zeros = random.uniform() < 0.2, duplicates = random.uniform() < 0.2;
  const Index count = 1 + p.rows / 10;
  for (Index i = 0; i < count && zeros; ++i)
    std::fill_n(p.data.begin() + pick(random, p.rows) * p.dim, p.dim, 0.0);
  for (Index i = 0; i < count && duplicates; ++i) {
    const Index from = pick(random, p.rows), to = pick(random, p.rows);
    std::copy_n(p.row(from), p.dim, p.data.begin() + to * p.dim);
  }
}

VectorSet made(const Recipe& recipe, Index index, Index rows, Index dim, Stream& random) {
  VectorSet p{recipe.kind, index, rows, dim, {}};
  p.data.assign(static_cast<std::size_t>(rows * dim), 0.0);
  recipe.fill(random, p);
  add_special_rows(random, p);
  return p;
}

}  // namespace

std::string VectorSet::label() const {
  return "set " + std::to_string(index) + " (" + std::string(name(kind)) + ", " + std::to_string(rows) +
         " x " + std::to_string(dim) + ")";
}

VectorSet vector_set(Index i) {
  Stream random = stream(20180701, "problem", i);
  const Index rows = log_uniform(random, 1, 500), dim = log_uniform(random, 1, 50);
  return made(kRecipes[i % kIssueKinds], i, rows, dim, random);
}

VectorSet selector_vectors(Index i, Index max_rows) {
  Stream random = stream(20180702, "selector problem", i);
  const Index rows = log_uniform(random, 1, max_rows), dim = log_uniform(random, 1, 60);
  return made(kRecipes[i % kAllKinds], i, rows, dim, random);
}

VectorSet gaussian_vectors(Index rows, Index dim, Index seed) {
  Stream random = stream(20180703, "gaussian problem", seed);
  VectorSet p{VectorSetKind::Gaussian, seed, rows, dim, {}};
  p.data = normals(random, rows * dim);
  return p;
}

}  // namespace giga::test
