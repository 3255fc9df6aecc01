// How a call runs: its refusals become exceptions of Python, its job runs on a thread of its own while this
// one waits.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "call.hpp"
#include "giga/base/error.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/model/block_model.hpp"
#include "ranks.hpp"
#include "support/exit_codes.hpp"

namespace giga::python {

/// Sets the exception of giga.errors that has this name, with its options as Python spells them.
void raise(const char* type, const std::string& message);

/// Does the work on its thread. Ctrl-C, and what `progress` throws, end it; then that is thrown once it has
/// ended. `also_stop` is called where it is to end and does not look at `work` itself.
void run_and_wait(Work& work, const pybind11::object& progress, const std::function<void()>& job,
                  const std::function<void()>& also_stop = {});

/// The one place where exceptions of the library become those of Python; the order is that of exit_codes.cpp.
template <typename Call>
auto translated(const Call& call) {
  try {
    return call();
  } catch (const pybind11::error_already_set&) {
    throw;
  } catch (const pybind11::builtin_exception&) {
    throw;
  } catch (const Stopped&) {
    PyErr_SetString(PyExc_KeyboardInterrupt, "stopped");
  } catch (const OptionError& error) {
    raise("OptionError", error.what());
  } catch (const ModelError& error) {
    raise("ModelError", error.what());
  } catch (const DataError& error) {
    raise("DataError", error.what());
  } catch (const InputMissing& error) {
    raise("InputMissing", error.what());
  } catch (const LibraryMissing& error) {
    raise("LibraryMissing", error.what());
  } catch (const CannotCreate& error) {
    raise("CannotCreate", error.what());
  } catch (const IoError& error) {
    raise("IoError", error.what());
  } catch (const ResourceError& error) {
    raise("ResourceError", error.what());
  } catch (const std::bad_alloc&) {
    raise("ResourceError", "out of memory; use fewer rows or columns, or a machine with more memory");
  } catch (const std::system_error& error) {
    raise("ResourceError", std::string("the system refuses: ") + error.what() + "; try threads=1");
  } catch (const std::exception& error) {
    raise("Error", std::string("internal: ") + error.what() + "; please report this");
  }
  throw pybind11::error_already_set();
}

/// Of a job with an executor: that of this process, or of a rank by the operations of giga._ranks.
template <typename Job>
auto done(Work& work, const tool::Resources& resources, const pybind11::object& progress, const Job& job,
          const pybind11::object& ranks = pybind11::none()) {
  std::optional<decltype(job(std::declval<const Executor&>(), JobObserver{}))> made;
  if (!ranks.is_none()) {
    PythonTransport transport(ranks);
    run_and_wait(work, progress, [&] {
      run_as_rank(transport, resources, work,
                  [&](const Executor& executor) { made.emplace(job(executor, work.observer())); });
    });
    return std::move(*made);
  }
  run_and_wait(work, progress, [&] {
    const Machine machine(resources, work);
    const JobObserver observer = work.observer();
    if (const int count = machine.executor().num_threads(); count < resources.threads)
      observer.note("only " + std::to_string(count) + " of " + std::to_string(resources.threads) +
                    " threads could be started");
    made.emplace(job(machine.executor(), observer));
    if (work.stop_requested()) throw Stopped();
  });
  return std::move(*made);
}

/// A request, whose refusals name the place of an option that a file gave.
template <typename Ask>
auto asked(CallArguments& arguments, const Ask& ask) {
  try {
    return ask();
  } catch (const tool::UsageError& error) {
    throw tool::UsageError(arguments->with_place(error.what()));
  }
}

}  // namespace giga::python
