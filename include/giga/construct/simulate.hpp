// Made-up vectors for trials and benchmarks. Row n depends on the seed and n alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

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
inline constexpr std::array kVectorKinds = {VectorKind::Gaussian, VectorKind::Axis, VectorKind::LowRank,
                                            VectorKind::Likelihood};
[[nodiscard]] std::string_view name(VectorKind kind);
[[nodiscard]] std::optional<VectorKind> vector_kind_named(std::string_view name);

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
