// Runs the command as a shell would and keeps all that can be seen of it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace giga::test {

struct Launch {
  std::vector<std::string> arguments;
  std::vector<std::string> environment = {};         ///< "NAME=value", on top of a bare PATH and HOME
  std::vector<std::string> before = {};              ///< a program, by path, that runs the command for us
  std::optional<std::filesystem::path> input = {};   ///< what stdin reads; else nothing
  std::optional<std::filesystem::path> out = {};     ///< where stdout goes; else it is kept
  std::optional<std::filesystem::path> folder = {};  ///< the working directory
  bool reader_left = false;                          ///< stdout is a pipe that nobody reads
  bool terminal = false;                             ///< stderr is a terminal
  int signal = 0;                                    ///< sent after `signal_after_s`
  double signal_after_s = 0;
  std::string signal_at = {};          ///< and once stderr, a terminal, has this text
  std::function<void()> instead = {};  ///< of a signal: called then
};

struct Outcome {
  int code = -1;      ///< of the exit, or 256 + the signal that killed it
  std::string out;    ///< stdout
  std::string error;  ///< stderr
  long peak_kilobytes = 0;
  double seconds_after_signal = 0;
};

/// Kills the command and fails the test after 60 s.
[[nodiscard]] Outcome run(const Launch& launch);
[[nodiscard]] Outcome run(const std::vector<std::string>& arguments);

[[nodiscard]] std::ptrdiff_t count_of(const std::string& text, const std::string& part);

}  // namespace giga::test
