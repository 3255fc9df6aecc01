// std::filesystem, with messages.
#include "giga/data/folders.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/system_failure.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what, const std::error_code& error) {
  const std::string text = printable_path(path) + ": " + what + ": " + error.message();
  if (is_lack(error.value())) throw ResourceError(text);
  if (is_disk(error.value())) throw IoError(text);
  throw CannotCreate(text);
}

// `none`: it could not be told.
void require_known(const fs::path& path, const fs::file_status& status, const std::error_code& error) {
  if (status.type() == fs::file_type::none) fail(path, "cannot be examined", error);
}

template <typename Call>
std::error_code uninterrupted_by_signals(const Call& call) {
  std::error_code error;
  do {
    error.clear();
    call(error);
  } while (error == std::errc::interrupted);
  return error;
}

bool is_missing(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

}  // namespace

fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  require_known(path, status, error);
  return status.type();
}

bool is_present(const fs::path& path) {
  return type_of(path) != fs::file_type::not_found;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require_known(path, status, error);
  return fs::is_directory(status);
}

void require_writable(const fs::path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return;
  const std::error_code error(errno, std::generic_category());
  fail(folder, "cannot be written to", error);
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  const std::error_code error = uninterrupted_by_signals([&](std::error_code& result) {
    found.clear();
    for (fs::directory_iterator entries(folder, result), end; !result && entries != end;
         entries.increment(result))
      found.push_back(entries->path());
  });
  if (error && !is_missing(error)) fail(folder, "cannot list the folder", error);
  return found;
}

bool make_folder(const fs::path& folder) {
  std::error_code error;
  const bool made = fs::create_directory(folder, error);
  if (!error) return made;
  const std::string text = printable_path(folder) + ": cannot make the folder: " + error.message();
  if (is_disk(error.value())) throw IoError(text);
  throw CannotCreate(text);
}

void remove_present(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error && !is_missing(error)) fail(path, "cannot be removed", error);
}

void remove_folder(const fs::path& folder) {
  const auto error =
      uninterrupted_by_signals([&](std::error_code& result) { fs::remove_all(folder, result); });
  if (error && !is_missing(error)) fail(folder, "cannot be removed", error);
}

}  // namespace giga
