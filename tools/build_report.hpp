// One run of `giga build`: what was asked, what came of it, and the three forms it is told in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "giga/construct/build.hpp"
#include "giga/construct/vector_table.hpp"

namespace giga::tool {

enum class InputKind { Vectors, Loglik };
[[nodiscard]] constexpr std::string_view name(InputKind kind) {
  return kind == InputKind::Vectors ? "vectors" : "loglik";
}

struct BuildRequest {
  InputKind kind = InputKind::Vectors;
  std::filesystem::path input;
  Method method = Method::Corrective;
  SelectorKind selector = SelectorKind::Auto;
  std::optional<Index> asked_size;  ///< as given
  Index size = 100;                 ///< as resolved, once N is known
  Index max_steps = 0;              ///< 0: the method's own
  double tolerance = 0;
  std::uint64_t seed = 1;
  int threads = 0;
  std::optional<std::filesystem::path> out;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

struct BuildOutcome {
  Index num_rows = 0;
  Index dim = 0;
  Index zero_rows = 0;
  bool zero_target = false;
  double target_norm = 0;
  double norm_sum = 0;
  double tau = 0;                        ///< |L| / sigma
  std::optional<SelectorKind> selector;  ///< the one used, if any was
  std::size_t selector_bytes = 0;
  double prepare_bytes_read = 0;
  BuildResult result;
  double load_s = 0, prepare_s = 0, construct_s = 0, total_s = 0;
};

/// row,weight
[[nodiscard]] std::string coreset_csv(const Coreset& coreset);

/// The table a person reads, a line for each fact.
[[nodiscard]] std::string summary(const BuildRequest& request, const BuildOutcome& outcome);

/// The run record (DESIGN.md, section 6). Numbers that are not finite are null.
[[nodiscard]] std::string run_record(const BuildRequest& request, const BuildOutcome& outcome);

}  // namespace giga::tool
