// What every call from Python has: its arguments as the command understands them, and a thread that does the
// work while the thread of the caller waits for it, looks for Ctrl-C and shows progress.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/job/job.hpp"
#include "options/resources.hpp"
#include "support/arguments.hpp"

namespace giga::python {

/// A setting as the command has it: the name of an option without dashes, and its value as text.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// The arguments of one call of a verb, and what the file that `config` names says. Declared anew for each:
/// values are kept where options are.
class CallArguments {
 public:
  CallArguments(const std::string& verb, void (*add_options)(tool::Arguments&), const Settings& settings);
  /// Of a verb that declares itself below a command.
  CallArguments(const std::function<std::vector<tool::Verb>(CLI::App&)>& declare, const std::string& verb,
                const Settings& settings);
  ~CallArguments();
  CallArguments(const CallArguments&) = delete;
  CallArguments& operator=(const CallArguments&) = delete;

  [[nodiscard]] tool::Arguments& operator*() { return *arguments_; }
  [[nodiscard]] tool::Arguments* operator->() { return &*arguments_; }
  /// What a verb that declared itself does.
  [[nodiscard]] const std::function<void()>& run() const { return run_; }

 private:
  void take(const std::string& verb, const Settings& settings);

  std::unique_ptr<CLI::App> root_;
  std::optional<tool::Arguments> arguments_;
  std::function<void()> run_;
};

/// How far the work is, for whoever shows it.
struct Progress {
  std::string stage;
  Index done = 0, total = 0;  ///< total = 0: not known
};

/// Work on a thread of its own. The observer and the executor belong to that thread; poll() is for the one
/// that waits.
class Work {
 public:
  Work() : sampled_(kMostChains) {}

  [[nodiscard]] JobObserver observer();
  [[nodiscard]] bool stop_requested() const { return stop_; }
  void stop() { stop_ = true; }
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  /// Begins; ends when wait() says so. `run` is called once.
  void begin(std::function<void()> run);
  /// Waits for so many milliseconds at most; whether the work has ended.
  [[nodiscard]] bool wait(int milliseconds);
  /// After the end: throws what the work threw.
  void finish();

 private:
  static constexpr std::size_t kMostChains = 256;

  void see(const StageProgress& at);

  std::atomic<bool> stop_ = false;
  std::atomic<int> stage_ = -1;
  std::atomic<Index> done_ = 0, total_ = 0;
  std::vector<std::atomic<Index>> sampled_;  // transitions of each chain
  std::atomic<Index> chains_ = 0;            // the last that was seen, and one
  std::vector<std::string> notes_;           // written by the working thread, read after its end
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

/// Threads that stop with the work, and the memory of their arrays.
class Machine {
 public:
  Machine(const tool::Resources& resources, const Work& work)
      : memory_(resources.memory, resources.scratch, resources.scratch_given),
        threads_(
            resources.threads, [&work] { return work.stop_requested(); }, memory_) {}
  [[nodiscard]] const Executor& executor() const { return threads_; }

 private:
  RowMemory memory_;
  Threads threads_;
};

}  // namespace giga::python
