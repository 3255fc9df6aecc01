// What an errno means to a user: which of the errors of giga/base/error.hpp it is, and its words.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace giga {

/// The machine has too little of something; trying again later may do.
[[nodiscard]] inline bool is_lack(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN;
}

/// Somebody does not want it.
[[nodiscard]] inline bool is_denied(int error) {
  return error == EACCES || error == EPERM || error == EROFS;
}

/// The disk, or what stands for one, cannot.
[[nodiscard]] inline bool is_disk(int error) {
  return error == EIO || error == ENOSPC || error == EDQUOT;
}

[[nodiscard]] inline std::string system_words(int error) {
  return std::system_category().message(error);
}

/// Repeats a call that a signal has interrupted.
template <typename Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace giga
