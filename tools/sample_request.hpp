// What was asked of `giga sample`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "giga/base/names.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/sample.hpp"
#include "giga/record/coreset_file.hpp"
#include "giga/pipeline/problem.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

enum class Protocol { Stan, Paper };
constexpr auto name_table(Protocol) {
  return names_are<Protocol>({{Protocol::Stan, "stan"}, {Protocol::Paper, "paper"}});
}

struct SampleRequest {
  std::filesystem::path input;                ///< "-" is standard input
  std::optional<CoresetCompanion> companion;  ///< of a coreset; then read and model are the companion's
  bool bare_coreset = false;                  ///< the columns of a coreset, but no companion

  ReadOptions read;
  ModelOptions model;
  Protocol protocol = Protocol::Stan;
  SampleOptions sample;
  Index chains = 4;
  int threads = 0;

  std::optional<std::filesystem::path> out;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

/// Chains, warm-up, draws, seed and threads, where they are given.
void set_chains(const Arguments& arguments, SampleRequest& request);

void add_sample_options(Arguments& arguments);

/// Sampler, protocol and what belongs to them: all but seed and threads. `usual.draws` = 0: those of a fit.
void add_sampling_options(Arguments& arguments, const std::string& group, const SampleOptions& usual = {});
/// The values of those, and set_chains.
void set_sampling(const Arguments& arguments, SampleRequest& request);

/// Throws UsageError for whatever cannot be, and what find_companion throws.
[[nodiscard]] SampleRequest sample_request(const Arguments& arguments,
                                           const std::optional<std::string>& data);

}  // namespace giga::tool
