// A term of a formula: the product of its variables, each with one or more columns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "design/basis.hpp"
#include "design/row_value.hpp"
#include "giga/design/term.hpp"

namespace giga {

/// A variable as it is coded in one term.
struct TermPart {
  std::shared_ptr<const RowValue> value;
  std::shared_ptr<const Basis> basis;  // of poly, ns, bs; none otherwise
  std::vector<std::string> names;      // one per column
  std::string label;                   // of all of them: "carrier", "ns(x, 3)"
  bool is_category = false;
  Index base = 0;  // levels without a column at the beginning: 1 with a base level, else 0

  [[nodiscard]] Index num_columns() const { return std::ssize(names); }
};

/// Columns are products of one column of each part, those of the first part changing fastest; names are
/// joined by ':'.
class FormulaTerm final : public Term {
 public:
  explicit FormulaTerm(std::vector<TermPart> parts);

  [[nodiscard]] Index num_columns() const override { return num_columns_; }
  [[nodiscard]] std::string column_name(Index c) const override;
  [[nodiscard]] std::string label(Index c) const override;
  void write(const double* const* x, Index count, const ColumnTarget& target) const override;

  /// The feature that the term is as it is; -1 if it is anything else.
  [[nodiscard]] Index plain_feature() const;
  /// Whether variable p of the term is a category with a base level.
  [[nodiscard]] bool has_base(Index p) const { return parts_[at(p)].base > 0; }

  /// The lowest row of weight above 0 in a block with a value that is not finite, and which value it is.
  struct Fault {
    Index row = -1;
    std::string words;
  };
  [[nodiscard]] Fault find_fault(const DesignState& state, const VariableSources& sources,
                                 const Dataset& data, Index first, Index count) const;

 private:
  class Scratch;
  void write_some(const double* const* x, Index count, const ColumnTarget& target, Scratch& scratch) const;

  std::vector<TermPart> categories_, numbers_;
  std::vector<Index> category_strides_;  // how far apart columns of neighbouring levels are
  std::vector<Index> places_;            // of the products of numbers, for levels that come first
  std::vector<TermPart> parts_;          // all of them in order, for names
  Index num_columns_ = 1;
};

}  // namespace giga
