// Columns of a term. With parts 1, 2, ... of m_1, m_2, ... columns, column c_1 + m_1 (c_2 + m_2 (c_3 + ...))
// is the product of column c_1 of part 1, c_2 of part 2, ...
//
// Of a category a row has at most one column that is not 0. So a row is written in two strokes: 0 to all
// columns, then the products of the numbers, M of them, to the places that the levels choose. A category of L
// levels costs L writes, whatever it is multiplied with costs M more.
#include "design/formula_term.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "giga/base/text.hpp"

namespace giga {

// Room for one run: slots of the program, columns of each part, products, places. On the stack unless the
// term is large.
class FormulaTerm::Scratch {
 public:
  explicit Scratch(const FormulaTerm& term) {
    Index deepest = 0, widest = 1, products = 1;
    for (const TermPart& part : term.parts_) deepest = std::max(deepest, part.value->program.num_slots());
    for (const TermPart& part : term.numbers_) {
      widest = std::max(widest, part.num_columns());
      products *= part.num_columns();
    }
    const Index needed = (deepest + widest + 2 * products) * kProgramRows;
    double* room = own_.data();
    if (needed > std::ssize(own_)) {
      heap_.resize(at(needed));
      room = heap_.data();
    }
    slots = room;
    columns = slots + deepest * kProgramRows;
    product = columns + widest * kProgramRows;
    other = product + products * kProgramRows;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  double *slots, *columns, *product, *other;
  std::array<Index, kProgramRows> place{};

 private:
  std::array<double, 16 * kProgramRows> own_;
  std::vector<double> heap_;
};

namespace {

// Places in the row: of the level, or these.
constexpr Index kBase = -1, kUnknownLevel = -2;

double standardised(double r, const ColumnTarget& target, Index c) {
  return (r - target.mean[c]) * target.inverse_scale[c];
}

// The same value in all columns of a row, standardised.
void fill_row(double value, Index columns, const ColumnTarget& target, double* z) {
  const double* const mean = target.mean;
  const double* const inverse = target.inverse_scale;
  if (target.column_stride == 1) {
    for (Index c = 0; c < columns; ++c) z[c] = (value - mean[c]) * inverse[c];
  } else {
    for (Index c = 0; c < columns; ++c) z[c * target.column_stride] = (value - mean[c]) * inverse[c];
  }
}

// 0 in all columns of all rows: in the order in which they lie in memory. All rows are alike, so those after
// the first are copies of it.
void fill_zeros(Index count, Index columns, const ColumnTarget& target) {
  if (target.column_stride == 1) {
    fill_row(0, columns, target, target.z);
    for (Index i = 1; i < count; ++i) std::copy_n(target.z, columns, target.z + i * target.row_stride);
    return;
  }
  for (Index c = 0; c < columns; ++c) {
    const double zero = standardised(0, target, c);
    double* const z = target.z + c * target.column_stride;
    for (Index i = 0; i < count; ++i) z[i * target.row_stride] = zero;
  }
}

}  // namespace

FormulaTerm::FormulaTerm(std::vector<TermPart> parts) : parts_(std::move(parts)) {
  places_ = {0};
  for (const TermPart& part : parts_) {
    if (part.is_category) {
      categories_.push_back(part);
      category_strides_.push_back(num_columns_);
    } else {
      // Earlier numbers change faster.
      std::vector<Index> places;
      for (Index c = 0; c < part.num_columns(); ++c)
        for (const Index place : places_) places.push_back(place + c * num_columns_);
      places_ = std::move(places);
      numbers_.push_back(part);
    }
    num_columns_ *= part.num_columns();
  }
}

Index FormulaTerm::plain_feature() const {
  const bool number = parts_.size() == 1 && !parts_[0].is_category && parts_[0].basis == nullptr;
  return number ? parts_[0].value->program.plain_feature() : -1;
}

std::string FormulaTerm::column_name(Index c) const {
  std::string name;
  for (const TermPart& part : parts_) {
    if (!name.empty()) name += ':';
    name += part.names[at(c % part.num_columns())];
    c /= part.num_columns();
  }
  return name;
}

std::string FormulaTerm::label(Index /*c*/) const {
  std::string label;
  for (const TermPart& part : parts_) label += (label.empty() ? "" : ":") + part.label;
  return label;
}

void FormulaTerm::write(const double* const* x, Index count, const ColumnTarget& target) const {
  Scratch scratch(*this);
  for (Index begin = 0; begin < count; begin += kProgramRows) {
    ColumnTarget some = target;
    some.z += begin * target.row_stride;
    write_some(x + begin, std::min(kProgramRows, count - begin), some, scratch);
  }
}

void FormulaTerm::write_some(const double* const* x, Index count, const ColumnTarget& target,
                             Scratch& scratch) const {
  // product[i * width + m]: the products of the numbers so far.
  Index width = 1;
  for (std::size_t p = 0; p < numbers_.size(); ++p) {
    const TermPart& part = numbers_[p];
    part.value->program.run({x}, count, scratch.slots);
    const Index columns = part.num_columns();
    double* const own = p == 0 ? scratch.product : scratch.columns;
    if (part.basis != nullptr)
      part.basis->evaluate(scratch.slots, count, own);
    else
      std::copy_n(scratch.slots, count, own);
    if (p > 0) {
      for (Index i = 0; i < count; ++i)
        for (Index c = 0; c < columns; ++c)
          for (Index m = 0; m < width; ++m)
            scratch.other[(i * columns + c) * width + m] =
                scratch.product[i * width + m] * own[i * columns + c];
      std::swap(scratch.product, scratch.other);
    }
    width *= columns;
  }
  if (categories_.empty()) {
    for (Index i = 0; i < count; ++i) {
      double* const z = target.z + i * target.row_stride;
      const double* const r = scratch.product + i * width;
      for (Index m = 0; m < width; ++m) z[m * target.column_stride] = standardised(r[m], target, m);
    }
    return;
  }
  std::fill_n(scratch.place.begin(), count, 0);
  for (std::size_t p = 0; p < categories_.size(); ++p) {
    const TermPart& part = categories_[p];
    part.value->program.run({x}, count, scratch.slots);
    for (Index i = 0; i < count; ++i) {
      Index& place = scratch.place[at(i)];
      const double level = scratch.slots[i];
      if (!(level >= 0)) place = kUnknownLevel;
      const Index c = place == kUnknownLevel ? 0 : static_cast<Index>(level) - part.base;
      if (place >= 0) place = c < 0 ? kBase : place + c * category_strides_[p];
    }
  }
  fill_zeros(count, num_columns_, target);
  for (Index i = 0; i < count; ++i) {
    const Index place = scratch.place[at(i)];
    double* const z = target.z + i * target.row_stride;
    if (place == kUnknownLevel) fill_row(std::numeric_limits<double>::quiet_NaN(), num_columns_, target, z);
    if (place < 0) continue;
    if (numbers_.empty()) {
      z[place * target.column_stride] = standardised(1, target, place);
      continue;
    }
    for (Index m = 0; m < width; ++m) {
      const Index c = place + places_[at(m)];
      z[c * target.column_stride] = standardised(scratch.product[i * width + m], target, c);
    }
  }
}

FormulaTerm::Fault FormulaTerm::find_fault(const DesignState& state, const VariableSources& sources,
                                           const Dataset& data, Index first, Index count) const {
  std::vector<double> values(at(count)), product(at(count), 1);
  Fault fault;
  for (const TermPart& part : parts_) {
    if (!part.value->program.may_fail() && numbers_.size() < 2) continue;
    part.value->evaluate(data, first, count, values.data());
    const Index n = first_unusable(data, first, count, values.data());
    if (n >= 0 && (fault.row < 0 || n < fault.row))
      fault = {n, unusable(*part.value, values[at(n - first)], state, sources, data, n)};
    if (!part.is_category && part.basis == nullptr)
      for (Index i = 0; i < count; ++i) product[at(i)] *= values[at(i)];
  }
  const Index n = numbers_.size() < 2 ? -1 : first_unusable(data, first, count, product.data());
  if (n >= 0 && (fault.row < 0 || n < fault.row))
    fault = {n, data.name() + ", " + data.place(n) + ": the product " + column_name(0) + " is " +
                    value_text(product[at(n - first)])};
  return fault;
}

}  // namespace giga
