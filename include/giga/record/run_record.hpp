// run.json, and certificate.json: what was asked for and what came of it, for programs and for reports.
//
// A record is made of the results of a job (job/), written, and read back by whoever comes later: a report, a
// check, a summary. Whoever wrote it goes on with the struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/row_count.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/design/both_scales.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/sample.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/full_data_cost.hpp"
#include "giga/pipeline/model_check.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/report/posterior_summary.hpp"

namespace giga {

/// Whose settings the chains begin with.
enum class Protocol { Stan, Paper };
constexpr auto name_table(Protocol) {
  return names_are<Protocol>({{Protocol::Stan, "stan"}, {Protocol::Paper, "paper"}});
}

/// The options of a run, as resolved. Parts that a command does not have are absent.
struct RunOptions {
  std::optional<std::string> input = {};  ///< Kind: "data", "vectors" or "loglik".
  std::filesystem::path path = {};        ///< Of the input, as it was given; "-" is standard input.
  std::optional<ReadOptions> read = {};
  std::optional<ModelOptions> model = {};
  std::optional<CoresetOptions> coreset = {};
  std::optional<SampleOptions> sample = {};
  std::optional<Index> chains = {};
  std::optional<Protocol> protocol = {};
  std::optional<RowCount> check_rows = {};
  std::optional<std::uint64_t> seed = {};
  std::optional<int> threads = {};  ///< Of a rank.
  std::optional<Communication> communication = {};
  /// Files and flags by name, where a command has them; null is said too.
  std::vector<std::pair<std::string, std::optional<std::string>>> files = {};
  std::optional<bool> strict = {};
};

/// What is known of a chain besides its draws.
struct ChainRecord {
  double step_size = 0;
  Index num_gradients = 0, num_not_finite = 0, num_divergent = 0, num_at_max_depth = 0;
  double acceptance = 0, e_bfmi = 0;
  Index attempts = 1;
  std::optional<double> seconds = {};
};

/// A column of the files of draws.
struct ParameterRecord {
  std::string column, name;
  bool original = true;  ///< Whether it is on the scale of the data.
};

/// The prior of a parameter, as it was sampled.
struct PriorRecord {
  std::string parameter, prior;
  std::string times = {};  ///< The parameter whose multiple it is: of a group, its standard deviation.
};

/// What a check says of the draws that it was given.
struct CheckedDraws {
  Index chains = 0, length = 0;
  bool made_here = false, known = false;  ///< known: a record says that they are of this coreset
};

struct RunRecord {
  std::string command;  ///< build, sample, fit or check.
  std::string version;  ///< Of the giga that wrote it.
  std::optional<std::string> command_line = {};
  RunOptions options = {};  ///< Read as far as a report or a check needs them.
  /// All of them as texts, where the record was read.
  std::optional<std::vector<std::pair<std::string, std::string>>> recorded_options = {};
  std::string model = {};  ///< In words.
  std::uint64_t seed = 1;

  Index num_rows = 0;                        ///< N
  std::optional<Index> num_parameters = {};  ///< D; absent for a matrix of vectors.
  std::optional<Index> num_distinct_rows = {};
  std::optional<Index> rows_used = {};  ///< That a gradient visits.
  std::optional<std::string> response = {};
  std::vector<std::string> features = {};  ///< The raw columns of the design of a table.
  Standardisation scale = {};              ///< Their scale.
  /// Of every parameter, where priors were chosen; else `model` says it all.
  std::vector<PriorRecord> priors = {};

  /// By rows of the input, with the response of each, where there is a table.
  std::optional<CoresetResult> coreset = {};
  std::vector<double> responses = {};
  std::vector<std::string> pihat_names = {};  ///< Of the parameters.
  std::optional<std::string> coreset_digest = {};
  std::vector<FitRound> rounds = {};
  std::vector<LaplaceMarginal> laplace = {};  ///< Of the parameters on the scale of the data.

  std::optional<LaplaceResult> mode = {};  ///< That the chains of `sample` began at.
  std::vector<ParameterRecord> parameters = {};
  std::vector<ChainRecord> chains = {};
  std::vector<Quantity> diagnostics = {};  ///< Written, not read: the draws say it.
  std::vector<std::string> warnings = {};
  std::optional<CheckedDraws> draws = {};
  std::optional<Certificate> certificate = {};  ///< Read without moments and weights.
  std::vector<std::string> certificate_names = {};
  Index certificate_originals = 0;
  std::string certificate_sentence = {};       ///< As the front end spells it; empty: as the library does.
  std::optional<ModelCheck> model_check = {};  ///< With words as the front end spells them.
  std::optional<std::vector<std::string>> notes = {};

  std::optional<FullDataCost> full_data = {};
  std::optional<StageSeconds> seconds = {};
  std::optional<StagePasses> passes = {};  ///< Of a build or a fit of data.
  double total_s = 0;
  std::optional<std::uint64_t> peak_bytes = {};

  [[nodiscard]] Index num_gradients() const;
  /// Names of the parameters and their values on both scales. Throws DataError if the record is not of
  /// chains.
  [[nodiscard]] BothScales scales() const;
  /// The coefficients whose exponential is reported, on the scale of the data. Of a record of chains.
  [[nodiscard]] Ratios ratios() const;
  /// The options that have a value, as texts: for people.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> option_texts() const;
};

/// The priors of a problem as a record has them: none where nothing was chosen, or of a model of one's own.
[[nodiscard]] std::vector<PriorRecord> prior_records(const Problem& problem);

/// The part of a summary that a record has.
void add_summary(RunRecord& record, const PosteriorSummary& summary,
                 const std::vector<double>& chain_seconds = {});

/// Rows of the likelihood and of the data to rows of the input.
[[nodiscard]] CoresetResult by_input_rows(const Problem& problem, CoresetResult result);

/// Indented JSON with a newline. The same bytes for the same record.
[[nodiscard]] std::string run_json(const RunRecord& run);

/// Throws InputMissing if there is no such file, DataError if it is not a record, is damaged or was written
/// by a newer giga.
[[nodiscard]] RunRecord read_run(const std::filesystem::path& path);
/// The same of the text of a file; `path` is for messages.
[[nodiscard]] RunRecord parse_run(std::string_view text, const std::filesystem::path& path);
/// The command, the names of the parameters and what ratios() needs, for callers that need no more.
[[nodiscard]] RunRecord read_run_head(const std::filesystem::path& path);

}  // namespace giga
