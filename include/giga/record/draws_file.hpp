// The draws of one chain as a file in the form of CmdStan, which rstan, cmdstanr, posterior and ArviZ read.
//
//   # method = sample                  settings, one per line
//   # num_samples = 1000
//   lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,x1,x2
//   # Adaptation terminated            the step size and the inverse metric that were found
//   # Step size = 0.81
//   # Diagonal elements of inverse mass matrix:
//   # 0.9, 1.1
//   -1.5,0.93,0.81,2,3,0,2.1,0.25,-0.5
//
// Numbers are in the shortest form that reads back to the same bits, and there are no times in the file: the
// same chain is the same bytes. The block "Elapsed Time" at its end, for lack of which rstan::read_stan_csv
// gives a warning, has zeros.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "giga/infer/chain.hpp"
#include "giga/infer/sample.hpp"

namespace giga {

/// What a file says of a draw besides its parameters, in the order of DrawStats. A column of any other name
/// that ends in two underscores says something of the sampler too, and is not read.
inline constexpr std::array<std::string_view, 7> kSamplerColumns = {
    "lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"};

struct DrawsFile {
  std::vector<std::string> names;  ///< Of the parameters, as the file has them; chain.dim of them.
  std::vector<std::pair<std::string, std::string>>
      settings;                              ///< "num_samples" and "1000", in the file's order
  std::vector<std::string> sampler_columns;  ///< Those of kSamplerColumns that were read; all are written.
  /// Draws after warm-up, and what was adapted. Counts that no file has are 0.
  Chain chain;
  Index num_warmup_rows = 0;  ///< Draws of the warm-up that the file had as well; they are not kept.

  /// The value of a setting, or nothing.
  [[nodiscard]] std::optional<std::string> setting(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view sampler_column) const;
};

/// A chain that `sample` made under `options`, the `index`-th counted from 0, with the settings Stan has for
/// it. Throws std::invalid_argument unless there is a name for every parameter.
[[nodiscard]] DrawsFile draws_file(std::vector<std::string> names, const SampleOptions& options, Index index,
                                   Chain chain);

/// The bytes of the file. Throws std::invalid_argument for names that are not their own safe_columns().
[[nodiscard]] std::string draws_csv(const DrawsFile& file);

/// Reads what draws_csv wrote, and what CmdStan and rstan write: comments anywhere, sampler columns in any
/// order or absent, warm-up draws before the adaptation block. NaN and infinite draws are read. Throws
/// InputMissing and DataError: a name twice, a row of another length, a field that is not a number, fewer
/// draws than the settings promise.
[[nodiscard]] DrawsFile read_draws(const std::filesystem::path& path);

/// Throws DataError unless all files have the same parameters, in the same order, and as many draws. `paths`
/// are for the message.
void require_same_shape(const std::vector<DrawsFile>& files, const std::vector<std::filesystem::path>& paths);

/// Names that every reader of such files takes for one plain parameter each: letters, digits and underscores,
/// a letter first, no reserved word of R and not ending as sampler columns do. A run of other characters
/// becomes an underscore, and nothing at the ends. Names that are safe already stay; others that would then
/// be equal get _2, _3, ...
///
///   x1 -> x1    (intercept) -> intercept    a,b -> a_b    =cmd() -> cmd    2nd -> v_2nd    lp__ -> lp__v
[[nodiscard]] std::vector<std::string> safe_columns(const std::vector<std::string>& names);

}  // namespace giga
