// An exception as bytes and back, for other ranks: its kind and its words.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

namespace giga {

struct Failure {
  std::int64_t kind = 0;
  std::string words;

  /// Whether it may be due to the machine of a rank, rather than to what all ranks do.
  [[nodiscard]] bool of_the_machine() const;
};

/// `exception` is not null.
[[nodiscard]] Failure failure_of(const std::exception_ptr& exception);

/// An exception of the same kind: of the types of base/error.hpp, LibraryMissing, the common ones of the
/// standard library, or std::runtime_error.
[[nodiscard]] std::exception_ptr exception_of(const Failure& failure);

}  // namespace giga
