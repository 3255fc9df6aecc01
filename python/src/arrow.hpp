// Tables through the Arrow C stream interface, which Polars, DuckDB and pyarrow offer without any of them
// being needed here. The two structs are those of the specification, declared anew.
//
//     formats                              read as
//     c C s S i I l L e f g                Number (e, half floats, are widened)
//     b                                    Category: false, true
//     u U vu                               Text; views are copied
//     tdD tdm                              Day (tdm are milliseconds of whole days)
//     ts[smun]:zone                        Moment, in UTC
//     d:precision,scale                    Number, by its digits
//     with a dictionary                    Code
//     n                                    Number, all missing
//     lists, structs, durations, binary    refused, by their names
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "giga/data/memory_table.hpp"

namespace giga::python {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

/// Batches of a stream as one table, which points into them; they are released with `owner`.
struct ArrowTable {
  MemoryTable table;
  std::shared_ptr<void> owner;
};

/// Takes all batches of the stream, and the stream itself, which the caller still releases. Throws DataError
/// for what it cannot read, and for a stream that fails.
[[nodiscard]] ArrowTable read_arrow(ArrowArrayStream& stream, const std::string& name);

}  // namespace giga::python
