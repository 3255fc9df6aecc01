#include "support/exit_codes.hpp"

#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "giga/base/error.hpp"
#include "support/console.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

int said(ExitCode code, const std::string& message) {
  say_error(message);
  return code;
}

}  // namespace

int report_exception() noexcept {
  try {
    throw;
  } catch (const Stopped& stopped) {
    write_stderr("giga: stopped; ");
    write_stderr(stop_text());
    write_stderr("\n");
    return kSignalBase + stopped.signal;
  } catch (const NotSafe&) {
    return kNotSafe;
  } catch (const ClosedPipe&) {
    return kIo;
  } catch (const UsageError& error) {
    return said(kUsage, error.what());
  } catch (const DataError& error) {
    return said(kBadData, error.what());
  } catch (const InputMissing& error) {
    return said(kNoInput, error.what());
  } catch (const CannotCreate& error) {
    return said(kCannotCreate, error.what());
  } catch (const IoError& error) {
    return said(kIo, error.what());
  } catch (const ResourceError& error) {
    return said(kResources, error.what());
  } catch (const std::bad_alloc&) {
    return said(kResources, "out of memory; use fewer rows or columns, or a machine with more memory");
  } catch (const std::system_error& error) {  // no more threads
    return said(kResources, std::string("the system refuses: ") + error.what() + "; try --threads 1");
  } catch (const std::exception& error) {
    return said(kInternal, std::string("internal: ") + error.what() + "; please report this");
  } catch (...) {
    return said(kInternal, "internal: unknown exception; please report this");
  }
}

}  // namespace giga::tool
