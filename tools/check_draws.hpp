// The draws that `giga check` certifies: those in a folder of `giga sample`, or made for it.
#pragma once

#include <string>
#include <vector>

#include "check_request.hpp"
#include "giga/infer/chain.hpp"
#include "giga/design/both_scales.hpp"
#include "support/console.hpp"

namespace giga::tool {

struct DrawsToCheck {
  std::vector<Chain> chains;       ///< the parameters of the model, as they were sampled; of one length
  bool known = false;              ///< a record says that they are of this coreset
  Index num_cut = 0;               ///< draws left out so that all chains are of one length
  std::vector<std::string> notes;  ///< what was said of them
};

/// Throws InputMissing if the folder has none, DataError if they are of another model, another coreset or of
/// all the data.
[[nodiscard]] DrawsToCheck draws_of_folder(const CheckRequest& request, const BothScales& scales);

[[nodiscard]] DrawsToCheck draws_made(const CheckRequest& request, const Notes& note);

}  // namespace giga::tool
