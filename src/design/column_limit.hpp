// How many columns the coding of categories, splines and interactions may make.
#pragma once

#include <span>
#include <string>

#include "giga/base/types.hpp"

namespace giga {

/// A term, and how many columns it makes. One that makes a single column is not counted: a table may have as
/// many columns of numbers as it likes.
struct CodedTerm {
  std::string label;
  Index columns = 0;
};

/// The Hessian of D columns has D^2 numbers: 800 MB for so many.
inline constexpr Index kMostColumns = 10'000;

/// Throws DataError that names the term with the most columns if the terms make more than kMostColumns.
/// `what` makes them: a file, or the formula.
void require_few_columns(const std::string& what, std::span<const CodedTerm> terms);

}  // namespace giga
