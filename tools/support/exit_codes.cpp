// The table of exit codes, and the one catch that maps exceptions to them. The order of the handlers matters:
// a derived exception must come before its base.
#include "support/exit_codes.hpp"

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <new>
#include <system_error>

#include "giga/base/error.hpp"
#include "giga/data/read_dataset.hpp"
#include "support/console.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr ExitMeaning kMeanings[] = {
    {kOk, "done"},
    {kNotSafe, "--strict, of giga fit and giga check: the verdict is not safe"},
    {kUsage, "wrong usage"},
    {kBadData, "bad data"},
    {kNoInput, "no input"},
    {kUnavailable, "a library is not installed"},
    {kInternal, "internal error"},
    {kResources, "out of memory"},
    {kCannotCreate, "cannot create the output"},
    {kIo, "cannot read or write"},
    {kSignalBase + SIGINT, "stopped by Ctrl-C"},
    {kSignalBase + SIGTERM, "stopped by SIGTERM"},
};

// Memory may be what is lacking: if the parts cannot be put together, they are written one by one.
int said(int code, std::string_view message, std::string_view more = {}, std::string_view end = {}) noexcept {
  try {
    say_error(std::string(message).append(more).append(end));
  } catch (...) {
    for (const std::string_view part :
         {std::string_view("giga: error: "), message, more, end, std::string_view("\n")})
      write_stderr(part);
  }
  return code;
}

int said_stopped() noexcept {
  try {
    if (first_to_tell()) write_stderr("giga: " + stop_message() + "\n");
  } catch (...) {
    write_stderr("giga: stopped\n");
  }
  return kSignalBase + signal_received();
}

}  // namespace

std::span<const ExitMeaning> exit_meanings() {
  return kMeanings;
}

std::string exit_code_help() {
  std::string text = "Exit codes:";
  for (const ExitMeaning& each : kMeanings) text += fmt::format("\n  {:>3} {}", each.code, each.words);
  return text;
}

int report_exception() noexcept {
  try {
    throw;
  } catch (const Stopped&) {  // a signal asked to stop
    return said_stopped();
  } catch (const NotSafe&) {
    return kNotSafe;
  } catch (const ClosedPipe&) {
    return kIo;
  } catch (const OptionError& error) {
    return said(kUsage, error.what());
  } catch (const DataError& error) {
    return said(kBadData, error.what());
  } catch (const InputMissing& error) {
    return said(kNoInput, error.what());
  } catch (const LibraryMissing& error) {
    return said(kUnavailable, error.what());
  } catch (const CannotCreate& error) {
    return said(kCannotCreate, error.what());
  } catch (const IoError& error) {
    return said(kIo, error.what());
  } catch (const ResourceError& error) {
    return said(kResources, error.what());
  } catch (const std::bad_alloc&) {
    return said(kResources, "out of memory; use fewer rows or columns, or a machine with more memory");
  } catch (const std::system_error& error) {
    return said(kResources, "the system refuses: ", error.what());
  } catch (const std::exception& error) {
    return said(kInternal, "internal: ", error.what(), "; please report this");
  } catch (...) {
    return said(kInternal, "internal: unknown exception; please report this");
  }
}

}  // namespace giga::tool
