// How far the work has come, on stderr: a bar on a terminal, redrawn ten times a second and gone at the end;
// plain lines every ten seconds otherwise. A thread of its own draws, so that stages which report nothing are
// seen too.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "giga/base/stopwatch.hpp"
#include "giga/base/types.hpp"

namespace giga::tool {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Stages that begin from now on belong to part `number` of `count`: "[3/7] building".
  void part(int number, int count);

  /// A stage begins: "preparing 1000000 x 50 vectors". With a total, `unit` is what is counted.
  void begin(std::string what, Index total = 0, std::string unit = "");

  /// What the present stage is expected to take, and all that come after it: time left is then that of the
  /// whole. Forgotten when the next stage begins.
  void expect(double stage_s, double later_s);

  /// `done` of the total after `steps` steps; `detail` is shown as it is.
  void update(Index done, Index steps, std::string detail);

  /// Removes the bar. Nothing is drawn until the next stage.
  void end();

 private:
  void draw_until(const std::stop_token& stop);
  [[nodiscard]] std::string status();
  [[nodiscard]] double seconds_left() const;
  [[nodiscard]] std::string bar(const std::string& text) const;
  void clear();

  const bool live_;
  const bool colours_;
  std::mutex mutex_;  // guards all below
  std::string what_;  // empty between stages
  std::string part_, unit_, detail_;
  Index total_ = 0, done_ = 0, steps_ = 0;
  double stage_s_ = 0, later_s_ = 0;  // expected; 0: nothing is
  double shown_left_s_ = 0;           // 0: nothing was shown
  bool drawn_ = false;
  Stopwatch stage_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace giga::tool
