// The options that speak of projections and of construction, which several verbs have.
#pragma once

#include <string>

#include "giga/base/row_count.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

/// What the help says of options that mean more to one verb than to another.
struct CoresetHelp {
  const char *size, *tolerance;
};

/// The group is a heading of the help. Defaults are those of fit_coreset_options(), for every verb.
void add_projection_options(Arguments& arguments, const std::string& group);
void add_construction_options(Arguments& arguments, const CoresetHelp& help);
/// --seed, and those of resources.hpp.
void add_run_options(Arguments& arguments, const std::string& group);

/// What is given of those replaces what is there; a size that is not given is 0, and one that is given, or a
/// method that draws its rows, leaves no tolerance unless that is given too. Throws UsageError for whatever
/// cannot be.
void set_projection(const Arguments& arguments, CoresetOptions& coreset);
void set_construction(const Arguments& arguments, CoresetOptions& coreset);

/// auto, all, or a number of rows.
[[nodiscard]] RowCount row_count_of(const Arguments& arguments, const std::string& name);
/// --check-rows.
void add_check_rows_option(Arguments& arguments, const std::string& group);

}  // namespace giga::tool
