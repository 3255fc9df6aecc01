// What a file of this folder gives to the registry: for each of its families
//
//   template <> const FamilyDescription& described<Family::PoissonLog>() { ... }
//
// An enumerator of Family without one does not link.
#pragma once

#include "giga/model/family.hpp"

namespace giga::families {

template <Family kFamily>
[[nodiscard]] const FamilyDescription& described();

}  // namespace giga::families
