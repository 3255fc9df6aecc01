// The exit codes (DESIGN.md, section 6; Stan's and sysexits.h's), the command's own exceptions, and the one
// place that turns exceptions into both.
#pragma once

#include <span>
#include <string>

#include "giga/base/error.hpp"

namespace giga::tool {

inline constexpr int kOk = 0;
inline constexpr int kNotSafe =
    1;  ///< With --strict, of fit and check: all went well, and the verdict is not safe.
inline constexpr int kUsage = 64;
inline constexpr int kBadData = 65;
inline constexpr int kNoInput = 66;
inline constexpr int kUnavailable = 69;
inline constexpr int kInternal = 70;
inline constexpr int kResources = 71;
inline constexpr int kCannotCreate = 73;
inline constexpr int kIo = 74;
inline constexpr int kSignalBase = 128;  ///< Plus the number of the signal.

struct ExitMeaning {
  int code;
  const char* words;
};

/// Every code the command can end with, in order.
[[nodiscard]] std::span<const ExitMeaning> exit_meanings();

/// The same for the help: one line each, under a heading.
[[nodiscard]] std::string exit_code_help();

/// The command line or the configuration file asks for something that cannot be.
class UsageError : public OptionError {
 public:
  using OptionError::OptionError;
};

/// Whoever read the results has gone: nobody is left to tell.
struct ClosedPipe {};

/// With --strict: the verdict is not safe, and has been printed in full.
struct NotSafe {};

/// Inside a catch block: says on stderr what is being handled, in one line, and returns the exit code.
[[nodiscard]] int report_exception() noexcept;

}  // namespace giga::tool
