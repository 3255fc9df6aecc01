// Ctrl-C and its relatives. A thread waits for them; the work checks a flag and ends by itself, removing what
// it had begun to write. If it does not within a second (of ranks: Process::patience_s), or a second signal
// comes, the thread removes the temporary files and ends the process.
#pragma once

#include <csignal>
#include <string>
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

/// Of a program that owns its process: lost pages of input are outlived, and told of at the end of the work;
/// any other SIGBUS ends the process at once, with a line on stderr and the code of a disk that fails. Before
/// input is read, and after whatever sets handlers of its own, as MPI's libraries do when they start.
void take_bus_errors();

/// The signal that asked to stop, or 0.
[[nodiscard]] int signal_received() noexcept;
/// Another rank had the signal that ended the work; nothing if there was one here.
void take_signal_of_another(int signal) noexcept;
/// As if there had been none: for a process that goes on after work that was stopped.
void forget_signal() noexcept;
/// Whether there was one: the stop request of every executor of the command.
[[nodiscard]] inline bool stop_requested() noexcept {
  return signal_received() != 0;
}

/// What is said when a signal ends the work, until another is set: "stopped; nothing was written".
void set_stop_message(const std::string& text);
[[nodiscard]] std::string stop_message();

/// Whether nobody has said yet that the process was stopped; whoever asks is about to. The launcher of ranks
/// sends signals of its own to those that end later than others.
[[nodiscard]] bool first_to_tell() noexcept;

/// Throws Stopped if a signal asked to stop.
void stop_if_signalled();

}  // namespace giga::tool
