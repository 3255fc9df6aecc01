// Simulated vectors for trials and benchmarks. Row n depends on the seed and n alone, so rows can be made in
// any order and by any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/row_source.hpp"

namespace giga {

enum class VectorKind {
  Gaussian,    ///< Independent standard normal components: the paper's section 4.2.
  Axis,        ///< Row n is the unit vector of axis n mod J: the paper's appendix A.1.
  LowRank,     ///< Standard normal combinations of `rank` random unit directions.
  Likelihood,  ///< Logistic log-likelihoods of a model with `rank` parameters at J draws near its posterior,
               ///< centred over the draws: intrinsic dimension `rank`, full rank, like the vectors of real
               ///< data.
};
constexpr auto name_table(VectorKind) {
  using enum VectorKind;
  return names_are<VectorKind>(
      {{Gaussian, "gaussian", "independent standard normal numbers"},
       {Axis, "axis", "row n is the unit vector of axis n mod J"},
       {LowRank, "lowrank", "normal combinations of R random directions"},
       {Likelihood, "likelihood", "log-likelihoods of a logistic model, R parameters, J draws"}});
}

struct SimulateOptions {
  Index rows = 10000;
  Index dim = 50;
  VectorKind kind = VectorKind::Gaussian;
  Index rank = 3;  ///< For LowRank and Likelihood; 1 <= rank.
  std::uint64_t seed = 1;
};

/// Rows made when they are asked for; nothing is stored but `rank` x J numbers.
class SimulatedRows : public RowSource {
 public:
  explicit SimulatedRows(const SimulateOptions& options);

  [[nodiscard]] Index num_rows() const override { return options_.rows; }
  [[nodiscard]] Index dim() const override { return options_.dim; }
  void read(Index first, Index count, double* out) const override;
  [[nodiscard]] std::string name() const override { return "simulated vectors"; }

 private:
  void add_unit_direction(Index k);
  void add_draws_of_parameter(Index k);
  void read_likelihood(Index row, double* out) const;

  SimulateOptions options_;
  std::vector<double> directions_;  // rank x dim: LowRank's directions, Likelihood's draws
};

}  // namespace giga
