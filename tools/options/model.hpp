// The options that speak of a table and of a model, which several verbs have.
#pragma once

#include <optional>
#include <string>

#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/record/coreset_file.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

/// The group is a heading of the help.
void add_table_options(Arguments& arguments, const std::string& group);
/// Those of them that speak of the file alone: --missing, --sql, --delimiter, --no-header.
void add_file_options(Arguments& arguments, const std::string& group);
void add_model_options(Arguments& arguments, const std::string& group);

/// The help of a setting: "Standard deviation of the noise, 1e-6 to 1e6 (default 1)"; `whose` is "the" there.
[[nodiscard]] std::string setting_help(const FamilySetting& setting, std::string_view whose,
                                       bool learnt = false);

/// The input that files of one table, given one by one, are. Words that can be no files are refused.
[[nodiscard]] std::string joined_data(const std::vector<std::string>& words);

/// The input, and the formula that may follow it, or stand alone, which becomes the value of --formula.
/// Throws UsageError for other words.
[[nodiscard]] std::optional<std::string> take_data_and_formula(Arguments& arguments);

/// These throw UsageError for whatever cannot be; a model needs --family.
[[nodiscard]] std::optional<char> delimiter_of(const Arguments& arguments);
[[nodiscard]] ReadOptions read_options(const Arguments& arguments);
[[nodiscard]] ModelOptions model_options(const Arguments& arguments);

/// Throws UsageError, naming both, if an option was given that contradicts the companion of a coreset.
void require_agreement(const Arguments& arguments, const CoresetFile& companion);
/// The same of options that speak of the data which the coreset was built from. --delimiter and --no-header
/// speak of a file, and that may be another one.
void require_reading_agreement(const Arguments& arguments, const CoresetFile& companion);

}  // namespace giga::tool
