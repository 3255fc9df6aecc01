#include "data/file_state.hpp"

#include <sys/stat.h>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {

FileStates::FileStates(std::span<const std::filesystem::path> files) {
  for (const std::filesystem::path& path : files) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;  // reading it will tell
    states_.push_back({path, status.st_dev, status.st_ino, status.st_size, status.st_mtim});
  }
}

void FileStates::require_unchanged() const {
  for (const State& before : states_) {
    struct stat now {};
    if (::stat(before.path.c_str(), &now) != 0) continue;
    if (now.st_dev != before.device || now.st_ino != before.number) continue;
    const bool same = now.st_size == before.size && now.st_mtim.tv_sec == before.time.tv_sec &&
                      now.st_mtim.tv_nsec == before.time.tv_nsec;
    if (!same)
      throw IoError(printable_path(before.path) +
                    ": was written to while it was read; run again once it is whole");
  }
}

}  // namespace giga
