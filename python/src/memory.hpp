// Arrays of Python as a table in memory.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "giga/data/memory_table.hpp"

namespace giga::python {

/// A table whose cells are in arrays that it keeps alive. Columns are added by python/giga/_data.py, which
/// has seen to it that arrays are of native byte order; a mask has a byte for each row, not 0 where a cell is
/// missing, or is None.
class Memory {
 public:
  Memory(std::string name, Index num_rows);
  /// From a capsule of the Arrow C stream interface, which is used up.
  static Memory from_arrow(const pybind11::capsule& stream, const std::string& name);

  void add_numbers(const std::string& name, const pybind11::array& values, const pybind11::object& mask);
  /// The columns of a matrix.
  void add_matrix(const std::vector<std::string>& names, const pybind11::array& values);
  void add_codes(const std::string& name, const pybind11::array& codes, std::vector<std::string> levels);
  void add_days(const std::string& name, const pybind11::array& days, const pybind11::object& mask);
  void add_moments(const std::string& name, const pybind11::array& ticks, std::int64_t per_day,
                   const pybind11::object& mask);

  [[nodiscard]] const std::shared_ptr<const MemoryTable>& table() const { return shared_; }
  [[nodiscard]] const std::string& name() const { return shared_->name; }
  [[nodiscard]] Index num_rows() const { return shared_->num_rows; }
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  explicit Memory(std::shared_ptr<MemoryTable> table) : table_(std::move(table)), shared_(table_) {}
  MemoryColumn& add(const std::string& name, const pybind11::array& values, const pybind11::object& mask,
                    MemoryType type);

  std::shared_ptr<MemoryTable> table_;
  std::shared_ptr<const MemoryTable> shared_;
  std::vector<pybind11::object> kept_;
  std::shared_ptr<void> arrow_;
};

}  // namespace giga::python
