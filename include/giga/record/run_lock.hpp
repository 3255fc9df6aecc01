// One run at a time in a folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace giga {

/// Holds the folder of a run, which it makes if there is none, until it is destroyed. The lock is the
/// system's (flock), on a file in the folder that has the number of the process: it ends with the process,
/// however that ends. Where the file system knows no locks nothing is held.
class RunLock {
 public:
  /// Throws CannotCreate if another process holds the folder, or if it cannot be made or written to.
  explicit RunLock(std::filesystem::path folder);
  /// Removes the file; and the folder, if this object made it and nothing else is in it.
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Whether a process that was killed has left its file in the folder, after `file` was written there.
  [[nodiscard]] static bool left_since(const std::filesystem::path& folder,
                                       const std::filesystem::path& file);

  /// Removes what a process that was killed has left; throws CannotCreate if one that runs holds the folder.
  static void clear(const std::filesystem::path& folder);

  /// What to tell of a process that ended without letting go, whose lock this was.
  [[nodiscard]] const std::optional<std::string>& note() const { return note_; }

 private:
  bool take();
  void let_go() noexcept;

  std::filesystem::path folder_, file_;
  bool made_folder_, held_ = false;
  std::optional<std::string> note_;
  int fd_ = -1;
};

}  // namespace giga
