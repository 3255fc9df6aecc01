// The options that speak of projections and of construction, which several verbs have.
#pragma once

#include <string>

#include "giga/base/row_count.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

/// What the help says of options whose defaults differ from verb to verb.
struct CoresetHelp {
  ProjectionKind projection;  ///< The default,
  Norm norm;                  ///< as this is.
  const char *projection_dim, *size, *tolerance;
};

/// The group is a heading of the help.
void add_projection_options(Arguments& arguments, const std::string& group, const CoresetHelp& help);
void add_construction_options(Arguments& arguments, const CoresetHelp& help);
/// --seed and --threads.
void add_run_options(Arguments& arguments, const std::string& group);

/// What is given of those replaces what is there; a size that is not given is 0. Throws UsageError for
/// whatever cannot be.
void set_projection(const Arguments& arguments, CoresetOptions& coreset);
void set_construction(const Arguments& arguments, CoresetOptions& coreset);

/// auto, all, or a number of rows.
[[nodiscard]] RowCount row_count_of(const Arguments& arguments, const std::string& name);
/// --check-rows.
void add_check_rows_option(Arguments& arguments, const std::string& group);

[[nodiscard]] int threads_of(const Arguments& arguments);

}  // namespace giga::tool
