// Why a build ended. In every case the result holds the best coreset found so far, with its error.
#pragma once

#include <string_view>

namespace giga {

enum class Termination {
  SizeReached,   ///< The coreset has the size asked for, or the steps allowed for it are spent.
  ToleranceMet,  ///< relative error <= tolerance.
  NumericLimit,  ///< relative error <= 1e-14, or the next step no longer lowers an error near rounding.
  NoProgress,    ///< No row lowers the error any further, and it is not near rounding.
  ZeroTarget,    ///< |L| <= 8 eps sigma: the vectors sum to zero but for rounding. The coreset is empty.
  Stopped,       ///< The observer or the executor asked to stop.
};

/// The name used in run records: "size_reached", "tolerance_met", ...
[[nodiscard]] constexpr std::string_view name(Termination termination) {
  switch (termination) {
    case Termination::SizeReached: return "size_reached";
    case Termination::ToleranceMet: return "tolerance_met";
    case Termination::NumericLimit: return "numeric_limit";
    case Termination::NoProgress: return "no_progress";
    case Termination::ZeroTarget: return "zero_target";
    case Termination::Stopped: return "stopped";
  }
  return "unknown";
}

}  // namespace giga
