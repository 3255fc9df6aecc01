// Whether files are, after they were read, what they were before.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <filesystem>
#include <span>
#include <vector>

namespace giga {

/// Sizes and times of files as they are when it is made.
class FileStates {
 public:
  explicit FileStates(std::span<const std::filesystem::path> files);

  /// Throws IoError, naming the first file that was written to meanwhile. A file that another took the name
  /// of is as it was: what was read of it belongs together.
  void require_unchanged() const;

 private:
  struct State {
    std::filesystem::path path;
    dev_t device;
    ino_t number;
    off_t size;
    timespec time;
  };
  std::vector<State> states_;
};

}  // namespace giga
