// The columns of a group effect: of a row in group j all are 0, except that of j, which is x_n.
#include "giga/design/group_effect.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "design/formula_term.hpp"
#include "design/row_value.hpp"

namespace giga {
namespace {

// Runs a value for some rows, kProgramRows at a time: each(i, value of row i).
template <typename Each>
void for_values(const RowValue& value, const double* const* x, Index count, const Each& each) {
  std::vector<double> slots(at(value.program.num_slots() * kProgramRows));
  for (Index begin = 0; begin < count; begin += kProgramRows) {
    const Index some = std::min(kProgramRows, count - begin);
    value.program.run({x + begin}, some, slots.data());
    for (Index i = 0; i < some; ++i) each(begin + i, slots[at(i)]);
  }
}

}  // namespace

GroupEffect::GroupEffect(Groups groups, std::string slope_name, std::shared_ptr<const RowValue> slope)
    : groups_(std::move(groups)), slope_name_(std::move(slope_name)), slope_(std::move(slope)) {}

const std::vector<std::string>& GroupEffect::levels() const {
  return groups_.place->levels;
}

Index GroupEffect::num_columns() const {
  return 1 + std::ssize(levels());
}

std::string GroupEffect::name_with(const std::string& level) const {
  return "b[" + slope_name_ + " " + groups_.name + ":" + level + "]";
}

std::string GroupEffect::column_name(Index c) const {
  if (c > 0) return name_with(levels()[at(c - 1)]);
  return "sd[" + slope_name_ + " " + groups_.name + "]";
}

std::string GroupEffect::label(Index c) const {
  return c == 0 ? kGroupSds : "b[" + slope_name_ + " " + groups_.name + "]";
}

std::shared_ptr<const Term> GroupEffect::slope() const {
  if (slope_ == nullptr) return nullptr;
  return std::make_shared<const FormulaTerm>(
      std::vector<TermPart>{{slope_, nullptr, {slope_name_}, slope_name_}});
}

void GroupEffect::read(const double* const* x, Index count, Index* place, double* times) const {
  for_values(*groups_.place, x, count,
             [place](Index i, double level) { place[i] = level >= 0 ? static_cast<Index>(level) : -1; });
  if (slope_ == nullptr) {
    std::fill_n(times, count, 1.0);
  } else {
    for_values(*slope_, x, count, [times](Index i, double value) { times[i] = value; });
  }
}

void GroupEffect::write(const double* const* x, Index count, const ColumnTarget& target) const {
  std::array<Index, kProgramRows> place;
  std::array<double, kProgramRows> times;
  const Index columns = num_columns();
  for (Index begin = 0; begin < count; begin += kProgramRows) {
    const Index some = std::min(kProgramRows, count - begin);
    read(x + begin, some, place.data(), times.data());
    for (Index i = 0; i < some; ++i) {
      double* const z = target.z + (begin + i) * target.row_stride;
      for (Index c = 0; c < columns; ++c) z[c * target.column_stride] = 0;
      if (place[at(i)] >= 0) z[(1 + place[at(i)]) * target.column_stride] = times[at(i)];
    }
  }
}

std::string GroupEffect::coefficient_name(const double* x) const {
  std::string level;
  for_values(*groups_.key, &x, 1, [&](Index /*i*/, double value) {
    const auto& known = groups_.key->levels;
    const bool named = groups_.key->is_category() && value >= 0 && value < static_cast<double>(known.size());
    level = named ? known[static_cast<std::size_t>(value)] : deparse(value);
  });
  return name_with(level);
}

}  // namespace giga
