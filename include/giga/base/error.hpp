// What the library throws. Broken preconditions are std::invalid_argument; numerics that end early are a
// Termination in the result, never an exception.
#pragma once

#include <stdexcept>
#include <string>

namespace giga {

/// A file or table whose content cannot be used. The message names the place, the value and what to do.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There is nothing to read: no such file, a directory, no permission.
class InputMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An output cannot be created: it exists already, or its folder does not.
class CannotCreate : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reading or writing failed half-way: disk full, device error. The old output is intact.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option asks for something impossible. The message names the option as `field`, which a front end
/// spells in its own way.
class OptionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The machine has too little of something for what was asked.
class ResourceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The work was asked to stop, by its executor or its observer, and has no result.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

}  // namespace giga
