// The command, as all its programs run it.
#pragma once

namespace giga::tool {

/// Parses, runs one verb and returns the exit code. Throws what goes wrong; report_exception() says it.
[[nodiscard]] int run_command(int argc, char** argv);

}  // namespace giga::tool
