// What is to be learnt from which rows: a likelihood, a prior, names, and the way back to the user's
// rows and scale. Every job of the pipeline takes one, whether it was made from a table or from a model
// of the user's own.
//
//   const Problem table(data, {.family = {Family::BernoulliLogit}}, threads);
//   const Problem own(likelihood_of(model), Normal::isotropic(5, 2), {.name = "survival"});
//
// There are three numberings of rows: rows of the likelihood, in which equal rows are one; rows of the
// data; rows of the input, which differ from rows of the data where some were dropped. data_row() and
// input_row() translate.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/design/both_scales.hpp"
#include "giga/design/design.hpp"
#include "giga/design/design_state.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/prior.hpp"
#include "giga/model/regression.hpp"
#include "giga/pipeline/prior_options.hpp"

namespace giga {

/// The model of a table.
struct ModelOptions {
  FamilyParameters family;
  double prior_scale = 1;   ///< theta ~ N(0, prior_scale^2 I), where `priors` say nothing else; > 0
  bool intercept = true;    ///< It has the same prior as the coefficients, unless `priors` say otherwise.
  bool standardise = true;  ///< Features to mean 0 and standard deviation 1 over all rows.
  PriorOptions priors = {};
  /// The label that counts as 1; default: 1, and of words the second in the order of their bytes. Families
  /// with labels only.
  std::optional<std::string> success = {};
  /// In R's language: "late ~ hour + carrier". Without one every feature is a term. The table is to be read
  /// with read_table, which says what the formula makes of the data in `design` and `intercept`.
  std::optional<std::string> formula = {};
  std::optional<DesignState> design = {};
};

/// "bernoulli with logit link, prior N(0, 1^2), features standardised"
[[nodiscard]] std::string description(const ModelOptions& options);

/// The parameters of the model of a table whose design has these raw columns: coefficients, intercept and the
/// extra parameters of the family.
[[nodiscard]] BothScales parameter_scales(const std::vector<std::string>& columns, Standardisation scale,
                                          const ModelOptions& options);

/// What a model of the user's own says of itself besides its likelihood.
struct ModelWords {
  std::string name = "the data";                     ///< Of the data, for titles and messages.
  std::string description = "a model of one's own";  ///< Of the model, for reports.
  std::vector<std::string> parameters = {};          ///< Their names; default: those of the likelihood.
};

class Problem {
 public:
  /// What a problem that was made from a table has in addition.
  struct Table {
    const Dataset* data;
    ModelOptions options;  ///< With the priors found.
    DistinctRows distinct;
    std::shared_ptr<const Design> design;
    RowTerms terms = {};  ///< By rows of the data, where they are not those of the likelihood.
  };

  /// `data` must outlive this object. `terms` have entries for the rows of the data; what they are made of
  /// must be among its features, since equal rows are one; with a formula they are made here. Throws
  /// DataError if the response does not fit the family, OptionError for a prior of something that is not
  /// there, ResourceError if the second derivatives of so many parameters exceed the memory.
  Problem(const Dataset& data, const ModelOptions& options, const Executor& executor, RowTerms terms = {});
  /// The same with a scale that is known already, as that of all the data is to a coreset.
  Problem(const Dataset& data, const ModelOptions& options, Standardisation scale, const Executor& executor,
          RowTerms terms = {});
  /// Any likelihood. Throws std::invalid_argument unless prior and names are of its parameters.
  Problem(std::unique_ptr<const Likelihood> likelihood, Prior prior, ModelWords words = {});

  [[nodiscard]] const Likelihood& likelihood() const { return *likelihood_; }
  [[nodiscard]] const Prior& prior() const { return prior_; }
  /// Names of the parameters, and their values on the user's scale.
  [[nodiscard]] const BothScales& scales() const { return *scales_; }
  /// Of the data, for messages; and the model in words.
  [[nodiscard]] const std::string& name() const { return words_.name; }
  [[nodiscard]] const std::string& description() const { return words_.description; }
  /// What the user should know: how labels were mapped, what categories became, columns that are constant,
  /// rows that repeat.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// N, repeats included.
  [[nodiscard]] Index num_data_rows() const;
  /// The row of the data that row n of the likelihood is; the first of equal ones.
  [[nodiscard]] Index data_row(Index n) const;
  /// The row of the input that a row of the data was.
  [[nodiscard]] Index input_row(Index data_row) const;
  /// How the user would find row n of the likelihood.
  [[nodiscard]] std::string place(Index n) const;

  /// Null for a model of the user's own.
  [[nodiscard]] const Table* table() const { return table_ ? &*table_ : nullptr; }

 private:
  Problem(const Dataset& data, const ModelOptions& options, DistinctRows distinct,
          std::optional<Standardisation> known, const Executor& executor, RowTerms terms);

  std::optional<Table> table_;
  std::unique_ptr<const Likelihood> likelihood_;
  Prior prior_;
  std::optional<BothScales> scales_;
  ModelWords words_;
  std::vector<std::string> notes_;
};

}  // namespace giga
