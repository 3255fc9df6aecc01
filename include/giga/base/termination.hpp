// Why a build ended. In every case the result holds the best coreset found so far, with its error.
#pragma once

#include "giga/base/names.hpp"

namespace giga {

enum class Termination {
  SizeReached,   ///< The coreset has the size asked for, or the steps allowed for it are spent.
  ToleranceMet,  ///< relative error <= tolerance.
  Plateau,       ///< The relative error is as small as GreedyOptions::enough; the held-out error no longer
                 ///< follows it.
  NumericLimit,  ///< relative error <= 1e-14, or the next step no longer lowers an error near rounding.
  NoProgress,    ///< No row lowers the error any further, and it is not near rounding.
  ZeroTarget,    ///< |L| <= 8 eps sigma: the vectors sum to zero up to rounding. The coreset is empty.
  Stopped,       ///< The observer or the executor asked to stop.
};

/// The names of run records, and how reports end the sentence about the build.
constexpr auto name_table(Termination) {
  using enum Termination;
  return names_are<Termination>(
      {{SizeReached, "size_reached", "it ended with the size asked for"},
       {ToleranceMet, "tolerance_met", "it ended when the error was as small as asked for"},
       {Plateau, "plateau", "it ended when the held-out error no longer followed the error"},
       {NumericLimit, "numeric_limit", "it ended where rounding hides any further progress"},
       {NoProgress, "no_progress", "it ended because no row lowered the error any further"},
       {ZeroTarget, "zero_target", "the vectors of all rows sum to zero, so there is nothing to match"},
       {Stopped, "stopped", "it was stopped"}});
}

}  // namespace giga
