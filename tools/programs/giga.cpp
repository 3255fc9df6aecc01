// giga: the command in one process.
#include "command.hpp"
#include "support/exit_codes.hpp"
#include "support/memory_reserve.hpp"
#include "support/process.hpp"
#include "support/signals.hpp"

const giga::tool::Process& giga::tool::this_process() noexcept {
  static const Process kAlone;
  return kAlone;
}

int main(int argc, char** argv) {
  giga::tool::keep_memory_back();
  giga::tool::take_bus_errors();
  try {
    const giga::tool::SignalWatch watch;
    return giga::tool::run_command(argc, argv);
  } catch (...) {
    return giga::tool::report_exception();
  }
}
