// Standard input belongs to the rank that leads; the others get its bytes from there.
#pragma once

#include <string>

#include "giga/base/executor.hpp"

namespace giga {

/// Without other ranks the descriptor as it is; with them a copy of all its bytes in the memory of each rank.
class SharedStream {
 public:
  /// `name` is for messages. Throws IoError where the bytes cannot be read or kept.
  SharedStream(int descriptor, const std::string& name, const Executor& executor);
  ~SharedStream();
  SharedStream(const SharedStream&) = delete;
  SharedStream& operator=(const SharedStream&) = delete;

  [[nodiscard]] int descriptor() const { return copy_ >= 0 ? copy_ : original_; }

 private:
  int original_;
  int copy_ = -1;
};

}  // namespace giga
