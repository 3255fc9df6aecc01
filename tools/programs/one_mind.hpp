// Whether ranks were started alike.
#pragma once

#include "giga/dist/ranks.hpp"

namespace giga::tool {

/// Throws UsageError on all ranks unless they run the same program with the same arguments and see the same
/// files under the names among these; it says which rank differs from rank 0, and in what.
void require_one_mind(Ranks& ranks, int argc, char** argv);

}  // namespace giga::tool
