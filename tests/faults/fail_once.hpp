// What stands between a program and the system: each call comes by `at`, which counts it and says what is to
// happen to it.
#pragma once

#include <cerrno>
#include <cstddef>

namespace fail_once {

enum Kind {
  Open,
  Read,
  Write,
  Stdout,
  Stderr,
  Sync,
  Rename,
  Map,
  Size,
  Close,
  Unlink,
  Mkdir,
  Stat,
  Lock,
  Thread,
  Alloc,
  kKinds
};

enum class Act { Go, Fail, Short, KillBefore, KillAfter, KillHalf };

// What a call is about: a descriptor, or one or two paths.
struct Target {
  int fd = -1;
  const char* path = nullptr;
  const char* other = nullptr;
};

/// Counts the call and tells what is to happen to it; KillBefore has happened then.
Act at(Kind kind, const char* function, const Target& target);
[[noreturn]] void die();
/// The errno of a call that fails.
int error_number();
/// Once memory is out, what is given back may be given again.
void give_back(std::size_t size);
bool take_returned(std::size_t size);
/// The function of that name that would have been called without us.
void* next_symbol(const char* name);

// The call, or what is to come of it instead. `half` makes it with half of the bytes.
template <typename Result, typename Call, typename Half>
Result through(Kind kind, const char* function, const Target& target, Result failed, const Call& call,
               const Half& half) {
  const Act act = at(kind, function, target);
  if (act == Act::Fail) {
    errno = error_number();
    return failed;
  }
  if (act == Act::Short) return half();
  if (act == Act::KillHalf) {
    half();
    die();
  }
  const Result result = call();
  if (act == Act::KillAfter) die();
  return result;
}

template <typename Result, typename Call>
Result through(Kind kind, const char* function, const Target& target, Result failed, const Call& call) {
  return through(kind, function, target, failed, call, call);
}

#define FAIL_ONCE_NEXT(function) \
  static const auto next = reinterpret_cast<decltype(&::function)>(fail_once::next_symbol(#function))

}  // namespace fail_once
