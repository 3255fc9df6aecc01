// What construction promises of every input, as checks that both the unit tests and the slow tests run, on
// different numbers of vector sets. Failures name the set.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "giga/construct/build.hpp"
#include "giga/construct/dense_rows.hpp"
#include "support/executors.hpp"
#include "support/vector_sets.hpp"

namespace giga::test {

inline constexpr Method kAllMethods[] = {Method::Giga,       Method::Corrective, Method::FrankWolfe,
                                         Method::Importance, Method::Uniform,    Method::Pursuit};
inline constexpr Method kGreedyMethods[] = {Method::Giga, Method::Corrective, Method::FrankWolfe,
                                            Method::Pursuit};

/// `size` points (greedy) or draws (sampling) with any method, and on from an earlier result.
[[nodiscard]] BuildResult build(const VectorTable& table, Method method, Index size,
                                const Observer& observer = {});
[[nodiscard]] BuildResult build_on(const VectorTable& table, BuildResult earlier, Index size,
                                   const Observer& observer = {});

/// Rows, weights, trace, error and termination are the same to the last bit.
void expect_same_bits(const BuildResult& got, const BuildResult& want, const std::string& what);

/// build(t) of t = 1, 2, ... steps has the rows and weights of path[t - 1], until rounding decides.
void expect_path(const std::vector<Coreset>& path, const std::function<BuildResult(Index)>& build,
                 const std::string& what);

/// check(rows, table) of vector_set(0) .. vector_set(count - 1), those that sum to zero left out, until a
/// test fails.
template <typename Check>
void for_each_vector_set(Index count, const Check& check) {
  for (Index i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const VectorSet p = vector_set(i);
    const DenseRows rows(p.view());
    const VectorTable table(rows, threads(1));
    if (table.zero_target()) continue;
    SCOPED_TRACE(p.label());
    check(rows, table);
  }
}

/// Everything that holds of a single result of any method: positive finite weights, ascending distinct rows,
/// no identical vectors, sizes, errors recomputed by the oracle.
void expect_sound(const VectorSet& p, const VectorTable& table, const BuildResult& result);

/// GIGA's laws on vector_set(first) .. vector_set(first + count - 1): those above, gamma in [0, 1],
/// J(t+1) = J(t)(1 - <d_t,d_tn>^2), J(t) <= B(t), the error never rises.
void expect_giga_laws(Index first, Index count);

/// To M equals to m and on to M, for all methods.
void expect_resumable(Index first, Index count);

/// The same rows, weights and traces from every selector on 1 and 2 threads.
/// `may_scan`: the set may have rows too short to weigh.
void expect_selectors_agree(const VectorSet& p, Index size, bool may_scan = false);

/// From the weights of a corrective build: its next step is no worse than GIGA's, the library's and the
/// oracle's, and its weights are stationary.
void expect_corrective_laws(Index first, Index count);

}  // namespace giga::test
