// Bytes to Python and back. Their memory is lent for the time of a call.
#include "ranks.hpp"

#include <string>

#include "giga/base/error.hpp"

namespace giga::python {
namespace {

namespace py = pybind11;

template <typename Call>
void with_gil(const Call& call) {
  const py::gil_scoped_acquire held;
  try {
    call();
  } catch (const py::error_already_set& error) {
    throw IoError(std::string("the communicator failed: ") + error.what());
  }
}

py::memoryview view_of(std::span<std::byte> bytes) {
  return py::memoryview::from_memory(static_cast<void*>(bytes.data()), std::ssize(bytes));
}

}  // namespace

PythonTransport::PythonTransport(const py::object& operations)
    : operations_(operations),
      rank_(operations.attr("rank").cast<int>()),
      size_(operations.attr("size").cast<int>()),
      fair_threads_(operations.attr("fair_threads").cast<int>()) {}

void PythonTransport::largest(std::span<std::int64_t> values) {
  if (values.empty()) return;
  with_gil([&] { operations_.attr("largest")(view_of(std::as_writable_bytes(values))); });
}

void PythonTransport::unite(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  with_gil([&] { operations_.attr("unite")(view_of(bytes)); });
}

void PythonTransport::broadcast(std::span<std::byte> bytes, int from) {
  if (bytes.empty()) return;
  with_gil([&] { operations_.attr("broadcast")(view_of(bytes), from); });
}

void PythonTransport::send(std::span<const std::byte> bytes, int to) {
  if (bytes.empty()) return;
  with_gil([&] {
    operations_.attr("send")(
        py::memoryview::from_memory(static_cast<const void*>(bytes.data()), std::ssize(bytes)), to);
  });
}

void PythonTransport::receive(std::span<std::byte> bytes, int from) {
  if (bytes.empty()) return;
  with_gil([&] { operations_.attr("receive")(view_of(bytes), from); });
}

}  // namespace giga::python
