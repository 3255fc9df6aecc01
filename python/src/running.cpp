// The thread that waits: it alone touches Python.
#include "running.hpp"

#include <exception>

#include "giga/data/mapped_file.hpp"
#include "keywords.hpp"
#include "results.hpp"

namespace giga::python {
namespace {

namespace py = pybind11;

// How often the thread that waits looks for signals, in ms.
constexpr int kLook = 50;

}  // namespace

void raise(const char* type, const std::string& message) {
  const py::object error = py::module_::import("giga.errors").attr(type);
  PyErr_SetObject(error.ptr(), text(keyword_text(message)).ptr());
}

void run_and_wait(Work& work, const py::object& progress, const std::function<void()>& job,
                  const std::function<void()>& also_stop) {
  outlive_lost_pages();  // again: libraries that were loaded since, MPI's above all, may have taken the
                         // signal
  work.begin(job);
  std::exception_ptr interrupt;
  while (true) {
    bool ended = false;
    {
      const py::gil_scoped_release others_may_run;
      ended = work.wait(kLook);
    }
    if (ended) break;
    if (interrupt) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (progress.is_none()) continue;
      const Progress at = work.progress();
      if (!at.stage.empty()) progress(at.stage, at.done, at.total);
    } catch (...) {
      interrupt = std::current_exception();
      work.stop();
      if (also_stop) also_stop();
    }
  }
  if (!interrupt) return work.finish();
  try {
    work.finish();
  } catch (...) {  // what was interrupted need not say why it ended
  }
  std::rethrow_exception(interrupt);
}

}  // namespace giga::python
