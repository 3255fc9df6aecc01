// Ctrl-C and its relatives. A thread waits for them; the work looks at a flag and ends by itself, removing
// what it had begun to write. If it does not within a second, or a second signal comes, the thread
// removes the temporary files and ends the process.
#pragma once

#include <csignal>
#include <thread>

namespace giga::tool {

/// One in a process, made before any other thread, so that all of them leave the signals to its own.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void watch() const;

  sigset_t signals_;
  std::thread thread_;
};

/// The signal that asked to stop, or 0.
[[nodiscard]] int signal_received() noexcept;

/// Throws Stopped if a signal asked to stop.
void stop_if_signalled();

/// What a stop says of the outputs, "nothing was written" unless a verb has set another text; it must outlive
/// the process.
void set_stop_text(const char* text) noexcept;
[[nodiscard]] const char* stop_text() noexcept;

}  // namespace giga::tool
