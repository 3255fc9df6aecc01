// The work of `giga fit`: from a table to a coreset, draws, a certificate and a report.
#pragma once

#include "fit_report.hpp"
#include "fit_state.hpp"
#include "support/console.hpp"

namespace giga::tool {

/// What a fit leaves: names and contents of its files, the record last, and what is said of it.
struct FitFiles {
  std::vector<std::pair<std::string, std::string>> files;
  std::string record, summary;
  bool safe = false;
};

/// Saves what it has after every stage to `partial`, and begins with what is there; null: neither.
/// `request.build.size` is resolved on the way. `input` is where the data are read from.
[[nodiscard]] FitFiles run_fit(FitRequest& request, const std::filesystem::path& input, PartialRun* partial,
                               const Notes& note);

}  // namespace giga::tool
