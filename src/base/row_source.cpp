// What a source of rows does where nothing better is known: no memory to give back, rows and columns counted
// from 0 in messages.
#include "giga/base/row_source.hpp"

#include <string>

namespace giga {

void RowSource::passed(Index /*first*/, Index /*count*/) const {}

std::string RowSource::place(Index n, Index j) const {
  return "row " + std::to_string(n) + ", column " + std::to_string(j);
}

}  // namespace giga
