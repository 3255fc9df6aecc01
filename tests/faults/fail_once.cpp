// A library to preload: it counts what a program asks of the system, by kind, and makes one call go wrong.
//
//   GIGA_FAULT=KIND:K:ACTION   at the K-th call of that kind, from 1 (K+: at that one and all that follow; of
//                              memory as much is given then as was given back since):
//       a number      the call is not made and fails with that errno; close() closes all the same
//       short         write and read take half of the bytes
//       kill-before, kill-after, kill-half   SIGKILL around the call, or after half of the bytes of a write
//   GIGA_FAULT_LOG=FILE        a line per call: kind, K, function, file; "hit" before that which went wrong;
//   at
//                              the end the number of allocations
//   GIGA_FAULT_TRACE=1         in the log, where the call that went wrong came from
//
// What happens before main is not counted. Calls within the C library do not come by here, nor do those of
// the loader. Files are told by their names, so descriptors 1 and 2 are kinds of their own.
#include "fail_once.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fail_once {
namespace {

constexpr const char* kNames[kKinds] = {"open",   "read", "write",  "stdout", "stderr", "sync",
                                        "rename", "map",  "size",   "close",  "unlink", "mkdir",
                                        "stat",   "lock", "thread", "alloc"};

std::atomic<bool> g_counting{false};
std::atomic<long> g_counts[kKinds];
int g_kind = -1, g_errno = 0, g_log = -1;
long g_number = 0;
bool g_all_after = false, g_trace = false;
Act g_act = Act::Go;
// Our own calls are not counted. Initial-exec: a place that needs no allocation.
thread_local bool t_inside __attribute__((tls_model("initial-exec"))) = false;

struct Inside {
  Inside() { t_inside = true; }
  ~Inside() { t_inside = false; }
};

void raw_write(const char* text, size_t length) {
  if (g_log >= 0) (void)!::syscall(SYS_write, g_log, text, length);
}

void log_call(bool hit, Kind kind, long number, const char* function, const Target& target) {
  if (g_log < 0) return;
  char name[1024] = "-";
  if (target.path != nullptr) {
    std::snprintf(name, sizeof(name), "%s%s%s", target.path, target.other != nullptr ? " -> " : "",
                  target.other != nullptr ? target.other : "");
  } else if (target.fd >= 0) {
    char link[64];
    std::snprintf(link, sizeof(link), "/proc/self/fd/%d", target.fd);
    const long length = ::syscall(SYS_readlink, link, name, sizeof(name) - 1);
    name[length > 0 ? length : 0] = '\0';
  }
  char line[1280];
  const int length = std::snprintf(line, sizeof(line), "%s%s\t%ld\t%s\t%s\n", hit ? "hit\t" : "",
                                   kNames[kind], number, function, name);
  raw_write(line, static_cast<size_t>(length < int(sizeof(line)) ? length : int(sizeof(line)) - 1));
}

void log_trace() {
  void* frames[48];
  const int count = ::backtrace(frames, 48);
  ::backtrace_symbols_fd(frames, count, g_log);
}

// KIND:K:ACTION
void read_fault(const char* text) {
  const char* colon = std::strchr(text, ':');
  if (colon == nullptr) return;
  for (int kind = 0; kind < kKinds; ++kind) {
    if (std::strlen(kNames[kind]) == static_cast<size_t>(colon - text) &&
        std::strncmp(kNames[kind], text, static_cast<size_t>(colon - text)) == 0)
      g_kind = kind;
  }
  char* end = nullptr;
  g_number = std::strtol(colon + 1, &end, 10);
  if (*end == '+') {
    g_all_after = true;
    ++end;
  }
  const char* action = *end == ':' ? end + 1 : end;
  g_errno = std::atoi(action);
  g_act = std::strcmp(action, "short") == 0         ? Act::Short
          : std::strcmp(action, "kill-before") == 0 ? Act::KillBefore
          : std::strcmp(action, "kill-after") == 0  ? Act::KillAfter
          : std::strcmp(action, "kill-half") == 0   ? Act::KillHalf
                                                    : Act::Fail;
}

using Main = int (*)(int, char**, char**);
Main g_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  {
    const Inside inside;
    if (const char* fault = std::getenv("GIGA_FAULT")) read_fault(fault);
    g_trace = std::getenv("GIGA_FAULT_TRACE") != nullptr;
    if (g_trace) log_trace();  // loads what it needs
    if (const char* log = std::getenv("GIGA_FAULT_LOG")) {
      constexpr int kOutOfTheWay = 500;
      const int fd = static_cast<int>(
          ::syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
      g_log = static_cast<int>(::syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kOutOfTheWay));
      ::syscall(SYS_close, fd);
    }
  }
  g_counting = true;
  const int code = g_main(argc, argv, environment);
  g_counting = false;
  const Inside inside;
  char line[64];
  const int length = std::snprintf(line, sizeof(line), "alloc\t%ld\tall\t-\n", g_counts[Alloc].load());
  raw_write(line, static_cast<size_t>(length));
  return code;
}

// Once memory is out.
std::atomic<long> g_returned{0};

}  // namespace

[[noreturn]] void die() {
  ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
  while (true) ::syscall(SYS_pause);
}

Act at(Kind kind, const char* function, const Target& target) {
  if (t_inside || !g_counting) return Act::Go;
  const Inside inside;
  const int kept = errno;
  const long number = ++g_counts[kind];
  const bool hit = kind == g_kind && (number == g_number || (g_all_after && number > g_number));
  const bool first = hit && number == g_number;
  if (first || kind != Alloc) log_call(hit, kind, number, function, target);
  if (first && g_trace) log_trace();
  errno = kept;
  if (hit && g_act == Act::KillBefore) die();
  return hit ? g_act : Act::Go;
}

void give_back(size_t size) {
  if (g_all_after && g_kind == Alloc && g_counts[Alloc] >= g_number) g_returned += static_cast<long>(size);
}

bool take_returned(size_t size) {
  const long wanted = static_cast<long>(size) + 32;  // with what malloc adds
  for (long left = g_returned; g_all_after && left >= wanted;)
    if (g_returned.compare_exchange_weak(left, left - wanted)) return true;
  return false;
}

int error_number() {
  return g_errno;
}

void* next_symbol(const char* name) {
  const Inside inside;
  return ::dlsym(RTLD_NEXT, name);
}

}  // namespace fail_once

using fail_once::Main;

extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*loader_fini)(), void* end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  fail_once::g_main = main;
  return reinterpret_cast<Start>(fail_once::next_symbol("__libc_start_main"))(
      fail_once::counted_main, argc, argv, init, fini, loader_fini, end);
}
