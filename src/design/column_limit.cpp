// The refusal names the term to look at first.
#include "design/column_limit.hpp"

#include <algorithm>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {

void require_few_columns(const std::string& what, std::span<const CodedTerm> terms) {
  Index columns = 0;
  for (const CodedTerm& term : terms)
    if (term.columns > 1) columns += term.columns;
  if (columns <= kMostColumns) return;
  const CodedTerm& most = *std::ranges::max_element(terms, {}, &CodedTerm::columns);
  throw DataError(what + ": categories and other terms make " + grouped(columns) + " columns, at most " +
                  grouped(kMostColumns) + " can be fitted; " + printable(most.label) + " makes " +
                  grouped(most.columns) + " of them: leave it out, or join levels of its categories");
}

}  // namespace giga
