// The one place where the memory of arrays is taken for cells: types, lengths and strides are checked here.
#include "memory.hpp"

#include <array>

#include "arrow.hpp"
#include "giga/base/text.hpp"

namespace giga::python {
namespace {

namespace py = pybind11;

struct NumberType {
  char kind;
  Index size;
  MemoryType type;
};

constexpr std::array<NumberType, 11> kNumbers{{{'f', 8, MemoryType::Float64},
                                               {'f', 4, MemoryType::Float32},
                                               {'i', 1, MemoryType::Int8},
                                               {'i', 2, MemoryType::Int16},
                                               {'i', 4, MemoryType::Int32},
                                               {'i', 8, MemoryType::Int64},
                                               {'u', 1, MemoryType::UInt8},
                                               {'u', 2, MemoryType::UInt16},
                                               {'u', 4, MemoryType::UInt32},
                                               {'u', 8, MemoryType::UInt64},
                                               {'b', 1, MemoryType::UInt8}}};

MemoryType number_type(const py::array& values, const std::string& name) {
  const py::dtype dtype = values.dtype();
  const bool native = dtype.attr("isnative").cast<bool>();
  for (const NumberType& each : kNumbers)
    if (native && dtype.kind() == each.kind && dtype.itemsize() == each.size) return each.type;
  throw py::type_error("column '" + printable(name) + "' has the dtype " +
                       py::str(py::handle(dtype)).cast<std::string>() + ", which is not a number");
}

void require(const py::array& values, char kind, Index size, const char* what) {
  if (values.dtype().kind() == kind && values.dtype().itemsize() == size) return;
  throw py::type_error(std::string(what) + " have another dtype");
}

MemoryPiece piece_of(const py::array& values, Index num_rows, const std::string& name) {
  if (values.ndim() != 1 || values.shape(0) != num_rows)
    throw py::value_error("column '" + printable(name) + "' must have " + std::to_string(num_rows) +
                          " cells in one dimension");
  return {.count = num_rows,
          .data = static_cast<const std::byte*>(values.data()),
          .stride = static_cast<Index>(values.strides(0))};
}

}  // namespace

Memory::Memory(std::string name, Index num_rows) : Memory(std::make_shared<MemoryTable>()) {
  if (num_rows < 0) throw py::value_error("the number of rows is negative");
  table_->name = std::move(name);
  table_->num_rows = num_rows;
}

Memory Memory::from_arrow(const py::capsule& stream, const std::string& name) {
  auto* raw = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(stream.ptr(), "arrow_array_stream"));
  if (raw == nullptr) throw py::error_already_set();
  if (raw->release == nullptr) throw py::value_error("the Arrow stream has been used up");
  ArrowTable read = read_arrow(*raw, name);
  Memory out(std::make_shared<MemoryTable>(std::move(read.table)));
  out.arrow_ = std::move(read.owner);
  return out;
}

std::vector<std::string> Memory::names() const {
  std::vector<std::string> names;
  for (const MemoryColumn& column : table_->columns) names.push_back(column.name);
  return names;
}

MemoryColumn& Memory::add(const std::string& name, const py::array& values, const py::object& mask,
                          MemoryType type) {
  MemoryPiece piece = piece_of(values, table_->num_rows, name);
  if (!mask.is_none()) {
    const auto bytes = mask.cast<py::array>();
    const bool fits = bytes.ndim() == 1 && bytes.shape(0) == table_->num_rows && bytes.itemsize() == 1 &&
                      (bytes.shape(0) < 2 || bytes.strides(0) == 1);
    if (!fits) throw py::value_error("the mask of column '" + printable(name) + "' has another form");
    piece.missing = static_cast<const std::uint8_t*>(bytes.data());
    kept_.push_back(mask);
  }
  kept_.push_back(values);
  return table_->columns.emplace_back(MemoryColumn{.name = name, .type = type, .pieces = {std::move(piece)}});
}

void Memory::add_numbers(const std::string& name, const py::array& values, const py::object& mask) {
  add(name, values, mask, number_type(values, name));
}

void Memory::add_matrix(const std::vector<std::string>& names, const py::array& values) {
  if (values.ndim() != 2 || values.shape(0) != table_->num_rows ||
      values.shape(1) != static_cast<py::ssize_t>(names.size()))
    throw py::value_error("the matrix has another shape");
  const MemoryType type = number_type(values, "matrix");
  kept_.push_back(values);
  const auto* data = static_cast<const std::byte*>(values.data());
  for (std::size_t j = 0; j < names.size(); ++j) {
    MemoryPiece piece{.count = table_->num_rows,
                      .data = data + static_cast<Index>(j) * values.strides(1),
                      .stride = static_cast<Index>(values.strides(0))};
    table_->columns.push_back({.name = names[j], .type = type, .pieces = {std::move(piece)}});
  }
}

void Memory::add_codes(const std::string& name, const py::array& codes, std::vector<std::string> levels) {
  require(codes, 'i', 4, "codes");
  add(name, codes, py::none(), MemoryType::Code).pieces.front().levels =
      std::make_shared<const std::vector<std::string>>(std::move(levels));
}

void Memory::add_days(const std::string& name, const py::array& days, const py::object& mask) {
  require(days, 'i', 4, "days");
  add(name, days, mask, MemoryType::Day);
}

void Memory::add_moments(const std::string& name, const py::array& ticks, std::int64_t per_day,
                         const py::object& mask) {
  require(ticks, 'i', 8, "moments");
  add(name, ticks, mask, MemoryType::Moment).per_day = per_day;
}

}  // namespace giga::python
