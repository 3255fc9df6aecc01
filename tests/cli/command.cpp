#include "cli/command.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kTimeLimit_s = 60;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

struct Terminal {
  int master = -1;
  int slave = -1;
  Terminal() {
    winsize size{.ws_row = 24, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
    if (::openpty(&master, &slave, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
    ::fcntl(master, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    ::close(master);
    ::close(slave);
  }
  [[nodiscard]] std::string drain() const {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = ::read(master, buffer.data(), buffer.size())) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(got));
    return text;
  }
};

// A pipe without a reader.
int abandoned_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  ::close(ends[0]);
  return ends[1];
}

pid_t spawn(const Launch& launch, const std::filesystem::path& out, const std::filesystem::path& error,
            const std::optional<Terminal>& terminal) {
  std::vector<std::string> words = launch.before;
  words.emplace_back(GIGA_COMMAND);
  words.insert(words.end(), launch.arguments.begin(), launch.arguments.end());
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "TERM=xterm"};
  environment.insert(environment.end(), launch.environment.begin(), launch.environment.end());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (launch.folder) posix_spawn_file_actions_addchdir_np(&actions, launch.folder->c_str());
  const std::string input = launch.input.value_or("/dev/null");
  posix_spawn_file_actions_addopen(&actions, 0, input.c_str(), O_RDONLY, 0);
  const int abandoned = launch.reader_left ? abandoned_pipe() : -1;
  if (abandoned >= 0) {
    posix_spawn_file_actions_adddup2(&actions, abandoned, 1);
  } else {
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  }
  if (terminal) {
    posix_spawn_file_actions_adddup2(&actions, terminal->slave, 2);
  } else {
    posix_spawn_file_actions_addopen(&actions, 2, error.c_str(), O_WRONLY | O_CREAT, 0600);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  pid_t child = -1;
  auto argv = pointers(words);
  auto envp = pointers(environment);
  const int failure = ::posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (abandoned >= 0) ::close(abandoned);
  if (failure != 0) throw std::runtime_error("cannot run " + words[0]);
  return child;
}

}  // namespace

Outcome run(const Launch& launch) {
  const TempDir scratch;
  const auto error_file = scratch / "error";
  const auto out_file = launch.out.value_or(scratch / "out");
  std::optional<Terminal> terminal;
  if (launch.terminal) terminal.emplace();
  const pid_t child = spawn(launch, out_file, error_file, terminal);

  Outcome outcome;
  const auto start = Clock::now();
  auto signalled = start;
  bool sent = launch.signal == 0 && !launch.instead;
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, WNOHANG, &usage) == 0) {
    if (terminal) outcome.error += terminal->drain();
    if (!sent && seconds_since(start) >= launch.signal_after_s &&
        outcome.error.find(launch.signal_at) != std::string::npos) {
      if (launch.instead) {
        launch.instead();
      } else {
        ::kill(child, launch.signal);
      }
      signalled = Clock::now();
      sent = true;
    }
    if (seconds_since(start) > kTimeLimit_s) {
      ADD_FAILURE() << "the command still ran after " << kTimeLimit_s << " s";
      ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  outcome.seconds_after_signal = seconds_since(signalled);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
  outcome.peak_kilobytes = usage.ru_maxrss;
  outcome.error += terminal ? terminal->drain() : read_file(error_file);
  if (!launch.out) outcome.out = read_file(out_file);
  return outcome;
}

Outcome run(const std::vector<std::string>& arguments) {
  return run(Launch{.arguments = arguments});
}

std::ptrdiff_t count_of(const std::string& text, const std::string& part) {
  std::ptrdiff_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace giga::test
