// What came of one run of `giga fit`, and the forms it is told in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "build_report.hpp"
#include "fit_request.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/report_data.hpp"
#include "sample_report.hpp"

namespace giga::tool {

struct FitOutcome {
  BuildOutcome build;
  SampleOutcome sample;
  Certificate certificate;
  std::vector<FitRound> rounds;
  std::vector<LaplaceMarginal> laplace;  ///< of the coefficients on the scale of the data
  std::vector<double> responses;         ///< of each row of the coreset
  FullDataCost full_data;
  std::vector<std::string> notes;
  FitSeconds seconds;
  double load_s = 0, report_s = 0, total_s = 0;
};

/// The table of coefficients, then a line for each fact, the verdict among them.
[[nodiscard]] std::string fit_summary(const FitRequest& request, const FitOutcome& outcome);

[[nodiscard]] Json fit_record(const FitRequest& request, const FitOutcome& outcome);

/// "1 point", "1,000 points"
[[nodiscard]] std::string points_text(Index size);

/// Every coefficient on both scales, of the posterior of all rows. Only of a safe certificate.
[[nodiscard]] std::string posterior_csv(const FitOutcome& outcome);

/// chain,draw,weight
[[nodiscard]] std::string weights_csv(const FitOutcome& outcome);

}  // namespace giga::tool
