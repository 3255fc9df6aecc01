// From the group terms of a formula to group effects.
#pragma once

#include <vector>

#include "design/formula_term.hpp"
#include "design/row_value.hpp"
#include "giga/design/design_state.hpp"
#include "giga/design/formula.hpp"
#include "giga/design/group_effect.hpp"

namespace giga {

/// What must be learnt from the data before a group term can be made: the numbers, and the groups with the
/// factor() that numbers, days and moments become. Throws FormulaError for terms that group effects cannot
/// have: products, splines, `.`.
[[nodiscard]] std::vector<ExpressionPointer> group_values(const GroupTerm& group,
                                                          const CompileContext& context);

/// Those of all group terms, in their order. Throws FormulaError for a category as a slope and for an effect
/// that is there twice, DataError for groups with fewer than two levels and for more than
/// kMostGroupCoefficients in all.
[[nodiscard]] GroupEffects group_effects(const Formula& formula, const DesignState& state,
                                         const VariableSources& sources);

/// As FormulaTerm::find_fault: the lowest row in which a slope is not finite or, unless they may be new, a
/// group was not learnt.
[[nodiscard]] FormulaTerm::Fault find_group_fault(const GroupEffect& effect, const DesignState& state,
                                                  const VariableSources& sources, const Dataset& data,
                                                  Index first, Index count, bool new_groups);

}  // namespace giga
