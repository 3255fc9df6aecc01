// One thread waits for signals (sigwait), with all of them blocked in every other thread: handling then
// runs as ordinary code and not in a signal handler. SIGBUS alone has handlers, since it is raised by the
// access itself.
#include "support/signals.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

#include "giga/base/error.hpp"
#include "giga/data/mapped_file.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/process.hpp"

namespace giga::tool {
namespace {

std::atomic<int> g_signal{0};
std::atomic<bool> g_done{false};
std::atomic<bool> g_told{false};  // that it was stopped
std::mutex g_message_mutex;
std::string g_message = "stopped; nothing was written";  // guarded by g_message_mutex

// An OutputFile does not say where its temporary is, but it is open, so the system knows.
void remove_temporaries() {
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc/self/fd", error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    const auto file = std::filesystem::read_symlink(entries->path(), ignored);
    const std::string name = file.filename().string();
    if (name.starts_with(".giga-") && name.ends_with(".tmp")) ::unlink(file.c_str());
  }
}

[[noreturn]] void end_process(int signal) {
  if (stderr_is_live()) write_stderr(kNewLine);
  try {
    const int rank = this_process().rank;
    // Ranks that have not met cannot agree on who tells it, and a launcher stops all of them.
    if (first_to_tell() && (rank == 0 || this_process().meets_others))
      write_stderr_of_rank("giga: " + (rank > 0 ? "rank " + std::to_string(rank) + ": " : "") +
                           stop_message() + "\n");
    remove_temporaries();
  } catch (...) {  // leave one behind rather than not leave
  }
  ::_exit(kSignalBase + signal);
}

void handle_with(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

// A page that is of no input, or of none that can be outlived: of a scratch file, most likely.
void on_bus_error(int) {
  constexpr std::string_view kMessage =
      "giga: error: part of the memory could not be read or written (SIGBUS); check the disks of the scratch "
      "folder and of the input, and run again\n";
  (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(kIo);
}

// nohup, and scripts that run jobs in the background, start the process with signals ignored:
// they stay ignored.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalWatch::SignalWatch() {
  // A write to a pipe that nobody reads, or beyond the size a file may have, then fails, and what was begun
  // is removed.
  handle_with(SIGPIPE, SIG_IGN);
  handle_with(SIGXFSZ, SIG_IGN);
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&signals_, signal);
  }
  sigaddset(&signals_, SIGUSR2);  // from the destructor, to end the watch
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // no thread to be had: a signal then ends the process at once
    ::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  g_done = true;
  if (!thread_.joinable()) return;
  ::pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

void SignalWatch::watch() const {
  int signal = 0;
  while (signal == 0 || signal == SIGUSR2) {
    if (::sigwait(&signals_, &signal) != 0) signal = 0;
    if (g_done) return;
  }
  g_signal = signal;
  // The work has a little time to end by itself; a second signal cuts that short.
  const timespec patience = {.tv_sec = this_process().patience_s, .tv_nsec = 0};
  int second = 0;
  do {
    second = ::sigtimedwait(&signals_, nullptr, &patience);
  } while (second < 0 && errno == EINTR);
  if (!g_done) end_process(signal);
}

void take_bus_errors() {
  handle_with(SIGBUS, on_bus_error);
  outlive_lost_pages();
}

void set_stop_message(const std::string& text) {
  const std::lock_guard lock(g_message_mutex);
  g_message = text;
}

std::string stop_message() {
  const std::lock_guard lock(g_message_mutex);
  return g_message;
}

bool first_to_tell() noexcept {
  return !g_told.exchange(true);
}

void take_signal_of_another(int signal) noexcept {
  int none = 0;
  g_signal.compare_exchange_strong(none, signal);
}

void forget_signal() noexcept {
  g_signal = 0;
  g_told = false;
}

int signal_received() noexcept {
  return g_signal;
}

void stop_if_signalled() {
  if (stop_requested()) throw Stopped();
}

}  // namespace giga::tool
