// Made-up vectors for trials and benchmarks. Row n depends on the seed and n alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "giga/construct/row_source.hpp"

namespace giga {

enum class VectorKind {
  Gaussian,  ///< Independent standard normal components: the paper's section 4.2.
  Axis,      ///< Row n is the unit vector of axis n mod J: the paper's appendix A.1.
  LowRank,   ///< Standard normal combinations of `rank` random unit directions.
};
[[nodiscard]] std::string_view name(VectorKind kind);
[[nodiscard]] std::optional<VectorKind> vector_kind_named(std::string_view name);

struct SimulateOptions {
  Index rows = 10000;
  Index dim = 50;
  VectorKind kind = VectorKind::Gaussian;
  Index rank = 3;  ///< For LowRank; 1 <= rank.
  std::uint64_t seed = 1;
};

/// Rows made when they are asked for; nothing is stored but the directions of LowRank.
class SimulatedRows : public RowSource {
 public:
  explicit SimulatedRows(const SimulateOptions& options);

  [[nodiscard]] Index num_rows() const override { return options_.rows; }
  [[nodiscard]] Index dim() const override { return options_.dim; }
  void read(Index first, Index count, double* out) const override;
  [[nodiscard]] std::string name() const override { return "simulated vectors"; }

 private:
  SimulateOptions options_;
  std::vector<double> directions_;  // rank x dim
};

}  // namespace giga
