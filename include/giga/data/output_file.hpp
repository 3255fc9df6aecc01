// An output that appears whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace giga {

/// Writes to a temporary file beside the target; commit() makes it durable and puts it in the target's place.
/// Until then, and after any failure, whatever the target held before is untouched; an OutputFile destroyed
/// without a commit leaves nothing behind. Permissions are those of the file replaced, or 0666 under the
/// umask. A symbolic link to a file is followed.
///
/// An existing pipe, terminal or character device (/dev/stdout, /dev/null) is written to directly: there is
/// nothing to replace, so `force` is not needed.
class OutputFile {
 public:
  /// Whether the target would be written to directly.
  [[nodiscard]] static bool is_direct(const std::filesystem::path& target);

  /// Throws CannotCreate if the target exists and `force` is false, if it is a folder, or if its folder
  /// is missing or not writable.
  OutputFile(const std::filesystem::path& target, bool force);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws IoError, naming the target, when the system will not take the bytes. Buffered.
  void write(std::string_view bytes);

  /// Brings all that was written to the disk, still beside the target. What is left for commit() hardly ever
  /// fails, so that several files can appear together. Throws IoError as write() does. After it only commit()
  /// may be called.
  void finish();

  /// Throws IoError as write() does; CannotCreate if the target has appeared meanwhile and `force`
  /// is false. After it neither write() nor commit() may be called (std::logic_error).
  void commit();

  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

 private:
  enum class State { Open, Finished, Failed, Committed };

  enum class Undo { Nothing, Remove, Exchange };
  friend void commit_together(std::span<const std::unique_ptr<OutputFile>>,
                              std::span<const std::filesystem::path>);

  void open_directly();
  void open_temporary();
  void require_open(const char* function) const;
  void flush();
  void write_through(std::string_view bytes);
  void require_finished();
  void publish(bool undoably);
  void take_back() noexcept;
  [[noreturn]] void fail(int error);
  [[noreturn]] void fail_to_open(const std::string& what, int error);

  std::filesystem::path target_;     // as the caller wrote it, for messages
  std::filesystem::path final_;      // target_ with symbolic links resolved
  std::filesystem::path temporary_;  // empty when writing directly; after an exchange it has the old file
  std::vector<char> buffer_;
  int fd_ = -1;
  bool force_;
  State state_ = State::Open;
  Undo undo_ = Undo::Nothing;
};

/// Commits several outputs as one, in their order, and removes files that are to go with what they replace,
/// before the first appears. If one of them cannot be put in its place, those before it are taken back and
/// all is as it was; only a file system that cannot exchange names keeps the new ones. A process that is
/// killed meanwhile leaves whole files, some old, some new.
void commit_together(std::span<const std::unique_ptr<OutputFile>> outputs,
                     std::span<const std::filesystem::path> removed = {});

}  // namespace giga
