// What came of one run of `giga check`, and the forms it is told in.
#pragma once

#include <string>
#include <vector>

#include "check_request.hpp"
#include "giga/infer/certificate.hpp"

namespace giga::tool {

struct CheckOutcome {
  Certificate certificate;
  std::vector<std::string> names;    ///< of the quantities on the original scale, then of the parameters
  Index num_original = 0;            ///< how many of them are on the original scale
  Index num_chains = 0, length = 0;  ///< of the draws
  bool known = false;                ///< a record says that the draws are of this coreset
  std::vector<std::string> notes;
  double load_s = 0, sample_s = 0, certify_s = 0, total_s = 0;
};

[[nodiscard]] std::string check_facts(const CheckRequest& request, const CheckOutcome& outcome);
[[nodiscard]] std::string check_record(const CheckRequest& request, const CheckOutcome& outcome);

}  // namespace giga::tool
